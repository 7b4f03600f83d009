/**
 * The table of all settings of the product:
 * key, type, default, and description of each.
 * Invariant: a setting exists exactly if it has a row here; the command line, the environment, the
 * config file, `peneira config`, and the documents all derive from these rows.
 */

import { checkStoreAddress } from "../files/objectaddress.ts";
import { unseenIn } from "../text/givenname.ts";
import { PROXIES_FORM, Proxies } from "./proxies.ts";
import {
  checkProxy,
  checkShare,
  openCredentials,
  type Setting,
  type SettingType,
  type SettingValue,
} from "./settingvalue.ts";

/** Idle timeout of uWebSockets.js: fixed at 10 s, checked every 4 s. */
const UWS_IDLE = "always 8 to 12 s, whatever is set";

/** Checks the security contact: RFC 9116 requires a URI. */
function checkContact(text: string): string | null {
  const known = /^(mailto:|https:\/\/|tel:)\S+$/.test(text);
  return known ? null : "an address that begins with mailto:, https:// or tel:";
}

/** Checks a base address. */
function checkService(text: string): string | null {
  const known = /^https?:\/\/[^\s?#]+\/$/.test(text) && URL.canParse(text);
  return known ? null : "an address that begins with http:// or https:// and ends with /";
}

/** Checks an origin in the form that browsers send. */
function checkOrigin(text: string): string | null {
  const plain = /^https?:\/\/[^/?#@\s*]+$/.test(text) && URL.canParse(text);
  const known = plain && new URL(text).origin === text;
  return known ? null : "origins such as https://app.example.com, in lower case, without a path";
}

/** Checks a line of text that people read. */
function checkLine(text: string): string | null {
  const fits = text.trim() !== "" && text.length <= 120 && unseenIn(text) === null;
  return fits ? null : "one line of 1 to 120 visible characters";
}

/** Checks a host without a port. */
function checkHost(text: string): string | null {
  const known = /^[\w.-]{1,253}$/.test(text) || /^[0-9a-fA-F:]+$/.test(text);
  return known ? null : "the name or the address of a host, without a port";
}

/** Checks the sender of e-mails: an address, or a name and an address. */
function checkSender(text: string): string | null {
  const form = /^(?:[^<>"@,;:\\()[\]]+ )?<([^<>]+)>$|^([^<>\s]+)$/.exec(text);
  const address = form?.[1] ?? form?.[2] ?? "";
  const fits = /^[\w.+-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(address);
  const known = fits && text.length <= 200 && unseenIn(text) === null;
  return known ? null : "an address such as peneira@example.com, or Peneira <peneira@example.com>";
}

/**
 * Values of two settings: how a file on an object store reaches the client, and how connections to
 * the mail server are encrypted.
 */
const FILES_SERVE = ["redirect", "proxy"] as const;
const SMTP_TLS = ["starttls", "implicit", "none"] as const;

/** Listening address of the server; port 0 picks a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST:PORT` or `[IPV6]:PORT`; null for other text. Port 0 means any free port. */
export function parseListen(text: string): ListenAddress | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:\s[\]*]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port > 65_535 ? null : { host, port };
}

/** Returns the text that `parseListen` reads; IPv6 in brackets. */
export function listenText({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** HTTP implementations. */
export const TRANSPORTS = ["uws", "node"] as const;

/** All settings except those of the plans, in reading order. */
export const SETTINGS = {
  listen: setting<string>("127.0.0.1:8080", "Address of the server, HOST:PORT; port 0 picks one.", {
    kind: "text",
    check: (text) => (parseListen(text) === null ? "HOST:PORT, such as 127.0.0.1:8080" : null),
  }),
  transport: setting<(typeof TRANSPORTS)[number]>(
    "uws",
    "HTTP server: uWebSockets.js; choose node, Node's own, where that cannot be loaded.",
    { kind: "choice", of: TRANSPORTS },
  ),
  snapshot: setting<string | null>(null, "Snapshot file, or folder with snapshots, to serve.", {
    kind: "text",
  }),
  data_dir: setting<string | null>(null, "Folder of the server's state: keys, tenants, exports.", {
    kind: "text",
  }),
  "state.url": {
    ...setting<string | null>(
      null,
      "Address of a PostgreSQL database that holds the state, such as " +
        "postgres://user:password@host:5432/database; null: a file in data_dir.",
      { kind: "text" },
    ),
    secret: true,
  },
  "state.grace_seconds": setting<number>(
    300,
    "Seconds for which keys in use are accepted while the database of state.url is unreachable.",
    integer(0, 86_400),
  ),
  cache_dir: setting<string | null>(
    null,
    "Folder where the executable unpacks its parts; it must allow code to run from it.",
    { kind: "text" },
  ),
  "http.threads": setting<number | null>(
    null,
    "Threads that answer requests; null: one less than the cores, at least 1. The transport node " +
      "has one.",
    integer(1, 64),
  ),
  "http.body_max_bytes": setting<number>(
    1_048_576,
    "Largest request body, except uploaded files.",
    integer(1_024, 2 ** 26),
  ),
  "http.bodies_max_bytes": setting<number>(
    67_108_864,
    "Bytes of request bodies in memory at the same time; beyond it, requests get 503. A quarter " +
      "is reserved for bodies of up to 64 KiB.",
    integer(1_048_576, 2 ** 34),
  ),
  "http.streams_max": setting<number>(
    128,
    "Large pages and files that are being sent at the same time; more get 503.",
    integer(1, 10_000),
  ),
  "http.response_memory_bytes": setting<number>(
    33_554_432,
    "Memory of the response cache, some 3,400 pages of 50 accounts; 0: no cache.",
    integer(0, 2 ** 34),
  ),
  "http.share_max": setting<number>(
    0.25,
    "Largest share of the free part of http.streams_max and http.bodies_max_bytes that one " +
      "tenant may use; beyond it, requests get 429. Clients without a tenant count by address.",
    { kind: "number", min: 0.01, max: 1 },
  ),
  "http.headers_max_bytes": setting<number>(
    8_192,
    "Largest request line with all headers.",
    integer(1_024, 65_536),
  ),
  "http.headers_timeout_ms": setting<number>(
    5_000,
    "Time for a client to send the headers of a request.",
    integer(100, 600_000),
    UWS_IDLE,
  ),
  "http.request_timeout_ms": setting<number>(
    10_000,
    "Time for a client to send a whole request. With uws, an uploaded file may take longer, if " +
      "its client sends 16 kB a second on average over 10 s, and never pauses for 8 s.",
    integer(100, 600_000),
  ),
  "http.idle_timeout_ms": setting<number>(
    60_000,
    "Time after which a connection without requests is closed.",
    integer(1_000, 600_000),
    UWS_IDLE,
  ),
  "http.write_timeout_ms": setting<number>(
    30_000,
    "Time after which a connection whose client reads no bytes of its answer is closed.",
    integer(100, 600_000),
  ),
  "http.sockets_max": setting<number>(
    2_000,
    "Open connections; a new one replaces the one that was idle longest.",
    integer(16, 100_000),
  ),
  "http.sockets_per_address": setting<number | null>(
    null,
    "Connections of one address, proxies excepted; null: an eighth of http.sockets_max.",
    integer(1, 100_000),
  ),
  "http.write_pace_bytes": setting<number>(
    16_384,
    "Bytes a second that a client must read of its answer, averaged over " +
      "http.write_timeout_ms; slower ones are closed.",
    integer(1, 2 ** 30),
  ),
  "http.trusted_proxies": setting<string | null>(
    null,
    "Addresses and networks of proxies, separated by commas. Wrong keys and passwords count for " +
      "the client in X-Forwarded-For. http.sockets_per_address does not bound these proxies.",
    { kind: "text", check: (text) => (Proxies.read(text) === null ? PROXIES_FORM : null) },
  ),
  "http.cors_origins": setting<string | readonly string[] | null>(
    null,
    "Origins whose pages may use the API from a browser, such as https://app.example.com; never " +
      "the console. Several: a list in the file, elsewhere separated by spaces; null: none.",
    { kind: "texts", check: checkOrigin },
  ),
  "http.drain_grace_ms": setting<number>(
    0,
    "Time from reporting not ready to closing the port when the server stops, so that load " +
      "balancers notice.",
    integer(0, 600_000),
  ),
  "http.drain_timeout_ms": setting<number>(
    9_000,
    "Time that requests and downloads in flight get when the server stops; then their " +
      "connections are closed.",
    integer(0, 3_600_000),
  ),
  "exports.waits_per_tenant": setting<number>(
    100,
    "Requests of one tenant that may wait for the end of exports; more get 429.",
    integer(1, 100_000),
  ),
  "exports.secondary_cnae_full": setting<boolean>(
    false,
    "Lets plans that may use it export with secondary_cnae_mode full.",
    { kind: "boolean" },
  ),
  "exports.retention": setting<number>(
    604_800,
    "Seconds that a finished export is kept; the export_retention of its plan may be shorter.",
    integer(1, 31_536_000),
  ),
  "exports.forget": setting<number>(
    7_776_000,
    "Seconds after which the record of an expired or failed export is deleted, with its spec.",
    integer(86_400, 315_360_000),
  ),
  "exports.free_bytes_min": setting<number>(
    536_870_912,
    "Free bytes of the disk below which new exports are refused (507); searches go on.",
    integer(0, 2 ** 50),
  ),
  "exports.threads": setting<number | null>(
    null,
    "Exports rendered at the same time; null: one less than the cores, 1 to 4.",
    integer(1, 64),
  ),
  "files.url": setting<string | null>(
    null,
    "S3-compatible store that keeps the files of finished exports, such as " +
      "s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME; null: the disk keeps them. It needs " +
      "files.access_key and files.secret_key.",
    { kind: "text", check: checkStoreAddress },
  ),
  "files.access_key": {
    ...setting<string | null>(null, "Access key of the store.", { kind: "text" }),
    secret: true,
    inTheOpen: () => "must be a variable or a file named by its variable with _FILE",
  },
  "files.secret_key": {
    ...setting<string | null>(null, "Secret key of the store.", { kind: "text" }),
    secret: true,
    inTheOpen: () => "must be a variable or a file named by its variable with _FILE",
  },
  "files.serve": setting<(typeof FILES_SERVE)[number]>(
    "redirect",
    "How a file on the store is downloaded. redirect: the client is sent to the store with a " +
      "signed address; proxy: the server reads the file and sends it.",
    { kind: "choice", of: FILES_SERVE },
  ),
  "files.retry_seconds": setting<number>(
    900,
    "Seconds for which the store may refuse an export's file before the export fails.",
    integer(1, 86_400),
  ),
  "snapshots.keep": setting<number>(
    900,
    "Seconds after its last use that a replaced snapshot stays open for cursors.",
    integer(0, 86_400),
  ),
  "snapshots.scrub_seconds": setting<number>(
    86_400,
    "Seconds in which every block of an opened snapshot is checked again; 0: only changed " +
      "files.",
    integer(0, 31_536_000),
  ),
  "changes.prepare": setting<boolean>(
    true,
    "Lists the changes since the previous month as soon as a newer snapshot is served.",
    { kind: "boolean" },
  ),
  "http.overload_lag_ms": setting<number>(
    1_000,
    "Searches that have waited longer than this get 503; large pages, facets, " +
      "translations, /docs, and /openapi.json after half of it.",
    integer(10, 60_000),
  ),
  "metrics.listen": setting<string | null>(
    null,
    "Separate address for /metrics; null: the address of the server.",
    {
      kind: "text",
      check: (text) => (parseListen(text) === null ? "HOST:PORT, such as 127.0.0.1:9090" : null),
    },
  ),
  "http.security_contact": setting<string | null>(
    null,
    "Address for /.well-known/security.txt, such as mailto:security@example.com.",
    { kind: "text", check: checkContact },
  ),
  "console.session_idle": setting<number>(
    43_200,
    "Seconds without activity after which a user is signed out of the console.",
    integer(60, 604_800),
  ),
  "console.session_max": setting<number>(
    43_200,
    "Seconds after which users have to sign in to the console again.",
    integer(60, 2_592_000),
  ),
  "console.session_kept": setting<number>(
    2_592_000,
    "Seconds for which a user who chooses to stay signed in to the console remains so, idle or " +
      "not; 0: not offered.",
    integer(0, 31_536_000),
  ),
  "console.contact": setting<string | null>(
    null,
    "Contact for users who cannot sign in, shown there: a name, an e-mail, or a phone.",
    { kind: "text", check: checkLine },
  ),
  "console.insecure_http": setting<boolean>(
    false,
    "Lets people sign in over plain HTTP from other machines, where others can read passwords.",
    { kind: "boolean" },
  ),
  "audit.retention": setting<number>(
    63_072_000,
    "Minimum seconds that lines of the audit trail are kept.",
    integer(86_400, 3_153_600_000),
  ),
  "notices.allow_networks": setting<string | null>(
    null,
    "Networks outside the public internet that webhooks may send to, separated by commas, such " +
      "as 10.0.0.0/8; plain http works only there. null: none.",
    { kind: "text", check: (text) => (Proxies.read(text) === null ? PROXIES_FORM : null) },
  ),
  "notices.retry_hours": setting<number>(
    24,
    "Hours after which a delivery to a webhook that keeps failing is given up.",
    integer(24, 72),
  ),
  "notices.retention": setting<number>(
    31_536_000,
    "Seconds that notices and the log of their deliveries are kept; deliveries that wait stay.",
    integer(86_400, 315_360_000),
  ),
  "notices.base_url": setting<string | null>(
    null,
    "Public address of the server for links in notices, such as https://peneira.example.com; " +
      "null: links have no host.",
    { kind: "text", check: checkOrigin },
  ),
  "notices.smtp.host": setting<string | null>(
    null,
    "Mail server that sends notices by e-mail; it also needs notices.smtp.from and " +
      "notices.base_url. null: no e-mail is sent.",
    { kind: "text", check: checkHost },
  ),
  "notices.smtp.port": setting<number | null>(
    null,
    "Port of the mail server; null: 465 with implicit TLS, else 587.",
    integer(1, 65_535),
  ),
  "notices.smtp.tls": setting<(typeof SMTP_TLS)[number]>(
    "starttls",
    "Encryption of the mail server. starttls: the connection must switch to TLS; implicit: TLS " +
      "from the first byte; none: allowed only without a user.",
    { kind: "choice", of: SMTP_TLS },
  ),
  "notices.smtp.user": setting<string | null>(
    null,
    "User at the mail server; null: it needs no sign-in.",
    { kind: "text", check: checkLine },
  ),
  "notices.smtp.password": {
    ...setting<string | null>(null, "Password of that user.", { kind: "text" }),
    secret: true,
    inTheOpen: () => "must be a variable or a file named by its variable with _FILE",
  },
  "notices.smtp.from": setting<string | null>(
    null,
    "Sender of the e-mails, such as Peneira <peneira@example.com>.",
    { kind: "text", check: checkSender },
  ),
  "notices.smtp.ca_file": setting<string | null>(
    null,
    "File with certificates (PEM) to trust for the mail server; null: those of the system.",
    { kind: "text" },
  ),
  "notices.smtp.timeout_seconds": setting<number>(
    30,
    "Seconds that the mail server may take for one step.",
    integer(1, 300),
  ),
  core_dumps: setting<boolean>(
    false,
    "Allows a core dump when the server crashes; it holds API keys in use.",
    { kind: "boolean" },
  ),
  "translate.descriptors": setting<string | null>(
    null,
    "File with IBGE's descriptions of activities, made by `peneira download --descriptors`; " +
      "with it, sentences find more activities.",
    { kind: "text" },
  ),
  "download.url": setting<string | readonly string[]>(
    "https://arquivos.receitafederal.gov.br/public.php/dav/files/YggdBLfdninEJX9/",
    "Where the months of the registry are: the share's WebDAV address or its link, a mirror's " +
      "page that lists files, a public S3 bucket, a file:// folder. Several in order of " +
      "preference: a list in the file, elsewhere separated by spaces.",
    { kind: "texts", check: checkShare },
  ),
  "download.ibge_url": setting<string>(
    "https://servicodados.ibge.gov.br/api/",
    "Address of IBGE's open service, for download --places and --descriptors.",
    { kind: "text", check: checkService },
  ),
  "download.sanctions_url": setting<string>(
    "https://portaldatransparencia.gov.br/download-de-dados/",
    "Where the lists of sanctions are, for download --public-lists, with one page for each " +
      "of ceis, cnep, and cepim. Under each are the zips, one for each day.",
    { kind: "text", check: checkService },
  ),
  "download.debts_url": setting<string>(
    "https://dadosabertos.pgfn.gov.br/",
    "Where PGFN's quarters are, for download --public-lists: a listing with folders such as " +
      "2026_trimestre_02.",
    { kind: "text", check: checkService },
  ),
  "download.proxy": {
    ...setting<string | null>(
      null,
      "Proxy for downloads: http://, https://, socks5:// (this machine resolves names), or " +
        "socks5h:// (the proxy does), then HOST:PORT. direct: no proxy. null: HTTPS_PROXY, " +
        "HTTP_PROXY, and ALL_PROXY apply. NO_PROXY always applies. Only the variable may hold a " +
        "user and a password.",
      { kind: "text", check: checkProxy },
    ),
    secret: true,
    inTheOpen: openCredentials,
  },
  "download.streams": setting<number>(
    2,
    "Files that are downloaded at the same time; the share refuses many.",
    integer(1, 8),
  ),
  "download.stall_seconds": setting<number>(
    30,
    "Seconds of (almost) no bytes after which a download is cut and resumed.",
    { kind: "number", min: 0.1, max: 240 },
  ),
  "log.level": setting<"debug" | "info" | "warn" | "error" | "silent">(
    "info",
    "Lowest level of messages that are logged.",
    { kind: "choice", of: ["debug", "info", "warn", "error", "silent"] },
  ),
} as const satisfies Record<string, Setting>;

/** Pairs of settings: the first must not exceed the second. */
export const ORDERED: readonly (readonly [smaller: string, larger: string])[] = [
  ["http.sockets_per_address", "http.sockets_max"],
  ["http.headers_timeout_ms", "http.request_timeout_ms"],
];

/** Key of a setting outside the plans. */
export type SettingKey = keyof typeof SETTINGS;

/** Type of the value of one setting. */
export type SettingOf<Key extends SettingKey> = (typeof SETTINGS)[Key]["fallback"];

function setting<Value extends SettingValue>(
  fallback: Value,
  description: string,
  type: SettingType,
  uws?: string,
): Setting<Value> {
  return { type, fallback, description, ...(uws === undefined ? {} : { uws }) };
}

function integer(min: number, max: number): SettingType {
  return { kind: "integer", min, max };
}
