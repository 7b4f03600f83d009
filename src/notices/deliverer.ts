/**
 * Delivers counted notices to webhooks and by e-mail. Input: queued deliveries in the database.
 * Output: requests to receivers, messages to the mail server, and their outcomes in the database.
 * Invariant: a delivery that is stored as waiting is sent at least once, with the id of its notice,
 * even if the process is killed at any moment. At most `PER_HOST` requests of a tenant run to one
 * host at a time. A failing webhook gets one request at a time, and all failing webhooks together
 * get `FAILING_IN_ALL`, so slow receivers do not delay other tenants. Each new attempt costs at
 * most one database query. A deleted webhook receives nothing, and a disabled one keeps its queue.
 * Only the server with the lease on this work begins an attempt or stores its outcome. If an
 * outcome cannot be stored, the webhook is paused, so that it does not get the same notice in a
 * loop.
 */
import type { GuardedFetcher } from "../download/proxy.ts";
import type { Clock } from "../process/clock.ts";
import { faultPoint } from "../process/fault.ts";
import { describeError, type Log } from "../process/log.ts";
import type { AuditStore } from "../store/auditstore.ts";
import type { NoticeRow, NoticeStore } from "../store/noticestore.ts";
import type { ReceiverMailStore } from "../store/receivermailstore.ts";
import type {
  DeliveryRow,
  DueWebhook,
  ReceiverKind,
  WebhookRow,
  WebhookStore,
} from "../store/webhookstore.ts";
import type { Emails } from "./emails.ts";
import { eventIdOf, isSendable } from "./payload.ts";
import { afterAttempt, type DeliveryAttempt, type HealthEvent, healthAfter } from "./schedule.ts";
import { attempt } from "./sender.ts";
import { seedsOf, signedHeaders } from "./signing.ts";
import type { NoticeWork } from "./work.ts";

/** Max concurrent requests: of a tenant to one host and port, of a tenant, and of all tenants. */
const PER_HOST = 4;
const PER_TENANT = 256;
const IN_ALL = 512;
/** Max concurrent requests to all webhooks that are failing. */
const FAILING_IN_ALL = 256;
/** The key under which all e-mails are counted, because all go to the operator's mail server. */
const MAIL_SERVER = "mail server";
/**
 * Milliseconds between the end of an attempt and the look-up of the next attempt. Attempts that end
 * in this time share one look-up.
 */
const GATHER_MS = 20;
/** Pause of a webhook after the database could not be read or written, in milliseconds. */
const REST_MS = 60_000;

interface DelivererParts {
  readonly work: NoticeWork;
  readonly notices: NoticeStore;
  readonly webhooks: WebhookStore;
  readonly mails: ReceiverMailStore;
  readonly audit: AuditStore;
  readonly fetcher: GuardedFetcher;
  readonly clock: Clock;
  readonly log: Log;
  readonly retryMs: number;
  readonly random: () => number;
  readonly userAgent: string;
  readonly emails: Pick<Emails, "send" | "ready">;
  /** Returns the body of a counted notice. */
  readonly bodyOf: (row: NoticeRow) => string;
  /** Counts an attempt by the kind of its receiver and its outcome. */
  readonly attempted: (kind: ReceiverKind, outcome: "delivered" | "retried" | "failed") => void;
  /** Counts, in the metrics, an e-mail that the operator's mail server did not accept. */
  readonly serverFailed: () => void;
}

