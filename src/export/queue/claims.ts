/**
 * Claims. A claim begins when a client reads a file that was made with a notice. Input: reads of
 * files. Output: the accounts of these files, added to the tenants' lists `exported`.
 * Invariant: a claim is durable before it is processed, and is removed after its accounts are in
 * the list, so each start continues interrupted claims. A claim may be repeated, because entries
 * already in the list have no effect.
 */
import type { Clock } from "../../process/clock.ts";
import { describeError, type Log } from "../../process/log.ts";
import type { ExportStore } from "../../store/exportstore.ts";
import type { Membership } from "../../store/fleet/membership.ts";
import type { ExportFolder } from "../files/folder.ts";
import type { Staging } from "./staging.ts";

/** Max attempts to add a file's accounts to the list, between two starts of the program. */
const ATTEMPTS_MAX = 5;

interface ClaimParts {
  readonly store: ExportStore;
  readonly membership: Membership;
  readonly folder: ExportFolder;
  readonly staging: Staging;
  readonly clock: Clock;
  readonly log: Log;
}

interface Claim {
  readonly id: string;
  readonly tenantId: string;
  attempts: number;
}

/** The claims of all tenants. */
export class Claims {
  readonly #parts: ClaimParts;
  readonly #waiting = new Map<string, Claim>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  /** Continues the claims of an earlier run. */
  recover(): void {
    const { store, folder } = this.#parts;
    for (const id of folder.claimed()) {
      const row = store.find(id);
      if (row === undefined) folder.removeClaimed(id);
      else this.#add(id, row.tenantId);
    }
  }

  /**
   * Begins to add a file's accounts to the tenant's list `exported`, if a notice made the file. If
   * another server of the fleet made it, that server does this later. Never throws.
   */
  claim(id: string, tenantId: string): void {
    const { store, folder, membership, clock, log } = this.#parts;
    try {
      if (folder.claim(id)) this.#add(id, tenantId);
      else if (membership.isShared && store.isOfNotice(id)) store.noteRead(id, clock.nowMs());
    } catch (error) {
      log.error({ export_id: id, ...describeError(error) }, "a read file was not claimed");
    }
  }

  /** Adds the accounts of this server's files that clients have read from other servers. */
  follow(): void {
    const { store, folder } = this.#parts;
    for (const id of folder.unclaimed()) {
      const row = store.isRead(id) ? store.find(id) : undefined;
      if (row !== undefined) this.claim(id, row.tenantId);
    }
  }

  /** Repeats failed claims. */
  retry(): void {
    for (const claim of this.#waiting.values()) this.#start(claim);
  }

  /** Waits for running claims. They end soon after the changes of lists (`Staging`) are closed. */
  async close(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #add(id: string, tenantId: string): void {
    const claim = { id, tenantId, attempts: 0 };
    this.#waiting.set(id, claim);
    this.#start(claim);
  }

  #start(claim: Claim): void {
    if (this.#running.has(claim.id)) return;
    const run = this.#run(claim).finally(() => this.#running.delete(claim.id));
    this.#running.set(claim.id, run);
  }

  async #run(claim: Claim): Promise<void> {
    const { staging, folder, log } = this.#parts;
    const { id, tenantId } = claim;
    const source = { held: [], readFrom: folder.claimedPathOf(id) };
    const { outcome, release } = await staging.stage(tenantId, source, () => true);
    try {
      if (outcome.kind === "staged") this.#keep(claim, outcome.staged);
      else if (!["cancelled", "interrupted"].includes(outcome.kind))
        this.#failed(claim, { outcome: outcome.kind });
    } catch (error) {
      this.#failed(claim, describeError(error));
    } finally {
      release();
    }
    if (!this.#waiting.has(id)) log.info({ export_id: id, tenant_id: tenantId }, "file claimed");
  }

  #keep({ id }: Claim, staged: Parameters<ExportStore["lists"]["exported"]["keep"]>[0] | null) {
    const { store, folder, clock } = this.#parts;
    if (staged !== null) {
      const { exported } = store.lists;
      const isKept = store.atomically(() => exported.keep(staged, clock.nowMs()));
      if (!isKept) {
        exported.drop(staged.made);
        throw new Error("a tenant's list was changed by another writer");
      }
    }
    folder.removeClaimed(id);
    this.#waiting.delete(id);
  }

  #failed(claim: Claim, details: Readonly<Record<string, unknown>>): void {
    this.#parts.log.warn({ export_id: claim.id, ...details }, "a claim failed");
    if (++claim.attempts >= ATTEMPTS_MAX) this.#waiting.delete(claim.id);
  }
}
