/**
 * The Portuguese words of all areas. What comes in: one table per area. What goes out: one table.
 * Invariant: plain strings and functions of values; the other language has the same keys.
 */

import type { ScreenWords } from "./en.ts";
import { account } from "./pt/account.ts";
import { audit } from "./pt/audit.ts";
import { charts } from "./pt/charts.ts";
import { codes } from "./pt/codes.ts";
import { company } from "./pt/company.ts";
import { exports } from "./pt/exports.ts";
import { find } from "./pt/find.ts";
import { keys } from "./pt/keys.ts";
import { members } from "./pt/members.ts";
import { news } from "./pt/news.ts";
import { shell } from "./pt/shell.ts";
import { table } from "./pt/table.ts";

/** All words of the language. */
export const words: ScreenWords = {
  account,
  audit,
  charts,
  codes,
  company,
  exports,
  find,
  keys,
  members,
  news,
  shell,
  table,
};