/** Delivers notices until it is stopped. */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #ended = new AbortController();
  /** Running attempts by delivery. */
  readonly #running = new Map<number, Promise<void>>();
  readonly #uses = new Uses();
  /** Webhooks with due deliveries when the database was last read, in the order of service. */
  #due = new Map<string, DueAtHost>();
  /** End of the pause of each paused webhook, on the monotonic clock. */
  readonly #resting = new Map<string, number>();
  #soon: NodeJS.Timeout | null = null;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  /** Finds the webhooks with due deliveries, and starts attempts. Never throws. */
  tick(): void {
    this.#try((nowMs) => {
      const due = this.#parts.webhooks.dueWebhooks(nowMs).map(atHost);
      this.#due = new Map(due.map((one) => [one.webhook, one]));
      this.#fill(nowMs);
    });
  }

  #try(work: (nowMs: number) => void): void {
    const { clock, log, work: right } = this.#parts;
    if (this.#ended.signal.aborted || !right.isHeld) return;
    try {
      work(clock.nowMs());
    } catch (error) {
      log.error(describeError(error), "due notices were not sent; trying again");
    }
  }

  /** Starts attempts up to the limits of concurrent requests. */
  #fill(nowMs: number): void {
    const { emails } = this.#parts;
    for (const due of this.#due.values()) {
      if (this.#uses.isFull) return;
      const mayBegin = (due.kind !== "email" || emails.ready) && !this.#rests(due.webhook);
      if (mayBegin) this.#serve(due, nowMs);
    }
  }

  /** Starts attempts for a webhook. Removes it from `#due` if nothing more of it is due. */
  #serve(known: DueAtHost, nowMs: number): void {
    const { webhook } = known;
    const most = this.#uses.room(known);
    if (most <= 0) return;
    const own = this.#uses.of(webhook);
    const found = this.#parts.webhooks.due(webhook, nowMs, most + own);
    const rows = found.filter(({ sequence }) => !this.#running.has(sequence));
    const [first] = rows;
    // The webhook may have got another address, or begun to fail, since the state was last read.
    const now = first === undefined ? known : atHost(first);
    const room = Math.min(most, this.#uses.room(now));
    for (const row of rows.slice(0, Math.max(0, room))) this.#begin(row, now);
    if (rows.length < most && rows.length <= room) this.#due.delete(webhook);
    else this.#due.set(webhook, now);
  }

  /** Number of running attempts. */
  get size(): number {
    return this.#running.size;
  }

  /** Resolves when no attempt runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Ends running attempts; their deliveries remain queued. */
  async close(): Promise<void> {
    this.#ended.abort(new Error("the server stops"));
    if (this.#soon !== null) clearTimeout(this.#soon);
    await this.idle();
    await this.#parts.fetcher.close();
  }

  #begin(row: DeliveryRow, due: DueAtHost): void {
    const release = this.#uses.take(due);
    const running = this.#deliver(row)
      .catch((error: unknown) => {
        if (this.#ended.signal.aborted) return;
        const { log, clock } = this.#parts;
        this.#resting.set(due.webhook, clock.monotonicMs() + REST_MS);
        log.error(describeError(error), "the outcome of a notice is not stored; sending it again");
      })
      .finally(() => {
        release();
        this.#running.delete(row.sequence);
        if (this.#ended.signal.aborted) return;
        this.#soon ??= setTimeout(() => {
          this.#soon = null;
          this.#try((nowMs) => this.#fill(nowMs));
        }, GATHER_MS).unref();
      });
    this.#running.set(row.sequence, running);
  }

  #rests(webhook: string): boolean {
    const untilMs = this.#resting.get(webhook);
    if (untilMs === undefined) return false;
    if (this.#parts.clock.monotonicMs() < untilMs) return true;
    this.#resting.delete(webhook);
    return false;
  }

  async #deliver(row: DeliveryRow): Promise<void> {
    const { notices, webhooks, emails, work } = this.#parts;
    const receiver = webhooks.find(row.webhook);
    const notice = receiver && notices.find(receiver.tenantId, row.notice);
    // Since the delivery was read, its notice may have been replayed. If the notice had failed, it
    // is counted again, and this delivery no longer exists.
    if (receiver === undefined || notice === undefined || !isSendable(notice)) return;
    const outcome =
      receiver.kind === "email"
        ? await emails.send(receiver, notice, this.#ended.signal)
        : await this.#post(receiver, notice);
    faultPoint("deliver.before_commit");
    const event = work.fenced(() => this.#settle(row, outcome));
    faultPoint("deliver.after_commit");
    this.#logHealth(receiver, event);
  }

  #post(webhook: WebhookRow, notice: NoticeRow): Promise<DeliveryAttempt> {
    const { clock, bodyOf, fetcher } = this.#parts;
    const message = { id: eventIdOf(notice), at: new Date(clock.nowMs()), body: bodyOf(notice) };
    const headers = {
      "user-agent": this.#parts.userAgent,
      ...signedHeaders(message, webhook.signature, seedsOf(webhook, clock.nowMs())),
    };
    const { url } = webhook;
    const sent = { url, headers, body: message.body };
    return attempt(fetcher, sent, clock, this.#ended.signal);
  }

  /** Stores an outcome. Must be called inside a transaction. */
  #settle(row: DeliveryRow, outcome: DeliveryAttempt): HealthEvent {
    const { webhooks, audit, retryMs, random, attempted } = this.#parts;
    const webhook = webhooks.find(row.webhook);
    if (webhook === undefined) return "none";
    const after = afterAttempt(row, outcome, { retryMs, random });
    const { state } = after;
    if (outcome.verdict === "server") this.#parts.serverFailed();
    attempted(webhook.kind, state === "waiting" ? "retried" : state);
    const { health, event } = healthAfter(webhook, outcome);
    // If this failure disables the receiver, the delivery stays queued. The owner may enable the
    // receiver again, and the delivery is then sent.
    const kept = health.disabledAt !== null && state === "failed";
    webhooks.settle(
      kept ? { ...after, state: "waiting", nextAt: outcome.endedAt } : after,
      row.attempts,
    );
    if (webhook.disabledAt !== null) return "none";
    webhooks.setHealth(webhook.id, health);
    if (event === "none") return event;
    const { id: subject, tenantId } = webhook;
    const line = { at: outcome.endedAt, actor: "server" as const, tenantId, subject };
    const { kind } = webhook;
    const warning = event === "warned" ? health.warnings : 0;
    if (this.#parts.emails.ready) this.#parts.mails.warn(webhook.id, warning, outcome.endedAt);
    if (event === "warned") {
      audit.record({ ...line, action: `${kind}.warn`, facts: { warning: health.warnings } });
    } else {
      const facts = { reason: health.disabledReason };
      audit.record({ ...line, action: `${kind}.disable`, facts });
    }
    return event;
  }

  #logHealth({ id, kind, tenantId }: WebhookRow, event: HealthEvent): void {
    if (event === "none") return;
    const what = kind === "email" ? "e-mail receiver" : "webhook";
    const words = event === "warned" ? `a ${what} keeps failing` : `a failing ${what} is disabled`;
    this.#parts.log.warn({ [kind]: id, tenant_id: tenantId }, words);
  }
}

