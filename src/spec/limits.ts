/**
 * Size limits of a spec.
 * Invariant: normalization, the schemas, and the documents take the numbers from here.
 */

/** Limits of a spec. Each is tested at the limit and one above it. */
export const SPEC_LIMITS = {
  /** Accounts in one answer of a search. */
  searchLimitMax: 50_000,
  /** Rows of one export, before the plan's cap applies. */
  exportLimitMax: 1_000_000_000,
  /** Elements of any array. */
  arrayLengthMax: 10_000,
  /** UTF-16 units of any string outside `explain`. */
  stringLengthMax: 256,
  /** Subclasses after the expansion of one CNAE list. */
  cnaeCodesMax: 1_400,
  /** Phrases of `text_hints`. */
  textHintsMax: 20,
  /** Characters (code points) of one phrase, as written and as normalized. */
  textHintLengthMax: 80,
  /** UTF-16 units of a file's title, as normalized. */
  titleLengthMax: 100,
  /** Districts of `district_any_of`. */
  districtsMax: 200,
  /** Phones of `phone_any_of`, addresses of `email_any_of`. */
  contactsMax: 200,
  /** Roots of `owned_by_any_of`. */
  rootsMax: 100,
  /** Steps of `owned_by_depth`. */
  depthMax: 5,
  /** Keys of `sort`. */
  sortKeysMax: 3,
  /** Elements of each array of `explain`. */
  explainItemsMax: 1_000,
  /** UTF-16 units of a string in `explain`. */
  explainStringMax: 4_096,
  /** Bytes of all of `explain`, as JSON in UTF-8; translators write less. */
  explainBytesMax: 131_072,
  /** In reais; a double still represents its cents exactly. */
  shareCapitalMax: 90_000_000_000_000,
  /** Companies or establishments that a filter may count; snapshots have fewer rows. */
  countMax: 4_294_967_295,
} as const;
