/**
 * Client of an S3-compatible store: objects, multipart uploads, listings, and presigned addresses.
 * Invariant: every request is signed (SigV4), and a body is signed with its SHA-256, so the store
 * refuses changed bytes. Bodies have a fixed length, never `aws-chunked`. Every wait ends. Errors
 * never contain a key or a signature. The module is loaded only if a store is set.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import type { ObjectPlace } from "../../files/objectaddress.ts";
import { XmlFault } from "../../text/xmlreader.ts";
import { type Connections, openConnections } from "../proxy.ts";
import { errorCodeIn, readStoreXml, type XmlDocument, type XmlRow } from "./storexml.ts";

/** Credentials of a store. */
export interface StoreKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A local file to store. Its bytes never change. */
export interface LocalFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Facts of a stored object. */
export interface StoredObject {
  readonly sizeBytes: number;
  /** With its quotes. */
  readonly tag: string;
  /** Metadata by name, in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** One object of a listing; times are by the store's clock, in milliseconds since 1970. */
export interface ListedObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** An upload that was begun and is not complete. */
export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly startedMs: number;
}

/** Media type and metadata of a new object. */
export interface ObjectHeaders {
  readonly type: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A failed request. `away` is true if the same request may succeed later. */
export class StoreFault extends Error {
  readonly away: boolean;
  /** 0 if there was no answer. */
  readonly status: number;
  /** The store's code. Empty if it sent none. */
  readonly code: string;

  constructor(message: string, { status = 0, code = "", cause }: Partial<FaultDetails> = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StoreFault";
    this.status = status;
    this.code = code;
    this.away = status === 0 || status === 429 || status >= 500;
  }
}

interface FaultDetails {
  readonly status: number;
  readonly code: string;
  readonly cause: unknown;
}

interface StoreOptions {
  readonly place: ObjectPlace;
  readonly keys: StoreKeys;
  /** Max milliseconds to wait for a connection, for an answer's head, or for more of its body. */
  readonly stallMs?: number;
  /** Larger files are sent in parts of at least this size. */
  readonly partBytes?: number;
  readonly nowMs?: () => number;
  /** Called after every request; `ok` is false if the store did not answer it. */
  readonly onAnswer?: (operation: string, ok: boolean) => void;
}

const STALL_MS = 30_000;
/**
 * Min bytes of each part of an upload. For smaller parts, the overhead of a request would exceed
 * the time for the bytes. Stores require at least 5 MiB.
 */
const PART_BYTES = 16 << 20;
/** Stores allow 1,000 to 10,000. */
const PARTS_MAX = 1_000;
/** Max attempts of one request, and the wait before the first repetition, in milliseconds. */
const TRIES = 3;
const WAIT_MS = 200;
/** Max redirects of a request; stores send 307 for new buckets. */
const REDIRECTS_MAX = 3;
const XML_BYTES_MAX = 4 << 20;
const EMPTY_SHA256 = createHash("sha256").digest("hex");
const SKEWED = "RequestTimeTooSkewed";

interface Sent {
  readonly operation: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly signal?: AbortSignal | undefined;
  /** HTTP statuses that do not count as a failure. */
  readonly expected: readonly number[];
}

/** A body that can be sent again. */
interface Body {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly open: () => Readable | Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readable & { dump(): Promise<void> };
}

/** A bucket of a store. */
export class ObjectStore {
  readonly place: ObjectPlace;
  readonly #options: StoreOptions;
  readonly #connections: Connections;
  readonly #partBytes: number;
  /** Derived signing keys by day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();
  /**
   * Difference between the store's clock and this machine's, in milliseconds. It is measured when
   * the store refuses a request because of its time.
   */
  #skewMs = 0;

  constructor(options: StoreOptions) {
    const { place, stallMs = STALL_MS, partBytes = PART_BYTES } = options;
    this.place = place;
    this.#options = options;
    this.#partBytes = partBytes;
    this.#connections = openConnections(stallMs);
  }

