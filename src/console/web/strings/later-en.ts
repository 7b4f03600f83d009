/**
 * The English texts that the first page does not need, in one table with one part per area of the
 * console.
 * Invariant: each entry is a string or a function that formats values into one. The Portuguese
 * table has the same keys.
 */
import { account, usage } from "./en/account.ts";
import { compare, numbers, plans, stateMap } from "./en/compare.ts";
import { districts } from "./en/districts.ts";
import { enrich } from "./en/enrich.ts";
import { exports } from "./en/exports.ts";
import { help } from "./en/help.ts";
import { keys } from "./en/keys.ts";
import { listViews } from "./en/listviews.ts";
import { audit, members } from "./en/members.ts";
import { news } from "./en/news.ts";
import { notices } from "./en/notices.ts";
import { record } from "./en/record.ts";

/** The words of later views. */
export const lazyWords = {
  account,
  audit,
  compare,
  districts,
  enrich,
  exports,
  help,
  keys,
  listViews,
  members,
  news,
  numbers,
  plans,
  stateMap,
  notices,
  record,
  usage,
};

/** The words of later views, by area. */
export type LaterWords = typeof lazyWords;
