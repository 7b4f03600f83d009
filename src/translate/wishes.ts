/**
 * The stage of wishes that are one word or a few: status, size, regime, head office, contact, sort.
 * What comes in: a sentence. What goes out: what each wish sets in a spec.
 * Invariant: a wish that the spec cannot express in the polarity it has is left to the notes, never
 * dropped and never turned round.
 */
import { claimNegation, negatorOf } from "./negation.ts";
import type { Notes } from "./notes.ts";
import { Phrases } from "./phrases.ts";
import type { Role, Sentence, Words } from "./sentence.ts";

/** What the wishes of a sentence set. */
export interface FoundWishes {
  readonly statuses: Set<number>;
  readonly excludedStatuses: Set<number>;
  readonly sizes: Set<string>;
  readonly excludedSizes: Set<string>;
  mei: boolean | null;
  simples: boolean | null;
  headquarters: boolean;
  email: boolean;
  phone: boolean;
  contact: boolean;
  anyStatus: boolean;
  readonly sort: { readonly field: string; readonly direction: "asc" | "desc" }[];
}

type Apply = (found: FoundWishes, negated: boolean) => boolean;

/** One kind of wish: its names, whose words they become, and what it sets; false for "cannot". */
interface Wish {
  readonly role: Role;
  readonly names: readonly string[];
  readonly apply: Apply;
  /** A word that the reader should know was taken for less than it says. */
  readonly warning?: { readonly code: string; readonly pt: string; readonly en: string };
}

const positive =
  (set: (found: FoundWishes) => void): Apply =>
  (found, negated) => {
    if (negated) return false;
    set(found);
    return true;
  };

const status =
  (code: number): Apply =>
  (found, negated) => {
    (negated ? found.excludedStatuses : found.statuses).add(code);
    return true;
  };

const size =
  (...codes: readonly string[]): Apply =>
  (found, negated) => {
    for (const code of codes) (negated ? found.excludedSizes : found.sizes).add(code);
    return true;
  };

const sorted = (field: string, direction: "asc" | "desc"): Apply =>
  positive((found) => {
    found.sort.push({ field, direction });
  });

const LARGE = {
  code: "size_other",
  pt: 'O registro não distingue médias de grandes: as duas são "demais" (05).',
  en: 'The registry does not tell medium from large companies: both are "other" (05).',
};

