/**
 * Receivers of notices, which are webhooks and e-mail addresses, and their deliveries, in the
 * database. Input: rows to write, and outcomes of attempts. Output: rows as stored, and
 * deliveries that are due.
 * Invariant: a delivery belongs to one notice and one receiver, and each such pair has at most one.
 * It is deleted when its notice or its receiver is deleted, in the same transaction. A waiting
 * delivery is also deleted if the reader unsubscribes. A replay of a failed notice deletes that
 * notice's deliveries. This file does not know the forms of secrets and bodies.
 */
import { blobChecksum, checkBlobs } from "./checksums.ts";
import type { StateDatabase } from "./statedatabase.ts";

/** The signature scheme of a webhook's deliveries. */
export type SignatureKind = "v1" | "v1a" | "both";

/** Kinds of receivers. Both are rows of one table, so one queue and one log serve them. */
export type ReceiverKind = "webhook" | "email";

/** Languages of e-mails. */
export type EmailLanguage = "pt" | "en";

/** Why a webhook is disabled: by its owner, after a 410 answer, or after five days of failures. */
type DisabledReason = "owner" | "gone" | "failing";

/** A webhook as stored. Times are milliseconds since the epoch or null. */
export interface WebhookRow {
  readonly sequence: number;
  readonly id: string;
  readonly tenantId: string;
  readonly kind: ReceiverKind;
  /** Address of the receiver; for an e-mail, `mailto:` and the address. */
  readonly url: string;
  /** Ids of the searches whose notices it gets, as a JSON list; null means all searches. */
  readonly searches: string | null;
  readonly signature: SignatureKind;
  /** Language of the receiver's e-mails, and 1 if they include phones and e-mails of companies. */
  readonly language: EmailLanguage;
  readonly contacts: number;
  /** Time at which the reader unsubscribed, or null. */
  readonly unsubscribedAt: number | null;
  /** Seed of its secrets, 32 bytes. */
  readonly seed: Buffer;
  /** Seeds that the last rotations replaced, or empty. Until `oldUntil`, they sign too. */
  readonly oldSeed: Buffer;
  readonly oldUntil: number | null;
  readonly checksum: number | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
  readonly succeededAt: number | null;
  /** Time of the first failure since the last success. */
  readonly failingSince: number | null;
  /** Time of the last counted failure; `strikes` is the number of counted failures. */
  readonly struckAt: number | null;
  readonly strikes: number;
  readonly warnings: number;
}

/** Members that only e-mail receivers need. */
type EmailMembers = Pick<WebhookRow, "kind" | "language" | "contacts">;

type NewWebhookRow = Partial<EmailMembers> &
  Pick<WebhookRow, "id" | "tenantId" | "url" | "searches" | "signature" | "seed" | "createdAt">;

type WebhookChange = Partial<Pick<EmailMembers, "language" | "contacts">> &
  Pick<
    WebhookRow,
    "url" | "searches" | "signature" | "disabledAt" | "disabledReason" | "changedAt"
  >;

const WITHOUT_EMAIL: EmailMembers = { kind: "webhook", language: "pt", contacts: 0 };

/** Members that the outcome of an attempt changes. */
export type WebhookHealth = Pick<
  WebhookRow,
  | "succeededAt"
  | "failingSince"
  | "struckAt"
  | "strikes"
  | "warnings"
  | "disabledAt"
  | "disabledReason"
>;

/** State of a delivery. */
type DeliveryState = "waiting" | "delivered" | "failed";

/** A delivery as stored. */
export interface DeliveryRow {
  readonly sequence: number;
  readonly notice: string;
  readonly webhook: string;
  readonly state: DeliveryState;
  /** Number of attempts since the delivery was last queued. */
  readonly attempts: number;
  /** Time of the first of these attempts. */
  readonly firstAt: number | null;
  readonly nextAt: number | null;
  readonly lastAt: number | null;
  /** HTTP status or SMTP code of the last attempt; null if there was no answer. */
  readonly lastStatus: number | null;
  readonly lastMs: number | null;
  readonly lastError: string | null;
}

