/**
 * Accepts exports. Input: checked and normalized requests. Output: a queued export, or the one that
 * the same key and request created before.
 * Invariant: idempotency key, bounds, quota, and row are one transaction. Concurrent equal
 * requests, even from several processes, create one export. A refused request stores nothing, so
 * its key can be used again.
 */
import { randomBytes } from "node:crypto";
import { includesExports } from "../../access/plans.ts";
import { hasQuota, refuseBeyondBytes, refuseBeyondQuota } from "../../access/quota.ts";
import { AppError } from "../../errors.ts";
import { boundSpec } from "../../lists/listbinding.ts";
import { type Clock, utcDay } from "../../process/clock.ts";
import { faultPoint } from "../../process/fault.ts";
import type { Log } from "../../process/log.ts";
import type { Segment } from "../../search/segment.ts";
import { EXPORTED } from "../../spec/listids.ts";
import { changesHash, specHash } from "../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { ExportRow, ExportStore, IdempotencyRow } from "../../store/exportstore.ts";
import { wordFor } from "../../text/amounts.ts";
import type { NewExport, ReceivedFile } from "../exporter.ts";
import { changesSlug } from "../files/filename.ts";
import type { ExportFolder } from "../files/folder.ts";
import { compressionOf } from "../formats/compressed.ts";
import type { Pins } from "./pins.ts";
import type { SentFileTask } from "./rendertask.ts";
import { type ClockJumps, IDEMPOTENCY_KEY_MS } from "./sweeper.ts";

/** Retry-After for a full queue, in seconds. */
const QUEUE_RETRY_S = 10;
/** Retry-After for a full disk, in seconds. Files expire continuously. */
const ROOM_RETRY_S = 60;

/** Dependencies of the intake. */
export interface IntakeParts {
  readonly store: ExportStore;
  readonly pins: Pins;
  readonly clock: Clock;
  readonly clockJumps: ClockJumps;
  readonly log: Log;
  /** Free bytes of the disk, or null if unknown; below `freeBytesMin` no export is accepted. */
  readonly freeBytes: () => number | null;
  readonly freeBytesMin: number;
  readonly folder: ExportFolder;
  /** Returns this server's id, as the holder of sent files. Null if no server shares its state. */
  readonly holder: () => string | null;
  /** Returns a slug for the file's name that describes a spec's accounts. */
  readonly slugOf: (spec: AccountQuerySpec, segment: Segment) => string;
}

interface Accepted {
  readonly row: ExportRow;
  /** Specs are stored as JSON. A replay returns the spec of the first request. */
  readonly spec: AccountQuerySpec;
  readonly replayed: boolean;
}

/** Values computed from a request before its transaction. */
interface Made {
  readonly fingerprint: string;
  readonly slug: string;
  /** The spec as JSON text. */
  readonly spec: string;
}

