/**
 * The English words that the first page shows. What comes in: one table per area. What goes
 * out: one table.
 * Invariant: plain strings and functions of values; the other language has the same keys.
 */
import { charts } from "./en/charts.ts";
import { find } from "./en/find.ts";
import { lists } from "./en/lists.ts";
import { problems, shell } from "./en/shell.ts";
import { codes, commands, company, table } from "./en/table.ts";

/** The words that the console begins with. */
export const words = {
  charts,
  codes,
  commands,
  company,
  find,
  lists,
  problems,
  shell,
  table,
};

/** The words that the console begins with, by area. */
export type ScreenWords = typeof words;
