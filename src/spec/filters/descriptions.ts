/**
 * Long schema descriptions of filters. Apart because the browser loads the table of filters, but
 * none of these words.
 */
export const DESCRIPTIONS = {
  branches_only: "Branches only; refused together with headquarters_only.",
  establishments: "Active establishments of the company, inclusive.",
  require_mobile: "Has a mobile: nine digits, the first is 9.",
  require_landline: "Has a landline: seven or eight digits.",
  require_own_domain: "Has an e-mail outside the public mail providers.",
  email_shared_max: "Maximum number of companies with the same e-mail; 1: not shared.",
  phone_shared_max:
    "Like email_shared_max, for phones. If there are two, the less shared one counts.",
  any_of: "In one of these lists.",
  exclude: "In none of these lists.",
  cnae_any_of:
    "NNNN-N/NN, 7 digits, a prefix of 2 to 5 digits, or a section letter A-U; expanded to " +
    "the known subclasses.",
  cnae_exclude: "The same spellings; these activities are left out.",
  cnae_secondary_any_of:
    "Secondary activities, spelled as in cnae_any_of, regardless of secondary_cnae_mode.",
  secondary_cnae_mode:
    "off: primary activity only. fallback: secondary matches fill up after all primary ones. " +
    "full: either. A search accepts only off.",
  text_hints: "Phrases of up to 80 characters; every word of one of them must be in a name.",
  registration_status_any_of:
    "1 void (nula), 2 active, 3 suspended, 4 unfit, 8 closed; integers or 02. Empty: all, " +
    "closed ones included.",
  company_size_code_any_of: "00 not informed, 01 micro, 03 small, 05 other; strings or integers.",
  district_any_of: "One of these districts; accents, case, and repeated spaces are ignored.",
} as const;

/** A filter, or both ends of one, that has a description here. */
export type Described = keyof typeof DESCRIPTIONS;
