/**
 * Ids and names of saved lists in a spec.
 * Invariant: no id of another resource has this form. The list that every tenant has is named by a
 * word that no other list can have.
 * Separate from the schemas because readers and routes need it too.
 */

/** The list of all accounts in the tenant's finished exports. */
export const EXPORTED = "exported";

/** Shape of the id of any list. */
export const LIST_ID = /^(lst_[0-9a-f]{32}|exported)$/;

/** Maximum number of lists that one filter may name. */
export const LISTS_MAX = 20;

/** Maximum number of characters in a list's name. */
export const LIST_NAME_MAX = 120;
