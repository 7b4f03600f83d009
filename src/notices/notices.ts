/**
 * The notices of a data directory: records the months (snapshots) that the server has served,
 * counts and delivers notices, and answers requests about them.
 * Invariant: a month and its notices are recorded in one transaction, before anything is counted.
 * Only a month that is newer than all recorded ones makes notices, and only once, even if it is
 * served repeatedly. If the state cannot be written, the month is recorded later. If several
 * servers share the state, one of them does this work at a time and holds a lease on it. Each
 * change checks the lease, so a server that was paused and has lost its lease changes nothing.
 * After a stop, a restart or another server continues all unfinished work.
 */
import type { PlanName, Plans } from "../access/plans.ts";
import { type GuardedFetcher, guardedFetcher } from "../download/proxy.ts";
import type { Exporter } from "../export/exporter.ts";
import type { ListBinder } from "../lists/listbinding.ts";
import type { Clock } from "../process/clock.ts";
import { faultPoint } from "../process/fault.ts";
import { describeError, type Log } from "../process/log.ts";
import type { Segment } from "../search/segment.ts";
import { AuditStore } from "../store/auditstore.ts";
import type { WorkLease } from "../store/fleet/lease.ts";
import { type CountingRow, NoticeStore } from "../store/noticestore.ts";
import { ReceiverMailStore } from "../store/receivermailstore.ts";
import { SearchStore } from "../store/searchstore.ts";
import type { SecretRing } from "../store/secrets.ts";
import type { StateDatabase } from "../store/statedatabase.ts";
import { WebhookStore } from "../store/webhookstore.ts";
import { type CounterParts, NoticeCounter } from "./counter.ts";
import { Deliverer } from "./deliverer.ts";
import { Egress, type Resolve } from "./egress.ts";
import { Emails } from "./emails.ts";
import { NoticeHistory } from "./history.ts";
import { Mailer, type SmtpSettings } from "./mailer.ts";
import { NoticeExports } from "./noticeexports.ts";
import { ReceiverMails } from "./receivermails.ts";
import { Webhooks } from "./webhooks.ts";
import { type NoticeWork, workOf } from "./work.ts";

/** Interval between checks for due work, in milliseconds. */
const TICK_MS = 1_000;
/** Time for a receiver to accept a connection, in milliseconds. */
const CONNECT_MS = 10_000;
/** Interval at which old notices are deleted, in milliseconds, and the max number each time. */
const SWEEP_MS = 60_000;
const FORGET_AT_ONCE = 1_000;

interface NoticeSettings {
  /** Comma-separated networks in which receivers are allowed, or null. */
  readonly allowNetworks: string | null;
  readonly retryMs: number;
  readonly retentionMs: number;
  /** Public address of the server, without a trailing slash; empty if unknown. */
  readonly baseUrl: string;
  readonly version: string;
  /** The operator's mail server; null or undefined if no e-mail is sent. */
  readonly smtp?: SmtpSettings | null;
}

/** The services that the notices use. */
export interface NoticeParts {
  readonly database: StateDatabase;
  /** The lease that lets one of several servers do this work. If undefined, this server does it. */
  readonly work?: WorkLease | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly plans: Plans;
  /** Returns the plan that applies to a tenant in the console. */
  readonly consolePlan: (tenantId: string) => PlanName;
  readonly served: CounterParts["served"];
  readonly changes: CounterParts["changes"];
  readonly exporter: Pick<Exporter, "create" | "settled">;
  readonly listed: ListBinder;
  readonly linkSecrets: SecretRing;
  readonly settings: NoticeSettings;
  /** For tests: a name resolver, and a source of random numbers. */
  readonly resolve?: Resolve;
  readonly random?: () => number;
}

/** The notices of all tenants. */
export class Notices {
  readonly webhooks: Webhooks;
  readonly emails: Emails;
  readonly history: NoticeHistory;
  /** Number of delivery attempts by kind of receiver and outcome. */
  readonly attempts = {
    webhook: { delivered: 0, retried: 0, failed: 0 },
    email: { delivered: 0, retried: 0, failed: 0 },
  };
  #mailServerFailures = 0;
  readonly #parts: NoticeParts;
  readonly #store: NoticeStore;
  readonly #hooks: WebhookStore;
  readonly #counter: NoticeCounter;
  readonly #deliverer: Deliverer;
  readonly #mails: ReceiverMails;
  #timer: NodeJS.Timeout | null = null;
  #sweptMs = Number.NEGATIVE_INFINITY;
  /** A served month that is not recorded yet. */
  #unnoted: Segment | null = null;
  readonly #work: NoticeWork;
  /** The lease token with which this server last resumed unfinished work. */
  #turn: number | null = null;

