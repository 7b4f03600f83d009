/**
 * What the schemas say of the wider filters. Apart because the browser has the table of filters,
 * but none of these words.
 */
export const DESCRIPTIONS = {
  branches_only: "Branches only.",
  establishments: "Active establishments of the company, inclusive.",
  require_mobile: "Has a mobile: nine digits, the first is 9.",
  require_landline: "Has a landline: seven or eight digits.",
  require_own_domain: "Has an e-mail beside the public mail providers.",
  email_shared_max: "At most so many companies have the same e-mail; 1 is its own.",
  phone_shared_max: "As email_shared_max; of two phones the least shared one counts.",
} as const;

/** A filter, or two ends of one, that has a description here. */
export type Described = keyof typeof DESCRIPTIONS;
