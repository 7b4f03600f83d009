/**
 * A small, strict S3 server for tests. Input: requests of the client under test. Output: answers
 * like those of a real store, and faults on request.
 * Invariant: signatures (SigV4 in header and query), the body's hash and length, and the ages of
 * requests and presigned addresses are checked. The checks share no code with the product.
 * `aws-chunked` is refused. The keys are those of the test, and nothing is stored on disk.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const BUCKET = "peneira-test";
/** Credentials that the server accepts. */
export const FAKE_KEYS = { accessKey: "FAKEACCESSKEY", secretKey: "fake/secret+key" } as const;
const SKEW_MAX_MS = 15 * 60_000;

interface StoredObject {
  readonly bytes: Buffer;
  readonly type: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tag: string;
  modifiedMs: number;
  /** Number of listings that will still omit the object. */
  hidden: number;
}

interface Upload {
  readonly key: string;
  readonly headers: IncomingMessage["headers"];
  readonly parts: Map<number, Buffer>;
  startedMs: number;
}

/** A fault for one request. With undefined, the server answers normally. */
export type Fault =
  | { readonly status: number; readonly code: string }
  | { readonly cut: "before" | "after" | "middle" }
  | { readonly slowMs: number }
  | { readonly redirectTo: string }
  | undefined;

/** A request, as it is passed to the function that chooses faults, and to tests. */
export interface SeenRequest {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly isPresigned: boolean;
}

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** The server. */
export class FakeS3 {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, Upload>();
  readonly seen: SeenRequest[] = [];
  /** Chooses the fault of a request. */
  fault: (request: SeenRequest) => Fault = () => undefined;
  /** Milliseconds by which the server's clock is ahead of the system's. */
  skewMs = 0;
  /** Number of listings that omit a new object. */
  listingLag = 0;
  /** Minimum bytes of every part except the last. */
  partBytesMin = 5 << 20;
  readonly #host: string;
  #server = this.#newServer();
  #port = 0;
  #uploads = 0;

  constructor(host = "127.0.0.1") {
    this.#host = host;
  }

  static async start(port = 0, host?: string): Promise<FakeS3> {
    const fake = new FakeS3(host);
    await fake.#listen(port);
    return fake;
  }

  #newServer(): Server {
    return createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  async #listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, this.#host, resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Listens again after `close`, on the same port and with the same objects. */
  async reopen(): Promise<void> {
    this.#server = this.#newServer();
    await this.#listen(this.#port);
  }

  get port(): number {
    return this.#port;
  }

  get endpoint(): string {
    return `http://${this.#host}:${this.port}`;
  }

  /** Returns the value of the setting `files.url` for this server. */
  address(prefix = "peneira"): string {
    const query = `endpoint=${encodeURIComponent(this.endpoint)}&region=test-1`;
    return `s3://${BUCKET}${prefix === "" ? "" : `/${prefix}`}?${query}`;
  }

  /** Puts an object as another client would. */
  plant(key: string, bytes: Buffer, metadata: Record<string, string> = {}, ageMs = 0): void {
    const tag = `"${md5(bytes)}"`;
    const modifiedMs = this.#now() - ageMs;
    this.objects.set(key, { bytes, type: "", metadata, tag, modifiedMs, hidden: 0 });
  }

  /** Makes all objects and uploads older. */
  age(ms: number): void {
    for (const one of this.objects.values()) one.modifiedMs -= ms;
    for (const one of this.uploads.values()) one.startedMs -= ms;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #now(): number {
    return Date.now() + this.skewMs;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.endpoint);
    const [, bucket = "", ...segments] = url.pathname.split("/");
    const key = segments.map(decodeURIComponent).join("/");
    const isPresigned = url.searchParams.has("X-Amz-Signature");
    const { method = "", headers } = request;
    const seen = { method, key, query: url.searchParams, headers, isPresigned };
    this.seen.push(seen);
    response.setHeader("date", new Date(this.#now()).toUTCString());
    const fault = this.fault(seen);
    if (fault !== undefined && "cut" in fault && fault.cut === "before") {
      request.socket.destroy();
      return;
    }
    if (fault !== undefined && "slowMs" in fault) await sleep(fault.slowMs);
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
      if (fault !== undefined && "cut" in fault && fault.cut === "middle") {
        request.socket.destroy();
        return;
      }
    }
    const body = Buffer.concat(chunks);
    try {
      if (fault !== undefined && "status" in fault) throw new Refusal(fault.status, fault.code);
      if (fault !== undefined && "redirectTo" in fault) {
        response.writeHead(307, { location: `${fault.redirectTo}${request.url}` }).end();
        return;
      }
      if (isPresigned) this.#checkQuery(request, url);
      else this.#checkHeader(request, url, body);
      if (bucket !== BUCKET) throw new Refusal(404, "NoSuchBucket");
      const cut = fault !== undefined && "cut" in fault && fault.cut === "after";
      this.#serve({ request, response, url, key, body, cut });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const text = `<?xml version="1.0"?><Error><Code>${error.code}</Code></Error>`;
      response.writeHead(error.status, { "content-type": "application/xml" });
      response.end(method === "HEAD" ? undefined : text);
    }
  }

