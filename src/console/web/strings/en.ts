/**
 * The English words of the first page, in one table with a part per area.
 * Invariant: plain strings and functions of values. The other language has the same keys.
 */
import { charts } from "./en/charts.ts";
import { find } from "./en/find.ts";
import { lists } from "./en/lists.ts";
import { problems, shell } from "./en/shell.ts";
import { codes, commands, company, table } from "./en/table.ts";

/** The words of the first page. */
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

/** The words of the first page, by area. */
export type ScreenWords = typeof words;
