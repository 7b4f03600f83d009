/**
 * Shared parts of the suites about files over HTTP: an export with a file on a test server, its
 * link, answers read from a plain socket, and the number of this process's open descriptors.
 * Invariant: the file is real, but no render has made it.
 */
import { createHash } from "node:crypto";
import { openSync, readdirSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { signLink } from "../../../src/export/files/links.ts";
import type { ExportFormat, ExportRecord } from "../../../src/export/record.ts";
import { openSecrets } from "../../../src/store/secrets.ts";
import { type FakeServer, fakeSegment } from "./fake.ts";

/** Returns bytes that depend on their position, so that lost or moved bytes are detected. */
export function patternBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8) * 7 + (at >> 16)) & 255;
  return bytes;
}

/** SHA-256 in hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A queued export of the enterprise tenant. */
export function addExport(server: FakeServer, format: ExportFormat = "csv"): ExportRecord {
  const { tenantId } = server.keyring.authenticate(`Bearer ${server.keys.enterprise}`);
  const idempotencyKey = String(server.exporter.created.length);
  const wanted = { tenantId, idempotencyKey, spec: { output: { format } }, segment: fakeSegment() };
  return server.exporter.create(wanted as never).record;
}

/** Creates a completed export with its file. */
export function addFile(server: FakeServer, bytes: Uint8Array, format?: ExportFormat) {
  return server.exporter.finish(addExport(server, format).id, bytes);
}

/** Returns the path and query of an export's signed file link. */
export function linkOf(server: FakeServer, record: ExportRecord, nowMs = Date.now()): string {
  return signLink(record, { nowMs, secrets: openSecrets(server.dataDir).link });
}

/** Counts this process's open descriptors below a folder, also of removed files. */
export function openBelow(folder: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder) && fd !== "";
    } catch {
      return false;
    }
  }).length;
}

/** Waits until the count equals `wanted` or the time is up. Returns the final count. */
export async function settledAt(wanted: number, count: () => number): Promise<number> {
  for (let round = 0; round < 200 && count() !== wanted; round++) await sleep(10);
  return count();
}

/** Opens a descriptor for reading. */
export function openForReading(path: string): number {
  return openSync(path, "r");
}

/** One answer from a plain socket. */
export interface PlainAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
  /** False if the socket closed before the length in the head was reached. */
  readonly whole: boolean;
}

/** A socket's options. */
export interface Reading {
  /** Pause after each read, in milliseconds. */
  readonly pauseMs?: number;
  readonly method?: string;
  readonly lines?: readonly string[];
  /** A socket to reuse. By default, a new one is opened. */
  readonly socket?: Socket;
}

/** Sends a request, and reads the answer until its declared length or until the socket ends. */
export function fetchFile(
  port: number,
  target: string,
  reading: Reading = {},
): Promise<PlainAnswer> {
  const { pauseMs = 0, method = "GET", lines = [], socket = connect(port, "127.0.0.1") } = reading;
  const head = [`${method} ${target} HTTP/1.1`, "Host: a", ...lines, "", ""].join("\r\n");
  return new Promise((resolve) => {
    const answer = new Reader(method === "HEAD");
    const finish = () => {
      socket.off("data", take);
      socket.off("close", finish);
      if (reading.socket === undefined) socket.destroy();
      resolve(answer.result());
    };
    const take = (chunk: Buffer) => {
      answer.add(chunk);
      if (answer.whole) {
        finish();
      } else if (pauseMs > 0) {
        socket.pause();
        setTimeout(() => socket.resume(), pauseMs);
      }
    };
    socket.on("data", take);
    socket.on("close", finish);
    socket.on("error", () => {});
    socket.write(head);
  });
}

/** Assembles an answer. */
class Reader {
  #head = "";
  #parts: Buffer[] = [];
  #length = 0;
  #promised = 0;
  readonly #headOnly: boolean;

  constructor(headOnly: boolean) {
    this.#headOnly = headOnly;
  }

  get whole(): boolean {
    return this.#head !== "" && this.#length >= this.#promised;
  }

  add(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    if (this.#head !== "") return;
    const bytes = Buffer.concat(this.#parts);
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) return;
    this.#head = bytes.toString("latin1", 0, end);
    this.#parts = [bytes.subarray(end + 4)];
    this.#length = bytes.length - end - 4;
    const length = /^content-length: (\d+)$/im.exec(this.#head)?.[1];
    this.#promised = this.#headOnly ? 0 : Number(length ?? 0);
  }

  result(): PlainAnswer {
    const { whole } = this;
    const status = Number(this.#head.slice(9, 12));
    return { status, head: this.#head, body: Buffer.concat(this.#parts), whole };
  }
}

/** Returns the value of a header, or undefined if it is missing. */
export function headerOf({ head }: PlainAnswer, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1];
}
