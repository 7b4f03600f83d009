/**
 * The snapshot that a fleet (all servers of one state) serves. Input: the snapshot that each server
 * has verified. Output: the snapshot to serve.
 * Invariant: the snapshot of the fleet changes in one transaction, and only to a snapshot that
 * every live member has verified. Members without a snapshot do not count. A member whose lease has
 * ended does not delay this.
 */
import type { StateDatabase } from "../statedatabase.ts";

/** A snapshot, as the servers of a fleet name it to each other. */
export interface OfferedSnapshot {
  /** Identity of the content. */
  readonly snapshotId: string;
  /** Release label `YYYY-MM`. */
  readonly label: string;
}

/** A summary of the snapshots that the live members offer. */
interface Agreement {
  /** Number of different snapshots. */
  readonly kinds: number;
  readonly id: string | null;
  readonly label: string | null;
}

const AGREEMENT = `SELECT count(DISTINCT offered_id) AS kinds, min(offered_id) AS id,
  min(offered_label) AS label FROM members WHERE lease_until > now_ms()`;

/** The table `fleet_month`, and the offers in `members`. */
export class FleetMonth {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /**
   * Returns the ids of the snapshots for which servers may still issue cursors. The last id is that
   * of the fleet's current snapshot. If it replaced another snapshot within `keepMs`, the replaced
   * one comes first.
   */
  recent(keepMs: number): string[] {
    const row = this.#database
      .prepare<[number], { readonly id: string; readonly before: string | null }>(
        `SELECT snapshot_id AS id,
           CASE WHEN now_ms() - since < ? THEN before_id END AS before FROM fleet_month`,
      )
      .get(keepMs);
    return row === undefined ? [] : [row.before, row.id].filter((id) => id !== null);
  }

  /** Returns the snapshot that the fleet serves; null before the first one. */
  current(): OfferedSnapshot | null {
    const row = this.#database
      .prepare<[], OfferedSnapshot>("SELECT snapshot_id AS snapshotId, label FROM fleet_month")
      .get();
    return row ?? null;
  }

  /** Stores the snapshot that a member is ready to serve (its offer). Null withdraws the offer. */
  offer(memberId: string, offered: OfferedSnapshot | null): void {
    this.#database
      .prepare("UPDATE members SET offered_id = ?, offered_label = ? WHERE id = ?")
      .run(offered?.snapshotId ?? null, offered?.label ?? null, memberId);
  }

  /** If all members offer the same snapshot, makes it the fleet's. Returns the fleet's snapshot. */
  agree(): OfferedSnapshot | null {
    const current = this.current();
    // Usually nothing changes; so this is checked without a transaction, which would block writers.
    if (this.#agreed(current) === null) return current;
    const change = this.#database.transaction(() => {
      const before = this.current();
      const agreed = this.#agreed(before);
      if (agreed === null) return before;
      this.#database
        .prepare(
          `INSERT INTO fleet_month (snapshot_id, label, since)
           VALUES (@snapshotId, @label, now_ms())
           ON CONFLICT (id) DO UPDATE SET before_id = fleet_month.snapshot_id,
             snapshot_id = excluded.snapshot_id, label = excluded.label, since = excluded.since`,
        )
        .run(agreed);
      return agreed;
    });
    return change.immediate();
  }

  /** Returns the names of the live members that offer another snapshot. */
  without(snapshotId: string): string[] {
    return this.#database
      .prepare<[string], string>(
        `SELECT name FROM members WHERE lease_until > now_ms() AND offered_id <> ? ORDER BY name`,
      )
      .pluck()
      .all(snapshotId);
  }

  /** Returns the snapshot that all members have, if the fleet does not serve it yet. */
  #agreed(current: OfferedSnapshot | null): OfferedSnapshot | null {
    const { kinds, id, label } = this.#database
      .prepare<[], Agreement>(AGREEMENT)
      .get() as Agreement;
    if (kinds !== 1 || id === null || label === null || id === current?.snapshotId) return null;
    return { snapshotId: id, label };
  }
}
