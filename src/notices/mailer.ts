/**
 * Sends e-mails through the operator's mail server. Input: one message to one address. Output: the
 * outcome, as for a request to a webhook.
 * Invariant: never rejects, even if the server breaks the protocol. A message has one recipient,
 * and none of its values can add a header, a recipient, or a file. A password is sent only over
 * TLS. The outcome's text contains nothing that the server has sent. This file is the only importer
 * of `nodemailer`, at the first message.
 */

import type { Transporter } from "nodemailer";
import type { Clock } from "../process/clock.ts";
import { packageOf } from "../process/latepackage.ts";
import { lazy } from "../scheduling/lazy.ts";
import { plainAddress } from "./addresses.ts";
import type { DeliveryAttempt } from "./schedule.ts";
import { TLS_CODES } from "./sender.ts";

/** Max time for one message, in milliseconds: RFC 5321 lets servers take minutes. */
const MESSAGE_MS = 120_000;

/** How connections are encrypted: after STARTTLS, from the first byte, or not at all. */
type SmtpTls = "starttls" | "implicit" | "none";

/** The operator's mail server, and the sender of the messages. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: SmtpTls;
  /** Null if the server needs no sign-in. */
  readonly user: string | null;
  readonly password: string | null;
  /** `name@example.com` or `Name <name@example.com>`. */
  readonly from: string;
  /** Time for each step of a connection, in milliseconds. */
  readonly timeoutMs: number;
  /** Certificates to trust instead of the system's, in PEM, or null. */
  readonly ca: string | null;
}

/** A message to one address. */
export interface Email {
  readonly to: string;
  /** Id of the message, the same in every attempt, so that mail programs show it once. */
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Name and id of the saved search, for the header List-Id; null for an e-mail about none. */
  readonly list: { readonly id: string; readonly name: string } | null;
  /** URL to which one POST unsubscribes the reader (RFC 8058), or null. */
  readonly unsubscribe: string | null;
}

/** Sends each message over a separate connection. */
export class Mailer {
  readonly #transport: () => Promise<Transporter>;
  readonly #settings: SmtpSettings;
  readonly #clock: Clock;

  constructor(settings: SmtpSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#transport = lazy(() => transportOf(settings));
  }