/** The outcome of an attempt, as the columns of the delivery's row that it sets. */
type DeliveryOutcome = Omit<DeliveryRow, "notice" | "webhook">;

/** A webhook with due deliveries, and the facts that limit how many may be sent now. */
export interface DueWebhook {
  readonly webhook: string;
  readonly tenantId: string;
  readonly kind: ReceiverKind;
  readonly url: string;
  readonly failing: number;
}

type DueDelivery = DeliveryRow & DueWebhook;

const WEBHOOK = `
  SELECT sequence, id, tenant_id AS tenantId, kind, url, searches, signature, language, contacts,
    unsubscribed_at AS unsubscribedAt, seed, old_seed AS oldSeed, old_until AS oldUntil, checksum,
    created_at AS createdAt, changed_at AS changedAt, disabled_at AS disabledAt,
    disabled_reason AS disabledReason, succeeded_at AS succeededAt,
    failing_since AS failingSince, struck_at AS struckAt, strikes, warnings
  FROM webhooks`;

/** Enabled webhooks of enabled tenants. */
const ENABLED = `
  FROM webhooks JOIN tenants ON tenants.id = webhooks.tenant_id
    AND webhooks.disabled_at IS NULL AND tenants.disabled_at IS NULL`;

const DUE = `webhooks.tenant_id AS tenantId, webhooks.kind, webhooks.url,
  webhooks.failing_since IS NOT NULL AS failing`;

const DELIVERY = `
  SELECT sequence, notice, webhook, state, attempts, first_at AS firstAt, next_at AS nextAt,
    last_at AS lastAt, last_status AS lastStatus, last_ms AS lastMs, last_error AS lastError
  FROM deliveries`;

