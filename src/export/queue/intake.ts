/**
 * Accepting exports. What comes in: checked and normalized requests. What goes out: a queued
 * export, or the one that the same key and request brought about before.
 * Invariant: idempotency key, bounds, quota and row are one transaction, so that equal requests at
 * the same instant, from however many processes, give one export; a refusal keeps nothing, so its
 * key can be used again.
 */
import { randomBytes } from "node:crypto";
import { includesExports } from "../../access/plans.ts";
import { hasQuota, refuseBeyondBytes, refuseBeyondQuota } from "../../access/quota.ts";
import { AppError } from "../../errors.ts";
import { boundSpec } from "../../lists/listed.ts";
import { type Clock, utcDay } from "../../process/clock.ts";
import { faultPoint } from "../../process/fault.ts";
import type { Log } from "../../process/log.ts";
import type { Segment } from "../../search/segment.ts";
import { EXPORTED } from "../../spec/listids.ts";
import { changesHash, specHash } from "../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { ExportRow, ExportStore, IdempotencyRow } from "../../store/exportstore.ts";
import { wordFor } from "../../text/amounts.ts";
import type { NewExport } from "../exporter.ts";
import { changesSlug } from "../files/filename.ts";
import type { ExportFolder } from "../files/folder.ts";
import { compressionOf } from "../formats/compressed.ts";
import type { Pins } from "./pins.ts";
import type { SentWish } from "./rendertask.ts";
import { KEY_KEPT_MS, type Leaps } from "./sweeper.ts";

/** What a client whose queue is full should wait, in seconds. */
const QUEUE_RETRY_S = 10;
/** What a client should wait where the disk is full; files expire all the time. */
const ROOM_RETRY_S = 60;

/** What accepting needs. */
export interface IntakeParts {
  readonly store: ExportStore;
  readonly pins: Pins;
  readonly clock: Clock;
  readonly leaps: Leaps;
  readonly log: Log;
  /** Free bytes of the disk of the files, or null where nobody knows; below the least of them no
   *  export is accepted. */
  readonly freeBytes: () => number | null;
  readonly freeBytesMin: number;
  readonly folder: ExportFolder;
  /** Names what a spec selects, for the file's name. */
  readonly slugOf: (spec: AccountQuerySpec, segment: Segment) => string;
}

/** An accepted export as stored. */
interface Accepted {
  readonly row: ExportRow;
  /** Specs are kept as JSON; that of a replay is the first request's. */
  readonly spec: AccountQuerySpec;
  readonly replayed: boolean;
}

/** What is made of a request before its transaction. */
interface Made {
  readonly fingerprint: string;
  readonly slug: string;
  /** JSON text. */
  readonly spec: string;
}

