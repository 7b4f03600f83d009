/**
 * The Portuguese texts of the first page, in one table with one part per area of the console.
 * Invariant: each entry is a string or a function that formats values into one. The English table
 * has the same keys.
 */
import type { ScreenWords } from "./en.ts";
import { charts } from "./pt/charts.ts";
import { find } from "./pt/find.ts";
import { lists } from "./pt/lists.ts";
import { problems, shell } from "./pt/shell.ts";
import { codes, commands, company, table } from "./pt/table.ts";

/** The words of the first page. */
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
