/**
 * The English words of the first page: one table, made of one per area.
 * Invariant: plain strings and functions of values; the other language has the same keys.
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
