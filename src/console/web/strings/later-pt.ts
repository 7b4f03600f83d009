/**
 * The Portuguese texts that the first page does not need, in one table with one part per area of
 * the console.
 * Invariant: each entry is a string or a function that formats values into one. The English table
 * has the same keys.
 */
import type { LaterWords } from "./later-en.ts";
import { account, usage } from "./pt/account.ts";
import { compare, numbers, plans, stateMap } from "./pt/compare.ts";
import { districts } from "./pt/districts.ts";
import { enrich } from "./pt/enrich.ts";
import { exports } from "./pt/exports.ts";
import { help } from "./pt/help.ts";
import { keys } from "./pt/keys.ts";
import { listViews } from "./pt/listviews.ts";
import { audit, members } from "./pt/members.ts";
import { news } from "./pt/news.ts";
import { notices } from "./pt/notices.ts";
import { record } from "./pt/record.ts";

/** The words of later views. */
export const lazyWords: LaterWords = {
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
