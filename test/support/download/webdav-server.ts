/**
 * A share like the registry's, on this machine, that misbehaves on demand.
 * What comes in: months with files, and a plan that says for each request what goes wrong.
 * What goes out: an address; every request and every byte that was sent are counted.
 * Invariant: without faults it answers as Nextcloud does: PROPFIND of depth 1, ranges, If-Range,
 * ETag and Last-Modified, 404 for what is not there.
 */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A file of the share: bytes in memory, or a path. */
export interface SharedFile {
  readonly content: Buffer | { readonly path: string; readonly bytes: number };
  readonly etag: string | null;
  readonly modified: string | null;
}

/** One request as it was answered. */
export interface Served {
  readonly method: string;
  readonly path: string;
  readonly range: string | null;
  readonly fault: string | null;
  /** Bytes of the body that were handed to the socket. */
  bytes: number;
}

/** What goes wrong with one request. */
export type Fault =
  /** Sends so many bytes of the body, then nothing more, for ever. */
  | { readonly kind: "stall"; readonly after: number }
  /** Sends so many bytes, then closes the connection. */
  | { readonly kind: "cut"; readonly after: number }
  /** Closes the connection before any answer. */
  | { readonly kind: "drop" }
  | { readonly kind: "status"; readonly status: number; readonly headers?: Record<string, string> }
  /** Answers 200 with everything, whatever range was asked for. */
  | { readonly kind: "no-range" }
  /** Says and sends fewer (below 0) or more bytes than there are. */
  | { readonly kind: "length"; readonly by: number }
  /** Answers the range that begins so many bytes later. */
  | { readonly kind: "shift"; readonly by: number }
  /** A few bytes now and then. */
  | { readonly kind: "trickle"; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: "body"; readonly body: string; readonly status?: number };

/** Says what goes wrong; null is nothing. It may change the share. */
export type FaultPlan = (request: Served, share: WebdavShare) => Fault | null;

/** What the share is like. */
export interface ShareOptions {
  readonly plan?: FaultPlan;
  /** Root of all paths. */
  readonly root?: string;
  /** User that must come as HTTP Basic; null asks nobody. */
  readonly user?: string;
  readonly tls?: ServerOptions;
  /** Bytes a second for each answer; 0 is as fast as it goes. */
  readonly rate?: number;
}

const ROOT = "/public.php/dav/files/Tok3n/";

/** A running share. */
export class WebdavShare {
  readonly months = new Map<string, Map<string, SharedFile>>();
  /** Names at the root that are no months, and at every month. */
  readonly strangers = ["cnpj.tar.gz"];
  readonly served: Served[] = [];
  plan: FaultPlan;
  /** Writes the listing; tests replace it for hostile ones. */
  listing: ((path: string, entries: string) => string) | null = null;
  readonly #options: ShareOptions;
  #server: Server | null = null;

  constructor(options: ShareOptions = {}) {
    this.#options = options;
    this.plan = options.plan ?? (() => null);
  }

  /** Starts to listen. */
  async start(): Promise<this> {
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(request, response).catch(() => response.destroy());
    };
    const { tls } = this.#options;
    this.#server = tls === undefined ? createServer(answer) : createSecureServer(tls, answer);
    await new Promise<void>((done) => this.#server?.listen(0, "127.0.0.1", done));
    return this;
  }

  /** Address of the root folder. */
  get url(): string {
    const { port } = (this.#server as Server).address() as AddressInfo;
    const { tls, user } = this.#options;
    const at = user === undefined ? "" : `${user}@`;
    return `http${tls === undefined ? "" : "s"}://${at}127.0.0.1:${port}${this.#root}`;
  }

  get #root(): string {
    return this.#options.root ?? ROOT;
  }

