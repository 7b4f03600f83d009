/**
 * The webhooks of tenants. Input: requests to create, change, rotate, test, and delete them.
 * Output: rows as stored, and each secret once.
 * Invariant: another tenant's webhook is reported as missing. A change is durable when the method
 * returns, and its audit line is in the same transaction. A webhook names only searches of its
 * tenant. If a URL contains an IP address of the operator's network, it is refused here. Every
 * address is checked again before each connection.
 */
import { randomBytes } from "node:crypto";
import type { GuardedFetcher } from "../download/proxy.ts";
import { AppError, type Mistake } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import type { AuditStore } from "../store/auditstore.ts";
import type { SearchStore } from "../store/searchstore.ts";
import type { SignatureKind, WebhookRow, WebhookStore } from "../store/webhookstore.ts";
import type { Egress } from "./egress.ts";
import { testBody } from "./payload.ts";
import {
  type ReceiverOwner,
  readSearches,
  receiversFull,
  refuseMistakes,
  stateAfter,
  stored,
} from "./receivers.ts";
import type { DeliveryAttempt } from "./schedule.ts";
import { attempt } from "./sender.ts";
import { OVERLAP_MS, rotatedSeeds, SEED_BYTES, seedsOf, signedHeaders } from "./signing.ts";

/** Longest address of a receiver. */
const URL_MAX = 2_048;

/** The members of a webhook that a request sets. Undefined members remain unchanged. */
interface WebhookRequest {
  readonly url?: unknown;
  readonly searches?: unknown;
  readonly signature?: unknown;
  readonly enabled?: unknown;
}

interface WebhookParts {
  readonly store: WebhookStore;
  readonly searches: SearchStore;
  readonly audit: AuditStore;
  readonly egress: Egress;
  readonly fetcher: GuardedFetcher;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly baseUrl: string;
}

