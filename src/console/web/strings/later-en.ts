/**
 * The English words of the views behind the first page. What comes in: one table per area.
 * What goes out: one table.
 * Invariant: plain strings and functions of values; the other language has the same keys; the
 * first page does without them.
 */
import { REASONS_EN } from "../../../spec/fields/reasons-en.ts";
import { account, usage } from "./en/account.ts";
import { districts } from "./en/districts.ts";
import { exports } from "./en/exports.ts";
import { help } from "./en/help.ts";
import { keys } from "./en/keys.ts";
import { listViews } from "./en/listviews.ts";
import { audit, members } from "./en/members.ts";
import { news } from "./en/news.ts";

/** The words that come with later views. */
export const laterWords = {
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
  reasons: REASONS_EN,
};

/** The words that come with later views, by area. */
export type LaterWords = typeof laterWords;