  #checkHeader(request: IncomingMessage, url: URL, body: Buffer): void {
    const { headers } = request;
    if (/aws-chunked/.test(String(headers["content-encoding"] ?? ""))) {
      throw new Refusal(501, "NotImplemented");
    }
    const scope = "Credential=([^/]+)/(\\d{8})/([^/]+)/s3/aws4_request";
    const rest = "SignedHeaders=([^,]+), Signature=([0-9a-f]{64})";
    const parsed = new RegExp(`^AWS4-HMAC-SHA256 ${scope}, ${rest}$`).exec(
      headers.authorization ?? "",
    );
    if (parsed === null) throw new Refusal(403, "AccessDenied");
    const [, access, day, region, signed = "", signature = ""] = parsed;
    const time = String(headers["x-amz-date"]);
    this.#checkScope({ access, day, region, time });
    if (Math.abs(timeOf(time) - this.#now()) > SKEW_MAX_MS) {
      throw new Refusal(403, "RequestTimeTooSkewed");
    }
    const hash = String(headers["x-amz-content-sha256"]);
    const names = signed.split(";");
    const needed = Object.keys(headers).filter((name) => /^x-amz-|^host$|^if-/.test(name));
    if (!needed.every((name) => names.includes(name))) throw new Refusal(403, "AccessDenied");
    if (signatureOf({ request, url, names, hash, time }) !== signature) {
      throw new Refusal(403, "SignatureDoesNotMatch");
    }
    // This server rejects bodies without a hash or a length.
    if (hash !== sha256(body)) throw new Refusal(400, "XAmzContentSHA256Mismatch");
    const needsLength = request.method === "PUT" || request.method === "POST";
    if (needsLength && headers["content-length"] === undefined) {
      throw new Refusal(411, "MissingContentLength");
    }
  }

