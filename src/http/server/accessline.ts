/**
 * The line that the log has of each request. What comes in: what is known of a request when it is
 * answered. What goes out: its members as JSON text.
 * Invariant: the same bytes as if pino had been given an object with these members, at a third of
 * the cost; whatever is in a value, it stays inside of its quotes. What the line before said of its
 * route and its sender is kept as text. Apart because the line is text of its own, and telemetry.ts
 * counts.
 */
import type { Identity } from "../../access/keyring.ts";
import type { Plan } from "../../access/plans.ts";

/** What the line says. */
export interface AccessLine {
  readonly requestId: string;
  /** As sent. */
  readonly method: string;
  /** Path as the table of routes has it, or `unknown`. */
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
  /** Who asked, where that is known. */
  readonly sender: KnownSender | null;
}

/** A sender with its plan. */
interface KnownSender {
  readonly identity: Pick<Identity, "keyId" | "tenantId">;
  readonly plan: Pick<Plan, "name">;
}

const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE"];

/** A method as lines and metrics have it: clients may send any word. */
export function knownMethod(method: string): string {
  return METHODS.includes(method) ? method : "other";
}

/** The members of a line, with a comma between them. */
export function accessLine(line: AccessLine): string {
  const tookMs = Math.round(line.tookMs * 1000) / 1000;
  const took = Number.isFinite(tookMs) ? tookMs : null;
  const { requestId: id } = line;
  // A text within a text would be made first, and be garbage at once.
  const request = PLAIN.test(id)
    ? `"request_id":"${id}${answered(line)}${took}`
    : `"request_id":${JSON.stringify(id).slice(0, -1)}${answered(line)}${took}`;
  return line.sender === null ? request : request + sent(line.sender);
}

/** From the end of the id of a request to its time, and what that was made of. */
let lastAnswered = { method: "", route: "", status: Number.NaN, text: "" };

function answered({ method, route, status }: AccessLine): string {
  const last = lastAnswered;
  if (last.method === method && last.route === route && last.status === status) return last.text;
  const text =
    `","method":${quoted(knownMethod(method))},"route":${quoted(route)},` +
    `"status":${status},"took_ms":`;
  lastAnswered = { method, route, status, text };
  return text;
}

/** What is behind the time of a request of a sender, and what that was made of. */
let lastSent = { plan: "", tenantId: "", keyId: "", text: "" };

function sent({ identity: { keyId, tenantId }, plan: { name: plan } }: KnownSender): string {
  const last = lastSent;
  const same = last.plan === plan && last.tenantId === tenantId && last.keyId === keyId;
  if (same && last.text !== "") return last.text;
  const text =
    `,"plan":${quoted(plan)},"tenant_id":${quoted(tenantId)},` + `"key_id":${quoted(keyId)}`;
  lastSent = { plan, tenantId, keyId, text };
  return text;
}

/** Printable ASCII but quotation marks and backslashes: as ids, routes and names of plans are. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
