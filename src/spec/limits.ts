/**
 * Size limits of a spec.
 * Invariant: normalization, the schemas, and the documents take the numbers from here.
 */

/** Limits of a spec. Each is tested at the limit and one above it. */
export const SPEC_LIMITS = {
  /** Maximum number of accounts in one answer of a search. */
  searchLimitMax: 50_000,
  /** Maximum number of rows of one export, before the plan's cap applies. */
  exportLimitMax: 1_000_000_000,
  /** Maximum number of elements in any array. */
  arrayLengthMax: 10_000,
  /** Maximum length of any string outside `explain`, in UTF-16 units. */
  stringLengthMax: 256,
  /** Maximum number of subclasses to which one CNAE list may expand. */
  cnaeCodesMax: 1_400,
  /** Maximum number of phrases in `text_hints`. */
  textHintsMax: 20,
  /**
   * Maximum number of characters (code points) in one phrase, both as written and as normalized.
   */
  textHintLengthMax: 80,
  /** Maximum length of a file's title as normalized, in UTF-16 units. */
  titleLengthMax: 100,
  /** Maximum number of districts in `district_any_of`. */
  districtsMax: 200,
  /** Maximum number of phones in `phone_any_of`, and of addresses in `email_any_of`. */
  contactsMax: 200,
  /** Maximum number of roots in `owned_by_any_of`. */
  rootsMax: 100,
  /** Maximum number of steps in `owned_by_depth`. */
  depthMax: 5,
  /** Keys of `sort`. */
  sortKeysMax: 3,
  /** Maximum number of elements in each array of `explain`. */
  explainItemsMax: 1_000,
  /** Maximum length of a string in `explain`, in UTF-16 units. */
  explainStringMax: 4_096,
  /** Maximum size of the whole `explain`, in bytes of JSON in UTF-8. Translators write less. */
  explainBytesMax: 131_072,
  /** Maximum amount in reais. A double still represents its cents exactly. */
  shareCapitalMax: 90_000_000_000_000,
  /**
   * Maximum bound for a number of companies or establishments in a filter. Every snapshot has fewer
   * rows than this.
   */
  countMax: 4_294_967_295,
} as const;
