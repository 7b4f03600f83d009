/**
 * Exports and idempotency keys in the database. Input: rows to write, and state changes. Output:
 * rows as stored.
 * Invariant: a change is durable when the method returns. Each change of a state is allowed only
 * from certain states, so a late answer of a thread cannot restore a removed export. A server of
 * the fleet (a member) claims an export before it renders it, and gets a token. From then on, the
 * state changes only with the token of the last claim, so a server that was replaced changes
 * nothing. The rows that an export reserves from its tenant's quota (its charge) are updated
 * together with its state. This file does not know files, threads, or plans.
 */

import { ListStore } from "./liststore.ts";
import type { StateDatabase, StateStatement } from "./statedatabase.ts";
import { QuotaStore, StoredBytes } from "./usagestore.ts";

type StoredState = "queued" | "running" | "done" | "failed";

/** An export as stored, without its spec. Times are milliseconds since the epoch or null. */
export interface ExportRow {
  readonly sequence: number;
  readonly id: string;
  readonly tenantId: string;
  /** Name of the plan that applied when the export was created. */
  readonly plan: string;
  readonly format: string;
  /** Null if the file is not compressed. */
  readonly compression: string | null;
  readonly slug: string;
  /** Title of the export, as typed, or null. */
  readonly title: string | null;
  readonly snapshot: string;
  readonly snapshotDate: string;
  readonly snapshotId: string;
  /** Path of the snapshot when the export was created. */
  readonly snapshotPath: string;
  /** The older snapshot and the options of an export of changes. All are null for other exports. */
  readonly since: string | null;
  readonly sinceDate: string | null;
  readonly sinceId: string | null;
  readonly sincePath: string | null;
  /** Comma-separated names. */
  readonly kinds: string | null;
  readonly watch: string | null;
  /** How to enrich a file that a client sent, as JSON; null for any other export. */
  readonly sent: string | null;
  readonly sentBytes: number;
  readonly state: StoredState;
  /** How often rendering was begun. */
  readonly attempts: number;
  /**
   * The member (server of the fleet) that renders the export, or rendered it last. Before the first
   * claim, it is the member that has the sent file of an enrichment, or null.
   */
  readonly owner: string | null;
  /** Number of claims of the export by members. It is also the token of the latest claim. */
  readonly token: number;
  /** Progress of the last rendering, as stored by the member that renders. */
  readonly rowsWritten: number;
  readonly rowsExpected: number;
  readonly rowCount: number | null;
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  readonly failure: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /**
   * When the file expires. If the file of a done export is lost, this value is kept, so that
   * rendering again does not extend it.
   */
  readonly expiresAt: number | null;
  readonly expiredAt: number | null;
}

interface NewExportRow
  extends Pick<
    ExportRow,
    | "id"
    | "tenantId"
    | "plan"
    | "format"
    | "compression"
    | "slug"
    | "title"
    | "snapshot"
    | "snapshotDate"
    | "snapshotId"
    | "snapshotPath"
    | "since"
    | "sinceDate"
    | "sinceId"
    | "sincePath"
    | "kinds"
    | "watch"
    | "sent"
    | "sentBytes"
    | "createdAt"
  > {
  /** JSON text. */
  readonly spec: string;
  /** The API key that created the export. */
  readonly keyId: string;
  /** Day (UTC, since 1970) whose quota the export is charged to; null if the plan has no quota. */
  readonly chargedDay: number | null;
  /** Number of rows that the export has reserved from that quota. */
  readonly chargedRows: number;
}

/** An idempotency key and its export. */
export interface IdempotencyRow {
  readonly tenantId: string;
  readonly key: string;
  readonly fingerprint: string;
  /** SHA-256 of the body as sent, in hex; null for keys of earlier versions. */
  readonly bodyHash: string | null;
  readonly exportId: string;
  readonly createdAt: number;
}

/** An export, and the token of the claim by which a server may render it. */
export type ClaimedExport = Pick<ExportRow, "id" | "token">;