  /** Sends a message. Rejects only if `ended` is aborted, with the reason of `ended`. */
  async send(email: Email, ended: AbortSignal): Promise<DeliveryAttempt> {
    const clock = this.#clock;
    const startedAt = clock.nowMs();
    const beganMs = clock.monotonicMs();
    const late = AbortSignal.timeout(MESSAGE_MS);
    const outcome = (
      end: Pick<DeliveryAttempt, "status" | "error" | "verdict">,
    ): DeliveryAttempt => {
      const tookMs = clock.monotonicMs() - beganMs;
      return { startedAt, endedAt: clock.nowMs(), tookMs, retryAt: null, ...end };
    };
    // Refuses anything but one plain address, because nodemailer splits addresses at commas, even
    // in an envelope.
    if (plainAddress(email.to) !== email.to) return outcome(NO_ADDRESS);
    try {
      const signal = AbortSignal.any([late, ended]);
      const message = messageOf(email, this.#settings.from, new Date(startedAt));
      const transport = await this.#transport();
      const { response } = (await transport.sendMail({ ...message, signal })) as {
        readonly response: string;
      };
      return outcome({ status: Number.parseInt(response, 10) || 250, error: null });
    } catch (error) {
      ended.throwIfAborted();
      return outcome(late.aborted ? LATE : failureOf(error));
    }
  }
}

const NO_ADDRESS = {
  status: null,
  error: "This is not one plain e-mail address.",
  verdict: "rejected",
} as const;
const LATE = {
  status: null,
  error: `The mail server did not take the message within ${MESSAGE_MS / 1_000} s.`,
  verdict: "server",
} as const;

async function transportOf(settings: SmtpSettings): Promise<Transporter> {
  const { createTransport } = packageOf(await import("nodemailer"));
  const { host, port, tls, user, password, timeoutMs, ca } = settings;
  return createTransport({
    ...{ host, port, secure: tls === "implicit", requireTLS: tls === "starttls" },
    ignoreTLS: tls === "none",
    ...(user === null ? {} : { auth: { user, pass: password ?? "" } }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...{ dnsTimeout: timeoutMs, socketCloseTimeout: 0, maxResponseSize: 65_536 },
    tls: { minVersion: "TLSv1.2", ...(ca === null ? {} : { ca }) },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
}

/**
 * Returns a message for nodemailer. Never uses `raw`, because nodemailer does not check its bytes.
 */
function messageOf(email: Email, from: string, date: Date) {
  const { to, id, subject, text, html, list, unsubscribe } = email;
  const host = hostOf(from);
  return {
    ...{ from, date, subject, text, html },
    // nodemailer does not parse objects, so one address cannot become several.
    to: { name: "", address: to },
    envelope: { from: addressOf(from), to: [to] },
    messageId: `<${id}@${host}>`,
    textEncoding: "quoted-printable" as const,
    headers: {
      ...(list === null ? {} : { "List-Id": `<${list.id}.${host}>` }),
      ...(unsubscribe === null
        ? {}
        : {
            "List-Unsubscribe": { prepared: true, value: `<${unsubscribe}>` },
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
  };
}

/** Returns the address in a sender. */
function addressOf(from: string): string {
  return /<([^<>]+)>$/.exec(from)?.[1] ?? from;
}

/** Returns the host of a sender's address. */
function hostOf(from: string): string {
  return addressOf(from).split("@").at(-1) ?? "localhost";
}

interface MailError {
  readonly code?: string;
  /** Error code of the system or of TLS. (`code` has a code of nodemailer itself.) */
  readonly originalCode?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** Enhanced codes (RFC 3463) of an address that does not exist, or has moved away. */
const GONE = /^5\d\d[ -]5\.1\.(?:1|2|3|6|10)\b/;
/**
 * Enhanced status codes of a mail server that refuses to relay messages of this sender. The
 * operator has configured such a server by mistake.
 */
const RELAY = /^5\d\d[ -](?:5\.7\.(?:0|1|8|9)\b.*)?\brelay/i;

const NETWORK: Readonly<Record<string, string>> = {
  EDNS: "The mail server's name was not found (DNS).",
  ETLS: "The mail server offers no TLS that is trusted.",
  EAUTH: "The mail server refuses the user or the password.",
  ENOAUTH: "The mail server refuses the user or the password.",
  ETIMEDOUT: "The mail server did not answer in time.",
  ECONNECTION: "The mail server closed or refused the connection.",
  ESOCKET: "The mail server closed or refused the connection.",
};

function failureOf(error: unknown): Pick<DeliveryAttempt, "status" | "error" | "verdict"> {
  const { code = "", originalCode = "", command = "", ...answer } = (error ?? {}) as MailError;
  const { responseCode, response = "" } = answer;
  const status = responseCode ?? null;
  const step = stepOf(command);
  if (status === null || step === null || status === 421) {
    const words = TLS_CODES.test(originalCode) ? NETWORK.ETLS : NETWORK[code];
    return { status, error: words ?? answered(status), verdict: "server" };
  }
  const words = `The mail server answered ${status} to ${step}`;
  if (status < 500 && step !== "the sender") return { status, error: `${words}: not now.` };
  if (step === "the sender" || RELAY.test(response)) {
    return { status, error: `${words}: it does not send for us.`, verdict: "server" };
  }
  if (step === "the recipient" && GONE.test(response)) {
    return { status, error: `${words}: there is no such address.`, verdict: "gone" };
  }
  return { status, error: `${words}: refused for good.`, verdict: "rejected" };
}

function stepOf(command: string): "the sender" | "the recipient" | "the message" | null {
  if (command === "MAIL FROM") return "the sender";
  if (command === "RCPT TO") return "the recipient";
  return command === "DATA" ? "the message" : null;
}

function answered(status: number | null): string {
  if (status === null) return "The mail server could not be used.";
  return `The mail server answered ${status}.`;
}
