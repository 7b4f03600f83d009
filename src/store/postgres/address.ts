/**
 * The address of a state on PostgreSQL. Input: the setting `state.url`, or the file in a data
 * directory that remembers it. Output: the server and the schema.
 * Invariant: the file has mode 0600 and holds the password, so commands and threads that know the
 * data directory find the state. The address that is shown never has a password.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../../errors.ts";
import { readSmallFile, SMALL_FILE_BYTES } from "../../files/smallfile.ts";
import { checkDataFile, FILE_MODE, openDataDir, statOf, syncDirectory } from "../datadir.ts";

/** Name of the file in the data directory that stores the address. */
export const ADDRESS_FILE = "state.url";

/** Schema that contains the tables, unless the address names another one with `?schema=NAME`. */
const SCHEMA = "peneira";

/** A server, and the schema of a state on it. */
export interface StateAddress {
  /** Address for the PostgreSQL client, without the parameters that only this program knows. */
  readonly url: string;
  readonly schema: string;
}

/**
 * Parses an address.
 * @throws CommandError with exit code 2, whose message lacks the address
 */
export function stateAddress(text: string): StateAddress {
  const refuse = (why: string) => new CommandError(`state.url ${why}`, 2);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse("is not a URL. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE.");
  }
  if (!/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw refuse(`starts with ${url.protocol}//; the state can be on postgres:// only.`);
  }
  const schema = url.searchParams.get("schema") ?? SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw refuse("names a schema that has other characters than a-z, 0-9, and _.");
  }
  url.searchParams.delete("schema");
  return { url: url.href, schema };
}

/** Returns an address without its user and password, for messages. */
export function shownAddress({ url, schema }: StateAddress): string {
  const { host, pathname, searchParams } = new URL(url);
  const place = host === "" ? (searchParams.get("host") ?? "localhost") : host;
  return `PostgreSQL at ${place}${pathname} (schema ${schema})`;
}

/** Returns the address that a data directory remembers; null if its state is in its own file. */
export function rememberedAddress(dataDir: string): StateAddress | null {
  const path = join(dataDir, ADDRESS_FILE);
  if (statOf(path) === undefined) return null;
  checkDataFile(dataDir, ADDRESS_FILE);
  return stateAddress(String(readSmallFile(path, SMALL_FILE_BYTES.settings)).trim());
}

/** Remembers an address in a data directory, replacing another one. */
export function rememberAddress(dataDir: string, text: string): void {
  openDataDir(dataDir);
  const path = join(dataDir, ADDRESS_FILE);
  const temporary = `${path}.${process.pid}.tmp`;
  const descriptor = openSync(temporary, "w", FILE_MODE);
  try {
    writeSync(descriptor, `${text}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
  syncDirectory(dataDir);
}
