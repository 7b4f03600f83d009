/**
 * How lists are named in a spec. What comes in: nothing. What goes out: the shape of their ids.
 * Invariant: no id of another resource has this shape, and the list that every tenant has is named
 * by a word that no other list is. Apart because schemas, readers and routes of lists name them
 * alike.
 */

/** The list of all accounts that done exports of the tenant have held. */
export const EXPORTED = "exported";

/** Shape of the id of any list. */
export const LIST_ID = /^(lst_[0-9a-f]{32}|exported)$/;

/** Lists that one filter may name. */
export const LISTS_MAX = 20;

/** Longest name of a list, in characters. */
export const LIST_NAME_MAX = 120;
