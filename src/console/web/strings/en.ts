/**
 * The English words that the first page shows. What comes in: one table per area. What goes
 * out: one table.
 * Invariant: plain strings and functions of values; the other language has the same keys.
 */
import { charts } from "./en/charts.ts";
import { codes } from "./en/codes.ts";
import { commands } from "./en/commands.ts";
import { company } from "./en/company.ts";
import { find } from "./en/find.ts";
import { lists } from "./en/lists.ts";
import { problems } from "./en/problems.ts";
import { shell } from "./en/shell.ts";
import { table } from "./en/table.ts";

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
