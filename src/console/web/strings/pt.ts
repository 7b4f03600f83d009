/**
 * The Portuguese words that the first page shows. What comes in: one table per area. What goes
 * out: one table.
 * Invariant: plain strings and functions of values; the other language has the same keys.
 */
import type { ScreenWords } from "./en.ts";
import { charts } from "./pt/charts.ts";
import { find } from "./pt/find.ts";
import { lists } from "./pt/lists.ts";
import { problems, shell } from "./pt/shell.ts";
import { codes, commands, company, table } from "./pt/table.ts";

/** The words that the console begins with. */
export const words: ScreenWords = {
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