/** The tables `webhooks` and `deliveries`. */
export class WebhookStore {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /** Runs several changes as one transaction; a throw undoes them all. */
  atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }

  /** Returns up to `limit` receivers of a kind, numbered below `before`, newest first. */
  list(tenantId: string, kind: ReceiverKind, before: number, limit: number): WebhookRow[] {
    return this.#database
      .prepare<[string, string, number, number], WebhookRow>(
        `${WEBHOOK} WHERE tenant_id = ? AND kind = ? AND sequence < ?
         ORDER BY sequence DESC LIMIT ?`,
      )
      .all(tenantId, kind, before, limit)
      .map(sound);
  }

  /** Returns a tenant's receiver of e-mails at an address, or undefined. */
  byAddress(tenantId: string, url: string): WebhookRow | undefined {
    const row = this.#database
      .prepare<[string, string], WebhookRow>(
        `${WEBHOOK} WHERE tenant_id = ? AND url = ? AND kind = 'email'`,
      )
      .get(tenantId, url);
    return row === undefined ? undefined : sound(row);
  }

  /** Returns a receiver by id, or undefined. Throws `BlobDamage` if its seeds are damaged. */
  find(id: string): WebhookRow | undefined {
    const row = this.#database.prepare<[string], WebhookRow>(`${WEBHOOK} WHERE id = ?`).get(id);
    return row === undefined ? undefined : sound(row);
  }

  /** Stores a receiver; returns false if the tenant already has `most` of its kind. */
  insert(row: NewWebhookRow, most: number): boolean {
    const result = this.#database
      .prepare(
        `INSERT INTO webhooks (id, tenant_id, kind, url, searches, signature, language, contacts,
           seed, checksum, created_at, changed_at)
         SELECT @id, @tenantId, @kind, @url, @searches, @signature, @language, @contacts, @seed,
           @checksum, @createdAt, @createdAt
         WHERE (SELECT count(*) FROM webhooks
                WHERE tenant_id = @tenantId AND kind = @kind) < @most`,
      )
      .run({ ...WITHOUT_EMAIL, ...row, checksum: blobChecksum(row.seed), most });
    return result.changes > 0;
  }

  /** Replaces the members that the owner of a receiver can change. */
  change(id: string, change: WebhookChange): void {
    this.#database
      .prepare(
        `UPDATE webhooks SET url = @url, searches = @searches, signature = @signature,
           language = @language, contacts = @contacts, disabled_at = @disabledAt,
           disabled_reason = @disabledReason, changed_at = @changedAt
         WHERE id = @id`,
      )
      .run({ ...WITHOUT_EMAIL, ...change, id });
  }

  /** Replaces the seed. Until a given time, deliveries are also signed with the earlier seeds. */
  rotate(
    id: string,
    { seed, oldSeed, oldUntil }: Pick<WebhookRow, "seed" | "oldSeed" | "oldUntil">,
    nowMs: number,
  ): void {
    this.#database
      .prepare(
        `UPDATE webhooks SET old_seed = @oldSeed, old_until = @oldUntil, seed = @seed,
           checksum = @checksum, changed_at = @nowMs WHERE id = @id`,
      )
      .run({ id, seed, oldSeed, checksum: blobChecksum(seed, oldSeed), oldUntil, nowMs });
  }

  /** Stores the health of a webhook after an attempt. */
  setHealth(id: string, health: WebhookHealth): void {
    this.#database
      .prepare(
        `UPDATE webhooks SET succeeded_at = @succeededAt, failing_since = @failingSince,
           struck_at = @struckAt, strikes = @strikes, warnings = @warnings,
           disabled_at = @disabledAt, disabled_reason = @disabledReason WHERE id = @id`,
      )
      .run({ ...health, id });
  }

  /** Deletes a webhook with its deliveries; returns false if the tenant has none with this id. */
  remove(tenantId: string, id: string): boolean {
    const result = this.#database
      .prepare("DELETE FROM webhooks WHERE tenant_id = ? AND id = ?")
      .run(tenantId, id);
    return result.changes > 0;
  }

  /** Ends the e-mails to a receiver, and deletes its queue. Call it inside a transaction. */
  unsubscribe(id: string, nowMs: number): void {
    this.#database
      .prepare(
        `UPDATE webhooks SET unsubscribed_at = @nowMs, disabled_at = @nowMs,
           disabled_reason = NULL WHERE id = @id`,
      )
      .run({ id, nowMs });
    this.#database
      .prepare("DELETE FROM deliveries WHERE webhook = ? AND state = 'waiting'")
      .run(id);
  }

  /** Lets a receiver get e-mails again. The next notice is the first that it gets. */
  resubscribe(id: string): void {
    this.#database
      .prepare(
        `UPDATE webhooks SET unsubscribed_at = NULL, disabled_at = NULL, disabled_reason = NULL,
           failing_since = NULL, struck_at = NULL, strikes = 0, warnings = 0 WHERE id = ?`,
      )
      .run(id);
  }

  /** Queues a notice for all receivers that get notices of its search. */
  queue(notice: string, tenantId: string, searchId: string, nowMs: number): void {
    this.#database
      .prepare(
        `INSERT INTO deliveries (notice, webhook, state, attempts, next_at)
         SELECT ?, id, 'waiting', 0, ? FROM webhooks WHERE tenant_id = ?
           AND unsubscribed_at IS NULL AND (searches IS NULL OR EXISTS
             (SELECT 1 FROM json_each(webhooks.searches) WHERE value = ?))
         ON CONFLICT (notice, webhook) DO NOTHING`,
      )
      .run(notice, nowMs, tenantId, searchId);
  }

  /** Queues a notice again for one receiver; returns false if the receiver has unsubscribed. */
  requeue(notice: string, webhook: string, nowMs: number): boolean {
    const result = this.#database
      .prepare(
        `INSERT INTO deliveries (notice, webhook, state, attempts, next_at)
         SELECT ?, id, 'waiting', 0, ? FROM webhooks WHERE id = ? AND unsubscribed_at IS NULL
         ON CONFLICT (notice, webhook) DO UPDATE SET state = 'waiting', attempts = 0,
           first_at = NULL, next_at = excluded.next_at`,
      )
      .run(notice, nowMs, webhook);
    return result.changes > 0;
  }

  /** Deletes the deliveries of a notice. */
  drop(notice: string): void {
    this.#database.prepare("DELETE FROM deliveries WHERE notice = ?").run(notice);
  }

  /** Makes a webhook's waiting deliveries due now, after it was disabled and enabled again. */
  resume(webhook: string, nowMs: number): void {
    this.#database
      .prepare(
        `UPDATE deliveries SET attempts = 0, first_at = NULL, next_at = ?
         WHERE webhook = ? AND state = 'waiting'`,
      )
      .run(nowMs, webhook);
  }

  /** Returns the deliveries of a notice, in the order of their webhooks. */
  ofNotice(notice: string): DeliveryRow[] {
    return this.#database
      .prepare<[string], DeliveryRow>(`${DELIVERY} WHERE notice = ? ORDER BY sequence`)
      .all(notice);
  }

  /**
   * Returns the enabled webhooks of enabled tenants that have due deliveries, healthy ones first.
   * This takes one index look-up per webhook, regardless of how many deliveries wait.
   */
  dueWebhooks(nowMs: number): DueWebhook[] {
    return this.#database
      .prepare<[number], DueWebhook>(
        `WITH first AS (SELECT webhooks.id AS webhook, ${DUE}, webhooks.sequence AS place,
           (SELECT min(next_at) FROM deliveries
            WHERE deliveries.webhook = webhooks.id AND deliveries.state = 'waiting') AS due
           ${ENABLED})
         SELECT webhook, tenantId, kind, url, failing FROM first
         WHERE due <= ? ORDER BY failing, due, place`,
      )
      .all(nowMs);
  }

  /**
   * Returns due deliveries of a webhook, in the order in which they are due; none if the webhook or
   * its tenant is disabled.
   */
  due(webhook: string, nowMs: number, limit: number): DueDelivery[] {
    return this.#database
      .prepare<[string, number, number], DueDelivery>(
        `SELECT deliveries.sequence, notice, webhook, state, attempts, first_at AS firstAt,
           next_at AS nextAt, last_at AS lastAt, last_status AS lastStatus, last_ms AS lastMs,
           last_error AS lastError, ${DUE}
         ${ENABLED} JOIN deliveries ON deliveries.webhook = webhooks.id
         WHERE deliveries.webhook = ? AND state = 'waiting' AND next_at <= ?
         ORDER BY next_at, deliveries.sequence LIMIT ?`,
      )
      .all(webhook, nowMs, limit);
  }

  /** Stores the outcome of an attempt, unless the delivery is gone or was queued again. */
  settle(outcome: DeliveryOutcome, attemptsBefore: number): boolean {
    const result = this.#database
      .prepare(
        `UPDATE deliveries SET state = @state, attempts = @attempts, first_at = @firstAt,
           next_at = @nextAt, last_at = @lastAt, last_status = @lastStatus, last_ms = @lastMs,
           last_error = @lastError
         WHERE sequence = @sequence AND attempts = @attemptsBefore AND state = 'waiting'`,
      )
      .run({ ...outcome, attemptsBefore });
    return result.changes > 0;
  }

  /** Counts waiting deliveries, and returns the earliest time at which one is due. */
  queued(): { readonly waiting: number; readonly nextAt: number | null } {
    return this.#database
      .prepare<[], { waiting: number; nextAt: number | null }>(
        `SELECT count(*) AS waiting, min(deliveries.next_at) AS nextAt
         FROM deliveries JOIN webhooks ON webhooks.id = deliveries.webhook
         WHERE deliveries.state = 'waiting' AND webhooks.disabled_at IS NULL`,
      )
      .get() as { waiting: number; nextAt: number | null };
  }

  /** Counts receivers of all tenants that were disabled because they failed, by kind. */
  disabled(): Readonly<Record<ReceiverKind, number>> {
    const rows = this.#database
      .prepare<[], { kind: ReceiverKind; count: number }>(
        `SELECT kind, count(*) AS count FROM webhooks
         WHERE disabled_reason IN ('gone', 'failing') GROUP BY kind`,
      )
      .all();
    const counts = Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
    return { webhook: 0, email: 0, ...counts };
  }
}

function sound(row: WebhookRow): WebhookRow {
  checkBlobs("webhooks", row.checksum, row.seed, row.oldSeed);
  return row;
}