  /** Returns the metadata of an object, or null if it does not exist. */
  async head(key: string, signal?: AbortSignal): Promise<StoredObject | null> {
    const sent = { operation: "head", method: "HEAD", key, signal } as const;
    const answer = await this.#send({ ...sent, expected: [200, 404] });
    await answer.body.dump();
    return answer.status === 404 ? null : objectOf(answer);
  }

  /**
   * Stores a file under a new key. The object appears whole or not at all. If the key already has
   * an object, returns false and leaves it unchanged. Throws `StoreFault`, and the reason of the
   * signal.
   */
  put(
    key: string,
    file: LocalFile,
    headers: ObjectHeaders,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (file.sizeBytes > 2 * this.#partBytes) return this.#putParts(key, file, headers, signal);
    return this.#putWhole(key, file, headers, signal);
  }

  /** Opens an object's bytes from `offset`, or null if it does not exist. */
  async get(
    key: string,
    { offset, length }: { readonly offset: number; readonly length: number },
    signal?: AbortSignal,
    tag?: string,
  ): Promise<Readable | null> {
    const range = length === 0 ? {} : { range: `bytes=${offset}-${offset + length - 1}` };
    const headers = { ...range, ...(tag === undefined ? {} : { "if-match": tag }) };
    const sent = { operation: "get", method: "GET", key, headers, signal } as const;
    const answer = await this.#send({ ...sent, expected: [200, 206, 404] });
    if (answer.status === 404) {
      await answer.body.dump();
      return null;
    }
    const whole = answer.status === 200 && offset > 0;
    if (whole || Number(one(answer, "content-length")) !== length) {
      answer.body.destroy();
      throw new StoreFault("the store sent another part of the object than requested");
    }
    return answer.body;
  }

  /** Deletes an object. Does nothing if it does not exist. */
  async remove(key: string, signal?: AbortSignal): Promise<void> {
    const sent = { operation: "delete", method: "DELETE", key, signal } as const;
    await (await this.#send({ ...sent, expected: [200, 204, 404] })).body.dump();
  }

  /** Lists the objects whose keys begin with `prefix`, a page at a time. */
  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<ListedObject, void> {
    for (let more: Record<string, string> | null = {}; more !== null; ) {
      const query: Record<string, string> = { "list-type": "2", prefix, ...more };
      const { members, rows } = await this.#document("list", { query, signal }, "Contents");
      for (const { Key: key, Size, LastModified } of rows) {
        const [sizeBytes, modifiedMs] = [Number(Size), Date.parse(LastModified ?? "")];
        if (key?.startsWith(prefix) && modifiedMs >= 0) yield { key, sizeBytes, modifiedMs };
      }
      const next: string | undefined = members.NextContinuationToken;
      const isOver: boolean = members.IsTruncated !== "true" || next === more["continuation-token"];
      more = isOver || !next ? null : { "continuation-token": next };
    }
  }

  /** Lists incomplete uploads below `prefix`, from the first page only. */
  async uploads(prefix: string, signal?: AbortSignal): Promise<readonly OpenUpload[]> {
    const query = { uploads: "", prefix };
    const { rows } = await this.#document("uploads", { query, signal }, "Upload");
    return rows.flatMap(({ Key: key, UploadId: uploadId, Initiated }: XmlRow) => {
      const startedMs = Date.parse(Initiated ?? "");
      if (!key?.startsWith(prefix) || !uploadId || !(startedMs >= 0)) return [];
      return [{ key, uploadId, startedMs }];
    });
  }

  /** Discards an upload and its parts. */
  async abort(key: string, uploadId: string): Promise<void> {
    const sent = { operation: "abort", method: "DELETE", key, query: { uploadId } } as const;
    await (await this.#send({ ...sent, expected: [200, 204, 404] })).body.dump();
  }

  /** Resolves if the store answers signed requests. */
  async probe(signal?: AbortSignal): Promise<void> {
    const query = { "list-type": "2", "max-keys": "1", prefix: this.place.prefix };
    await this.#document("probe", { query, signal }, "Contents");
  }

  /** Returns an address for reading an object without credentials, valid for so many seconds. */
  async presign(
    method: "GET" | "HEAD",
    key: string,
    { seconds, headers }: { seconds: number; headers: Readonly<Record<string, string>> },
  ): Promise<string> {
    const named = Object.entries(headers).map(([name, value]) => [`response-${name}`, value]);
    const query = { ...Object.fromEntries(named), "X-Amz-Expires": String(seconds) };
    const signer = this.#signer({ url: this.#urlOf(key, query), method, signQuery: true });
    return exact((await signer.sign()).url).href;
  }

  /** Returns the local time, corrected by the known difference to the store's clock. */
  nowMs(): number {
    return (this.#options.nowMs?.() ?? Date.now()) + this.#skewMs;
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #putWhole(
    key: string,
    file: LocalFile,
    { type, metadata }: ObjectHeaders,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const headers = { "content-type": type, ...prefixed(metadata) };
    const body = { ...file, open: () => createReadStream(file.path) };
    const sent = { operation: "put", method: "PUT", key, headers, body, signal } as const;
    const answer = await this.#sendNew({ ...sent, expected: [200, 201, 409] });
    await answer.body.dump();
    if (answer.status === 409) throw new StoreFault("another upload of the object is under way");
    return answer.status !== 412;
  }

  async #putParts(
    key: string,
    file: LocalFile,
    { type, metadata }: ObjectHeaders,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const headers = { "content-type": type, ...prefixed(metadata) };
    // This request has no abort signal. If it were aborted, the upload's id might not arrive, and
    // the upload could not be discarded.
    const begun = { method: "POST", key, query: { uploads: "" }, headers } as const;
    const uploadId = (await this.#document("begin", begun)).members.UploadId;
    if (!uploadId) throw new StoreFault("the store began no upload");
    try {
      const parts = await this.#sendParts(key, uploadId, file, signal);
      return await this.#complete(key, uploadId, parts, signal);
    } catch (error) {
      // If this fails too, the sweep of abandoned uploads removes the parts.
      await this.abort(key, uploadId).catch(() => {});
      throw error;
    }
  }

  /** Sends all parts in sequence. Returns their tags. */
  async #sendParts(
    key: string,
    uploadId: string,
    { path, sizeBytes, sha256 }: LocalFile,
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    const length = Math.max(this.#partBytes, Math.ceil(sizeBytes / PARTS_MAX));
    const tags: string[] = [];
    const whole = createHash("sha256");
    for (let start = 0; start < sizeBytes; start += length) {
      const end = Math.min(start + length, sizeBytes) - 1;
      const open = () => createReadStream(path, { start, end });
      const hash = createHash("sha256");
      for await (const chunk of open()) {
        hash.update(chunk as Buffer);
        whole.update(chunk as Buffer);
      }
      const body = { sha256: hash.digest("hex"), sizeBytes: end - start + 1, open };
      const query = { partNumber: String(tags.length + 1), uploadId };
      const sent = { operation: "part", method: "PUT", key, query, body, signal } as const;
      const answer = await this.#send({ ...sent, expected: [200] });
      await answer.body.dump();
      tags.push(one(answer, "etag"));
    }
    // The store checks only the parts, so it would accept a file that changed on the disk.
    if (whole.digest("hex") === sha256) return tags;
    throw new Error("the file is not as it was written: its SHA-256 is another");
  }

  /** Completes an upload. A store may answer 200 and report the failure in the body. */
  async #complete(
    key: string,
    uploadId: string,
    tags: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const parts = tags.map((tag, at) => {
      const text = tag.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      return `<Part><PartNumber>${at + 1}</PartNumber><ETag>${text}</ETag></Part>`;
    });
    const xml = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
    const bytes = Buffer.from(xml);
    const body: Body = { sha256: sha256Of(bytes), sizeBytes: bytes.length, open: () => bytes };
    const query = { uploadId };
    const headers = { "content-type": "application/xml" };
    const sent = {
      operation: "complete",
      method: "POST",
      key,
      query,
      headers,
      body,
      signal,
    } as const;
    const answer = await this.#sendNew({ ...sent, expected: [200] });
    if (answer.status === 412) {
      await answer.body.dump();
      await this.abort(key, uploadId);
      return false;
    }
    const { members } = await this.#read(answer, "");
    if (members.ETag) return true;
    const code = members.Code ?? "";
    throw new StoreFault(`the store did not complete the upload (${code})`, { status: 500, code });
  }

  /**
   * Sends a request that creates an object only if none exists. If a store does not support this
   * condition (501), sends the request again without it.
   */
  async #sendNew(sent: Sent): Promise<Answer> {
    const { headers, expected } = sent;
    const answer = await this.#send({
      ...sent,
      headers: { ...headers, "if-none-match": "*" },
      expected: [...expected, 412, 501],
    });
    if (answer.status !== 501) return answer;
    await answer.body.dump();
    return this.#send(sent);
  }