const WISHES: readonly Wish[] = [
  {
    role: "status",
    names: [
      "ativo",
      "ativa",
      "em atividade",
      "em funcionamento",
      "funcionando",
      "situação ativa",
      "active",
      "operando",
    ],
    apply: status(2),
  },
  {
    role: "status",
    names: [
      "baixado",
      "baixada",
      "fechado",
      "fechada",
      "encerrado",
      "encerrada",
      "extinto",
      "extinta",
      "inativo",
      "inativa",
      "closed",
      "fecharam",
      "encerraram",
    ],
    apply: status(8),
  },
  { role: "status", names: ["suspenso", "suspensa", "suspended"], apply: status(3) },
  { role: "status", names: ["inapto", "inapta", "unfit"], apply: status(4) },
  { role: "status", names: ["situação nula", "cadastro nulo"], apply: status(1) },
  {
    role: "status",
    names: [
      "qualquer situação",
      "todas as situações",
      "ativas ou não",
      "ativas e inativas",
      "any status",
    ],
    apply: positive((found) => {
      found.anyStatus = true;
    }),
  },
  {
    role: "size",
    names: ["microempresa", "micro empresa", "micro", "ME", "porte micro"],
    apply: size("01"),
  },
  {
    role: "size",
    names: [
      "empresa de pequeno porte",
      "EPP",
      "pequeno porte",
      "pequena empresa",
      "pequena",
      "porte pequeno",
    ],
    apply: size("03"),
  },
  {
    role: "size",
    names: [
      "micro e pequena",
      "micro e pequena empresa",
      "micro ou pequena",
      "MPE",
      "small business",
      "small companies",
    ],
    apply: size("01", "03"),
  },
  {
    role: "size",
    names: [
      "média",
      "grande",
      "médio porte",
      "grande porte",
      "média empresa",
      "grande empresa",
      "porte médio",
      "porte grande",
      "médias e grandes",
      "large companies",
      "demais portes",
    ],
    apply: size("05"),
    warning: LARGE,
  },
  {
    role: "regime",
    names: ["MEI", "microempreendedor individual", "microempreendedor"],
    apply: (found, negated) => {
      found.mei = !negated;
      return true;
    },
  },
  {
    role: "regime",
    names: ["Simples Nacional", "simples", "optante pelo simples", "optante do simples", "optante"],
    apply: (found, negated) => {
      found.simples = !negated;
      return true;
    },
  },
  {
    role: "regime",
    names: ["lucro presumido", "lucro real", "regime normal"],
    apply: positive((found) => {
      found.simples = false;
    }),
    warning: {
      code: "tax_regime",
      pt: 'O registro só diz se a empresa é do Simples: lucro presumido e real foram lidos como "fora do Simples".',
      en: 'The registry only tells Simples: other regimes were read as "not in Simples".',
    },
  },
  {
    role: "headquarters",
    names: ["matriz", "matrizes", "sede", "só matriz", "headquarters", "head office"],
    apply: positive((found) => {
      found.headquarters = true;
    }),
  },
  {
    role: "headquarters",
    names: ["filial", "filiais", "sucursal", "branch", "branches"],
    apply: (found, negated) => {
      if (negated) found.headquarters = true;
      return negated;
    },
  },
  {
    role: "contact",
    names: ["email", "e-mail", "correio eletrônico", "endereço de e-mail"],
    apply: positive((found) => {
      found.email = true;
    }),
  },
  {
    role: "contact",
    names: [
      "telefone",
      "celular",
      "whatsapp",
      "whats",
      "zap",
      "fone",
      "número de telefone",
      "phone",
      "phone number",
      "tel",
    ],
    apply: positive((found) => {
      found.phone = true;
    }),
  },
  {
    role: "contact",
    names: [
      "contato",
      "dados de contato",
      "alguma forma de contato",
      "contact",
      "e-mail ou telefone",
      "telefone ou e-mail",
    ],
    apply: positive((found) => {
      found.contact = true;
    }),
  },
  {
    role: "sort",
    names: [
      "mais nova primeiro",
      "mais novas primeiro",
      "mais recentes primeiro",
      "mais recente primeiro",
      "da mais nova para a mais antiga",
      "newest first",
      "ordem de abertura decrescente",
    ],
    apply: sorted("started_on", "desc"),
  },
  {
    role: "sort",
    names: [
      "mais antiga primeiro",
      "mais antigas primeiro",
      "mais velhas primeiro",
      "oldest first",
      "mais antigas",
    ],
    apply: sorted("started_on", "asc"),
  },
  {
    role: "sort",
    names: [
      "maior capital primeiro",
      "maior capital",
      "maiores capitais",
      "por capital social",
      "ordenadas por capital",
      "maior",
      "maiores",
      "largest",
      "biggest",
    ],
    apply: sorted("share_capital", "desc"),
  },
  {
    role: "sort",
    names: ["ordem alfabética", "de A a Z", "por nome", "alphabetical order"],
    apply: sorted("legal_name", "asc"),
  },
];

const TABLE = new Phrases<Wish>();
for (const wish of WISHES) for (const name of wish.names) TABLE.add(name, wish);

/** `mais nova` and its kind must not lose their small words; these begin a comparison instead. */
const COMPARING = new Set(["mais", "menos", "acima", "abaixo"]);

