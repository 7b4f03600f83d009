/**
 * The Portuguese words of the first page, in one table with a part per area.
 * Invariant: plain strings and functions of values. The other language has the same keys.
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
