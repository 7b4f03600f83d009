/**
 * Sends e-mails about receivers: warnings to owners, and offers to readers who unsubscribed to
 * subscribe again. Input: e-mails queued in the state. Output: messages to the operator's mail
 * server.
 * Invariant: one e-mail is sent at a time, so that notices can use the mail server. A failed e-mail
 * is retried for a day, then dropped with a log line. If several servers share the state, only the
 * one that holds the lease on this work sends. Never throws.
 */
import type { Clock } from "../process/clock.ts";
import { describeError, type Log } from "../process/log.ts";
import type { ReceiverMailRow, ReceiverMailStore } from "../store/receivermailstore.ts";
import type { WebhookStore } from "../store/webhookstore.ts";
import type { Emails } from "./emails.ts";
import type { NoticeWork } from "./work.ts";

const MINUTE_MS = 60_000;
/** Delays between attempts; after the last one the e-mail is dropped. */
const DELAYS_MS = [5, 30, 120, 300, 600].map((minutes) => minutes * MINUTE_MS);
/** Max e-mails that are read from the database in one step. */
const BATCH = 16;

interface ReceiverMailParts {
  readonly work: NoticeWork;
  readonly mails: ReceiverMailStore;
  readonly webhooks: WebhookStore;
  readonly emails: Pick<Emails, "sendAbout" | "ready">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sends mails until it is stopped. */
export class ReceiverMails {
  readonly #parts: ReceiverMailParts;
  readonly #ended = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: ReceiverMailParts) {
    this.#parts = parts;
  }

  /** Sends due e-mails, unless this is already running. */
  tick(): void {
    if (this.#ended.signal.aborted || !this.#parts.emails.ready) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when no e-mail is being sent. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Ends the running attempt; its e-mail remains queued. */
  async close(): Promise<void> {
    this.#ended.abort(new Error("the server stops"));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { mails, clock, log, work } = this.#parts;
    try {
      for (const mail of mails.due(clock.nowMs(), BATCH)) {
        if (work.isHeld) await this.#send(mail);
      }
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      log.error(describeError(error), "mails about receivers were not sent; trying again");
    }
  }

  async #send(mail: ReceiverMailRow): Promise<void> {
    const { mails, webhooks, emails, clock, log, work } = this.#parts;
    const receiver = webhooks.find(mail.webhook);
    if (receiver === undefined) return;
    const outcome = await emails.sendAbout(receiver, mail, this.#ended.signal);
    if (outcome === null || outcome.error === null) {
      work.fenced(() => mails.done(mail.sequence));
      return;
    }
    const delay = DELAYS_MS[mail.attempts];
    const isRefused = outcome.verdict === "gone" || outcome.verdict === "rejected";
    if (delay !== undefined && !isRefused) {
      work.fenced(() => mails.postpone(mail.sequence, clock.nowMs() + delay));
      return;
    }
    work.fenced(() => mails.done(mail.sequence));
    const about = { receiver: mail.webhook, why: outcome.error };
    log.warn(about, "a mail about a receiver was not taken; it is given up");
  }
}