  constructor(parts: NoticeParts) {
    const { database, clock, log, plans, listed, exporter, settings } = parts;
    this.#parts = parts;
    const store = new NoticeStore(database);
    const webhooks = new WebhookStore(database);
    const audit = new AuditStore(database);
    const mails = new ReceiverMailStore(database);
    const egress = new Egress(settings.allowNetworks, parts.resolve);
    const fetcher: GuardedFetcher = guardedFetcher(egress, CONNECT_MS);
    const userAgent = `Peneira/${settings.version}`;
    const planOf = (row: CountingRow) => (row.plan ?? parts.consolePlan(row.tenantId)) as PlanName;
    const work = workOf(store, parts.work);
    const sending = { audit, fetcher, clock, userAgent, work };
    this.#work = work;
    this.#store = store;
    this.#hooks = webhooks;
    const { baseUrl, smtp = null } = settings;
    const receivers = { store: webhooks, searches: new SearchStore(database), audit, clock };
    this.webhooks = new Webhooks({ ...receivers, egress, fetcher, userAgent, baseUrl });
    const mailer = smtp === null ? null : new Mailer(smtp, clock);
    this.emails = new Emails({ ...receivers, mails, mailer, baseUrl });
    this.#mails = new ReceiverMails({ mails, webhooks, emails: this.emails, clock, log, work });
    this.history = new NoticeHistory({ store, hooks: webhooks, clock, baseUrl });
    this.#deliverer = new Deliverer({
      ...{ ...sending, notices: store, webhooks, mails, log, retryMs: settings.retryMs },
      random: parts.random ?? Math.random,
      emails: this.emails,
      bodyOf: (row) => this.history.bodyOf(row),
      attempted: (kind, outcome) => {
        this.attempts[kind][outcome]++;
      },
      serverFailed: () => {
        this.#mailServerFailures++;
      },
    });
    const secrets = parts.linkSecrets;
    const making = { store, exporter, listed, plans, planOf, clock, secrets, work };
    this.#counter = new NoticeCounter({
      ...{ store, webhooks, plans, planOf, dataDir: parts.dataDir, clock, log },
      ...{ served: parts.served, changes: parts.changes, work },
      exports: new NoticeExports(making),
      counted: () => this.#deliverer.tick(),
    });
  }

  /** Resumes the work that an earlier process left, and starts. */
  start(served: Segment | null): void {
    this.#unnoted = served;
    this.#look();
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** Records a month that is now served. */
  serve(segment: Segment): void {
    this.#unnoted = segment;
    if (this.#work.isHeld) this.#note();
  }

  /** Does due work if this server has the lease. Never throws. */
  tick(): void {
    const { clock, log, settings } = this.#parts;
    if (!this.#look()) return;
    this.#counter.kick();
    this.#deliverer.tick();
    this.#mails.tick();
    // This deletion is a write, which may have to wait for other writers. So it does not run in
    // every tick.
    if (clock.monotonicMs() - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = clock.monotonicMs();
    try {
      const before = clock.nowMs() - settings.retentionMs;
      this.#work.fenced(() => this.#store.forget(before, FORGET_AT_ONCE));
    } catch (error) {
      log.error(describeError(error), "old notices were not deleted; trying again");
    }
  }

  /** Begins to stop: no more work is started. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#counter.stop();
  }

  /** Ends all work; unfinished work continues at the next start. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all([this.#counter.close(), this.#deliverer.close(), this.#mails.close()]);
  }

  /** Returns the numbers that the metrics report. */
  counts() {
    const { waiting, nextAt } = this.#hooks.queued();
    const lateMs = nextAt === null ? 0 : Math.max(0, this.#parts.clock.nowMs() - nextAt);
    return {
      states: this.#store.states(),
      waiting,
      lateSeconds: lateMs / 1_000,
      running: this.#deliverer.size,
      disabled: this.#hooks.disabled(),
      attempts: this.attempts,
      mailServerFailures: this.#mailServerFailures,
    };
  }

  /** Resolves when no attempt is running; for tests. */
  async idle(): Promise<void> {
    await Promise.all([this.#deliverer.idle(), this.#mails.idle()]);
  }

  /**
   * Acquires the lease on this work if it is free. Returns true if this server has the lease. If it
   * has just acquired it, the server also records its month and makes unfinished work due.
   */
  #look(): boolean {
    const { work, clock, log } = this.#parts;
    try {
      if (work?.look() === false) return false;
      if (this.#unnoted !== null) this.#note();
      if (this.#turn === this.#work.token) return true;
      this.#work.fenced(() => this.#store.wake(clock.nowMs()));
      this.#turn = this.#work.token;
    } catch (error) {
      log.error(describeError(error), "notices were not continued; trying again");
    }
    return this.#work.isHeld;
  }

  /** Records the served month, or later if the database cannot be written. */
  #note(): void {
    const segment = this.#unnoted;
    if (segment === null) return;
    const { label, snapshotDate: date, snapshotId } = segment;
    const { clock, log } = this.#parts;
    try {
      const made = this.#work.fenced(() => {
        const before = this.#store.newest();
        const isNewer = before === undefined || order({ date, label }) > order(before);
        const isNoted = this.#store.isNoted(label);
        if (!isNewer && !isNoted) return 0;
        const nowMs = clock.nowMs();
        const month = this.#store.note({ label, date, snapshotId }, nowMs);
        const announces = before !== undefined && isNewer && !isNoted;
        const count = announces ? this.#store.announce(month, before.sequence, nowMs) : 0;
        faultPoint("note.before_commit");
        return count;
      });
      faultPoint("note.after_commit");
      this.#unnoted = null;
      if (made > 0) log.info({ snapshot: label, notices: made }, "notices are being counted");
    } catch (error) {
      log.error(describeError(error), "the served month was not noted; trying again");
    }
  }
}

/** Returns a sort key for months: the date of the data, then the label. */
function order({ date, label }: { readonly date: string; readonly label: string }): string {
  return `${date} ${label}`;
}
