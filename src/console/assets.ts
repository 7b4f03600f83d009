/**
 * The console's files: answers requests below /app from the folder that build.mjs fills. Each file
 * is sent in the smallest encoding that Accept-Encoding allows (RFC 9110, section 12.5.3).
 * Invariant: only files in the manifest are served. All are read once at the start, so requests
 * never touch the disk and answers never mix two builds. Files with a hash in their name are cached
 * for a year; the page is revalidated each time. A refused encoding is never chosen. If no encoding
 * is acceptable, the plain form is sent.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import { AppError, CommandError } from "../errors.ts";
import { type HttpAnswer, hasTag } from "../http/server/respond.ts";
import type { Call } from "../http/server/service.ts";
import type { SessionAuth } from "../http/server/session-auth.ts";
import { readBuilt } from "../location.ts";

const PAGE = "page.html";
/** Views of the page with their own address (src/console/web/app/router.ts). */
export const VIEWS = [
  "exports",
  "saved",
  "webhooks",
  "news",
  "keys",
  "usage",
  "members",
  "audit",
  "plans",
  "compare",
  "lists",
  "enrich",
  "account",
] as const;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** Returns the Content-Security-Policy, with the hashes of the build's inline styles (CSP3). */
function pagePolicy(page: Uint8Array): string {
  const styles = Buffer.from(page)
    .toString("utf8")
    .matchAll(/<style>(.*?)<\/style>/gs);
  const hashes = [...styles].map(([, text]) => {
    return ` 'sha256-${createHash("sha256")
      .update(text as string)
      .digest("base64")}'`;
  });
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${hashes.join("")}`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/**
 * Headers of the page in addition to the policy. They allow the clipboard, which copy buttons need.
 */
const PAGE_HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy":
    "accelerometer=(), camera=(), clipboard-read=(), clipboard-write=(self), display-capture=(), " +
    "geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()",
};

/** For one year, browsers that have used HTTPS once continue to use it (RFC 6797). */
const HTTPS_FROM_NOW_ON = "max-age=31536000";

/** In all encodings. */
interface Asset {
  readonly type: string;
  readonly forms: ReadonlyMap<Encoding, { readonly bytes: Uint8Array; readonly tag: string }>;
}

/** The console of a build, or none. */
export class Assets {
  readonly #files: ReadonlyMap<string, Asset>;
  readonly #sessionAuth: SessionAuth;
  readonly #pageHeaders: Readonly<Record<string, string>>;

  /** Reads the folder. Throws `CommandError` if a file in the manifest is missing. */
  constructor(folder: string, sessionAuth: SessionAuth) {
    this.#sessionAuth = sessionAuth;
    this.#files = readFolder(folder);
    const page = this.#files.get(PAGE)?.forms.get("identity")?.bytes ?? new Uint8Array();
    const policy = { "Content-Security-Policy": pagePolicy(page) };
    this.#pageHeaders = { ...policy, ...PAGE_HEADERS, "Cache-Control": "no-cache" };
  }

  /** True if the console was built. */
  get built(): boolean {
    return this.#files.has(PAGE);
  }

  /** `GET /app` and `GET /app/{view}`: the same page; its script reads the address. */
  page(call: Call): HttpAnswer {
    const { view } = call.params;
    if (view !== undefined && !VIEWS.some((name) => name === view)) {
      throw new AppError("not_found", "The console has no such view. Begin at /app.");
    }
    const asset = this.#files.get(PAGE);
    if (asset === undefined) throw notBuilt();
    return this.#answer(call, asset, this.#pageHeaders);
  }

  /** `GET /app/assets/{file}`. */
  file(call: Call): HttpAnswer {
    const name = call.params.file ?? "";
    if (!this.built) throw notBuilt();
    const asset = name === PAGE ? undefined : this.#files.get(name);
    if (asset === undefined) {
      throw new AppError("not_found", "The console has no such file. Load the page again.");
    }
    return this.#answer(call, asset, { "Cache-Control": "public, max-age=31536000, immutable" });
  }

  #answer(call: Call, { type, forms }: Asset, own: Readonly<Record<string, string>>): HttpAnswer {
    const encoding = acceptedEncoding(call.header("accept-encoding"), [...forms.keys()]);
    const { bytes, tag } = forms.get(encoding) as { bytes: Uint8Array; tag: string };
    const headers = {
      ...own,
      ...(forms.size > 1 ? { Vary: "Accept-Encoding" } : {}),
      ...(this.#sessionAuth.wantsHttps(call)
        ? { "Strict-Transport-Security": HTTPS_FROM_NOW_ON }
        : {}),
      "Cross-Origin-Resource-Policy": "same-origin",
      ETag: tag,
    };
    const known = call.header("if-none-match");
    if (known !== undefined && hasTag(known, tag))
      return { status: 304, type: "", body: "", headers };
    const coded = encoding === "identity" ? {} : { "Content-Encoding": encoding };
    return { status: 200, type, body: bytes, headers: { ...headers, ...coded } };
  }
}

function notBuilt(): AppError {
  return new AppError(
    "not_found",
    "This server has no console: it was not built. Run `node build.mjs console` and start again.",
  );
}

/** The members of the manifest that this file reads. */
interface Manifest {
  readonly files: Readonly<Record<string, { readonly encodings: readonly ("br" | "gzip")[] }>>;
}

/** Reads the files in the manifest; none if there is no manifest. */
function readFolder(folder: string): Map<string, Asset> {
  const manifest = readManifest(path.join(folder, "manifest.json"));
  const files = new Map<string, Asset>();
  for (const [name, { encodings }] of Object.entries(manifest?.files ?? {})) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const forms = (["identity", ...encodings] as const).map((encoding) => {
      const file = encoding === "identity" ? name : `${name}.${encoding}`;
      const bytes = readOrFail(path.join(folder, file));
      return [encoding, { bytes, tag: tagOf(bytes) }] as const;
    });
    files.set(name, { type, forms: new Map(forms) });
  }
  return files;
}

function readManifest(file: string): Manifest | null {
  let text: string;
  try {
    text = Buffer.from(readBuilt(file)).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw incomplete(file, error);
  }
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw incomplete(file, error);
  }
}

function readOrFail(file: string): Uint8Array {
  try {
    return readBuilt(file);
  } catch (error) {
    throw incomplete(file, error);
  }
}

function incomplete(file: string, cause: unknown): CommandError {
  const detail = `The console is not whole: ${file} cannot be read. Run: node build.mjs console`;
  return new CommandError(detail, 1, cause);
}

/** Returns a strong ETag, because each encoding of a file has its own bytes. */
function tagOf(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 24)}"`;
}

/** Encodings of a file. */
type Encoding = "br" | "gzip" | "identity";

/** Smallest first. */
const PREFERRED: readonly Encoding[] = ["br", "gzip", "identity"];

/** Returns the form of a file to send: the smallest one that Accept-Encoding allows. */
export function acceptedEncoding(
  accepted: string | undefined,
  forms: readonly Encoding[],
): Encoding {
  const weights = weightsOf(accepted ?? "");
  const weightOf = (form: Encoding) =>
    weights.get(form) ?? (form === "identity" ? 0.0001 : (weights.get("*") ?? 0));
  let best: Encoding = "identity";
  let bestWeight = 0;
  for (const form of PREFERRED) {
    if (!forms.includes(form) || weightOf(form) <= bestWeight) continue;
    best = form;
    bestWeight = weightOf(form);
  }
  return best;
}

/** Returns weights by coding; an invalid weight counts as 0 (refused). */
function weightsOf(accepted: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice(2) ?? "1";
    weights.set(coding, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  return weights;
}
