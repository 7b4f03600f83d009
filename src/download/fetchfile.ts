/**
 * Downloads one zip from the share to the disk, first into a partial file (a part).
 * Invariant: a part's name identifies a publication of the month. The part holds only bytes of that
 * publication, from the start without gaps. An answer with another size, tag, date, or range is
 * refused before any of its bytes is written. If the server ignores the range, the part is
 * rewritten from its start.
 */
import { constants } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { CommandError } from "../errors.ts";
import { notWritten } from "../files/storage.ts";
import type { ShareAnswer } from "./client.ts";
import { DownloadError, errorOfStatus, ShareFault } from "./downloaderror.ts";
import type { RemoteFile } from "./months.ts";
import { checkSame } from "./releasedate.ts";
import type { SourceContext } from "./source.ts";
import { sizeText } from "./words.ts";

/** A file to download, and its callbacks. */
interface Fetching {
  readonly context: SourceContext;
  readonly file: RemoteFile;
  /** Path of the partial file. */
  readonly part: string;
  /** Path of the complete file. */
  readonly whole: string;
  /** Called with the number of received bytes. Discarded bytes count negatively. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Tries to download a file. Received bytes stay in the part. @throws DownloadError, CommandError
 */
export async function fetchFile(fetching: Fetching): Promise<void> {
  const { file, part, whole, onBytes } = fetching;
  const flags = constants.O_RDWR | constants.O_CREAT;
  const handle = await open(part, flags, 0o666).catch((error: unknown) => {
    throw diskWords(error, part);
  });
  try {
    let have = (await handle.stat()).size;
    // Without a tag or a date, the missing bytes may belong to another publication.
    const bound = file.etag !== null || file.modified !== null;
    const resumable = have < file.bytes ? bound : have === file.bytes;
    if (have > 0 && !resumable) have = await restart(handle, have, onBytes);
    if (have < file.bytes) {
      const answer = await begin(fetching, have);
      if (answer.status === 200 && have > 0) {
        fetching.context.report(`${file.name}: the share does not resume; beginning anew`);
        have = await restart(handle, have, onBytes);
      }
      await receive(fetching, handle, answer, have);
    }
    await handle.sync();
  } catch (error) {
    throw diskWords(error, part);
  } finally {
    await handle.close();
  }
  await rename(part, whole);
}

/** Requests the missing bytes. The answer begins at `have` (206) or at 0 (200). */
async function begin({ context, file }: Fetching, have: number): Promise<ShareAnswer> {
  const { source, signal } = context;
  const answer = await source.request({
    method: "GET",
    url: file.url,
    signal,
    headers: have === 0 ? {} : { range: `bytes=${have}-`, ...ifRange(file) },
  });
  const { status, headers } = answer;
  if (status !== 200 && !(status === 206 && have > 0)) {
    answer.drop();
    throw errorOfStatus(answer, true);
  }
  if ((headers.get("content-encoding") ?? "identity") !== "identity") {
    answer.drop();
    throw new ShareFault(`${file.name}: the share packs its answers; ranges cannot be trusted.`);
  }
  checkSame(answer, file);
  const range = headers.get("content-range");
  if (status === 206 && !range?.startsWith(`bytes ${have}-`)) {
    answer.drop();
    throw new DownloadError("again", `the share sends another range (${range})`);
  }
  return answer;
}

/** Returns If-Range headers. They need a strong tag (RFC 9110). A date is the next best. */
function ifRange({ etag, modified }: RemoteFile): Record<string, string> {
  const strong = etag?.startsWith('"') === true ? etag : modified;
  return strong === null ? {} : { "if-range": strong };
}

async function receive(
  { file, onBytes }: Fetching,
  handle: FileHandle,
  answer: ShareAnswer,
  have: number,
): Promise<void> {
  let at = have;
  for await (const piece of answer.body()) {
    if (at + piece.length > file.bytes) {
      answer.drop();
      throw new DownloadError(
        "replaced",
        `the share sends more than the ${file.bytes} bytes it lists`,
      );
    }
    for (let from = 0; from < piece.length; ) {
      const { bytesWritten } = await handle.write(piece, from, piece.length - from, at + from);
      from += bytesWritten;
    }
    at += piece.length;
    onBytes(piece.length);
  }
  if (at < file.bytes) {
    const [here, all] = [sizeText(at), sizeText(file.bytes)];
    throw new DownloadError("again", `the connection was cut after ${here} of ${all}`);
  }
}

async function restart(
  handle: FileHandle,
  have: number,
  onBytes: Fetching["onBytes"],
): Promise<number> {
  await handle.truncate(0);
  onBytes(-have);
  return 0;
}

/** Rewords errors of a full disk, the only disk failure that users can fix themselves. */
function diskWords(error: unknown, path: string): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (error instanceof DownloadError || error instanceof CommandError || syscall === undefined) {
    return error;
  }
  const failure = notWritten(path, error);
  if (failure === null) return new CommandError(`${path} was not written: ${message}.`, 1, error);
  return new CommandError(`${failure} The next run goes on with what is there.`, 1, error);
}
