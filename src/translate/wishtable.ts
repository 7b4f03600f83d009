/**
 * The wishes that are one word or a few. What comes in: nothing. What goes out: their names, and
 * what each sets.
 * Invariant: a wish says for both polarities what it does, or that it cannot be expressed.
 */
import { Phrases } from "./phrases.ts";
import type { Role } from "./sentence.ts";

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

/** Sets what a wish asks for; false where no filter expresses it in this polarity. */
type Apply = (found: FoundWishes, negated: boolean) => boolean;

/** One kind of wish: its names, whose words they become, and what it sets; false for "cannot". */
export interface Wish {
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
      pt: 'O registro só diz quem é do Simples: outros regimes foram lidos como "fora do Simples".',
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
      "mais novo primeiro",
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
      "mais antigo primeiro",
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

/** Every wish by its names. */
export const WISH_TABLE = new Phrases<Wish>();
for (const wish of WISHES) for (const name of wish.names) WISH_TABLE.add(name, wish);
