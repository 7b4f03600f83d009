/**
 * The e-mail receivers of tenants. Input: requests to create, change, test, and delete them, and
 * unsubscribe requests of their readers. Output: rows as stored, and messages to send.
 * Invariant: another tenant's receiver is reported as missing. A change is durable when the method
 * returns, and its audit line is in the same transaction. A receiver is one plain address, so that
 * each reader can unsubscribe alone. Only the reader can resubscribe, with the signed link. This
 * holds even if the tenant deletes the receiver and creates it again: the reader then gets an
 * e-mail with this link, at most once a week.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError, type Mistake } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import type { AuditStore } from "../store/auditstore.ts";
import type { NoticeRow } from "../store/noticestore.ts";
import type { ReceiverMailRow, ReceiverMailStore } from "../store/receivermailstore.ts";
import type { SearchStore } from "../store/searchstore.ts";
import type { EmailLanguage, WebhookRow, WebhookStore } from "../store/webhookstore.ts";
import { addressOf, plainAddress } from "./addresses.ts";
import { htmlOf, textOf } from "./emailbody.ts";
import { type EmailContent, emailContent, testContent } from "./emailwords.ts";
import type { Email, Mailer } from "./mailer.ts";
import { eventIdOf } from "./payload.ts";
import { receiverMailContent } from "./receivermailwords.ts";
import {
  type ReceiverOwner,
  readSearches,
  receiversFull,
  refuseMistakes,
  stateAfter,
  stored,
} from "./receivers.ts";
import type { DeliveryAttempt } from "./schedule.ts";
import { SEED_BYTES } from "./signing.ts";

/** Path of the unsubscribe link. */
const UNSUBSCRIBE = "/unsubscribe/";
/** An unsubscribe token: receiver id and signature. */
const TOKEN = /^(eml_[0-9a-f]{32})\.([\w-]{43})$/;

/** The members of a receiver that a request sets. Undefined members remain unchanged. */
interface EmailRequest {
  readonly address?: unknown;
  readonly searches?: unknown;
  readonly language?: unknown;
  readonly contacts?: unknown;
  readonly enabled?: unknown;
}

interface EmailParts {
  readonly store: WebhookStore;
  readonly mails: ReceiverMailStore;
  readonly searches: SearchStore;
  readonly audit: AuditStore;
  readonly clock: Clock;
  /** Sends the messages; null if the operator has configured no mail server. */
  readonly mailer: Mailer | null;
  readonly baseUrl: string;
}

/** Min milliseconds between two e-mails that offer an unsubscribed reader to subscribe again. */
const QUESTION_PAUSE_MS = 7 * 86_400_000;

/** The e-mail receivers of all tenants. */
export class Emails {
  readonly #parts: EmailParts;

  constructor(parts: EmailParts) {
    this.#parts = parts;
  }

