/**
 * How lists are named in a spec. What comes in: nothing. What goes out: the shape of their ids.
 * Invariant: the list that every tenant has is named by a word that no id of a list is. Apart
 * because schemas, readers and routes of lists name them alike.
 */

/** The list that every tenant has: the accounts that its exports have held. */
export const EXPORTED = "exported";

/** Shape of the id of any list. */
export const LIST_ID = /^lst_[0-9a-f]{32}$/;

/** Lists that one filter may name. */
export const LISTS_MAX = 20;