/** The webhooks of all tenants. */
export class Webhooks {
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** Returns up to `limit` webhooks with a sequence number below `before`, newest first. */
  page(tenantId: string, before: number, limit: number): WebhookRow[] {
    return stored(() => this.#parts.store.list(tenantId, "webhook", before, limit));
  }

  /** Returns a webhook of a tenant. Throws `not_found`. */
  find(tenantId: string, id: string): WebhookRow {
    const row = stored(() => this.#parts.store.find(id));
    if (row?.tenantId === tenantId && row.kind === "webhook") return row;
    throw new AppError("not_found", "There is no such webhook. It may have been deleted.");
  }

  /** Creates a webhook. Throws `invalid_request` with every mistake, or `plan_not_allowed`. */
  create({ tenantId, actor }: ReceiverOwner, request: WebhookRequest, most: number): WebhookRow {
    const { store, audit, clock } = this.#parts;
    const read = this.#read(tenantId, request, { url: null, searches: null, signature: "v1" });
    const id = `whk_${randomBytes(16).toString("hex")}`;
    const createdAt = clock.nowMs();
    const seed = randomBytes(SEED_BYTES);
    stored(() =>
      store.atomically(() => {
        const { url, searches, signature } = read;
        const row = { id, tenantId, url, searches, signature, seed, createdAt };
        if (!store.insert(row, most)) throw receiversFull("webhook", most);
        const line = { at: createdAt, actor, tenantId, subject: id };
        audit.record({ ...line, action: "webhook.create", facts: {} });
      }),
    );
    return this.find(tenantId, id);
  }

  /** Changes a webhook; enabling it resumes its queue. Throws like `create`, and `not_found`. */
  change({ tenantId, actor }: ReceiverOwner, id: string, request: WebhookRequest): WebhookRow {
    const { store, audit, clock } = this.#parts;
    const before = this.find(tenantId, id);
    const read = this.#read(tenantId, request, before);
    const nowMs = clock.nowMs();
    const enabled = read.enabled ?? before.disabledAt === null;
    const state = stateAfter(before, enabled, nowMs);
    const { url, searches, signature } = read;
    stored(() =>
      store.atomically(() => {
        store.change(id, { url, searches, signature, changedAt: nowMs, ...state });
        const line = { at: nowMs, actor, tenantId, subject: id };
        audit.record({ ...line, action: "webhook.change", facts: {} });
        if (enabled && before.disabledAt !== null) {
          const well = { failingSince: null, struckAt: null, strikes: 0, warnings: 0 };
          store.setHealth(id, { succeededAt: before.succeededAt, ...well, ...state });
          store.resume(id, nowMs);
          audit.record({ ...line, action: "webhook.enable", facts: {} });
        }
        if (!enabled && before.disabledAt === null) {
          audit.record({ ...line, action: "webhook.disable", facts: { reason: "owner" } });
        }
      }),
    );
    return this.find(tenantId, id);
  }

  /** Replaces the secret. For a day, the previous ones also sign messages. Throws `not_found`. */
  rotate({ tenantId, actor }: ReceiverOwner, id: string): WebhookRow {
    const { store, audit, clock } = this.#parts;
    const nowMs = clock.nowMs();
    stored(() =>
      store.atomically(() => {
        const oldSeed = rotatedSeeds(this.find(tenantId, id), nowMs);
        const oldUntil = nowMs + OVERLAP_MS;
        store.rotate(id, { seed: randomBytes(SEED_BYTES), oldSeed, oldUntil }, nowMs);
        const line = { at: nowMs, actor, tenantId, subject: id };
        audit.record({ ...line, action: "webhook.rotate", facts: {} });
      }),
    );
    return this.find(tenantId, id);
  }

  /** Deletes a webhook with its queue. Throws `not_found`. */
  remove({ tenantId, actor }: ReceiverOwner, id: string): void {
    const { store, audit, clock } = this.#parts;
    this.find(tenantId, id);
    stored(() =>
      store.atomically(() => {
        store.remove(tenantId, id);
        const line = { at: clock.nowMs(), actor, tenantId, subject: id };
        audit.record({ ...line, action: "webhook.delete", facts: {} });
      }),
    );
  }

  /** Sends one sample, even to a disabled webhook; changes nothing. Throws `not_found`. */
  async test(
    tenantId: string,
    id: string,
  ): Promise<{ readonly id: string; readonly outcome: DeliveryAttempt }> {
    const { clock, fetcher, userAgent, baseUrl } = this.#parts;
    const webhook = this.find(tenantId, id);
    const test = `tst_${randomBytes(16).toString("hex")}`;
    const at = new Date(clock.nowMs());
    const message = { id: test, at, body: testBody(test, at, baseUrl) };
    const seeds = seedsOf(webhook, at.getTime());
    const headers = {
      "user-agent": userAgent,
      ...signedHeaders(message, webhook.signature, seeds),
    };
    const sent = { url: webhook.url, headers, body: message.body };
    const outcome = await attempt(fetcher, sent, clock, new AbortController().signal);
    return { id: test, outcome };
  }

  #read(
    tenantId: string,
    request: WebhookRequest,
    known: {
      readonly url: string | null;
      readonly searches: string | null;
      readonly signature: SignatureKind;
    },
  ) {
    const mistakes: Mistake[] = [];
    const url = request.url === undefined ? known.url : this.#readUrl(request.url, mistakes);
    if (url === null && mistakes.length === 0) {
      const detail = "Say where notices go: an address that begins with https://.";
      mistakes.push({ pointer: "/url", code: "missing", detail });
    }
    const searches =
      request.searches === undefined
        ? known.searches
        : readSearches(this.#parts.searches, tenantId, request.searches, mistakes);
    const signature =
      request.signature === undefined
        ? known.signature
        : readSignature(request.signature, mistakes);
    if (request.enabled !== undefined && typeof request.enabled !== "boolean") {
      const detail = "enabled must be true or false.";
      mistakes.push({ pointer: "/enabled", code: "wrong_type", detail });
    }
    refuseMistakes(mistakes);
    return {
      url: url as string,
      searches,
      signature,
      enabled: request.enabled as boolean | undefined,
    };
  }

  #readUrl(sent: unknown, mistakes: Mistake[]): string | null {
    const fits = typeof sent === "string" && sent.length <= URL_MAX && URL.canParse(sent);
    if (!fits) {
      const detail = `url must be an address of up to ${URL_MAX} characters, with https://.`;
      mistakes.push({ pointer: "/url", code: "wrong_format", detail });
      return null;
    }
    const url = new URL(sent);
    url.hash = "";
    const why = this.#parts.egress.whyNot(url);
    if (why !== null) mistakes.push({ pointer: "/url", code: "not_allowed", detail: why });
    return url.href;
  }
}

function readSignature(sent: unknown, mistakes: Mistake[]): SignatureKind {
  if (sent === "v1" || sent === "v1a" || sent === "both") return sent;
  const detail = "signature must be v1 (HMAC-SHA256), v1a (ed25519), or both.";
  mistakes.push({ pointer: "/signature", code: "unknown_value", detail });
  return "v1";
}
