/**
 * Records the expectations of a crash run outside the process that is killed. It is passed every
 * request and every answer, and throws a violation if an answer contradicts an earlier one.
 * Invariant: an answer is binding from its arrival. Only answers to requests that are sent later
 * must agree with it. A request without an answer may have been executed or not.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { ExclusionLedger } from "./exclusions.ts";
import { HeldLedger } from "./held.ts";
import { enrichmentSpec, sentRequest, TENANTS } from "./plan.ts";
import type { Reply } from "./server.ts";
import { must, Violation } from "./violation.ts";

/** An export record as a client sees it. */
export interface SeenRecord {
  readonly export_id: string;
  readonly status: "queued" | "running" | "done" | "failed";
  readonly format: string;
  readonly snapshot: string;
  readonly row_count: number | null;
  readonly size_bytes: number | null;
  readonly sha256?: string;
  readonly expires_at: string | null;
  readonly error?: { readonly code: string };
}

/** A request that creates an export, and the state of this export as far as it is known. */
export interface Entry {
  readonly tenant: number;
  readonly key: string;
  /** Index into REQUESTS. */
  readonly body: number;
  /** Number of the life (run of the process) in which the request was first sent. */
  readonly bornIn: number;
  /** Time at which the request was first sent, by the clock of the ledger. */
  readonly sentAt: number;
  /** Id of the export, known since the first 201. */
  id: string | null;
  spec: AccountQuerySpec | null;
  snapshot: string | null;
  /** The last record that a client received, with the time and the life in which it arrived. */
  seen: { readonly record: SeenRecord; readonly at: number; readonly life: number } | null;
  /** State of the removal. `goneAt` is the time at which it was confirmed. */
  removal: "none" | "requested" | "done";
  goneAt: number;
  expiredAt: number | null;
  /** True if a create was refused because the queue was full, and none was accepted. */
  refused: boolean;
  /** Number of requests in flight that forbid the removal of the export. */
  busy: number;
  /** True if its file was compared byte for byte. */
  compared: boolean;
}

/** Counts for the report. */
export interface LedgerCounts {
  created: number;
  replayed: number;
  refused: number;
  done: number;
  failed: number;
  removed: number;
  expired: number;
  downloads: number;
  /** Number of exports that exclude earlier exports and whose file was compared with the others. */
  exclusions: number;
}

const ORDER = { queued: 0, running: 1, done: 2, failed: 2 } as const;
/** Number of crashes after which an export may fail. */
const TAKEOVERS = 8;

/** The expectations of one data directory. */
export class Ledger {
  /** Number of lives of the process so far, including the current one. */
  life = 0;
  /** Time in milliseconds since the epoch at which this life was stopped, or null if it was not. */
  stopSentAt: number | null = null;
  /** Failure codes that are expected, for example on a full disk. */
  failuresAllowed: readonly string[] = [];
  readonly counts: LedgerCounts = {
    created: 0,
    replayed: 0,
    refused: 0,
    done: 0,
    failed: 0,
    removed: 0,
    expired: 0,
    downloads: 0,
    exclusions: 0,
  };
  /** Records the exported accounts that the lists must have, and those that they may have. */
  readonly held = new HeldLedger();
  /** Records the exports that exclude earlier exports. */
  readonly exclusions = new ExclusionLedger();
  readonly #entries: Entry[] = [];
  readonly #byId = new Map<string, Entry>();
  readonly #removedIds = new Set<string>();
  /** The ledger's clock, which advances with each request and each answer. */
  #clock = 0;

