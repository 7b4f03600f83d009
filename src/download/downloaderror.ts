/**
 * Classifies failures of the share. Input: the error of a fetch, or the status and headers of an
 * answer. Output: a `DownloadError` if the download can continue by itself, with a retry, fewer
 * streams, or a new listing; a `CommandError` if the operator must act.
 * Invariant: every network failure has a message. Only temporary failures are retried.
 */
import { CommandError } from "../errors.ts";
import { shownUrl } from "./address.ts";
import { ProxyFault, type ProxyServer } from "./proxy.ts";
import { waitText } from "./words.ts";

/** The longest wait accepted from `Retry-After`. */
const WAIT_MAX_MS = 15 * 60_000;

/**
 * Remedies. `again`: a retry. `crowded`: fewer streams, if there are several. `replaced`: a new
 * listing, because the file differs from the listed one.
 */
type TroubleKind = "again" | "crowded" | "replaced";

/** A failure that the download can recover from. */
export class DownloadError extends Error {
  readonly kind: TroubleKind;
  /** Minimum wait that the share requests. */
  readonly waitMs: number;
  /** True if the host may refuse requests from this country or network. */
  readonly byPlace: boolean;

  constructor(kind: TroubleKind, message: string, { waitMs = 0, byPlace = false } = {}) {
    super(message);
    this.name = "Trouble";
    this.kind = kind;
    this.waitMs = waitMs;
    this.byPlace = byPlace;
  }
}

/** An error of one share, such as a missing file. Another share may succeed. */
export class ShareFault extends CommandError {}

/** Thrown if a signal ended the work. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`${signal} ended the download; run the command again to go on with what is there`);
    this.name = "Interrupted";
    this.signal = signal;
  }
}

/** Errors about certificates or encryption, which retries do not fix. */
const TLS = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;

const BY_PLACE = { byPlace: true };

const CODES: Readonly<
  Record<string, readonly [kind: TroubleKind, words: string, more?: { readonly byPlace: boolean }]>
> = {
  ECONNREFUSED: ["crowded", "the connection was refused"],
  ECONNRESET: ["crowded", "the connection was cut before an answer", BY_PLACE],
  UND_ERR_SOCKET: ["crowded", "the connection was cut before an answer", BY_PLACE],
  EPIPE: ["again", "the connection was cut", BY_PLACE],
  ETIMEDOUT: ["again", "the connection timed out", BY_PLACE],
  UND_ERR_CONNECT_TIMEOUT: ["again", "no connection within 10 s", BY_PLACE],
  UND_ERR_HEADERS_TIMEOUT: ["again", "no answer", BY_PLACE],
  UND_ERR_BODY_TIMEOUT: ["again", "no bytes"],
  ENOTFOUND: ["again", "the name of the host was not found (DNS)"],
  EAI_AGAIN: ["again", "the name of the host could not be looked up (DNS)"],
  EHOSTUNREACH: ["again", "there is no way to the host"],
  ENETUNREACH: ["again", "there is no network"],
};

/** Classifies an error of `fetch` or of reading a body; `proxy` is the proxy used, if any. */
export function errorOfFailure(error: unknown, url: URL, proxy: ProxyServer | null): Error {
  if (
    error instanceof DownloadError ||
    error instanceof CommandError ||
    error instanceof Interrupted
  ) {
    return error;
  }
  const cause = causeOf(error);
  if (cause instanceof ProxyFault) return errorOfProxy(cause, proxy);
  const code = String(cause.code ?? "");
  if (TLS.test(code)) {
    return new ShareFault(
      `The certificate or encryption of ${url.host} is refused (${code}: ${cause.message}). ` +
        "Where your network has an authority of its own, name its file in NODE_EXTRA_CA_CERTS.",
      1,
      error,
    );
  }
  const known = CODES[code];
  if (known !== undefined) return new DownloadError(...known);
  if (code !== "") return new DownloadError("again", `${code}: ${cause.message}`);
  if (cause.message === "bad port") {
    return new ShareFault(
      `${url.host} cannot be asked: bad port; no program that follows the rules of browsers asks ` +
        `port ${url.port}. Serve the mirror at another one, such as 8080.`,
    );
  }
  return new ShareFault(`${url.host} cannot be asked: ${cause.message}`, 1, error);
}

