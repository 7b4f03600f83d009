/**
 * What a download leaves beside the zips of a month, as far as an import wants to know it.
 * What comes in: a folder. What goes out: the host that its files came from.
 * Invariant: anybody may have written the file; what is read from it is one short line or nothing.
 * Apart because downloads write it, and imports know nothing of downloads.
 */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPrintable } from "../../native-index/format/printable.ts";

/** Name of the file that tells of which publication a finished month is. */
export const DOWNLOAD_RECORD = "download.json";

/** A record has some 200 bytes for each of 37 zips. */
const BYTES_MAX = 1 << 20;
/** Longest host; names of the DNS have 253 characters. */
const HOST_LENGTH_MAX = 300;

/** The host that the files of a folder were downloaded from; null where nothing says so. */
export function hostOfDump(folder: string): string | null {
  const path = join(folder, DOWNLOAD_RECORD);
  try {
    const found = lstatSync(path);
    if (!found.isFile() || found.size > BYTES_MAX) return null;
    const { host } = JSON.parse(readFileSync(path, "utf8")) as { readonly host?: unknown };
    const fits = typeof host === "string" && host !== "" && host.length <= HOST_LENGTH_MAX;
    return fits && isPrintable(host) ? host : null;
  } catch {
    return null;
  }
}
