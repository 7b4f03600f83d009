/**
 * Secrets that sign cursors, links, and console tokens. Input: a data directory. Output: for each
 * purpose, the secret that signs, and the previous one, whose signatures are still accepted.
 * Invariant: each secret has 32 random bytes and is created on the first run. The file has mode
 * 0600 and appears whole or not at all. Two processes that start together get the same secrets.
 */

import { createHmac, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { CommandError } from "../errors.ts";
import { readSmallFile, SMALL_FILE_BYTES } from "../files/smallfile.ts";
import { checkDataFile, FILE_MODE, openDataDir, syncDirectory } from "./datadir.ts";

/** The secrets of one purpose. The first one signs; a signature by any of them is accepted. */
export type SecretRing = readonly [current: Buffer, ...previous: Buffer[]];

/** The secrets of a data directory. */
export interface Secrets {
  /** Signs page cursors. */
  readonly cursor: SecretRing;
  /** Signs download links. */
  readonly link: SecretRing;
  /** Signs CSRF tokens of console pages; derived from `link`. */
  readonly console: SecretRing;
}

/** Name of the file of secrets in the data directory. */
export const SECRETS_FILE = "secrets.json";

const SECRET_BYTES = 32;
const PURPOSES = ["cursor", "link"] as const;
type Purpose = (typeof PURPOSES)[number];

/** Reads the secrets; creates them on the first run. Throws `CommandError` on damage. */
export function openSecrets(dataDir: string): Secrets {
  openDataDir(dataDir);
  const path = join(dataDir, SECRETS_FILE);
  if (!checkDataFile(dataDir, SECRETS_FILE)) writeFirst(dataDir, path);
  checkDataFile(dataDir, SECRETS_FILE);
  const stored = parse(path);
  const link = ring(path, stored, "link");
  return { cursor: ring(path, stored, "cursor"), link, console: derived(link, "console") };
}

/**
 * Returns names by which this installation recognizes its own data in other places, such as an
 * object store. New data gets the first name. Data with any of the names is recognized. A name
 * stays valid until its secret has been replaced twice.
 */
export function ownersOf({ link }: Secrets): readonly [string, ...string[]] {
  const names = derived(link, "owner").map((name) => name.toString("hex").slice(0, 32));
  return names.reverse() as [string, ...string[]];
}

/** Derives secrets for a purpose that has none in the file. None of them reveals another. */
function derived([current, ...previous]: SecretRing, purpose: string): SecretRing {
  const from = (secret: Buffer) => createHmac("sha256", secret).update(purpose).digest();
  return [from(current), ...previous.map(from)];
}

/** Returns the text of the file with the secrets. */
export function secretsText(dataDir: string): string {
  return String(readSmallFile(join(dataDir, SECRETS_FILE), SMALL_FILE_BYTES.settings));
}

/** Replaces the secrets by those that several data directories share; the file appears whole. */
export function replaceSecrets(dataDir: string, text: string): void {
  openDataDir(dataDir);
  if (checkDataFile(dataDir, SECRETS_FILE) && secretsText(dataDir) === text) return;
  const path = join(dataDir, SECRETS_FILE);
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  const descriptor = openNew(temporary);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
    renameSync(temporary, path);
    syncDirectory(dataDir);
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    closeSync(descriptor);
  }
}

/** Links the file to its final name. This fails if the name exists, so the first process wins. */
function writeFirst(dataDir: string, path: string): void {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  const descriptor = openNew(temporary);
  try {
    const fresh = () => ({ current: randomBytes(SECRET_BYTES).toString("hex"), previous: null });
    const secrets = { version: 1, ...Object.fromEntries(PURPOSES.map((name) => [name, fresh()])) };
    writeSync(descriptor, `${JSON.stringify(secrets, null, 2)}\n`);
    fsyncSync(descriptor);
    linkSync(temporary, path);
    syncDirectory(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unwritable(path, error);
  } finally {
    closeSync(descriptor);
    unlinkSync(temporary);
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, "wx", FILE_MODE);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): CommandError {
  return new CommandError(`Cannot write ${path}. Check the rights and the free space.`, 1, error);
}

function parse(path: string): Record<string, unknown> {
  try {
    const stored: unknown = JSON.parse(String(readSmallFile(path, SMALL_FILE_BYTES.settings)));
    if (typeof stored === "object" && stored !== null) return stored as Record<string, unknown>;
  } catch {
    // The error is ignored because it may quote the file's content. The error below only names the
    // file.
  }
  throw damaged(path);
}

function ring(path: string, stored: Record<string, unknown>, purpose: Purpose): SecretRing {
  const pair = stored[purpose] as { current?: unknown; previous?: unknown } | undefined;
  const current = secret(pair?.current);
  if (current === null) throw damaged(path);
  if (pair?.previous === null || pair?.previous === undefined) return [current];
  const previous = secret(pair.previous);
  if (previous === null) throw damaged(path);
  return [current, previous];
}

function secret(text: unknown): Buffer | null {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;
}

function damaged(path: string): CommandError {
  return new CommandError(
    `${path} does not hold the secrets it should. Restore it, or remove it: new secrets are ` +
      "made, and cursors and links given out so far become invalid.",
  );
}