interface FinishedFile extends ClaimedExport {
  readonly rowCount: number;
  /** Number of rows to charge, if it is not the number of rows in the file. */
  readonly chargedRows?: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly endedAt: number;
  readonly expiresAt: number;
}

/** A tenant's next export. */
export interface Candidate {
  readonly tenantId: string;
  readonly sequence: number;
}

const COLUMNS = `
  SELECT sequence, id, tenant_id AS tenantId, plan, format, compression, slug, title,
    snapshot, snapshot_date AS snapshotDate, snapshot_id AS snapshotId,
    snapshot_path AS snapshotPath,
    since, since_date AS sinceDate, since_id AS sinceId, since_path AS sincePath, kinds, watch,
    sent, sent_bytes AS sentBytes, state, attempts, owner, token, rows_written AS rowsWritten,
    rows_expected AS rowsExpected, row_count AS rowCount, size_bytes AS sizeBytes, sha256, failure,
    created_at AS createdAt, ended_at AS endedAt, expires_at AS expiresAt, expired_at AS expiredAt
  FROM exports`;

/** The tables `exports` and `idempotency`. */
export class ExportStore {
  /** Charges of exports. */
  readonly quota: QuotaStore;
  /** Counts the bytes that each tenant has stored. */
  readonly storedBytes: StoredBytes;
  /**
   * Lists of tenants and their exported accounts. Exports are pinned to revisions of these lists.
   */
  readonly lists: ListStore;
  readonly #database: StateDatabase;
  readonly #byId: StateStatement<[string], ExportRow>;
  readonly #bySequence: StateStatement<[number], ExportRow>;
  readonly #candidates: StateStatement<[], Candidate>;
  readonly #due: StateStatement<[number, number], ExportRow>;

