/**
 * The text of a notice, as sent to webhooks and printed by `peneira watch`. Input: a stored
 * notice that is counted or has failed. Output: JSON as documented for webhooks.
 * Invariant: the same notice has the same bytes in every attempt, at most 20 KB. If the first
 * accounts do not fit, the text contains fewer of them. Links begin with the operator's public
 * address. The event about a failed notice has its own id: a replay may count the notice later, and
 * receivers drop ids that they know.
 */
import type { ChangeTotals } from "../changes/query.ts";
import type { OutputField } from "../spec/fields.ts";
import type { NoticeRow } from "../store/noticestore.ts";

/** Largest body of a webhook. */
const BODY_BYTES_MAX = 20_000;

/**
 * An account in a notice: how it changed (entered, left, or changed), the names of the changed
 * fields, and its output fields.
 */
export type FirstAccount = Readonly<Record<string, unknown>> & {
  readonly change: string;
  readonly changed_fields: readonly string[];
};

/**
 * The fields of a company in an e-mail: its names, activity, place, and contacts. A notice contains
 * only the fields that the plan includes.
 */
export const CARD_FIELDS: readonly OutputField[] = [
  ...(["legal_name", "trade_name", "cnae_primary_description", "municipality_name"] as const),
  ...(["uf", "started_on", "phone_1", "email"] as const),
];

/** Counts of a notice, as stored. */
export interface NoticeCounts extends ChangeTotals {
  /**
   * For each changed field, the number of accounts. An account in which several fields changed is
   * counted for each.
   */
  readonly changed_fields: Readonly<Record<string, number>>;
  readonly first: readonly FirstAccount[];
  /** The accounts of `first` with the fields `CARD_FIELDS`; absent in older notices. */
  readonly cards?: readonly FirstAccount[];
  /** Path of the exported file, and when it expires. Both are absent if there is no file. */
  readonly file?: string;
  readonly file_until?: string;
  /** Code and sentence with the reason why the search's export is missing. */
  readonly export_error?: string;
  /** Absent in older notices, which have only the code. */
  readonly export_problem?: string;
}

/** Links of a notice; null if the target does not exist. */
interface NoticeLinks {
  readonly console: string;
  readonly changes: string;
  readonly export: string | null;
}

/** Returns the counts of a notice; null if it has not been counted. */
export function countsOf({ counts }: Pick<NoticeRow, "counts">): NoticeCounts | null {
  return counts === null ? null : (JSON.parse(counts) as NoticeCounts);
}

/** Returns why a counted notice lacks its export, or null. */
export function exportProblem(counts: NoticeCounts | null): string | null {
  return counts?.export_problem ?? counts?.export_error ?? null;
}

/** Returns the links of a notice. `base`: the server's public address, or empty. */
export function linksOf(row: NoticeRow, base: string): NoticeLinks {
  const search = encodeURIComponent(row.searchId);
  const file = countsOf(row)?.file ?? null;
  return {
    console: `${base}/app/news#${search}`,
    changes: `${base}/v1/searches/${search}/changes?since=${row.since}`,
    export: file === null ? null : base + file,
  };
}

/** True if a notice is ready to be sent. */
export function isSendable({ state }: Pick<NoticeRow, "state">): boolean {
  return state === "counted" || state === "failed";
}

/** Returns the event id of a notice, which is the same in every attempt. */
export function eventIdOf({ id, state }: Pick<NoticeRow, "id" | "state">): string {
  return state === "failed" ? `${id}_failed` : id;
}

/** Returns the body to send for a notice. `base`: the server's public address, or empty. */
export function noticeBody(row: NoticeRow, base: string): string {
  const links = linksOf(row, base);
  const counts = countsOf(row);
  if (row.state === "failed") return failureBody(row, base);
  if (counts === null) throw new Error("a notice is sent after it is counted");
  const { entered, left, changed, changed_fields, first } = counts;
  const made = (accounts: readonly FirstAccount[]) =>
    JSON.stringify({
      type: "search.changed",
      timestamp: new Date(row.countedAt ?? row.createdAt).toISOString(),
      data: {
        ...headOf(row),
        ...{ entered, left, changed, changed_fields },
        first: accounts,
        links,
        problem: exportProblem(counts),
      },
    });
  for (let most = first.length; ; most--) {
    const body = made(first.slice(0, most));
    if (most === 0 || Buffer.byteLength(body) <= BODY_BYTES_MAX) return body;
  }
}

/** Returns the members that every event about a notice has. */
function headOf(row: NoticeRow) {
  return {
    notice_id: row.id,
    search_id: row.searchId,
    search_name: row.searchName,
    sequence: row.number,
    snapshot: row.snapshot,
    snapshot_date: row.snapshotDate,
    since: row.since,
  };
}

function failureBody(row: NoticeRow, base: string): string {
  return JSON.stringify({
    type: "search.failed",
    timestamp: new Date(row.createdAt).toISOString(),
    data: { ...headOf(row), links: linksOf(row, base), problem: row.failure },
  });
}

/** Returns the body of a test: a sample with the members of a notice. */
export function testBody(id: string, now: Date, base: string): string {
  const search = "sch_00000000000000000000000000000000";
  return JSON.stringify({
    type: "webhook.test",
    timestamp: now.toISOString(),
    data: {
      ...{ notice_id: id, search_id: search, search_name: "Test", sequence: 1 },
      ...{ snapshot: "2026-10", snapshot_date: "2026-10-10", since: "2026-09" },
      ...{ entered: 0, left: 0, changed: 0, changed_fields: {}, first: [] },
      links: {
        console: `${base}/app/news#${search}`,
        changes: `${base}/v1/searches/${search}/changes?since=2026-09`,
        export: null,
      },
      problem: null,
    },
  });
}
