/**
 * A local share like the one on which the registry publishes its files. It serves months with
 * files, applies the fault that a plan chooses for each request, and counts requests and sent
 * bytes.
 * Invariant: without faults, it answers like Nextcloud: PROPFIND of depth 1, ranges, If-Range, ETag
 * and Last-Modified, and 404 for missing files.
 */
import { randomBytes } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drained, longer, pieces, type SharedFile, sizeOf, slices } from "./bytes.ts";
import {
  bucketXml,
  davEntry,
  indexPage,
  multistatus,
  type PageForm,
  type SharedEntry,
} from "./listing-pages.ts";

/** One answered request. */
export interface Served {
  readonly method: string;
  readonly path: string;
  readonly range: string | null;
  readonly fault: string | null;
  /** Number of body bytes written to the socket. */
  bytes: number;
}

/** A fault that is applied to one request. */
export type Fault =
  /** Sends this many bytes of the body, then nothing more. */
  | { readonly kind: "stall"; readonly after: number }
  /** Sends this many bytes of the body and then closes the connection. */
  | { readonly kind: "cut"; readonly after: number }
  /** Closes the connection before any answer. */
  | { readonly kind: "drop" }
  | { readonly kind: "status"; readonly status: number; readonly headers?: Record<string, string> }
  /** Ignores the requested range, and answers 200 with the whole file. */
  | { readonly kind: "no-range" }
  /** Declares and sends `by` bytes more than the file has, or fewer if `by` is negative. */
  | { readonly kind: "length"; readonly by: number }
  /** Answers with a range that begins this many bytes later. */
  | { readonly kind: "shift"; readonly by: number }
  /** Sends a few bytes at a time, at intervals. */
  | { readonly kind: "trickle"; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: "body"; readonly body: string; readonly status?: number };

/** Returns the fault of a request, or null if it has none. May change the share. */
export type FaultPlan = (request: Served, share: WebdavShare) => Fault | null;

/** Options of the share. The form of Python's server supports no ranges. */
export interface ShareOptions {
  readonly form?: "webdav" | PageForm | "bucket";
  /** Folders between the root and the months, such as `Dados/Cadastros/CNPJ`. */
  readonly base?: string;
  /** Returns the folder name of a month. */
  readonly folderOf?: (label: string) => string;
  readonly decoys?: readonly string[];
  readonly plan?: FaultPlan;
  /** The path below which all files lie. */
  readonly root?: string;
  /** User that HTTP Basic authentication requires. Null requires none. */
  readonly user?: string;
  readonly tls?: ServerOptions;
  /** Bytes per second for each answer; 0 is unlimited. */
  readonly rate?: number;
}

const ROOT = "/public.php/dav/files/Tok3n/";

/** A running share. */
export class WebdavShare {
  readonly months = new Map<string, Map<string, SharedFile>>();
  /** Names in the root folder that are no months. */
  readonly strangers = ["cnpj.tar.gz"];
  readonly served: Served[] = [];
  plan: FaultPlan;
  /** If set, writes the body of each listing. Tests use it for hostile listings. */
  listing: ((path: string, entries: string) => string) | null = null;
  readonly #options: ShareOptions;
  #server: Server | null = null;

  constructor(options: ShareOptions = {}) {
    this.#options = options;
    this.plan = options.plan ?? (() => null);
  }

  /** Starts listening. */
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

