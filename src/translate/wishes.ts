/**
 * The stage of wishes that are one word or a few: status, size, regime, head office, contact, sort.
 * What comes in: a sentence. What goes out: what each wish sets in a spec.
 * Invariant: a wish that the spec cannot express in the polarity it has is left to the notes, never
 * dropped and never turned round.
 */
import { claimNegation, negatorOf } from "./negation.ts";
import type { Notes } from "./notes.ts";
import type { Role, Sentence } from "./sentence.ts";
import { type FoundWishes, WISH_TABLE, type Wish } from "./wishtable.ts";

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
    const match = WISH_TABLE.longest(sentence.tokens, at, (index) => sentence.free(index));
    if (match === null || !isMeant(sentence, at, match.value)) continue;
    take(sentence, notes, found, { at, to: match.to, wish: match.value });
    at = match.to - 1;
  }
  return found;
}

/** Words before a contact that say that it is wanted (or not), and those that may stand between. */
const HAVING = new Set(
  (
    "com sem tenha tenham tem possua possuam possui have has having with without exige " +
    "exija requer cadastrado informado"
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
