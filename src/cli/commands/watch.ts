/**
 * `peneira watch`: prints the notices of a tenant as JSON lines, in the form in which webhooks
 * receive them.
 * Invariant: each notice is printed once, after its changes were counted or the count has failed. A
 * notice that takes long does not delay later ones. The command only reads, and a server may run on
 * the same directory.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { isSendable } from "../../notices/payload.ts";
import { stdout } from "../../process/terminal.ts";
import { DATA_DIR_TEXT, explain } from "../support/helptext.ts";
import { type NoticeFlags, type OpenNotices, withNotices } from "./notices.ts";

interface WatchOptions extends NoticeFlags {
  readonly search?: string;
  readonly all?: true;
  readonly once?: true;
}

/** Polling interval of the state, in milliseconds. */
const POLL_MS = 500;
/** Notices read at a time. */
const BATCH = 500;

/** Adds `peneira watch` to the program. */
export function registerWatch(program: Command): void {
  explain(program.command("watch"), {
    summary: "print notices of saved searches as JSON lines",
    description:
      "Prints each new notice of a tenant's saved searches as one line of JSON, in the form that " +
      "webhooks get, until it is interrupted.",
    remarks: "Without --all and --once, it begins with the next notice.",
    examples: [
      "peneira watch --data-dir state --tenant acme",
      "peneira watch --data-dir state --once | jq -r .data.search_name",
    ],
  })
    .option("--tenant <name>", "tenant of the notices", "default")
    .option("--data-dir <dir>", DATA_DIR_TEXT)
    .option("--config <file>", "JSON file with settings (default: PENEIRA_CONFIG)")
    .option("--search <id>", "only notices of this saved search")
    .option("--all", "begin with the oldest notice in the log")
    .option("--once", "print all notices in the log, and exit")
    .action((options: WatchOptions) =>
      withNotices(options, (open) => watch(open, options), "read"),
    );
}

async function watch(open: OpenNotices, { search, all, once }: WatchOptions): Promise<void> {
  const { history, tenantId } = open;
  open.knows(search);
  const [newest] = history.page(tenantId, { before: Number.MAX_SAFE_INTEGER, limit: 1 });
  /** All notices up to this sequence number were printed, or will never be printed. */
  let done = all === true || once === true ? 0 : (newest?.row.sequence ?? 0);
  const printed = new Set<number>();
  for (;;) {
    let last = done;
    for (;;) {
      const rows = history.after(tenantId, last, BATCH);
      for (const row of rows) {
        last = row.sequence;
        if (!isSendable(row) || printed.has(row.sequence)) continue;
        if (search === undefined || row.searchId === search) {
          stdout.data(`${history.bodyOf(row)}\n`);
        }
        printed.add(row.sequence);
      }
      if (rows.length < BATCH) break;
    }
    for (const row of history.after(tenantId, done, BATCH)) {
      if (row.state === "counting") break;
      done = row.sequence;
      printed.delete(row.sequence);
    }
    if (once) return open.close();
    await sleep(POLL_MS);
  }
}
