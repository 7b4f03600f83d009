/**
 * A local folder that answers `file://` requests like a share, including ranges.
 * Invariant: a file's tag consists of its size, change time, and inode number, so that replacements
 * during the copy are detected. Only plain files are read.
 */
import { createReadStream, type Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answerer, ShareAnswer, ShareRequest } from "../client.ts";
import { type AnswerHead, ShareFault } from "../downloaderror.ts";
import type { BucketEntry } from "./xml.ts";

/** Answers requests for files. */
export class LocalFiles implements Answerer {
  async request({ url, headers, signal }: ShareRequest): Promise<ShareAnswer> {
    const path = fileURLToPath(url);
    const found = await stat(path).catch((error: unknown) => faultOf(error, path));
    if (found === null || !found.isFile()) return answerOf(url, { status: 404 });
    const { etag, modified } = validators(found);
    const match = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "");
    const condition = headers["if-range"];
    const holds = condition === undefined || condition === etag;
    const start = match === null || !holds ? 0 : Number(match[1]);
    const end = match?.[2] && holds ? Math.min(found.size, Number(match[2]) + 1) : found.size;
    const known: Record<string, string> = {
      etag,
      "last-modified": modified,
      "content-length": String(end - start),
    };
    const part = start > 0 || end < found.size;
    if (part) known["content-range"] = `bytes ${start}-${end - 1}/${found.size}`;
    const body = () => read(path, [start, end], signal);
    return answerOf(url, { status: part ? 206 : 200, headers: known, body });
  }
}

/** Lists a folder. @throws ShareFault if it cannot be read */
export async function listLocalFolder(url: URL): Promise<BucketEntry[]> {
  const path = fileURLToPath(url);
  const names = await readdir(path).catch((error: unknown) => faultOf(error, path));
  if (names === null) throw new ShareFault(`There is no folder ${path}. Check download.url.`);
  const entries: BucketEntry[] = [];
  for (const name of names) {
    const found = await stat(join(path, name)).catch(() => null);
    if (found === null) continue;
    const { etag, modified } = validators(found);
    const bytes = found.isFile() ? found.size : null;
    entries.push({ name, folder: found.isDirectory(), bytes, etag, modified });
  }
  return entries;
}

function validators({ size, mtime, mtimeMs, ino }: Stats) {
  return { etag: `"${size}-${mtimeMs}-${ino}"`, modified: mtime.toUTCString() };
}

/** Returns null for an error that means a missing path. @throws ShareFault for other errors */
function faultOf(error: unknown, path: string): null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return null;
  if (code === "ENOTDIR") throw new ShareFault(`${path} is not a folder. Check download.url.`);
  throw new ShareFault(`${path} cannot be read: ${message}.`, 1, error);
}

type Parts = Partial<Pick<ShareAnswer, "body">> & {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
};

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

function answerOf(url: URL, { status, headers = {}, body = nothing }: Parts): ShareAnswer {
  const head: AnswerHead = {
    status,
    headers: { get: (name) => headers[name] ?? null },
    url,
    through: null,
  };
  return { ...head, body, drop: () => {} };
}

async function* read(
  path: string,
  [start, end]: readonly [number, number],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (end <= start) return;
  const stream = createReadStream(path, { start, end: end - 1, highWaterMark: 1 << 20 });
  try {
    for await (const piece of stream) {
      signal.throwIfAborted();
      yield piece as Buffer;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, path) ?? new ShareFault(`${path} is gone.`);
  } finally {
    stream.destroy();
  }
}
