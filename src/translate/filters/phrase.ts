/**
 * What a wish of the table is. What comes in: nothing. What goes out: the form of a wish and of
 * what the wishes of a sentence set, and the kinds of wishes that several tables have.
 * Invariant: a wish says for both polarities what it does.
 */
import type { TokenRole } from "../words/sentence.ts";
import type { Remark } from "./remarks.ts";

/** A key of the order of accounts. */
export interface SortPhrase {
  readonly field: string;
  direction: "asc" | "desc";
  /** Only the field was said: "por data de abertura". */
  readonly implied: boolean;
  /** Said without naming the field: "as maiores". */
  readonly vague: boolean;
}

/** What the wishes of a sentence set. */
export interface FoundFilters {
  readonly statuses: Set<number>;
  readonly excludedStatuses: Set<number>;
  readonly sizes: Set<string>;
  readonly excludedSizes: Set<string>;
  mei: boolean | null;
  simples: boolean | null;
  headquarters: boolean;
  branches: boolean;
  email: boolean;
  phone: boolean;
  contact: boolean;
  mobile: boolean;
  landline: boolean;
  ownDomain: boolean;
  emailOwn: boolean;
  phoneOwn: boolean;
  anyStatus: boolean;
  readonly natures: Set<string>;
  readonly sort: SortPhrase[];
  /** "em ordem decrescente", said before the field. */
  direction: "asc" | "desc" | null;
}

/** What became of a wish: no filter takes it, or what was said before excludes it. */
export type Outcome = "set" | "cannot" | "contradiction";

/** Sets what a wish asks for in the polarity that it has. */
export type Apply = (found: FoundFilters, negated: boolean) => Outcome;

/** One kind of wish, beside its names. */
export interface FilterPhrase {
  readonly role: TokenRole;
  readonly apply: Apply;
  /** It was taken for less, or for something else, than it says. */
  readonly warning?: Remark;
  /** What a person would assume and was not said. */
  readonly assumption?: Remark;
  /** Why no filter takes it. */
  readonly cannot?: Remark;
  /**
   * The contact that it asks for; "other" for one of a quality, which is no choice of a kind, and
   * "site" for one that the registry does not have.
   */
  readonly contact?: "email" | "phone" | "contact" | "mobile" | "landline" | "other" | "site";
  /** What it says of the contact, which may be said of a list of contacts. */
  readonly quality?: "own" | "own_alone" | "shared";
  /** It asks for what is counted at an import, which older snapshots lack. */
  readonly counted?: true;
  /** Only behind a word such as "por": "por nome". */
  readonly led?: true;
  /** It names a trade, too. */
  readonly trade?: boolean;
}

/** What is set where it is wanted; its lack is in no filter. */
export const positive =
  (set: (found: FoundFilters) => void): Apply =>
  (found, negated) => {
    if (negated) return "cannot";
    set(found);
    return "set";
  };

/** A contact that accounts must have. */
export const contact = (field: "email" | "phone" | "contact" | "mobile" | "landline") => ({
  ...{ role: "contact" as const, contact: field },
  apply: positive((found) => {
    found[field] = true;
  }),
});
