/**
 * The servers that work on a state, in the database. Input: the facts about a server (MemberRow),
 * and its heartbeats. Output: the members whose lease has not ended.
 * Invariant: only the clock of the database decides when a lease ends. A member whose lease has
 * ended cannot renew it. It joins again under a new id, and keeps the work that no other member has
 * taken over. Any member may take over work (such as an export) if its owner is no longer a member.
 */
import { CommandError } from "../../errors.ts";
import type { StateDatabase } from "../statedatabase.ts";

/** Length of a lease, in milliseconds; a member renews it after a third of this time. */
export const LEASE_MS = 15_000;

/** A member as stored. Times are milliseconds since the epoch, by the database's clock. */
export interface MemberRow {
  readonly id: string;
  /** Id of the member's data directory. Two servers never use the same one at a time. */
  readonly place: string;
  /** Host and port, for people. */
  readonly name: string;
  readonly version: string;
  /** Address of the store with its files; `disk` if they are in its data directory. */
  readonly files: string;
  /** Label and id of the snapshot that it serves, or null. */
  readonly snapshot: string | null;
  readonly snapshotId: string | null;
  readonly startedAt: number;
  readonly leaseUntil: number;
}

/** A server that joins. */
export type NewMember = Pick<
  MemberRow,
  "id" | "place" | "name" | "version" | "files" | "snapshot" | "snapshotId"
>;

/** Tables about running servers, which are no part of a state that is copied. */
export const FLEET_TABLES: readonly string[] = ["members", "leases"];

/** Tables whose column `owner` names a member. */
const OWNED = ["exports", "leases", "exported_staged"] as const;

const COLUMNS = `SELECT id, place, name, version, files, snapshot, snapshot_id AS snapshotId,
  started_at AS startedAt, lease_until AS leaseUntil FROM members`;

/** The table `members`. */
export class MemberStore {
  readonly #database: StateDatabase;
  readonly #leaseMs: number;
  readonly #isShared: boolean;

  /**
   * All members must have the same `leaseMs`. If `isShared` is false, the state has only one member
   * at a time. Any other row is a leftover, for example from a restored backup.
   */
  constructor(database: StateDatabase, leaseMs: number, isShared = true) {
    this.#database = database;
    this.#leaseMs = leaseMs;
    this.#isShared = isShared;
  }

  /**
   * Adds a member. Removes any earlier member with the same data directory, because its process
   * must have ended. `former` is the id that this server had before it lost its lease.
   * @throws CommandError if the other members keep their files in another place
   */
  join(member: NewMember, former: string | null): void {
    const join = this.#database.transaction(() => {
      const before = "DELETE FROM members WHERE place = ? OR id = ? OR ? = 0";
      this.#database.prepare(before).run(member.place, former, this.#isShared ? 1 : 0);
      refuseOtherFiles(member, this.live());
      this.#database
        .prepare(
          `INSERT INTO members (id, place, name, version, files, snapshot, snapshot_id, started_at,
             lease_until)
           VALUES (@id, @place, @name, @version, @files, @snapshot, @snapshotId, now_ms(),
             now_ms() + @leaseMs)`,
        )
        .run({ ...member, leaseMs: this.#leaseMs });
      if (former === null) return;
      for (const table of OWNED) {
        const adopt = `UPDATE ${table} SET owner = ? WHERE owner = ?`;
        this.#database.prepare(adopt).run(member.id, former);
      }
    });
    join.immediate();
  }

  /** Renews a lease; returns false if it has ended. */
  renew(id: string): boolean {
    const renewed = this.#database
      .prepare(
        `UPDATE members SET lease_until = now_ms() + ? WHERE id = ? AND lease_until > now_ms()`,
      )
      .run(this.#leaseMs, id);
    return renewed.changes > 0;
  }

  /** Stores which snapshot a member serves. */
  serve(id: string, { snapshot, snapshotId }: Pick<MemberRow, "snapshot" | "snapshotId">): void {
    this.#database
      .prepare("UPDATE members SET snapshot = ?, snapshot_id = ? WHERE id = ?")
      .run(snapshot, snapshotId, id);
  }

  /** Returns the members whose lease has not ended, the oldest first. */
  live(): MemberRow[] {
    return this.#database
      .prepare<[], MemberRow>(`${COLUMNS} WHERE lease_until > now_ms() ORDER BY started_at, id`)
      .all();
  }

  /** Removes the members whose lease has ended, and returns them. */
  bury(): MemberRow[] {
    const ended = `${COLUMNS} WHERE lease_until <= now_ms()`;
    // Usually there is none; so this is checked without a transaction, which would block writers.
    if (this.#database.prepare<[], MemberRow>(ended).get() === undefined) return [];
    const bury = this.#database.transaction(() => {
      const rows = this.#database.prepare<[], MemberRow>(ended).all();
      const remove = this.#database.prepare("DELETE FROM members WHERE id = ?");
      for (const { id } of rows) remove.run(id);
      return rows;
    });
    return bury.immediate();
  }

  /** Removes a member that stops. Other members may take over its work. */
  leave(id: string): void {
    this.#database.prepare("DELETE FROM members WHERE id = ?").run(id);
  }
}

/** Throws if other members keep files elsewhere: every file would be missing on some members. */
function refuseOtherFiles({ files }: NewMember, members: readonly MemberRow[]): void {
  const other = members.find((member) => member.files !== files);
  if (other === undefined) return;
  throw new CommandError(
    `The server ${other.name} works on the same state, and keeps its files in ${other.files}, ` +
      `not in ${files}. Set the same files.url on all servers.`,
  );
}