  /** Every entry that the server may still know. */
  entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Returns the entry of an export by its id. */
  find(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  /** Records a request for an export before it is sent. */
  sent(tenant: number, key: string, body: number): Entry {
    const entry: Entry = {
      tenant,
      key,
      body,
      bornIn: this.life,
      sentAt: ++this.#clock,
      id: null,
      spec: null,
      snapshot: null,
      seen: null,
      removal: "none",
      goneAt: 0,
      expiredAt: null,
      refused: false,
      busy: 0,
      compared: false,
    };
    this.#entries.push(entry);
    return entry;
  }

  /**
   * Returns an acknowledged export without a pending removal. `pick` is a number from 0 to 1 that
   * selects it, and more often selects later exports.
   */
  pick(pick: number): Entry | undefined {
    const there = this.#entries.filter(({ id, removal }) => id !== null && removal === "none");
    return there[Math.floor(Math.sqrt(pick) * there.length)];
  }

  /** Checks a 201: the same key always gets the same export. */
  acknowledged(entry: Entry, reply: Reply): void {
    const answer = jsonOf(reply) as { spec?: AccountQuerySpec; export: SeenRecord };
    const sent = sentRequest(entry.body);
    const { export_id: id } = answer.export;
    const replayed = reply.headers.get("idempotent-replayed") === "true";
    const named = `${TENANTS[entry.tenant]?.name} ${entry.key}`;
    must(entry.id === null || entry.id === id, "I2", `${named} was ${entry.id} and is now ${id}`);
    const other = this.#byId.get(id);
    must(
      other === undefined || other === entry,
      "I2",
      `${id} answers to ${other?.key} and ${named}`,
    );
    if (entry.id === null) {
      entry.id = id;
      entry.spec = sent === null ? (answer.spec ?? null) : enrichmentSpec(sent);
      this.counts.created++;
      this.#byId.set(id, entry);
    }
    if (replayed) this.counts.replayed++;
    entry.refused = false;
    this.observed(entry, answer.export, reply);
  }

  /** Checks a record of an export, from any answer. */
  observed(entry: Entry, record: SeenRecord, { sentAt, receivedAt: at }: Timed): void {
    must(entry.removal !== "done" || sentAt <= entry.goneAt, "I6", `${record.export_id} is back`);
    must(record.export_id === entry.id, "I1", `asked for ${entry.id}, got ${record.export_id}`);
    const { snapshot } = record;
    must(
      entry.snapshot === null || entry.snapshot === snapshot,
      "I8",
      `${entry.id} is pinned to ${entry.snapshot} and says ${snapshot}`,
    );
    entry.snapshot = snapshot;
    this.#held(entry, record.status === "done");
    this.#moved(entry, record, { sentAt, receivedAt: at });
    if (record.status === "failed") this.#mayFail(entry, record);
    const before = entry.seen?.record.status;
    if (before !== record.status && record.status === "done") this.counts.done++;
    if (before !== record.status && record.status === "failed") this.counts.failed++;
    if (entry.seen === null || ORDER[record.status] >= ORDER[entry.seen.record.status]) {
      entry.seen = { record, at, life: this.life };
    } else if (sentAt > entry.seen.at) {
      entry.seen = { record, at, life: this.life };
    }
  }

  /** Checks a 410, which is right only after the expiry time in the record. */
  expired(entry: Entry, { receivedAt }: Timed): void {
    const end = entry.seen?.record.expires_at ?? null;
    const earliest = end === null ? Number.POSITIVE_INFINITY : Date.parse(end);
    const unseen = end === null && mayExpireUnseen(entry);
    must(unseen || receivedAt >= earliest, "I6", `${entry.id} is 410 before its end ${end}`);
    if (entry.expiredAt === null) this.counts.expired++;
    this.#held(entry, true);
    entry.expiredAt ??= receivedAt;
  }

  /** Checks the expiry of a link, which must not precede the export's, in whole seconds. */
  linkExpired(entry: Entry, { receivedAt }: Timed): void {
    const end = entry.seen?.record.expires_at ?? null;
    const earliest = end === null ? Number.POSITIVE_INFINITY : Date.parse(end) - 1_000;
    const right = receivedAt > earliest || (end === null && mayExpireUnseen(entry));
    must(right, "I6", `the link of ${entry.id} has expired before its end ${end}`);
  }

  /** Checks a 404, which is right only for a removed export. */
  missing(entry: Entry, { receivedAt }: Timed): void {
    must(entry.removal !== "none", "I1", `${entry.id} (${entry.key}) is gone`);
    this.removed(entry, receivedAt);
  }

  /** A removal is confirmed. */
  removed(entry: Entry, at: number): void {
    if (entry.removal !== "done") {
      this.counts.removed++;
      entry.goneAt = at;
    }
    entry.removal = "done";
    this.#removedIds.add(entry.id as string);
  }

  /** Records the removal of an export that is not an entry. */
  removedOther(id: string): void {
    this.#removedIds.add(id);
  }

  /** True if the removal of the export was requested. */
  mayBeRemoved(id: string): boolean {
    return this.#removedIds.has(id) || this.#byId.get(id)?.removal === "requested";
  }

  /** True if the export must already have expired for a request that was sent at `sentAt`. */
  expectsExpired(entry: Entry, sentAt: number): boolean {
    if (entry.expiredAt !== null && sentAt > entry.expiredAt) return true;
    const end = entry.seen?.record.expires_at;
    return end !== undefined && end !== null && sentAt >= Date.parse(end);
  }

  /** Forgets removed exports, so that a long run does not grow. */
  tidy(): void {
    const retained = this.#entries.filter(({ removal }) => removal !== "done");
    for (const entry of this.#entries) {
      if (entry.removal === "done" && entry.id !== null) this.#byId.delete(entry.id);
    }
    this.#entries.splice(0, this.#entries.length, ...retained);
  }

  #held(entry: Entry, done: boolean): void {
    const now = ++this.#clock;
    this.held.note(entry, done ? now : null);
    this.exclusions.note(entry, now, done);
  }