/** Accepts exports. */
export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * Accepts one, durably. `running` is how many exports of the tenant are rendered at the moment.
   * Throws the refusals that `Exporter.create` names, and the database's errors as they are.
   */
  accept(wanted: NewExport, running: number): Accepted {
    const { store } = this.#parts;
    // Hashing and naming depend on the request alone and need not hold up other writers.
    const made: Made = {
      fingerprint: fingerprintOf(wanted),
      slug: this.#slugOf(wanted),
      spec: JSON.stringify(wanted.spec),
    };
    const accepted = store.atomically(() => {
      const replayed = this.#replay(wanted, made.fingerprint);
      if (replayed !== null) return replayed;
      this.#refuseBeyondBounds(wanted, running);
      this.#refuseWithoutRoom();
      this.#refuseBeyondBytes(wanted, made);
      this.#refuseBeyondQuota(wanted);
      faultPoint("create.before_pin");
      this.#parts.pins.hold(wanted.segment);
      if (wanted.changes) this.#parts.pins.hold(wanted.changes.older);
      const row = this.#insert(wanted, made);
      if (wanted.enrichment) this.#parts.folder.keepSent(wanted.enrichment.file, row.id);
      faultPoint("create.before_commit");
      return { row, spec: wanted.spec, replayed: false };
    });
    if (!accepted.replayed) faultPoint("create.after_commit");
    return accepted;
  }

  /**
   * What the key and the same bytes have brought about, or null. Of a spec that names lists the
   * bytes do not tell whether it is the same: whoever reads it compares their revisions.
   */
  replay(tenantId: string, idempotencyKey: string, bodyHash: string): Accepted | null {
    const known = this.#known(tenantId, idempotencyKey);
    if (known?.bodyHash !== bodyHash) return null;
    const again = this.#again(known);
    return again.spec.filters.lists === undefined ? again : null;
  }

  /** Names what a file of changes holds by both of its months. */
  #slugOf({ spec, segment, changes }: NewExport): string {
    const slug = this.#parts.slugOf(spec, segment);
    if (!changes) return slug;
    const months = { since: changes.older.label, until: segment.label };
    return changesSlug(slug, { ...months, labels: spec.output.labels });
  }

  /** The key, where it was used within a day; whatever the clock says just after a leap. */
  #known(tenantId: string, idempotencyKey: string): IdempotencyRow | undefined {
    const { store, clock, leaps } = this.#parts;
    const known = store.remembered(tenantId, idempotencyKey);
    if (known === undefined) return undefined;
    return known.createdAt >= clock.nowMs() - KEY_KEPT_MS || leaps.hold() ? known : undefined;
  }

  /** What the key has brought about, or null where it is new or older than a day. */
  #replay({ tenantId, idempotencyKey }: NewExport, fingerprint: string): Accepted | null {
    const known = this.#known(tenantId, idempotencyKey);
    if (known === undefined) return null;
    if (known.fingerprint !== fingerprint) {
      throw new AppError(
        "idempotency_key_reused",
        "This Idempotency-Key came with another request before. Take a new one.",
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
      "The export of this Idempotency-Key was deleted. Take a new one.",
    );
  }

  #refuseBeyondBounds({ tenantId, plan }: NewExport, running: number): void {
    const { concurrent_exports: concurrent, queued_exports: queueable } = plan.limits;
    if (!includesExports(plan)) {
      throw new AppError("plan_not_allowed", `The plan ${plan.name} does not include exports.`);
    }
    // What can begin at once waits for an instant only, so a plan without a queue allows it.
    const bound = Math.max(queueable, running < concurrent ? 1 : 0);
    if (this.#parts.store.queuedOf(tenantId) < bound) return;
    throw new AppError(
      "rate_limited",
      `${bound} ${wordFor(bound, "export waits", "exports wait")} already, which is all that the ` +
        `plan ${plan.name} allows. ` +
        "Try again when one has finished.",
      { headers: { "Retry-After": String(QUEUE_RETRY_S) } },
    );
  }

  /** What runs may fill the rest of the disk, but nothing new may, and searches go on. */
  #refuseWithoutRoom(): void {
    const { freeBytes, freeBytesMin, log } = this.#parts;
    const free = freeBytesMin === 0 ? null : freeBytes();
    if (free === null || free >= freeBytesMin) return;
    // How full the disk is concerns the operator, and no tenant.
    log.warn({ free_bytes: free, free_bytes_min: freeBytesMin }, "no room for a new export");
    throw new AppError(
      "storage_full",
      "The server has not enough room for another export. Searches and downloads go on. Try " +
        "again later, delete exports, or ask the operator for space.",
      { headers: { "Retry-After": String(ROOM_RETRY_S) } },
    );
  }

  #refuseBeyondBytes({ tenantId, plan, enrichment }: NewExport, { spec }: Made): void {
    const { files, specs } = this.#parts.store.kept.of(tenantId);
    const sentBytes = enrichment?.file.bytes ?? 0;
    refuseBeyondBytes(plan, "export_bytes", { kept: files, wanted: sentBytes + 1 });
    const wanted = Buffer.byteLength(spec);
    refuseBeyondBytes(plan, "saved_bytes", { kept: specs, wanted });
  }

  #refuseBeyondQuota({ tenantId, plan, rows: wanted }: NewExport): void {
    const { store, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const used = store.quota.charged(tenantId, utcDay(nowMs));
    refuseBeyondQuota(plan, { used, wanted }, nowMs);
  }

  /** Charges rows of an answer, durably. Throws `quota_exceeded`. */
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
 * What an idempotency key stands for: the spec, and of an export of changes all that it wants. An
 * export that leaves out what was exported changes that itself when it is done, so its own request
 * again, after an answer that was lost, is no other one: `exported` has no revision here.
 */
function fingerprintOf({ spec, changes, enrichment, lists = [] }: NewExport): string {
  const bound = boundSpec(
    spec,
    lists.map((pin) => (pin.id === EXPORTED ? { ...pin, revision: 0 } : pin)),
  );
  if (enrichment) return `${specHash(bound)} ${sentOf({ enrichment }).sent}`;
  if (!changes) return specHash(bound);
  const { older, kinds, watch } = changes;
  const { fields } = spec.output;
  return `${specHash(bound)} ${older.label} ${changesHash(bound, { kinds, watch, fields })}`;
}

/** The columns of a row that only an export of changes fills. */
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

/** The columns of a row that only an enrichment fills. */
function sentOf({ enrichment }: Pick<NewExport, "enrichment">) {
  if (!enrichment) return { sent: null, sentBytes: 0 };
  const { file, column, fillZeros } = enrichment;
  const wanted: SentWish = { sha256: file.sha256, column: column ?? null, fillZeros };
  return { sent: JSON.stringify(wanted), sentBytes: file.bytes };
}