/** Finds and claims every wish of the table. */
export function findWishes(sentence: Sentence, notes: Notes): FoundWishes {
  const found: FoundWishes = {
    statuses: new Set(),
    excludedStatuses: new Set(),
    sizes: new Set(),
    excludedSizes: new Set(),
    ...{ mei: null, simples: null, headquarters: false, email: false, phone: false },
    ...{ contact: false, anyStatus: false, sort: [] },
  };
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at)) continue;
    const match = TABLE.longest(sentence.tokens, at, (index) => sentence.free(index));
    if (match === null || !isMeant(sentence, at, match.value)) continue;
    take(sentence, notes, found, { at, to: match.to, wish: match.value });
    at = match.to - 1;
  }
  return found;
}

/** Words before a contact that say that it is wanted (or not), and those that may stand between. */
const HAVING = new Set(
  (
    "com sem tenha tenham tem possua possuam possui have has having with without exige exija requer " +
    "cadastrado informado"
  ).split(" "),
);
const BEFORE_CONTACT = new Set(
  "um uma o a os as numero de do da e ou nem and or any mail".split(" "),
);

/** "com telefone" is a wish, "conserto de celular" a trade. */
function isHad(sentence: Sentence, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const word = sentence.folded(i);
    if (HAVING.has(word) || sentence.owner(i) === "contact") return true;
    if (!BEFORE_CONTACT.has(word) && sentence.tokens[i]?.text !== ",") return false;
  }
  return false;
}

/** "ME" and "simples" are small words; they count where they stand as such. */
function isMeant(sentence: Sentence, at: number, { role }: Wish): boolean {
  const text = sentence.tokens[at]?.text ?? "";
  if (role === "contact" && !isHad(sentence, at)) return false;
  if (text.toLowerCase() === "me") return text === "ME";
  if (role === "size" && COMPARING.has(sentence.folded(at - 1))) return false;
  return true;
}

interface Taken {
  readonly at: number;
  readonly to: number;
  readonly wish: Wish;
}

function take(sentence: Sentence, notes: Notes, found: FoundWishes, { at, to, wish }: Taken): void {
  const negator = negatorOf(sentence, at);
  if (negator >= 0) claimNegation(sentence, negator, at);
  const words = sentence.claim(at, to, wish.role);
  if (!wish.apply(found, negator >= 0)) {
    const all = negator >= 0 ? sentence.words(negator, to) : words;
    notes.leave("no_filter", cannot(wish.role), all);
  } else if (wish.warning !== undefined) {
    const { code, pt, en } = wish.warning;
    notes.warn(code, { pt, en }, words);
  }
}

function cannot(role: Role): { pt: string; en: string } {
  if (role === "headquarters") {
    return { pt: "Não há filtro só para filiais.", en: "No filter takes branches only." };
  }
  if (role === "contact") {
    return { pt: "Não há filtro por falta de contato.", en: "No filter takes a missing contact." };
  }
  return { pt: "Não há filtro para isso.", en: "There is no filter for this." };
}

/** The wishes as members of a spec's `company` and `contact`; also what was assumed. */
export function companyOf(found: FoundWishes, notes: Notes): Record<string, unknown> {
  const all = [1, 2, 3, 4, 8];
  const excluded = [...found.excludedStatuses];
  const statuses =
    found.statuses.size > 0
      ? [...found.statuses]
      : excluded.length > 0
        ? all.filter((code) => !found.excludedStatuses.has(code))
        : [];
  const sizes =
    found.sizes.size > 0
      ? [...found.sizes]
      : found.excludedSizes.size > 0
        ? ["00", "01", "03", "05"].filter((code) => !found.excludedSizes.has(code))
        : [];
  if (statuses.length === 0 && !found.anyStatus) {
    notes.assume("active_only", {
      pt: "Somente empresas ativas.",
      en: "Active companies only.",
    });
    statuses.push(2);
  }
  return {
    registration_status_any_of: found.anyStatus ? [] : statuses,
    company_size_code_any_of: sizes,
    ...(found.mei === null ? {} : { mei_opt_in: found.mei }),
    ...(found.simples === null ? {} : { simples_opt_in: found.simples }),
    ...(found.headquarters ? { headquarters_only: true } : {}),
  };
}

/** Words that a translator's caller may show. */
export type { Words };