  /** Returns up to `limit` receivers with a sequence number below `before`, newest first. */
  page(tenantId: string, before: number, limit: number): WebhookRow[] {
    return stored(() => this.#parts.store.list(tenantId, "email", before, limit));
  }

  /** Returns a receiver of a tenant. Throws `not_found`. */
  find(tenantId: string, id: string): WebhookRow {
    const row = stored(() => this.#parts.store.find(id));
    if (row?.tenantId === tenantId && row.kind === "email") return row;
    throw new AppError("not_found", "There is no such e-mail receiver. It may have been deleted.");
  }

  /**
   * Creates a receiver. If the address has unsubscribed before, the receiver starts as
   * unsubscribed, and an e-mail offers to subscribe again. Throws `invalid_request`, which lists
   * every mistake, or `plan_not_allowed`.
   */
  create({ tenantId, actor }: ReceiverOwner, request: EmailRequest, most: number): WebhookRow {
    const { store, audit, clock, mailer } = this.#parts;
    if (mailer === null) {
      const detail = "This server sends no e-mail. Its operator must set notices.smtp.host.";
      throw new AppError("invalid_request", detail);
    }
    const mistakes: Mistake[] = [];
    const url = this.#readAddress(tenantId, request.address, mistakes);
    const read = this.#read(tenantId, request, START, mistakes);
    const id = `eml_${randomBytes(16).toString("hex")}`;
    const at = clock.nowMs();
    stored(() =>
      store.atomically(() => {
        const row = { id, tenantId, kind: "email", url, ...read, signature: "v1" } as const;
        const seed = randomBytes(SEED_BYTES);
        if (!store.insert({ ...row, seed, createdAt: at }, most))
          throw receiversFull("email", most);
        audit.record({ at, actor, tenantId, subject: id, action: "email.create", facts: {} });
        this.#questionReader({ id, tenantId, url }, at);
      }),
    );
    return this.find(tenantId, id);
  }

  /** Changes a receiver; enabling it resumes its queue. Throws like `create`, and `not_found`. */
  change({ tenantId, actor }: ReceiverOwner, id: string, request: EmailRequest): WebhookRow {
    const { store, audit, clock } = this.#parts;
    const before = this.find(tenantId, id);
    const mistakes: Mistake[] = [];
    if (request.enabled !== undefined && typeof request.enabled !== "boolean") {
      const detail = "enabled must be true or false.";
      mistakes.push({ pointer: "/enabled", code: "wrong_type", detail });
    }
    if (request.enabled === true && before.unsubscribedAt !== null) {
      const detail =
        "The reader has unsubscribed. Only the reader can begin the e-mails again, with the " +
        "link at the end of any of them.";
      mistakes.push({ pointer: "/enabled", code: "unsubscribed", detail });
    }
    const read = this.#read(tenantId, request, before, mistakes);
    const at = clock.nowMs();
    const enabled =
      request.enabled === undefined ? before.disabledAt === null : request.enabled === true;
    const state = stateAfter(before, enabled, at);
    const line = { at, actor, tenantId, subject: id };
    stored(() =>
      store.atomically(() => {
        const { url, signature } = before;
        store.change(id, { url, signature, ...read, changedAt: at, ...state });
        audit.record({ ...line, action: "email.change", facts: {} });
        if (enabled && before.disabledAt !== null) {
          const well = { failingSince: null, struckAt: null, strikes: 0, warnings: 0 };
          store.setHealth(id, { succeededAt: before.succeededAt, ...well, ...state });
          store.resume(id, at);
          audit.record({ ...line, action: "email.enable", facts: {} });
        }
        if (!enabled && before.disabledAt === null) {
          audit.record({ ...line, action: "email.disable", facts: { reason: "owner" } });
        }
      }),
    );
    return this.find(tenantId, id);
  }

  /**
   * Deletes a receiver and its queue. If its reader has unsubscribed, this fact is retained. Throws
   * `not_found`.
   */
  remove({ tenantId, actor }: ReceiverOwner, id: string): void {
    const { store, mails, audit, clock } = this.#parts;
    const row = this.find(tenantId, id);
    stored(() =>
      store.atomically(() => {
        if (row.unsubscribedAt !== null) {
          mails.unsubscribe(tenantId, hashOf(row), row.unsubscribedAt);
        }
        store.remove(tenantId, id);
        const line = { at: clock.nowMs(), actor, tenantId, subject: id };
        audit.record({ ...line, action: "email.delete", facts: {} });
      }),
    );
  }

  /** Sends one test e-mail; changes nothing. Throws `not_found`, or `invalid_request`. */
  async test(
    tenantId: string,
    id: string,
  ): Promise<{ readonly id: string; readonly outcome: DeliveryAttempt }> {
    const row = this.find(tenantId, id);
    const { mailer } = this.#parts;
    if (mailer === null || row.unsubscribedAt !== null) {
      const detail =
        mailer === null
          ? "This server sends no e-mail. Its operator must set notices.smtp.host."
          : "The reader has unsubscribed, so no test is sent either.";
      throw new AppError("invalid_request", detail);
    }
    const test = `tst_${randomBytes(16).toString("hex")}`;
    const content = testContent(this.#options(row));
    const list = { id: "test", name: "Peneira" };
    const email = this.#email(row, content, { id: test, list });
    return { id: test, outcome: await mailer.send(email, new AbortController().signal) };
  }

  /** Sends a notice to a receiver, without retries. Rejects only if `ended` is aborted. */
  async send(row: WebhookRow, notice: NoticeRow, ended: AbortSignal): Promise<DeliveryAttempt> {
    const { mailer } = this.#parts;
    if (mailer === null) throw new Error("no mail server is set");
    const content = emailContent(notice, this.#options(row));
    const list = { id: notice.searchId, name: notice.searchName };
    const email = this.#email(row, content, { id: `${eventIdOf(notice)}.${row.id}`, list });
    return await mailer.send(email, ended);
  }

  /** Sends an e-mail about a receiver, without retries. Rejects only if `ended` is aborted. */
  async sendAbout(
    row: WebhookRow,
    mail: ReceiverMailRow,
    ended: AbortSignal,
  ): Promise<DeliveryAttempt | null> {
    const { mailer, baseUrl: base } = this.#parts;
    const to = mail.owner ?? addressOf(row);
    if (mailer === null || this.#isUnwanted(row, mail, to)) return null;
    const { language } = this.#parts.store.byAddress(row.tenantId, `mailto:${to}`) ?? row;
    const unsubscribe = this.#options(row).unsubscribe;
    const about = { row, warning: mail.warning, href: unsubscribe, base, language };
    const id = `mail_${mail.sequence}.${row.id}`;
    const email = this.#email(row, receiverMailContent(about), { id, list: null, to });
    return await mailer.send(email, ended);
  }

  /**
   * Returns true if an e-mail about a receiver is no longer needed. An offer to subscribe again is
   * not needed if the receiver is subscribed. A warning is not sent to an address that has
   * unsubscribed, nor to the failing receiver's own address, nor if its owner no longer exists.
   */
  #isUnwanted(row: WebhookRow, { owner, warning }: ReceiverMailRow, to: string): boolean {
    const url = `mailto:${to}`;
    if (warning === null) return row.unsubscribedAt === null;
    if (owner === null || url === row.url) return true;
    const { store, mails } = this.#parts;
    const own = store.byAddress(row.tenantId, url);
    const hash = hashOf({ tenantId: row.tenantId, url });
    return own?.unsubscribedAt != null || mails.unsubscription(row.tenantId, hash) !== undefined;
  }

  /**
   * If the reader of the address has unsubscribed before, marks the receiver as unsubscribed. Also
   * queues an e-mail that offers to resubscribe, unless one was sent recently.
   */
  #questionReader(row: Pick<WebhookRow, "id" | "tenantId" | "url">, at: number): void {
    const { store, mails } = this.#parts;
    const address = hashOf(row);
    const known = mails.unsubscription(row.tenantId, address);
    if (known === undefined) return;
    store.unsubscribe(row.id, known.at);
    if (known.askedAt !== null && at - known.askedAt < QUESTION_PAUSE_MS) return;
    mails.recordQuestion(row.tenantId, address, at);
    mails.queueQuestion(row.id, at);
  }

  /** True if messages can be sent. */
  get ready(): boolean {
    return this.#parts.mailer !== null;
  }

  /** Returns the receiver of an unsubscribe link. Throws `not_found`. */
  byToken(token: string): WebhookRow {
    const [, id = "", signature = ""] = TOKEN.exec(token) ?? [];
    const row = id === "" ? undefined : stored(() => this.#parts.store.find(id));
    const own = row === undefined ? "" : signatureOf(row);
    if (row !== undefined && timingSafeEqual(Buffer.from(signature), Buffer.from(own))) return row;
    const detail = "This link is not complete, or the e-mails were ended by their sender.";
    throw new AppError("not_found", detail);
  }

  /**
   * Unsubscribes the receiver to which a link belongs. If `again` is true, resubscribes it instead.
   * Does nothing if the receiver is already in that state.
   */
  unsubscribe(token: string, again: boolean): WebhookRow {
    const { store, mails, audit, clock } = this.#parts;
    const row = this.byToken(token);
    if ((row.unsubscribedAt === null) === again) return row;
    const { id, tenantId } = row;
    const at = clock.nowMs();
    stored(() =>
      store.atomically(() => {
        if (again) {
          store.resubscribe(id);
          mails.resubscribe(tenantId, hashOf(row));
        } else {
          store.unsubscribe(id, at);
          mails.unsubscribe(tenantId, hashOf(row), at);
        }
        const action = again ? "email.enable" : "email.unsubscribe";
        audit.record({ at, actor: "server", tenantId, subject: id, action, facts: {} });
      }),
    );
    return this.byToken(token);
  }

  #options(row: WebhookRow) {
    const { baseUrl: base } = this.#parts;
    const unsubscribe = `${base}${UNSUBSCRIBE}${row.id}.${signatureOf(row)}`;
    return { language: row.language, contacts: row.contacts === 1, base, unsubscribe };
  }

  #email(
    row: WebhookRow,
    content: EmailContent,
    { id, list, to = addressOf(row) }: Pick<Email, "id" | "list"> & { readonly to?: string },
  ): Email {
    const { subject, unsubscribe } = content;
    const bodies = { text: textOf(content), html: htmlOf(content) };
    return { to, id, subject, ...bodies, list, unsubscribe: unsubscribe?.href ?? null };
  }

  #read(
    tenantId: string,
    request: EmailRequest,
    known: Pick<WebhookRow, "searches" | "language" | "contacts">,
    mistakes: Mistake[],
  ): Pick<WebhookRow, "searches" | "language" | "contacts"> {
    const { searches: saved } = this.#parts;
    const searches =
      request.searches === undefined
        ? known.searches
        : readSearches(saved, tenantId, request.searches, mistakes);
    const language = request.language === undefined ? known.language : request.language;
    if (language !== "pt" && language !== "en") {
      const detail = "language must be pt or en.";
      mistakes.push({ pointer: "/language", code: "unknown_value", detail });
    }
    const contacts = request.contacts === undefined ? known.contacts === 1 : request.contacts;
    if (typeof contacts !== "boolean") {
      const detail = "contacts must be true or false.";
      mistakes.push({ pointer: "/contacts", code: "wrong_type", detail });
    }
    refuseMistakes(mistakes);
    return { searches, language: language as EmailLanguage, contacts: contacts ? 1 : 0 };
  }

  #readAddress(tenantId: string, sent: unknown, mistakes: Mistake[]): string {
    const address = typeof sent === "string" ? plainAddress(sent) : null;
    if (address === null) {
      const detail =
        "address must be one e-mail address, such as name@example.com, without a name or a " +
        "second address.";
      mistakes.push({ pointer: "/address", code: "wrong_format", detail });
      return "";
    }
    const url = `mailto:${address}`;
    const same = stored(() => this.#parts.store.byAddress(tenantId, url));
    if (same !== undefined) {
      const detail = `${same.id} sends to this address already. Change that one.`;
      mistakes.push({ pointer: "/address", code: "address_taken", detail });
    }
    return url;
  }
}

const START = { searches: null, language: "pt", contacts: 0 } as const;

/**
 * Returns a hash of the tenant and the address. The address is in lower case first, because mail
 * servers ignore the case.
 */
function hashOf({ tenantId, url }: Pick<WebhookRow, "tenantId" | "url">): string {
  return createHash("sha256").update(`${tenantId} ${url.toLowerCase()}`).digest("hex");
}

/** Returns the signature in a receiver's unsubscribe link (43 characters). */
function signatureOf({ id, seed }: WebhookRow): string {
  return createHmac("sha256", seed).update(`unsubscribe ${id}`).digest("base64url");
}