/** Accepts exports. */
export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Accepts an export durably. Throws like `Exporter.create`, but database errors unchanged. */
  accept(wanted: NewExport): Accepted {
    const { store } = this.#parts;
    // These values are computed before the transaction, which blocks other writers.
    const made: Made = {
      fingerprint: fingerprintOf(wanted),
      slug: this.#slugOf(wanted),
      spec: JSON.stringify(wanted.spec),
    };
    const accepted = store.atomically(() => {
      const replayed = this.#replay(wanted, made.fingerprint);
      if (replayed !== null) return replayed;
      this.#refuseBeyondBounds(wanted);
      this.#refuseWithoutRoom();
      this.#refuseBeyondBytes(wanted, made);
      this.#refuseBeyondQuota(wanted);
      faultPoint("create.before_pin");
      this.#parts.pins.hold(wanted.segment);
      if (wanted.changes) this.#parts.pins.hold(wanted.changes.older);
      const row = this.#insert(wanted, made);
      if (wanted.enrichment) this.#keepSent(row, wanted.enrichment.file);
      faultPoint("create.before_commit");
      return { row, spec: wanted.spec, replayed: false };
    });
    if (!accepted.replayed) faultPoint("create.after_commit");
    return accepted;
  }

  /**
   * Returns the export that an earlier request with the same key and body created, or null. Always
   * null if the spec names lists: their entries may have changed, so the caller must compare their
   * revisions.
   */
  replay(tenantId: string, idempotencyKey: string, bodyHash: string): Accepted | null {
    const known = this.#known(tenantId, idempotencyKey);
    if (known?.bodyHash !== bodyHash) return null;
    const again = this.#again(known);
    return again.spec.filters.lists === undefined ? again : null;
  }

  #keepSent({ id }: ExportRow, file: ReceivedFile): void {
    const { store, folder, holder } = this.#parts;
    const owner = holder();
    if (owner !== null) store.holdSent(id, owner);
    folder.keepSent(file, id);
  }

  /** Returns the slug for the file's name. For a change export, it includes both months. */
  #slugOf({ spec, segment, changes }: NewExport): string {
    const slug = this.#parts.slugOf(spec, segment);
    if (!changes) return slug;
    const months = { since: changes.older.label, until: segment.label };
    return changesSlug(slug, { ...months, labels: spec.output.labels });
  }

  /**
   * Returns the record of an idempotency key that was used within a day. For some time after a
   * clock jump, the record's age does not matter.
   */
  #known(tenantId: string, idempotencyKey: string): IdempotencyRow | undefined {
    const { store, clock, clockJumps } = this.#parts;
    const known = store.remembered(tenantId, idempotencyKey);
    if (known === undefined) return undefined;
    return known.createdAt >= clock.nowMs() - IDEMPOTENCY_KEY_MS || clockJumps.hold()
      ? known
      : undefined;
  }

  /** Returns the export that the key created, or null if the key is new or older than a day. */
  #replay({ tenantId, idempotencyKey }: NewExport, fingerprint: string): Accepted | null {
    const known = this.#known(tenantId, idempotencyKey);
    if (known === undefined) return null;
    if (known.fingerprint !== fingerprint) {
      throw new AppError(
        "idempotency_key_reused",
        "This Idempotency-Key was used with another request. Use a new one.",
      );
    }
    return this.#again(known);
  }

  #again(known: IdempotencyRow): Accepted {
    const { store } = this.#parts;
    const row = store.find(known.exportId);
    const spec = store.specOf(known.exportId);
    if (row !== undefined && spec !== undefined) {
      return { row, spec: JSON.parse(spec) as AccountQuerySpec, replayed: true };
    }
    throw new AppError(
      "idempotency_key_reused",
      "The export of this Idempotency-Key was deleted. Use a new one.",
    );
  }

  #refuseBeyondBounds({ tenantId, plan }: NewExport): void {
    const { store } = this.#parts;
    const { concurrent_exports: concurrent, queued_exports: queueable } = plan.limits;
    if (!includesExports(plan)) {
      throw new AppError("plan_not_allowed", `The plan ${plan.name} does not include exports.`);
    }
    // An export that can start immediately is allowed even if the plan has no queue.
    const bound = Math.max(queueable, store.runningOf(tenantId) < concurrent ? 1 : 0);
    if (store.queuedOf(tenantId) < bound) return;
    throw new AppError(
      "rate_limited",
      `${bound} ${wordFor(bound, "export waits", "exports wait")} already, which is the ` +
        `limit of the plan ${plan.name}. ` +
        "Try again when one has finished.",
      { headers: { "Retry-After": String(QUEUE_RETRY_S) } },
    );
  }

  /** Refuses new exports if the disk is nearly full. Running exports may use the rest. */
  #refuseWithoutRoom(): void {
    const { freeBytes, freeBytesMin, log } = this.#parts;
    const free = freeBytesMin === 0 ? null : freeBytes();
    if (free === null || free >= freeBytesMin) return;
    // The operator needs to know how full the disk is; tenants must not see it.
    log.warn({ free_bytes: free, free_bytes_min: freeBytesMin }, "no room for a new export");
    throw new AppError(
      "storage_full",
      "The server has not enough room for another export. Searches and downloads go on. Try " +
        "again later, delete exports, or ask the operator for space.",
      { headers: { "Retry-After": String(ROOM_RETRY_S) } },
    );
  }

  #refuseBeyondBytes({ tenantId, plan, enrichment }: NewExport, { spec }: Made): void {
    const { files, specs } = this.#parts.store.storedBytes.of(tenantId);
    const sentBytes = enrichment?.file.bytes ?? 0;
    refuseBeyondBytes(plan, "export_bytes", { retained: files, wanted: sentBytes + 1 });
    const wanted = Buffer.byteLength(spec);
    refuseBeyondBytes(plan, "saved_bytes", { retained: specs, wanted });
  }

  #refuseBeyondQuota({ tenantId, plan, rows: wanted, enrichment }: NewExport): void {
    const { store, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const used = store.quota.charged(tenantId, utcDay(nowMs));
    const file = enrichment ? ({ of: "file" } as const) : {};
    refuseBeyondQuota(plan, { used, wanted, ...file }, nowMs);
  }

  /** Durably charges the rows of an answer. Throws `quota_exceeded`. */
  charge({ tenantId, keyId, plan }: Pick<NewExport, "tenantId" | "keyId" | "plan">, rows: number) {
    if (rows === 0) return;
    const { store, clock } = this.#parts;
    store.atomically(() => {
      const nowMs = clock.nowMs();
      const day = utcDay(nowMs);
      const used = store.quota.charged(tenantId, day);
      refuseBeyondQuota(plan, { used, wanted: rows, of: "request" }, nowMs);
      store.quota.spend({ tenantId, keyId, day }, rows, hasQuota(plan));
    });
  }

  #insert(wanted: NewExport, { fingerprint, slug, spec }: Made) {
    const { store, clock } = this.#parts;
    const { tenantId, keyId, plan, segment, bodyHash } = wanted;
    const charged = hasQuota(plan);
    const id = `exp_${randomBytes(16).toString("hex")}`;
    const createdAt = clock.nowMs();
    store.insert({
      id,
      tenantId,
      plan: plan.name,
      spec,
      format: wanted.spec.output.format,
      compression: compressionOf(wanted.spec),
      slug,
      title: wanted.spec.output.title ?? null,
      snapshot: segment.label,
      snapshotDate: segment.snapshotDate,
      snapshotId: segment.snapshotId,
      snapshotPath: segment.path,
      ...sinceOf(wanted),
      ...sentOf(wanted),
      createdAt,
      keyId,
      chargedDay: charged ? utcDay(createdAt) : null,
      chargedRows: charged ? wanted.rows : 0,
    });
    store.lists.pin(id, wanted.lists ?? []);
    const key = wanted.idempotencyKey;
    store.remember({ tenantId, key, fingerprint, bodyHash, exportId: id, createdAt });
    return store.find(id) as ExportRow;
  }
}