  #checkQuery(request: IncomingMessage, url: URL): void {
    const query = url.searchParams;
    const [access, day, region] = (query.get("X-Amz-Credential") ?? "").split("/");
    const time = query.get("X-Amz-Date") ?? "";
    this.#checkScope({ access, day, region, time });
    const seconds = Number(query.get("X-Amz-Expires"));
    if (!(seconds >= 1 && seconds <= 604_800)) {
      throw new Refusal(400, "AuthorizationQueryParametersError");
    }
    if (timeOf(time) > this.#now() + SKEW_MAX_MS || timeOf(time) + seconds * 1_000 < this.#now()) {
      throw new Refusal(403, "AccessDenied");
    }
    const names = (query.get("X-Amz-SignedHeaders") ?? "").split(";");
    const given = Buffer.from(query.get("X-Amz-Signature") ?? "");
    const bare = new URL(url);
    bare.searchParams.delete("X-Amz-Signature");
    const hash = "UNSIGNED-PAYLOAD";
    const right = Buffer.from(signatureOf({ request, url: bare, names, hash, time }));
    if (given.length !== right.length || !timingSafeEqual(given, right)) {
      throw new Refusal(403, "SignatureDoesNotMatch");
    }
  }

  #checkScope(scope: Readonly<Record<"access" | "day" | "region" | "time", string | undefined>>) {
    const { access, day, region, time } = scope;
    if (access !== FAKE_KEYS.accessKey) throw new Refusal(403, "InvalidAccessKeyId");
    if (region !== "test-1" || time === undefined || !time.startsWith(day ?? "-")) {
      throw new Refusal(400, "AuthorizationHeaderMalformed");
    }
  }

  #serve(call: Served): void {
    const { request, url, key } = call;
    const query = url.searchParams;
    const method = request.method ?? "";
    if (key === "" && method === "GET" && query.has("uploads")) this.#listUploads(call);
    else if (key === "" && method === "GET") this.#list(call);
    else if (method === "POST" && query.has("uploads")) this.#begin(call);
    else if (method === "PUT" && query.has("uploadId")) this.#part(call);
    else if (method === "POST" && query.has("uploadId")) this.#complete(call);
    else if (method === "DELETE" && query.has("uploadId")) this.#abort(call);
    else if (method === "PUT") this.#put(call);
    else if (method === "GET" || method === "HEAD") this.#get(call);
    else if (method === "DELETE") {
      this.objects.delete(key);
      end(call, 204);
    } else throw new Refusal(405, "MethodNotAllowed");
  }

  #put(call: Served): void {
    const { request, key, body } = call;
    if (request.headers["if-none-match"] === "*" && this.objects.has(key)) {
      throw new Refusal(412, "PreconditionFailed");
    }
    this.#store(key, body, request.headers, `"${md5(body)}"`);
    end(call, 200, { etag: `"${md5(body)}"` });
  }

  #store(key: string, bytes: Buffer, headers: IncomingMessage["headers"], tag: string): void {
    const names = Object.keys(headers).filter((name) => name.startsWith("x-amz-meta-"));
    const metadata = Object.fromEntries(
      names.map((name) => [name.slice(11), String(headers[name])]),
    );
    const type = headers["content-type"] ?? "";
    const modifiedMs = this.#now();
    this.objects.set(key, { bytes, type, metadata, tag, modifiedMs, hidden: this.listingLag });
  }

  #get(call: Served): void {
    const { request, response, url, key } = call;
    const found = this.objects.get(key);
    if (found === undefined) throw new Refusal(404, "NoSuchKey");
    const match = request.headers["if-match"];
    if (match !== undefined && match !== found.tag) throw new Refusal(412, "PreconditionFailed");
    const headers: Record<string, string> = {
      etag: found.tag,
      "content-type": url.searchParams.get("response-content-type") ?? found.type,
      "last-modified": new Date(found.modifiedMs).toUTCString(),
      "accept-ranges": "bytes",
    };
    const disposition = url.searchParams.get("response-content-disposition");
    if (disposition !== null) headers["content-disposition"] = disposition;
    for (const [name, text] of Object.entries(found.metadata)) headers[`x-amz-meta-${name}`] = text;
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    let { bytes } = found;
    let status = 200;
    if (first !== undefined) {
      const from = Number(first);
      if (from >= bytes.length) throw new Refusal(416, "InvalidRange");
      const to = last ? Math.min(Number(last), bytes.length - 1) : bytes.length - 1;
      headers["content-range"] = `bytes ${from}-${to}/${bytes.length}`;
      bytes = bytes.subarray(from, to + 1);
      status = 206;
    }
    headers["content-length"] = String(bytes.length);
    response.writeHead(status, headers);
    if (request.method === "HEAD") response.end();
    else if (call.cut) {
      response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
    } else response.end(bytes);
  }

  #list(call: Served): void {
    const query = call.url.searchParams;
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? "";
    const max = Math.min(Number(query.get("max-keys") ?? 3), 3);
    const found = [...this.objects]
      .filter(([key, one]) => key.startsWith(prefix) && key > after && one.hidden-- <= 0)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const page = found.slice(0, max);
    const more = found.length > max;
    const rows = page.map(
      ([key, { bytes, modifiedMs }]) =>
        `<Contents><Key>${key}</Key><Size>${bytes.length}</Size>` +
        `<LastModified>${new Date(modifiedMs).toISOString()}</LastModified></Contents>`,
    );
    const next = more ? `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>` : "";
    const inner = `<IsTruncated>${more}</IsTruncated>${next}${rows.join("")}`;
    const text = `<ListBucketResult>${inner}</ListBucketResult>`;
    end(call, 200, {}, text);
  }

  #listUploads(call: Served): void {
    const rows = [...this.uploads].map(
      ([id, { key, startedMs }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId>` +
        `<Initiated>${new Date(startedMs).toISOString()}</Initiated></Upload>`,
    );
    end(call, 200, {}, `<ListMultipartUploadsResult>${rows.join("")}</ListMultipartUploadsResult>`);
  }

  #begin(call: Served): void {
    const id = `upload-${++this.#uploads}`;
    const { key, request } = call;
    this.uploads.set(id, {
      key,
      headers: request.headers,
      parts: new Map(),
      startedMs: this.#now(),
    });
    const root = "InitiateMultipartUploadResult";
    const text = `<${root}><UploadId>${id}</UploadId></${root}>`;
    end(call, 200, {}, text);
  }

  #part(call: Served): void {
    this.#uploadOf(call).parts.set(Number(call.url.searchParams.get("partNumber")), call.body);
    end(call, 200, { etag: `"${md5(call.body)}"` });
  }

  #complete(call: Served): void {
    const { key, parts, headers } = this.#uploadOf(call);
    const named = [
      ...call.body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g),
    ];
    const chunks = named.map(([, number, tag]) => {
      const bytes = parts.get(Number(number));
      if (bytes === undefined || `"${md5(bytes)}"` !== tag) throw new Refusal(400, "InvalidPart");
      return bytes;
    });
    if (chunks.slice(0, -1).some(({ length }) => length < this.partBytesMin)) {
      throw new Refusal(400, "EntityTooSmall");
    }
    if (call.request.headers["if-none-match"] === "*" && this.objects.has(key)) {
      throw new Refusal(412, "PreconditionFailed");
    }
    const bytes = Buffer.concat(chunks);
    const tag = `"${md5(bytes)}-${chunks.length}"`;
    this.#store(key, bytes, headers, tag);
    this.uploads.delete(call.url.searchParams.get("uploadId") ?? "");
    const root = "CompleteMultipartUploadResult";
    const text = `<${root}><ETag>${tag}</ETag></${root}>`;
    end(call, 200, {}, text);
  }

  #abort(call: Served): void {
    this.#uploadOf(call);
    this.uploads.delete(call.url.searchParams.get("uploadId") ?? "");
    end(call, 204);
  }

  #uploadOf({ url, key }: Served): Upload {
    const upload = this.uploads.get(url.searchParams.get("uploadId") ?? "");
    if (upload === undefined || upload.key !== key) throw new Refusal(404, "NoSuchUpload");
    return upload;
  }
}