/** A webhook with due deliveries. `host` is the key that counts requests to its host. */
interface DueAtHost extends DueWebhook {
  readonly host: string;
}

function atHost({ webhook, tenantId, kind, url, failing }: DueWebhook): DueAtHost {
  const host = kind === "email" ? MAIL_SERVER : `${tenantId} ${new URL(url).host}`;
  return { webhook, tenantId, kind, url, failing, host };
}

/**
 * Counts the running attempts by host (of a tenant), by tenant, and by webhook. The keys of these
 * three kinds differ, so one map holds all counts.
 */
class Uses {
  readonly #counts = new Map<string, number>();
  #all = 0;
  #failing = 0;

  /** True if no webhook may start a further attempt. */
  get isFull(): boolean {
    return this.#all >= IN_ALL;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Returns how many further attempts a webhook may start. A result below 1 means none. */
  room({ webhook, tenantId, failing, host }: DueAtHost): number {
    return Math.min(
      PER_HOST - this.of(host),
      (failing === 1 ? 1 : PER_HOST) - this.of(webhook),
      failing === 1 ? FAILING_IN_ALL - this.#failing : PER_HOST,
      PER_TENANT - this.of(tenantId),
      IN_ALL - this.#all,
    );
  }

  /** Counts an attempt; returns the function that ends it. */
  take({ webhook, tenantId, failing, host }: DueAtHost): () => void {
    const keys = [host, tenantId, webhook];
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#all++;
    this.#failing += failing;
    return () => {
      this.#all--;
      this.#failing -= failing;
      for (const key of keys) {
        const left = (this.#counts.get(key) ?? 1) - 1;
        if (left === 0) this.#counts.delete(key);
        else this.#counts.set(key, left);
      }
    };
  }
}