/**
 * Returns a string that identifies the request of an idempotency key: the spec, and the options of
 * a change export. It omits the revision of the list `exported`: an export that excludes this list
 * changes it when done. A retry after a lost response must still be the same request.
 */
function fingerprintOf({ spec, changes, enrichment, lists = [] }: NewExport): string {
  const bound = boundSpec(
    spec,
    lists.map((pin) => (pin.id === EXPORTED ? { ...pin, revision: 0 } : pin)),
  );
  if (enrichment) return `${specHash(bound)} ${JSON.stringify(taskOf(enrichment))}`;
  if (!changes) return specHash(bound);
  const { older, kinds, watch } = changes;
  const { fields } = spec.output;
  return `${specHash(bound)} ${older.label} ${changesHash(bound, { kinds, watch, fields })}`;
}

/** Returns the columns that only change exports fill. */
function sinceOf({ changes }: NewExport) {
  const older = changes?.older;
  return {
    since: older?.label ?? null,
    sinceDate: older?.snapshotDate ?? null,
    sinceId: older?.snapshotId ?? null,
    sincePath: older?.path ?? null,
    kinds: changes?.kinds.join(",") ?? null,
    watch: changes?.watch.join(",") ?? null,
  };
}

/** Returns the columns that only enrichments fill. */
function sentOf({ enrichment }: Pick<NewExport, "enrichment">) {
  if (!enrichment) return { sent: null, sentBytes: 0 };
  const { text, read } = enrichment;
  const sent: SentFileTask = { ...taskOf(enrichment), text, read };
  return { sent: JSON.stringify(sent), sentBytes: enrichment.file.bytes };
}

/** Returns the members that a repetition with the same idempotency key must have too. */
function taskOf({
  file,
  column,
  sheet,
  fillZeros,
}: NonNullable<NewExport["enrichment"]>): SentFileTask {
  // A request without a sheet has the fingerprint that earlier versions gave it.
  const named = sheet === undefined ? {} : { sheet };
  return { sha256: file.sha256, column: column ?? null, ...named, fillZeros };
}