  /** Adds all zips of a folder as a month. */
  async addFolder(label: string, folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
      this.put(label, name, await readFile(join(folder, name)));
    }
  }

  /** Adds the zips without reading them into memory. */
  async addLarge(label: string, folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const { size } = await stat(path);
      this.#set(label, name, { ...validators(), content: { path, bytes: size } });
    }
  }

  /** Adds or replaces a file. The file receives a new ETag and a new date. */
  put(label: string, name: string, content: Buffer, over: Partial<SharedFile> = {}): void {
    this.#set(label, name, { ...validators(), content, ...over });
  }

  /** The bytes of a file that is in memory. */
  bytesOf(label: string, name: string): Buffer {
    return this.months.get(label)?.get(name)?.content as Buffer;
  }

  /** Returns the total size of the files of a month that an import needs. */
  size(label: string): number {
    return [...(this.months.get(label) ?? [])]
      .filter(([name]) => !name.startsWith("Socios"))
      .reduce((sum, [, file]) => sum + sizeOf(file), 0);
  }

  /** Returns the number of bytes sent from the file with this name, or from all files. */
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
    const { form = "webdav" } = this.#options;
    const folder = /(^|\/)$/.test(served.path);
    if (request.method === "PROPFIND" && form !== "webdav") {
      const headers = form === "bucket" ? { "x-amz-request-id": "1" } : {};
      response.writeHead(form === "python" ? 501 : 405, headers).end();
    } else if (request.method === "PROPFIND") await this.#list(served, response, fault);
    else if (form === "bucket" && folder) await this.#bucket(request, { response, served, fault });
    else if (form !== "webdav" && folder)
      await this.#page(form as PageForm, { response, served, fault });
    else {
      const all = form === "python" && fault === null ? ({ kind: "no-range" } as const) : fault;
      await this.#send({ request, response, served, fault: all });
    }
  }

  /** Returns the path of a month's folder below the root. */
  #folderOf(label: string): string {
    const { base = "", folderOf = (same: string) => same } = this.#options;
    return (base === "" ? "" : `${base}/`) + folderOf(label);
  }

  /** Returns the files of a folder, or undefined if it is not the folder of a month. */
  #filesOf(folder: string): Map<string, SharedFile> | undefined {
    for (const [label, files] of this.months) if (this.#folderOf(label) === folder) return files;
    return undefined;
  }

  /** Returns the entries of a folder, or null if it does not exist. */
  #entriesOf(folder: string): SharedEntry[] | null {
    const top = folder === "" ? "" : `${folder}/`;
    const months = [...this.months.keys()].map((label) => this.#folderOf(label));
    const all = [...months, ...(this.#options.decoys ?? [])];
    const below = all.filter((path) => path.startsWith(top)).map((path) => path.slice(top.length));
    const names = new Set(below.map((path) => path.split("/")[0] ?? "").filter((name) => name));
    if (folder !== "" && names.size === 0 && !all.includes(folder)) return null;
    return [
      ...[...names].map((name) => ({ ...FOLDER, name })),
      ...[...(this.#filesOf(folder) ?? [])].map(([name, file]) => ({
        ...file,
        name,
        bytes: sizeOf(file),
      })),
      ...(folder === ""
        ? this.strangers.map((name) => ({ ...STRANGER, name, bytes: sizeOf(STRANGER) }))
        : []),
    ];
  }

  /** Answers with the listing page of a folder. */
  async #page(form: PageForm, { response, served, fault }: Listing): Promise<void> {
    const entries = this.#entriesOf(served.path.replace(/\/$/, ""));
    if (entries === null) return void response.writeHead(404).end();
    const text = indexPage(form, `${this.#root}${served.path}`, entries);
    const html = this.listing?.(served.path, text) ?? text;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    await this.#body(response, served, fault, pieces(Buffer.from(html)));
  }

  /** Answers with one page of the bucket's keys that have the prefix in the query. */
  async #bucket(request: IncomingMessage, listing: Listing): Promise<void> {
    const { response, served, fault } = listing;
    const query = new URL(request.url ?? "", "http://x").searchParams;
    const prefix = query.get("prefix") ?? "";
    if (served.path !== "") return void response.writeHead(404, { "x-amz-request-id": "1" }).end();
    const text = bucketXml(query, this.#entriesOf(prefix.replace(/\/$/, "")) ?? []);
    response.writeHead(200, { "content-type": "application/xml" });
    const xml = this.listing?.(prefix, text) ?? text;
    await this.#body(response, served, fault, pieces(Buffer.from(xml)));
  }

  async #list(served: Served, response: ServerResponse, fault: Fault | null): Promise<void> {
    const folder = served.path.replace(/\/$/, "");
    const found = this.#entriesOf(folder);
    if (found === null) return void response.writeHead(404).end();
    const top = `${this.#root}${folder === "" ? "" : `${folder}/`}`;
    const entries = [davEntry(top, FOLDER), ...found.map((one) => davEntry(top + one.name, one))];
    if (this.#filesOf(folder)) entries.push(davEntry(`${top}regime_tributario`, FOLDER));
    const text = this.listing?.(served.path, entries.join("")) ?? multistatus(entries.join(""));
    response.writeHead(207, { "content-type": "application/xml; charset=utf-8" });
    await this.#body(response, served, fault, pieces(Buffer.from(text)));
  }

  async #send({ request, response, served, fault }: Sending): Promise<void> {
    const slash = served.path.lastIndexOf("/");
    const files = this.#filesOf(served.path.slice(0, Math.max(0, slash)));
    const file = files?.get(served.path.slice(slash + 1));
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
        // Waits before the cut so that the written bytes are flushed.
        if (fault?.kind === "cut") setTimeout(() => response.destroy(), 5).unref();
        return;
      }
    }
    response.end();
  }
}

interface Listing {
  readonly response: ServerResponse;
  readonly served: Served;
  readonly fault: Fault | null;
}

interface Sending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly served: Served;
  readonly fault: Fault | null;
}

let written = Date.parse("2026-08-09T10:00:00Z");

/** Unique validators. */
function validators(): { readonly etag: string; readonly modified: string } {
  written += 1000;
  return { etag: `"${randomBytes(8).toString("hex")}"`, modified: new Date(written).toUTCString() };
}

const FOLDER = { bytes: null, etag: null, modified: null };

const STRANGER: SharedFile = {
  content: { path: "", bytes: 63_950_000_000 },
  etag: '"x"',
  modified: "Sun, 09 Aug 2026 10:00:00 GMT",
};

/** Returns the start and the end (excluded) of the range to send. */
function rangeOf({ headers }: IncomingMessage, file: SharedFile): [start: number, end: number] {
  const total = sizeOf(file);
  const condition = headers["if-range"];
  const match = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "");
  const holds = condition === undefined || condition === file.etag || condition === file.modified;
  if (match === null || !holds) return [0, total];
  const end = match[2] === "" ? total : Math.min(total, Number(match[2]) + 1);
  return [Number(match[1]), end];
}