interface Served {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly key: string;
  readonly body: Buffer;
  /** True if the work is done but the connection is closed without an answer. */
  readonly cut: boolean;
}

function end(call: Served, status: number, headers: Record<string, string> = {}, text = ""): void {
  if (call.cut) call.response.destroy();
  else call.response.writeHead(status, headers).end(text);
}

function signatureOf(parts: {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly names: readonly string[];
  readonly hash: string;
  readonly time: string;
}): string {
  const { request, url, names, hash, time } = parts;
  const pairs = [...url.searchParams].map(
    ([name, value]) => [strict(name), strict(value)] as const,
  );
  pairs.sort(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : 1));
  const path = url.pathname
    .split("/")
    .map((part) => strict(decodeURIComponent(part)))
    .join("/");
  const canonical = [
    request.method,
    path,
    pairs.map((pair) => pair.join("=")).join("&"),
    ...names.map((name) => `${name}:${String(request.headers[name]).trim().replace(/\s+/g, " ")}`),
    "",
    names.join(";"),
    hash,
  ].join("\n");
  const day = time.slice(0, 8);
  const scope = `${day}/test-1/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(Buffer.from(canonical))].join("\n");
  let key: Buffer = Buffer.from(`AWS4${FAKE_KEYS.secretKey}`);
  for (const part of [day, "test-1", "s3", "aws4_request"]) key = hmac(key, part);
  return hmac(key, text).toString("hex");
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
function strict(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      if (/[A-Za-z0-9_.~-]/.test(letter)) return letter;
      return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function timeOf(text: string): number {
  const form = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
  return Date.parse(text.replace(form, "$1-$2-$3T$4:$5:$6Z"));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function md5(bytes: Buffer): string {
  return createHash("md5").update(bytes).digest("hex");
}
