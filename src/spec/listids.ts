/**
 * How lists are named in a spec. What comes in: nothing. What goes out: the shape of their ids.
 * Invariant: no id of another resource has this shape. Apart because schemas, readers and routes of
 * lists name them alike.
 */

/** Shape of the id of any list. */
export const LIST_ID = /^lst_[0-9a-f]{32}$/;

/** Lists that one filter may name. */
export const LISTS_MAX = 20;