  async #document(operation: string, sent: Partial<Sent>, repeated = ""): Promise<XmlDocument> {
    const answer = await this.#send({ method: "GET", ...sent, operation, expected: [200] });
    return this.#read(answer, repeated);
  }

  async #read(answer: Answer, repeated: string): Promise<XmlDocument> {
    try {
      return readStoreXml(await bytesOf(answer), repeated);
    } catch (error) {
      if (error instanceof StoreFault) throw error;
      const is = error instanceof XmlFault ? "is not XML" : "was cut";
      throw new StoreFault(`an answer of the store ${is}`, { cause: error });
    }
  }

  /** Sends a request, with a few retries. */
  async #send(sent: Sent): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await this.#sendOnce(sent);
        this.#options.onAnswer?.(sent.operation, true);
        return answer;
      } catch (error) {
        if (sent.signal?.aborted) throw error;
        const fault = error instanceof StoreFault ? error : unanswered(error);
        const isLast = !fault.away || tries === TRIES;
        if (isLast) this.#options.onAnswer?.(sent.operation, !isUnusable(fault));
        if (isLast) throw fault;
        await sleep(WAIT_MS * 3 ** (tries - 1), undefined, { signal: sent.signal });
      }
    }
  }

  /** Sends a request once. Follows redirects, and signs again if the clocks differ. */
  async #sendOnce(sent: Sent): Promise<Answer> {
    let url = this.#urlOf(sent.key, sent.query);
    for (let turns = 0; ; turns++) {
      const answer = await this.#exchange(sent, url);
      const { status } = answer;
      if (sent.expected.includes(status)) return answer;
      const target = turns < REDIRECTS_MAX ? redirectOf(answer, url) : null;
      const bytes = await bytesOf(answer).catch(() => Buffer.alloc(0));
      if (target !== null) {
        url = target;
        continue;
      }
      const code = errorCodeIn(bytes) || headCode(status);
      // An answer to HEAD has no error code, so 403 may also mean that the clocks differ.
      const mayBeSkewed = code === SKEWED || (sent.method === "HEAD" && status === 403);
      if (mayBeSkewed && turns === 0 && this.#adjust(answer)) continue;
      const words = `the store answered ${status}${code === "" ? "" : ` ${code}`}`;
      throw new StoreFault(`${words} to ${sent.operation}`, { status, code });
    }
  }

  /**
   * Measures the difference to the store's clock. Returns false if it has changed by less than a
   * minute, or if the answer has no date.
   */
  #adjust(answer: Answer): boolean {
    const theirs = Date.parse(one(answer, "date"));
    if (!(theirs > 0)) return false;
    const skewMs = theirs - (this.#options.nowMs?.() ?? Date.now());
    if (Math.abs(skewMs - this.#skewMs) < 60_000) return false;
    this.#skewMs = skewMs;
    return true;
  }

  async #exchange({ method, headers = {}, body, signal }: Sent, url: URL): Promise<Answer> {
    const sha256 = body?.sha256 ?? EMPTY_SHA256;
    const length = body !== undefined || method === "PUT" || method === "POST";
    const signer = this.#signer({
      ...{ url, method },
      headers: { ...headers, "x-amz-content-sha256": sha256 },
    });
    const signed = await signer.sign();
    const opened = body?.open() ?? null;
    const sentHeaders: Record<string, string> = Object.fromEntries(signed.headers as Headers);
    if (length) sentHeaders["content-length"] = String(body?.sizeBytes ?? 0);
    const answer = await this.#connections.send(exact(signed.url), {
      ...{ method, headers: sentHeaders, body: opened },
      ...(signal === undefined ? {} : { signal }),
    });
    return { ...answer, status: answer.statusCode };
  }

  #signer(parts: {
    readonly url: URL;
    readonly method: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signQuery?: boolean;
  }): AwsV4Signer {
    const { keys, place } = this.#options;
    const { accessKey: accessKeyId, secretKey: secretAccessKey } = keys;
    const datetime = new Date(this.nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, "");
    return new AwsV4Signer({
      ...{ ...parts, url: parts.url.href, accessKeyId, secretAccessKey, datetime },
      ...{ service: "s3", region: place.region, cache: this.#signingKeys },
    });
  }

  #urlOf(key = "", query: Readonly<Record<string, string>> = {}): URL {
    const { endpoint, bucket, style } = this.place;
    const url = new URL(endpoint);
    if (style === "host") url.hostname = `${bucket}.${url.hostname}`;
    const path = style === "host" ? key : key === "" ? bucket : `${bucket}/${key}`;
    url.pathname = path.split("/").map(encodeURIComponent).join("/");
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }
}

