/**
 * Ids and names of saved lists in a spec. Apart because schemas, readers, and routes share them.
 * Invariant: no id of another resource has this shape. The list that every tenant has is named by a
 * word that no other list has.
 */

/** The list of all accounts in the tenant's finished exports. */
export const EXPORTED = "exported";

/** Shape of the id of any list. */
export const LIST_ID = /^(lst_[0-9a-f]{32}|exported)$/;

/** Lists that one filter may name. */
export const LISTS_MAX = 20;

/** Longest name of a list, in characters. */
export const LIST_NAME_MAX = 120;
