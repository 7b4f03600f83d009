/**
 * The English words of all areas. What comes in: one table per area. What goes out: one table.
 * Invariant: plain strings and functions of values; the other language has the same keys.
 */
import { account } from "./en/account.ts";
import { audit } from "./en/audit.ts";
import { charts } from "./en/charts.ts";
import { codes } from "./en/codes.ts";
import { company } from "./en/company.ts";
import { exports } from "./en/exports.ts";
import { find } from "./en/find.ts";
import { keys } from "./en/keys.ts";
import { members } from "./en/members.ts";
import { news } from "./en/news.ts";
import { shell } from "./en/shell.ts";
import { table } from "./en/table.ts";

/** All words of the language. */
export const words = {
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

/** All words of one language, by area. */
export type ScreenWords = typeof words;
