/**
 * The Portuguese words of the views behind the first page. What comes in: one table per area.
 * What goes out: one table.
 * Invariant: plain strings and functions of values; the other language has the same keys; the
 * first page does without them.
 */
import { REASONS_PT } from "../../../spec/fields/reasons.ts";
import type { LaterWords } from "./later-en.ts";
import { account, usage } from "./pt/account.ts";
import { districts } from "./pt/districts.ts";
import { exports } from "./pt/exports.ts";
import { help } from "./pt/help.ts";
import { keys } from "./pt/keys.ts";
import { listViews } from "./pt/listviews.ts";
import { audit, members } from "./pt/members.ts";
import { news } from "./pt/news.ts";

/** The words that come with later views. */
export const laterWords: LaterWords = {
  account,
  audit,
  districts,
  exports,
  help,
  keys,
  listViews,
  members,
  news,
  usage,
  /** Why a status is what it is, by the code of the reason. */
  reasons: REASONS_PT,
};