  #moved(entry: Entry, record: SeenRecord, { sentAt, receivedAt }: Timed): void {
    const { seen } = entry;
    if (seen === null || sentAt <= seen.at) return;
    const from = seen.record.status;
    const backwards = ORDER[record.status] < ORDER[from] || isTurned(from, record.status);
    // A server that stops puts running exports back into the queue, but still answers until its
    // connections have ended.
    const stopped = this.stopSentAt !== null && receivedAt >= this.stopSentAt;
    const ended = seen.life < this.life || stopped;
    const givenBack = ended && from === "running" && record.status === "queued";
    must(!backwards || givenBack, "I6", `${entry.id} went from ${from} to ${record.status}`);
    if (from !== "done" || record.status !== "done") return;
    for (const member of ["row_count", "size_bytes", "sha256", "expires_at"] as const) {
      const [before, after] = [seen.record[member], record[member]];
      must(before === after, "I6", `${member} of ${entry.id} was ${before} and is ${after}`);
    }
  }

  #mayFail(entry: Entry, { error, export_id }: SeenRecord): void {
    const code = error?.code ?? "no reason";
    const crashes = this.life - entry.bornIn;
    const worn = code === "too_many_attempts" && crashes >= TAKEOVERS;
    if (worn || this.failuresAllowed.includes(code)) return;
    throw new Violation("I3", `${export_id} failed (${code}) after ${crashes} crashes`);
  }
}

/** Times at which a request was sent and its answer arrived, in milliseconds since the epoch. */
export type Timed = Pick<Reply, "sentAt" | "receivedAt">;

/** The value of a JSON answer. */
export function jsonOf({ body, status }: Reply): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new Violation("I12", `${status} with a body that is not JSON: ${body.toString()}`);
  }
}

/** True if the export's retention may be shorter than the time between two polls. */
function mayExpireUnseen({ tenant }: Entry): boolean {
  return (TENANTS[tenant]?.retentionMs ?? 0) < 60_000;
}

function isTurned(from: SeenRecord["status"], to: SeenRecord["status"]): boolean {
  return (from === "done" && to === "failed") || (from === "failed" && to === "done");
}
