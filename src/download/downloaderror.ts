/**
 * What can go wrong between us and the share, sorted by what helps.
 * What comes in: a failed fetch, or the status and headers of an answer.
 * What goes out: a `DownloadError` that says whether to try again, with fewer streams, or with a
 * new listing; or a `CommandError` where only a person can help.
 * Invariant: every failure of the network has words; nothing is retried that cannot get better.
 */
import { CommandError } from "../errors.ts";
import { waitText } from "./words.ts";

/** The longest wait that a share may ask for in `Retry-After`. */
const WAIT_MAX_MS = 15 * 60_000;

/**
 * What helps: trying `again`, fewer streams where there are several (`crowded`), or to look at the
 * listing because the file is not what was listed (`replaced`).
 */
type TroubleKind = "again" | "crowded" | "replaced";

/** A failure that the download can do something about. */
export class DownloadError extends Error {
  readonly kind: TroubleKind;
  /** How long the share wants us to wait at least. */
  readonly waitMs: number;

  constructor(kind: TroubleKind, message: string, waitMs = 0) {
    super(message);
    this.name = "Trouble";
    this.kind = kind;
    this.waitMs = waitMs;
  }
}

/** Thrown when a signal ended the work. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`${signal} ended the download; run the command again to go on with what is there`);
    this.name = "Interrupted";
    this.signal = signal;
  }
}

/** Reasons why a certificate or the encryption is refused; waiting does not mend them. */
const TLS = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;

const CODES: Readonly<Record<string, readonly [kind: TroubleKind, words: string]>> = {
  ECONNREFUSED: ["crowded", "the connection was refused"],
  ECONNRESET: ["crowded", "the connection was cut before an answer"],
  UND_ERR_SOCKET: ["crowded", "the connection was cut before an answer"],
  EPIPE: ["again", "the connection was cut"],
  ETIMEDOUT: ["again", "the connection timed out"],
  UND_ERR_CONNECT_TIMEOUT: ["again", "no connection within 10 s"],
  UND_ERR_HEADERS_TIMEOUT: ["again", "no answer"],
  UND_ERR_BODY_TIMEOUT: ["again", "no bytes"],
  ENOTFOUND: ["again", "the name of the host was not found (DNS)"],
  EAI_AGAIN: ["again", "the name of the host could not be looked up (DNS)"],
  EHOSTUNREACH: ["again", "there is no way to the host"],
  ENETUNREACH: ["again", "there is no network"],
};

/** Sorts what `fetch` or the reading of a body threw. */
export function troubleOfFailure(error: unknown, url: URL): Error {
  if (
    error instanceof DownloadError ||
    error instanceof CommandError ||
    error instanceof Interrupted
  ) {
    return error;
  }
  const cause = causeOf(error);
  const code = String(cause.code ?? "");
  if (TLS.test(code)) {
    return new CommandError(
      `The certificate or encryption of ${url.host} is refused (${code}: ${cause.message}). ` +
        "Where your network has an authority of its own, name its file in NODE_EXTRA_CA_CERTS.",
      1,
      error,
    );
  }
  const known = CODES[code];
  if (known !== undefined) return new DownloadError(known[0], known[1] + proxyNote());
  if (code !== "") return new DownloadError("again", `${code}: ${cause.message}`);
  return new CommandError(`${url.host} cannot be asked: ${cause.message}`, 1, error);
}

/** The innermost cause tells; of several addresses that were tried the first does. */
function causeOf(error: unknown): NodeJS.ErrnoException {
  let found = error as NodeJS.ErrnoException & { readonly errors?: readonly Error[] };
  for (let depth = 0; depth < 5; depth++) {
    const inner = found.errors?.[0] ?? found.cause;
    if (!(inner instanceof Error)) break;
    found = inner;
  }
  return found;
}

/** People behind a proxy wonder why nothing connects. */
function proxyNote(): string {
  const name = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].find((variable) => {
    return (process.env[variable] ?? "") !== "";
  });
  return name === undefined ? "" : ` (${name} is set, but downloads do not use proxies)`;
}

/** Sorts an answer that is not the one hoped for; `file` tells files from folders. */
export function troubleOfStatus(answer: AnswerHead, file: boolean): Error {
  const { status, headers, url } = answer;
  if (status === 404 || status === 410 || status === 412 || status === 416) {
    if (file) return new DownloadError("replaced", `the share answers ${status} to what it lists`);
    return new CommandError(
      `There is no folder at ${url} (${status}). The registry's share has moved before: look for ` +
        "its new link and set download.url (PENEIRA_DOWNLOAD_URL, or --url).",
    );
  }
  if (status === 401 || status === 403) {
    return new CommandError(
      `The share at ${url} does not let us in (${status}); check download.url.`,
    );
  }
  const passing = status >= 500 || [408, 423, 425, 429].includes(status);
  if (!passing) return new CommandError(`${url} answers ${status}, which means nothing here.`);
  const waitMs = retryAfter(headers.get("retry-after"), Date.now());
  if (waitMs > WAIT_MAX_MS) {
    return new CommandError(
      `The share answers ${status} and asks to come back in ${waitText(waitMs)}. ` +
        "Run the command again then; it goes on with what is there.",
    );
  }
  const kind = status === 429 || status === 503 ? "crowded" : "again";
  return new DownloadError(kind, `the share answers ${status}`, waitMs);
}

/** The part of an answer that tells what became of a request. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
  readonly url: URL;
}

/** Milliseconds of a `Retry-After` header, seconds or a date; 0 where it says nothing. */
export function retryAfter(text: string | null, nowMs: number): number {
  if (text === null) return 0;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}