  /** Ends it. */
  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done));
  }

  /** Takes over all zips of a folder as a month. */
  async addFolder(label: string, folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
      this.put(label, name, await readFile(join(folder, name)));
    }
  }

  /** Takes over the zips without reading them into memory. */
  async addLarge(label: string, folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const { size } = await stat(path);
      this.#set(label, name, { ...validators(), content: { path, bytes: size } });
    }
  }

  /** Puts or replaces a file; it gets a new tag and a new date. */
  put(label: string, name: string, content: Buffer, over: Partial<SharedFile> = {}): void {
    this.#set(label, name, { ...validators(), content, ...over });
  }

  /** The bytes of a file that is in memory. */
  bytesOf(label: string, name: string): Buffer {
    return this.months.get(label)?.get(name)?.content as Buffer;
  }

  /** Bytes of all files of a month that an import needs. */
  size(label: string): number {
    return [...(this.months.get(label) ?? [])]
      .filter(([name]) => !name.startsWith("Socios"))
      .reduce((sum, [, file]) => sum + sizeOf(file), 0);
  }

  /** Bytes that were sent of files, for their names. */
  sent(name?: string): number {
    return this.served
      .filter(({ method, path }) => method === "GET" && (name === undefined || path.endsWith(name)))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #set(label: string, name: string, file: SharedFile): void {
    const month = this.months.get(label) ?? new Map<string, SharedFile>();
    this.months.set(label, month);
    month.set(name, file);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const path = decodeURIComponent(new URL(request.url ?? "", "http://x").pathname);
    const served = {
      method: request.method ?? "",
      path: path.startsWith(this.#root) ? path.slice(this.#root.length) : path,
      range: request.headers.range ?? null,
      fault: null as string | null,
      bytes: 0,
    };
    const fault = this.plan(served, this);
    served.fault = fault?.kind ?? null;
    this.served.push(served);
    if (fault?.kind === "drop") return void response.destroy();
    if (fault?.kind === "status") {
      return void response.writeHead(fault.status, fault.headers).end("no");
    }
    if (fault?.kind === "body") return void response.writeHead(fault.status ?? 207).end(fault.body);
    const { user } = this.#options;
    const wanted = `Basic ${Buffer.from(`${user}:`).toString("base64")}`;
    if (user !== undefined && request.headers.authorization !== wanted) {
      return void response.writeHead(401).end();
    }
    if (!path.startsWith(this.#root)) return void response.writeHead(404).end();
    if (request.method === "PROPFIND") await this.#list(served, response, fault);
    else await this.#send({ request, response, served, fault });
  }

  async #list(served: Served, response: ServerResponse, fault: Fault | null): Promise<void> {
    const label = served.path.replace(/\/$/, "");
    const month = this.months.get(label);
    if (label !== "" && month === undefined) return void response.writeHead(404).end();
    const entries = [entry(`${this.#root}${label === "" ? "" : `${label}/`}`, null)];
    if (month === undefined) {
      for (const name of this.months.keys()) entries.push(entry(`${this.#root}${name}/`, null));
      for (const name of this.strangers) entries.push(entry(`${this.#root}${name}`, STRANGER));
    } else {
      for (const [name, file] of month) entries.push(entry(`${this.#root}${label}/${name}`, file));
      entries.push(entry(`${this.#root}${label}/regime_tributario/`, null));
    }
    const text = this.listing?.(served.path, entries.join("")) ?? multistatus(entries.join(""));
    response.writeHead(207, { "content-type": "application/xml; charset=utf-8" });
    await this.#body(response, served, fault, pieces(Buffer.from(text)));
  }

  async #send({ request, response, served, fault }: Sending): Promise<void> {
    const [label = "", name = ""] = served.path.split("/");
    const file = this.months.get(label)?.get(name);
    if (file === undefined) return void response.writeHead(404).end();
    const total = sizeOf(file);
    const [start, end] = fault?.kind === "no-range" ? [0, total] : rangeOf(request, file);
    if (start >= total && total > 0) return void response.writeHead(416).end();
    const partial = start > 0 || end < total;
    const shift = fault?.kind === "shift" && partial ? fault.by : 0;
    const by = fault?.kind === "length" ? fault.by : 0;
    response.writeHead(partial ? 206 : 200, {
      "content-length": Math.max(0, end - start - shift + by),
      "accept-ranges": "bytes",
      ...(file.etag === null ? {} : { etag: file.etag }),
      ...(file.modified === null ? {} : { "last-modified": file.modified }),
      ...(partial ? { "content-range": `bytes ${start + shift}-${end - 1}/${total}` } : {}),
    });
    const body = slices(file, start + shift, end + Math.min(0, by));
    await this.#body(response, served, fault, by > 0 ? longer(body, by) : body);
  }

  async #body(
    response: ServerResponse,
    served: Served,
    fault: Fault | null,
    body: AsyncIterable<Buffer>,
  ): Promise<void> {
    const { rate = 0 } = this.#options;
    const stops = fault?.kind === "stall" || fault?.kind === "cut" ? fault.after : Infinity;
    for await (let piece of body) {
      piece = piece.subarray(0, Math.min(piece.length, stops - served.bytes));
      if (fault?.kind === "trickle") {
        for (let at = 0; at < piece.length && !response.destroyed; at += fault.bytes) {
          served.bytes += Math.min(fault.bytes, piece.length - at);
          response.write(piece.subarray(at, at + fault.bytes));
          await sleep(fault.everyMs, undefined, { ref: false });
        }
      } else if (piece.length > 0) {
        served.bytes += piece.length;
        if (!response.write(piece)) await drained(response);
        if (rate > 0) await sleep((piece.length / rate) * 1000);
      }
      if (response.destroyed) return;
      if (served.bytes >= stops) {
        // What was written gets through before the connection goes.
        if (fault?.kind === "cut") setTimeout(() => response.destroy(), 5).unref();
        return;
      }
    }
    response.end();
  }
}

