/**
 * The log of notices: the content of each notice, its deliveries, and a way to send it again
 * (replay). Input: ids and ranges. Output: notices with their deliveries, and their texts.
 * Invariant: the notices of other tenants are reported as missing. A replayed notice keeps its id,
 * so receivers recognize it. When `replay` returns, all notices of the range are durably queued. A
 * long replay is stored in steps, between which its thread does other work. Commands and the server
 * share this code.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import type { NoticeRow, NoticeStore } from "../store/noticestore.ts";
import type { SearchRow, SearchStore } from "../store/searchstore.ts";
import type { DeliveryRow, WebhookStore } from "../store/webhookstore.ts";
import { type FeedLanguage, feedOf } from "./feed.ts";
import { noticeBody } from "./payload.ts";
import { stored } from "./receivers.ts";

/** Max notices in a feed, and max notices in one step of a replay. */
const FEED_MAX = 36;
const REPLAY_STEP = 200;

/** A notice with its deliveries. */
export interface NoticeWithDeliveries {
  readonly row: NoticeRow;
  readonly deliveries: readonly DeliveryRow[];
}

/** Which notices a replay queues again. */
interface ReplayRequest {
  readonly tenantId: string;
  readonly id: string;
  /** Id of the last notice in a range; null if only the notice `id` is replayed. */
  readonly through: string | null;
  /** Replays only to this receiver; null means all receivers of the search. */
  readonly webhook: string | null;
  /** If true, skips deliveries that have arrived or still wait. */
  readonly onlyFailed: boolean;
}

interface HistoryParts {
  readonly store: NoticeStore;
  readonly hooks: WebhookStore;
  readonly clock: Clock;
  readonly baseUrl: string;
}

/** Throws `not_found` if the tenant has no saved search with this id. */
export function knownSearch(searches: SearchStore, tenantId: string, id: string): void {
  if (stored(() => searches.find(tenantId, id)) !== undefined) return;
  throw new AppError("not_found", "There is no such saved search. It may have been deleted.");
}

/** The notices of all tenants. */
export class NoticeHistory {
  readonly #parts: HistoryParts;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** Returns a notice with its deliveries. Throws `not_found`. */
  find(tenantId: string, id: string): NoticeWithDeliveries {
    const row = stored(() => this.#parts.store.find(tenantId, id));
    if (row !== undefined) return this.#withDeliveries(row);
    throw new AppError("not_found", "There is no such notice. Old ones are deleted.");
  }

  /** Returns notices of a tenant, newest first. All have a sequence number below `before`. */
  page(
    tenantId: string,
    page: { readonly before: number; readonly limit: number; readonly searchId?: string },
  ): NoticeWithDeliveries[] {
    const rows = stored(() => this.#parts.store.list({ tenantId, ...page }));
    return rows.map((row) => this.#withDeliveries(row));
  }

  /** Returns the last counted notice of a search, or null. */
  last(tenantId: string, searchId: string): NoticeRow | null {
    return stored(() => this.#parts.store.last(tenantId, searchId)) ?? null;
  }

  /**
   * Returns a tenant's notices after a sequence number, oldest first. Includes uncounted notices.
   */
  after(tenantId: string, sequence: number, limit: number): NoticeRow[] {
    return stored(() => this.#parts.store.after(tenantId, sequence, limit));
  }

  /** Returns the Atom feed of a search with its newest notices. */
  feed(search: SearchRow, language: FeedLanguage): string {
    const { id: searchId, tenantId } = search;
    const page = { tenantId, searchId, before: Number.MAX_SAFE_INTEGER, limit: FEED_MAX };
    const rows = stored(() => this.#parts.store.list(page));
    return feedOf(search, rows, { base: this.#parts.baseUrl, language });
  }

  /** Returns the text of a notice that is counted or has failed, as sent to webhooks. */
  bodyOf(row: NoticeRow): string {
    return noticeBody(row, this.#parts.baseUrl);
  }

  /** Queues notices again, and returns how many. Failed notices are counted again instead. */
  async replay(request: ReplayRequest): Promise<number> {
    const { tenantId, id, through, webhook } = request;
    const first = this.find(tenantId, id).row;
    const last = through === null ? first : this.find(tenantId, through).row;
    if (webhook !== null) this.#checkReceiver(tenantId, webhook);
    const [from, to] = [first.sequence, last.sequence].sort((a, b) => a - b) as [number, number];
    let queued = 0;
    for (let after = from - 1; after < to; await nextTurn()) {
      const step = stored(() => this.#replayStep(request, after, to));
      queued += step.queued;
      after = step.last;
    }
    return queued;
  }

  /**
   * Replays one step of notices after a sequence number. Returns how many were queued, and the last
   * sequence number of the step.
   */
  #replayStep(request: ReplayRequest, after: number, to: number) {
    const { store, clock } = this.#parts;
    return store.atomically(() => {
      const rows = store.after(request.tenantId, after, REPLAY_STEP);
      const wanted = rows.filter(({ sequence }) => sequence <= to);
      const queued = wanted.filter((row) => this.#again(row, request, clock.nowMs())).length;
      return { queued, last: rows.at(-1)?.sequence ?? to };
    });
  }

  #again(row: NoticeRow, { webhook, onlyFailed }: ReplayRequest, nowMs: number): boolean {
    if (row.state === "failed") {
      // The new count makes a new event with another id, so the deliveries of the event about the
      // failure are dropped.
      this.#parts.hooks.drop(row.id);
      return this.#parts.store.recount(row.id, nowMs);
    }
    if (row.state !== "counted") return false;
    if (!onlyFailed && webhook === null) {
      this.#parts.hooks.queue(row.id, row.tenantId, row.searchId, nowMs);
    }
    const known = this.#parts.hooks.ofNotice(row.id).filter((one) => {
      return (
        (webhook === null || one.webhook === webhook) && (!onlyFailed || one.state === "failed")
      );
    });
    const hooks = webhook !== null && !onlyFailed ? [webhook] : known.map((one) => one.webhook);
    return hooks.filter((hook) => this.#parts.hooks.requeue(row.id, hook, nowMs)).length > 0;
  }

  #checkReceiver(tenantId: string, id: string): void {
    const receiver = stored(() => this.#parts.hooks.find(id));
    if (receiver?.tenantId === tenantId) return;
    const detail = "There is no such webhook or e-mail receiver. It may have been deleted.";
    throw new AppError("not_found", detail);
  }

  #withDeliveries(row: NoticeRow): NoticeWithDeliveries {
    return { row, deliveries: stored(() => this.#parts.hooks.ofNotice(row.id)) };
  }
}