  constructor(database: StateDatabase) {
    this.quota = new QuotaStore(database);
    this.storedBytes = new StoredBytes(database);
    this.lists = new ListStore(database);
    this.#database = database;
    this.#byId = database.prepare(`${COLUMNS} WHERE id = ?`);
    this.#bySequence = database.prepare(`${COLUMNS} WHERE sequence = ?`);
    this.#candidates = database.prepare(
      `SELECT tenant_id AS tenantId, min(sequence) AS sequence FROM exports
       WHERE state = 'queued' GROUP BY tenant_id ORDER BY tenant_id`,
    );
    this.#due = database.prepare(
      `${COLUMNS} WHERE state = 'done' AND expired_at IS NULL AND expires_at <= ?
       ORDER BY expires_at LIMIT ?`,
    );
  }

  /** Runs several changes as one transaction; a throw undoes them all. */
  atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }

  /** Stores a new export as queued. Call it and the changes that belong to it in `atomically`. */
  insert(row: NewExportRow): void {
    this.#database
      .prepare(
        `INSERT INTO exports (id, tenant_id, plan, spec, format, compression, slug, title, snapshot,
           snapshot_date, snapshot_id, snapshot_path, since, since_date, since_id, since_path,
           kinds, watch, sent, sent_bytes, state, created_at, key_id, charged_day, charged_rows)
         VALUES (@id, @tenantId, @plan, @spec, @format, @compression, @slug, @title, @snapshot,
           @snapshotDate, @snapshotId, @snapshotPath, @since, @sinceDate, @sinceId, @sincePath,
           @kinds, @watch, @sent, @sentBytes, 'queued', @createdAt, @keyId, @chargedDay,
           @chargedRows)`,
      )
      .run(row);
    const { tenantId, chargedDay, chargedRows } = row;
    if (chargedDay !== null) this.quota.reserve(tenantId, chargedDay, chargedRows);
  }

  find(id: string): ExportRow | undefined {
    return this.#byId.get(id);
  }

  /** Returns an export's spec as JSON. */
  specOf(id: string): string | undefined {
    const found = this.#database
      .prepare<[string], { spec: string }>("SELECT spec FROM exports WHERE id = ?")
      .get(id);
    return found?.spec;
  }

  /** Returns an export's spec as JSON, and the key that created the export if known. */
  originOf(id: string): { readonly spec: string; readonly keyId: string | null } | undefined {
    return this.#database
      .prepare<[string], { spec: string; keyId: string | null }>(
        "SELECT spec, key_id AS keyId FROM exports WHERE id = ?",
      )
      .get(id);
  }

  /** Returns up to `limit` exports with a sequence number below `before`, newest first. */
  list(tenantId: string, before: number, limit: number): ExportRow[] {
    return this.#database
      .prepare<[string, number, number], ExportRow>(
        `${COLUMNS} WHERE tenant_id = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?`,
      )
      .all(tenantId, before, limit);
  }

  /**
   * True if an export was made for a notice. Usually the notice names the export. Until it does,
   * the export's idempotency key names the notice.
   */
  isOfNotice(id: string): boolean {
    const found = this.#database
      .prepare<[string, string]>(
        `SELECT 1 FROM notices WHERE export_id = ?
         UNION ALL SELECT 1 FROM idempotency JOIN notices
           ON notices.tenant_id = idempotency.tenant_id
             AND idempotency.key = 'notice:' || notices.id
           WHERE idempotency.export_id = ?
         LIMIT 1`,
      )
      .get(id, id);
    return found !== undefined;
  }

  /**
   * Records that a client has read an export's file on a server that did not make the file. The
   * server that made it reads this record.
   */
  noteRead(id: string, nowMs: number): void {
    if (this.isRead(id)) return;
    this.#change("UPDATE exports SET read_at = ? WHERE id = ? AND read_at IS NULL", nowMs, id);
  }

  /** True if a client has read the file of an export from a server that did not make it. */
  isRead(id: string): boolean {
    const wanted = "SELECT 1 FROM exports WHERE id = ? AND read_at IS NOT NULL";
    return this.#database.prepare<[string]>(wanted).get(id) !== undefined;
  }

  /** Counts queued exports of all tenants. */
  queued(): number {
    const found = this.#database
      .prepare<[], { n: number }>("SELECT count(*) AS n FROM exports WHERE state = 'queued'")
      .get();
    return found?.n ?? 0;
  }

  queuedOf(tenantId: string): number {
    const found = this.#database
      .prepare<[string], { n: number }>(
        "SELECT count(*) AS n FROM exports WHERE state = 'queued' AND tenant_id = ?",
      )
      .get(tenantId);
    return found?.n ?? 0;
  }

  /** Returns every tenant's oldest queued export, ordered by tenant id. */
  candidates(): Candidate[] {
    return this.#candidates.all();
  }

  /** Returns the export with this sequence number. */
  at(sequence: number): ExportRow | undefined {
    return this.#bySequence.get(sequence);
  }

  /** Returns the exports of a state; `done` excludes expired ones. */
  inState(state: StoredState): ExportRow[] {
    return this.#database
      .prepare<[string], ExportRow>(
        `${COLUMNS} WHERE state = ? AND expired_at IS NULL ORDER BY sequence`,
      )
      .all(state);
  }

  /**
   * Claims a queued export for the server `owner`: changes its state to running, and counts an
   * attempt. Returns the token of the claim; undefined if the export is not queued. The database
   * runs one writer at a time, so two servers never claim the same export.
   */
  claim(id: string, owner: string): number | undefined {
    return this.#database
      .prepare<[string, string], number>(
        `UPDATE exports SET state = 'running', attempts = attempts + 1, owner = ?,
           token = token + 1, rows_written = 0, rows_expected = 0
         WHERE id = ? AND state = 'queued' RETURNING token`,
      )
      .pluck()
      .get(owner, id);
  }

  /** Counts a tenant's running exports, on all members. */
  runningOf(tenantId: string): number {
    const found = this.#database
      .prepare<[string], { n: number }>(
        "SELECT count(*) AS n FROM exports WHERE state = 'running' AND tenant_id = ?",
      )
      .get(tenantId);
    return found?.n ?? 0;
  }

  /** Returns the running exports of a member. */
  heldBy(owner: string): ClaimedExport[] {
    return this.#database
      .prepare<[string], ClaimedExport>(
        "SELECT id, token FROM exports WHERE state = 'running' AND owner = ?",
      )
      .all(owner);
  }

  /** True if an export is done, and this claim is the one that finished it. */
  isDoneBy({ id, token }: ClaimedExport): boolean {
    const done = "SELECT 1 FROM exports WHERE id = ? AND token = ? AND state = 'done'";
    return this.#database.prepare<[string, number]>(done).get(id, token) !== undefined;
  }

  /** Returns the running exports whose server (member) has ended, oldest first. */
  orphans(): ExportRow[] {
    return this.#database
      .prepare<[], ExportRow>(
        `${COLUMNS} WHERE state = 'running' AND (owner IS NULL OR NOT EXISTS
           (SELECT 1 FROM members WHERE members.id = exports.owner)) ORDER BY sequence`,
      )
      .all();
  }

  /** Stores which server (member) has the file that a client sent for a queued export. */
  holdSent(id: string, owner: string): boolean {
    return this.#change(
      "UPDATE exports SET owner = ? WHERE id = ? AND state = 'queued'",
      owner,
      id,
    );
  }

  /** Replaces the request to enrich a sent file; returns false if the export was deleted. */
  noteSent(id: string, sent: string): boolean {
    return this.#change("UPDATE exports SET sent = ? WHERE id = ?", sent, id);
  }

  /** Returns the queued enrichments whose sent files are at ended members, oldest first. */
  stranded(): ExportRow[] {
    return this.#database
      .prepare<[], ExportRow>(
        `${COLUMNS} WHERE state = 'queued' AND sent IS NOT NULL AND owner IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM members WHERE members.id = exports.owner)
         ORDER BY sequence`,
      )
      .all();
  }

  /** Stores the progress of a render; returns false if another member has taken it over. */
  progress(
    run: ClaimedExport & { readonly rowsWritten: number; readonly rowsExpected: number },
  ): boolean {
    return this.#change(
      `UPDATE exports SET rows_written = @rowsWritten, rows_expected = @rowsExpected
       WHERE id = @id AND state = 'running' AND token = @token`,
      run,
    );
  }

  /**
   * Changes an export from running to done. If the export was done before and its file was lost, it
   * keeps its earlier expiry. The rows that it reserved from the quota are replaced by the actual
   * number.
   */
  finish({ chargedRows, ...file }: FinishedFile): boolean {
    const charge = this.quota.chargeOf(file.id);
    const finished = this.#change(
      `UPDATE exports SET state = 'done', row_count = @rowCount, size_bytes = @sizeBytes,
         sha256 = @sha256, ended_at = @endedAt,
         expires_at = min(coalesce(expires_at, @expiresAt), @expiresAt)
       WHERE id = @id AND state = 'running' AND token = @token`,
      file,
    );
    if (finished && charge !== undefined) {
      this.quota.settle(charge, chargedRows ?? file.rowCount, file.endedAt);
    }
    return finished;
  }

  /** Changes an export from queued or running to failed, and releases its reserved rows. */
  fail({ id, token }: ClaimedExport, failure: string, endedAt: number): boolean {
    const charge = this.quota.chargeOf(id);
    const failed = this.#change(
      `UPDATE exports SET state = 'failed', failure = ?, ended_at = ?
       WHERE id = ? AND token = ? AND state IN ('queued', 'running')`,
      ...[failure, endedAt, id, token],
    );
    if (failed && charge !== undefined) this.quota.giveBack(charge);
    return failed;
  }

  /**
   * Changes an export back to queued and sets its number of attempts. It must be running, or done
   * with a lost file.
   */
  requeue({ id, token }: ClaimedExport, attempts: number): boolean {
    return this.#change(
      `UPDATE exports SET state = 'queued', attempts = ?, row_count = NULL, size_bytes = NULL,
         sha256 = NULL, ended_at = NULL
       WHERE id = ? AND token = ? AND state IN ('running', 'done') AND expired_at IS NULL`,
      ...[attempts, id, token],
    );
  }

  /** Returns done exports that have reached their expiry, earliest first. */
  due(nowMs: number, limit: number): ExportRow[] {
    return this.#due.all(nowMs, limit);
  }

  /** Marks a done export as expired permanently. */
  expire(id: string, nowMs: number): boolean {
    return this.#change(
      "UPDATE exports SET expired_at = ? WHERE id = ? AND state = 'done' AND expired_at IS NULL",
      nowMs,
      id,
    );
  }

  /**
   * Deletes an export. Its idempotency key stays. If it was done, the rows that it has charged to
   * the quota stay charged too.
   */
  remove(id: string): boolean {
    const charge = this.quota.chargeOf(id);
    if (charge !== undefined) this.quota.remove(charge);
    return this.#change("DELETE FROM exports WHERE id = ?", id);
  }

  /** True while a queued or running export needs a snapshot. */
  needs(snapshotId: string): boolean {
    const found = this.#database
      .prepare<[string, string]>(
        `SELECT 1 FROM exports WHERE state IN ('queued', 'running') AND snapshot_id = ?
         UNION ALL SELECT 1 FROM exports
           WHERE state IN ('queued', 'running') AND since_id IS NOT NULL AND since_id = ?
         LIMIT 1`,
      )
      .get(snapshotId, snapshotId);
    return found !== undefined;
  }

  /** Returns the row of a tenant's idempotency key. */
  remembered(tenantId: string, key: string): IdempotencyRow | undefined {
    return this.#database
      .prepare<[string, string], IdempotencyRow>(
        `SELECT tenant_id AS tenantId, key, fingerprint, body_hash AS bodyHash,
           export_id AS exportId, created_at AS createdAt
         FROM idempotency WHERE tenant_id = ? AND key = ?`,
      )
      .get(tenantId, key);
  }

  /** Stores an idempotency key; replaces an older row. */
  remember(row: IdempotencyRow): void {
    this.#database
      .prepare(
        `INSERT INTO idempotency
           (tenant_id, key, fingerprint, body_hash, export_id, created_at)
         VALUES (@tenantId, @key, @fingerprint, @bodyHash, @exportId, @createdAt)
         ON CONFLICT (tenant_id, key) DO UPDATE SET fingerprint = excluded.fingerprint,
           body_hash = excluded.body_hash, export_id = excluded.export_id,
           created_at = excluded.created_at`,
      )
      .run(row);
  }

  /** Deletes up to `limit` idempotency keys created before a time; returns how many. */
  forgetBefore(timeMs: number, limit: number): number {
    const result = this.#database
      .prepare(
        `DELETE FROM idempotency WHERE (tenant_id, key) IN
           (SELECT tenant_id, key FROM idempotency WHERE created_at < ? LIMIT ?)`,
      )
      .run(timeMs, limit);
    return result.changes;
  }

  /**
   * Deletes up to `limit` records of exports that expired or failed before a time. Returns how many
   * were deleted. The quota does not change. The rows of expired exports stay charged, because they
   * were delivered. Failed exports have already released their rows.
   */
  forgetRecords(timeMs: number, limit: number): number {
    const result = this.#database
      .prepare(
        `DELETE FROM exports WHERE sequence IN
           (SELECT sequence FROM exports
            WHERE (expired_at IS NOT NULL OR state = 'failed')
              AND coalesce(expired_at, ended_at) < ?
            ORDER BY coalesce(expired_at, ended_at), sequence LIMIT ?)`,
      )
      .run(timeMs, limit);
    return result.changes;
  }

  /** Runs a statement; returns true if it changed a row. */
  #change(sql: string, ...parameters: readonly unknown[]): boolean {
    return this.#database.prepare(sql).run(...parameters).changes > 0;
  }
}
