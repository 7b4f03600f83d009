/**
 * E-mails about receivers of notices, and addresses whose readers have unsubscribed, in the
 * database. Input: warnings, offers to subscribe again, and unsubscriptions to write. Output: due
 * e-mails, and the unsubscription of an address.
 * Invariant: an e-mail is deleted with its receiver, or once it is sent or no longer retried. An
 * address is stored only as a hash, which the caller computes. This file does not know the text of
 * e-mails.
 */

import type { StateDatabase } from "./statedatabase.ts";
import { INVITED } from "./userstore.ts";

/** A mail that waits. */
export interface ReceiverMailRow {
  readonly sequence: number;
  /** The receiver that the e-mail is about. */
  readonly webhook: string;
  /** Address of the owner who gets the mail; null if it goes to the receiver itself. */
  readonly owner: string | null;
  /**
   * Number of the warning; 0 if the receiver was disabled. Null if the e-mail offers its reader to
   * subscribe again.
   */
  readonly warning: number | null;
  readonly createdAt: number;
  readonly attempts: number;
}

interface Unsubscription {
  readonly at: number;
  /** When the reader was last sent an offer to subscribe again, or null. */
  readonly askedAt: number | null;
}

/** The tables `receiver_mails` and `unsubscriptions`. */
export class ReceiverMailStore {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /** Queues a warning to each enabled owner of a receiver's tenant. */
  warn(webhook: string, warning: number, nowMs: number): void {
    this.#database
      .prepare(
        `INSERT INTO receiver_mails (webhook, user_id, warning, created_at, next_at)
         SELECT webhooks.id, users.id, @warning, @nowMs, @nowMs FROM webhooks
           JOIN users ON users.tenant_id = webhooks.tenant_id
         WHERE webhooks.id = @webhook AND users.role = 'owner' AND users.disabled_at IS NULL
           AND users.password_cost NOT LIKE '${INVITED}%'`,
      )
      .run({ webhook, warning, nowMs });
  }

  /** Queues an e-mail that offers the receiver's reader to subscribe again. */
  queueQuestion(webhook: string, nowMs: number): void {
    this.#database
      .prepare("INSERT INTO receiver_mails (webhook, created_at, next_at) VALUES (?, ?, ?)")
      .run(webhook, nowMs, nowMs);
  }

  /** Returns due mails, oldest first, for receivers of enabled tenants. */
  due(nowMs: number, limit: number): ReceiverMailRow[] {
    return this.#database
      .prepare<[number, number], ReceiverMailRow>(
        `SELECT mails.sequence, mails.webhook, users.email AS owner, mails.warning,
           mails.created_at AS "createdAt", mails.attempts
         FROM receiver_mails AS mails JOIN webhooks ON webhooks.id = mails.webhook
           JOIN tenants ON tenants.id = webhooks.tenant_id
           LEFT JOIN users ON users.id = mails.user_id
         WHERE mails.next_at <= ? AND tenants.disabled_at IS NULL
         ORDER BY mails.next_at, mails.sequence LIMIT ?`,
      )
      .all(nowMs, limit);
  }

  /** Deletes an e-mail after it was sent or given up. */
  done(sequence: number): void {
    this.#database.prepare("DELETE FROM receiver_mails WHERE sequence = ?").run(sequence);
  }

  /** Records a failed attempt, and when to repeat it. */
  postpone(sequence: number, nextAt: number): void {
    this.#database
      .prepare("UPDATE receiver_mails SET attempts = attempts + 1, next_at = ? WHERE sequence = ?")
      .run(nextAt, sequence);
  }

  /** Remembers that the reader of an address has unsubscribed. */
  unsubscribe(tenantId: string, address: string, at: number): void {
    this.#database
      .prepare(
        `INSERT INTO unsubscriptions (tenant_id, address, at) VALUES (?, ?, ?)
         ON CONFLICT (tenant_id, address) DO UPDATE SET at = excluded.at`,
      )
      .run(tenantId, address, at);
  }

  /** Deletes the record of an unsubscription, because the reader has subscribed again. */
  resubscribe(tenantId: string, address: string): void {
    this.#database
      .prepare("DELETE FROM unsubscriptions WHERE tenant_id = ? AND address = ?")
      .run(tenantId, address);
  }

  /** Returns the unsubscription of an address, or undefined. */
  unsubscription(tenantId: string, address: string): Unsubscription | undefined {
    return this.#database
      .prepare<[string, string], Unsubscription>(
        `SELECT at, asked_at AS "askedAt" FROM unsubscriptions
         WHERE tenant_id = ? AND address = ?`,
      )
      .get(tenantId, address);
  }

  /** Records when the reader of an address was sent an offer to subscribe again. */
  recordQuestion(tenantId: string, address: string, nowMs: number): void {
    this.#database
      .prepare("UPDATE unsubscriptions SET asked_at = ? WHERE tenant_id = ? AND address = ?")
      .run(nowMs, tenantId, address);
  }
}
