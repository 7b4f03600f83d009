/**
 * The English texts of the first page, in one table with one part per area of the console.
 * Invariant: each entry is a string or a function that formats values into one. The Portuguese
 * table has the same keys.
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

/** Type of the texts of the first page, by area. */
export type ScreenWords = typeof words;