/** Returns the address as it was signed. Some stores read `+` in a query as a plus sign. */
function exact(url: URL): URL {
  const copy = new URL(url);
  copy.search = copy.search.replaceAll("+", "%20");
  return copy;
}

/** Returns a redirect's target if its scheme is no weaker. The request is then signed again. */
function redirectOf(answer: Answer, from: URL): URL | null {
  if (answer.status !== 307 && answer.status !== 301) return null;
  const location = one(answer, "location");
  if (!URL.canParse(location, from)) return null;
  const target = new URL(location, from);
  const isWeaker = target.protocol !== "https:" && target.protocol !== from.protocol;
  return isWeaker || target.username !== "" ? null : target;
}

function objectOf(answer: Answer): StoredObject {
  const names = Object.keys(answer.headers).filter((name) => name.startsWith(META));
  const metadata = names.map((name) => [name.slice(META.length), one(answer, name)]);
  return {
    sizeBytes: Number(one(answer, "content-length")),
    tag: one(answer, "etag"),
    metadata: Object.fromEntries(metadata),
  };
}

const META = "x-amz-meta-";

function prefixed(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, text]) => [META + name, text]));
}

function one({ headers }: Answer, name: string): string {
  return [headers[name] ?? ""].flat()[0] ?? "";
}

async function bytesOf({ body }: Answer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    if (bytes > XML_BYTES_MAX) throw new StoreFault("an answer of the store is too long");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** True if no request can succeed: no answer, wrong credentials, or no such bucket. */
function isUnusable({ away, status, code }: StoreFault): boolean {
  return away || status === 401 || status === 403 || code === "NoSuchBucket";
}

function headCode(status: number): string {
  return status === 403 ? "AccessDenied" : status === 404 ? "NotFound" : "";
}

function unanswered(error: unknown): StoreFault {
  const { code } = Object(error) as NodeJS.ErrnoException;
  const why = typeof code === "string" ? ` (${code})` : "";
  // A local file that cannot be read is no fault of the store.
  if (typeof code === "string" && /^(ENOENT|EIO|EACCES)$/.test(code)) throw error;
  return new StoreFault(`the store did not answer${why}`, {
    code: String(code ?? ""),
    cause: error,
  });
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