interface Sending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly served: Served;
  readonly fault: Fault | null;
}

let written = Date.parse("2026-08-09T10:00:00Z");

/** Nobody else has these. */
function validators(): { readonly etag: string; readonly modified: string } {
  written += 1000;
  return { etag: `"${randomBytes(8).toString("hex")}"`, modified: new Date(written).toUTCString() };
}

const STRANGER: SharedFile = {
  content: { path: "", bytes: 63_950_000_000 },
  etag: '"x"',
  modified: "Sun, 09 Aug 2026 10:00:00 GMT",
};

function sizeOf({ content }: SharedFile): number {
  return Buffer.isBuffer(content) ? content.length : content.bytes;
}

/** From and to (excluded) of what is to be sent. */
function rangeOf({ headers }: IncomingMessage, file: SharedFile): [start: number, end: number] {
  const total = sizeOf(file);
  const condition = headers["if-range"];
  const match = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "");
  const holds = condition === undefined || condition === file.etag || condition === file.modified;
  if (match === null || !holds) return [0, total];
  const end = match[2] === "" ? total : Math.min(total, Number(match[2]) + 1);
  return [Number(match[1]), end];
}

async function* slices(file: SharedFile, start: number, end: number): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(file.content)) yield* pieces(file.content.subarray(start, end));
  else if (end > start) {
    yield* createReadStream(file.content.path, { start, end: end - 1 }) as AsyncIterable<Buffer>;
  }
}

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 16_384) yield content.subarray(at, at + 16_384);
}

async function* longer(body: AsyncIterable<Buffer>, by: number): AsyncGenerator<Buffer> {
  yield* body;
  yield Buffer.alloc(by);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      response.off("drain", end).off("close", end);
      done();
    };
    response.on("drain", end).on("close", end);
  });
}

/** One entry as Nextcloud writes it; null is a folder. */
function entry(href: string, file: SharedFile | null): string {
  const address = href.split("/").map(encodeURIComponent).join("/");
  const found =
    file === null
      ? "<d:resourcetype><d:collection/></d:resourcetype>"
      : `<d:resourcetype/><d:getcontentlength>${sizeOf(file)}</d:getcontentlength>` +
        (file.etag === null
          ? ""
          : `<d:getetag>${file.etag.replaceAll('"', "&quot;")}</d:getetag>`) +
        (file.modified === null ? "" : `<d:getlastmodified>${file.modified}</d:getlastmodified>`);
  const missing =
    file === null
      ? "<d:propstat><d:prop><d:getcontentlength/></d:prop>" +
        "<d:status>HTTP/1.1 404 Not Found</d:status></d:propstat>"
      : "";
  return (
    `<d:response><d:href>${address}</d:href><d:propstat><d:prop>${found}</d:prop>` +
    `<d:status>HTTP/1.1 200 OK</d:status></d:propstat>${missing}</d:response>`
  );
}

/** The document around the entries. */
export function multistatus(entries: string): string {
  return (
    '<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" ' +
    `xmlns:oc="http://owncloud.org/ns">${entries}</d:multistatus>`
  );
}
