/**
 * What codes of the registry are called in English. What comes in: nothing. What goes out: names
 * by code.
 * Invariant: filters, charts, table and drawer take the names from here, so that a size or a status
 * is called the same wherever it stands.
 */

/** Words of this area. */
export const codes = {
  sizes: {
    "00": "Not informed",
    "01": "Micro",
    "03": "Small",
    "05": "Medium or large",
  } as Readonly<Record<string, string>>,
  statuses: {
    "1": "Null",
    "2": "Active",
    "3": "Suspended",
    "4": "Unfit",
    "8": "Closed",
  } as Readonly<Record<string, string>>,
};