/** Classifies a proxy's failure; never shows its credentials. */
function errorOfProxy(fault: ProxyFault, proxy: ProxyServer | null): Error {
  const { message, credentials, passing } = fault;
  const name = proxy?.name ?? "";
  if (passing) return new DownloadError("again", `the proxy ${name}: ${message}`);
  const has = proxy !== null && proxy.credentials() !== null;
  const fix = credentials
    ? `${has ? "Check" : "Give"} user and password in the environment: ` +
      "PENEIRA_DOWNLOAD_PROXY=http://USER:PASSWORD@HOST:PORT (socks5h:// for SOCKS5), or " +
      "HTTPS_PROXY."
    : "Check download.proxy (or HTTPS_PROXY), or ask its operator.";
  return new ShareFault(`The proxy ${name} does not serve us: ${message}. ${fix}`);
}

/** Finds the innermost cause, at the first address if several were tried. */
function causeOf(error: unknown): NodeJS.ErrnoException {
  let found = error as NodeJS.ErrnoException & { readonly errors?: readonly Error[] };
  for (let depth = 0; depth < 5; depth++) {
    const inner = found.errors?.[0] ?? found.cause;
    if (!(inner instanceof Error)) break;
    found = inner;
  }
  return found;
}

/** Classifies an unexpected answer; `file` distinguishes files from folders. */
export function errorOfStatus(answer: AnswerHead, file: boolean): Error {
  const { status, headers, url } = answer;
  if (status === 404 || status === 410 || status === 412 || status === 416) {
    if (file) return new DownloadError("replaced", `the share answers ${status} to what it lists`);
    return new ShareFault(
      `There is no folder at ${shownUrl(url)} (${status}). The registry's share has moved ` +
        "before: look for its new link and set download.url (PENEIRA_DOWNLOAD_URL, or --url).",
    );
  }
  const place = !file && (status === 403 || status === 451) ? ` ${locationAdvice(answer)}` : "";
  if (status === 401 || status === 403 || status === 451) {
    return new ShareFault(
      `The share at ${shownUrl(url)} does not let us in (${status}); check download.url.${place}`,
    );
  }
  const passing = status >= 500 || [408, 423, 425, 429].includes(status);
  if (!passing)
    return new ShareFault(`${shownUrl(url)} answers ${status}, which means nothing here.`);
  const waitMs = retryAfter(headers.get("retry-after"), Date.now());
  if (waitMs > WAIT_MAX_MS) {
    return new ShareFault(
      `The share answers ${status} and asks to come back in ${waitText(waitMs)}. ` +
        "Run the command again then; it goes on with what is there.",
    );
  }
  const kind = status === 429 || status === 503 ? "crowded" : "again";
  return new DownloadError(kind, `the share answers ${status}`, { waitMs });
}

/** The head of an answer, which shows the outcome of a request. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly url: URL;
  /** The proxy used, for display, or null if there is none. */
  readonly through: string | null;
}

/** Hosts of the registry's own share. */
const REGISTRY = /\.receita(?:federal|\.fazenda)\.gov\.br$/;

/** Explains that a host probably refuses requests from this place, with advice. */
export function locationAdvice({ url, through }: Pick<AnswerHead, "url" | "through">): string {
  const likely = REGISTRY.test(url.hostname)
    ? "The registry's share answers only from Brazil, and not from many clouds"
    : `If ${url.host} answers others, it turns away where you ask from, as the registry's own ` +
      "share does outside Brazil and in many clouds";
  const proxied = through === null ? "" : ` (you asked through the proxy ${through})`;
  return (
    `${likely}${proxied}. Ask through a proxy in Brazil (download.proxy, or HTTPS_PROXY), name a ` +
    "mirror (--url, once for each), or fetch the zips on a machine there with ssh and rsync: " +
    "docs/load.md, From outside Brazil."
  );
}

/** Converts a `Retry-After` header (seconds or a date) to milliseconds, or 0 if it is invalid. */
export function retryAfter(text: string | null, nowMs: number): number {
  if (text === null) return 0;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}
