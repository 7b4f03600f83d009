/**
 * Accepting exports. What comes in: checked and normalized requests. What goes out: a queued
 * export, or the one that the same key and request brought about before.
 * Invariant: idempotency key, bounds, quota and row are one transaction, so that equal requests at
 * the same instant, from however many processes, give one export; a refusal keeps nothing, so its
 * key can be used again.
 */
import { randomBytes } from "node:crypto";
import { includesExports } from "../access/plans.ts";
import { hasQuota, refuseBeyondQuota } from "../access/quota.ts";
import { type Clock, utcDay } from "../clock.ts";
import { AppError } from "../errors.ts";
import { faultPoint } from "../fault.ts";
import type { Segment } from "../search/segment.ts";
import { changesHash, specHash } from "../spec/identity.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { ExportRow, ExportStore, IdempotencyRow } from "../store/exportstore.ts";
import type { NewExport } from "./exporter.ts";
import { changesSlug } from "./filename.ts";
import type { Pins } from "./pins.ts";

/** How long an idempotency key is kept, in milliseconds. */
export const KEY_KEPT_MS = 24 * 3_600 * 1_000;

/** What a client whose queue is full should wait, in seconds. */
const QUEUE_RETRY_S = 10;

/** What accepting needs. */
export interface IntakeParts {
  readonly store: ExportStore;
  readonly pins: Pins;
  readonly clock: Clock;
  /** Names what a spec selects, for the file's name. */
  readonly slugOf: (spec: AccountQuerySpec, segment: Segment) => string;
}

/** An accepted export as stored. */
export interface Accepted {
  readonly row: ExportRow;
  /** Specs are kept as JSON; that of a replay is the first request's. */
  readonly spec: AccountQuerySpec;
  readonly replayed: boolean;
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
    const fingerprint = fingerprintOf(wanted);
    const slug = this.#slugOf(wanted);
    const accepted = store.atomically(() => {
      const replayed = this.#replay(wanted, fingerprint);
      if (replayed !== null) return replayed;
      this.#refuseBeyondBounds(wanted, running);
      this.#refuseBeyondQuota(wanted);
      faultPoint("create.before_pin");
      this.#parts.pins.hold(wanted.segment);
      if (wanted.changes) this.#parts.pins.hold(wanted.changes.older);
      const row = this.#insert(wanted, { fingerprint, slug });
      faultPoint("create.before_commit");
      return { row, spec: wanted.spec, replayed: false };
    });
    if (!accepted.replayed) faultPoint("create.after_commit");
    return accepted;
  }

  /** What the key and the same bytes have brought about, or null. */
  replay(tenantId: string, idempotencyKey: string, bodyHash: string): Accepted | null {
    const known = this.#known(tenantId, idempotencyKey);
    return known?.bodyHash === bodyHash ? this.#again(known) : null;
  }

  /** Names what a file of changes holds by both of its months. */
  #slugOf({ spec, segment, changes }: NewExport): string {
    const slug = this.#parts.slugOf(spec, segment);
    if (!changes) return slug;
    return changesSlug(slug, changes.older.label, segment.label);
  }

  /** The key, where it was used within a day. */
  #known(tenantId: string, idempotencyKey: string): IdempotencyRow | undefined {
    const { store, clock } = this.#parts;
    const known = store.remembered(tenantId, idempotencyKey);
    const kept = known !== undefined && known.createdAt >= clock.nowMs() - KEY_KEPT_MS;
    return kept ? known : undefined;
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
      `${bound} exports wait already, which is all that the plan ${plan.name} allows. ` +
        "Try again when one has finished.",
      { headers: { "Retry-After": String(QUEUE_RETRY_S) } },
    );
  }

  #refuseBeyondQuota({ tenantId, plan, rows: wanted }: NewExport): void {
    const { store, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const used = store.quota.charged(tenantId, utcDay(nowMs));
    refuseBeyondQuota(plan, { used, wanted }, nowMs);
  }

  #insert(wanted: NewExport, made: { readonly fingerprint: string; readonly slug: string }) {
    const { store, clock } = this.#parts;
    const { tenantId, keyId, plan, spec, segment, bodyHash } = wanted;
    const charged = hasQuota(plan);
    const id = `exp_${randomBytes(16).toString("hex")}`;
    const createdAt = clock.nowMs();
    store.insert({
      id,
      tenantId,
      plan: plan.name,
      spec: JSON.stringify(spec),
      format: spec.output.format,
      slug: made.slug,
      snapshot: segment.label,
      snapshotDate: segment.snapshotDate,
      snapshotId: segment.snapshotId,
      snapshotPath: segment.path,
      ...sinceOf(wanted),
      createdAt,
      keyId,
      chargedDay: charged ? utcDay(createdAt) : null,
      chargedRows: charged ? wanted.rows : 0,
    });
    const { fingerprint } = made;
    const key = wanted.idempotencyKey;
    store.remember({ tenantId, key, fingerprint, bodyHash, exportId: id, createdAt });
    return store.find(id) as ExportRow;
  }
}

/** What an idempotency key stands for: the spec, and of an export of changes all that it wants. */
function fingerprintOf({ spec, changes }: NewExport): string {
  if (!changes) return specHash(spec);
  const { older, kinds, watch } = changes;
  const { fields } = spec.output;
  return `${specHash(spec)} ${older.label} ${changesHash(spec, { kinds, watch, fields })}`;
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
