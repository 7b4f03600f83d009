/**
 * Ids and names of saved lists in a spec. A separate file because schemas, readers, and routes
 * share them.
 * Invariant: no id of another resource has this shape. The list that every tenant has is named by a
 * word that no other list can have.
 */

/** The list of all accounts in the tenant's finished exports. */
export const EXPORTED = "exported";

/** Shape of the id of any list. */
export const LIST_ID = /^(lst_[0-9a-f]{32}|exported)$/;

/** Lists that one filter may name. */
export const LISTS_MAX = 20;

/** Max characters in a list's name. */
export const LIST_NAME_MAX = 120;
