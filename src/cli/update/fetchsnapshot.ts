/**
 * Fetches a snapshot from a store. Input: the address of an object, or of a folder of months.
 * Output: the verified snapshot in a local folder.
 * Invariant: a snapshot gets its final name only when its size and all checksums are right and it
 * is durable. An interrupted fetch resumes only if the object is unchanged. A damaged file is
 * removed, and fetched again by the next run.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { type ObjectStore, StoreFault } from "../../download/store/objectstore.ts";
import { checkSpace, makeFolder } from "../../download/workfolder.ts";
import { CommandError } from "../../errors.ts";
import { checkStoreAddress, readStoreAddress, shownObject } from "../../files/objectaddress.ts";
import type { Config } from "../../settings/config.ts";
import { syncDirectory } from "../../store/datadir.ts";
import { verifyFile } from "../commands/verify.ts";
import { openStore } from "../serving/filestore.ts";

/** Matches the names that `peneira update` gives to snapshots. */
const MONTH = /^\d{4}-\d\d\.peneira$/;
/** Max consecutive resumed fetches without progress. */
const TRIES = 5;

/** A fetch from a store. */
export interface SnapshotFetch {
  readonly config: Config;
  readonly address: string;
  readonly folder: string;
  readonly report: (text: string) => void;
  /** Newest month in the folder, from any source. Older months are not fetched. */
  readonly newest?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Result of a fetch: the newest month of the store. */
export interface FetchedSnapshot {
  readonly month: string;
  /** Path, or null if the folder has a newer month, or this month from another source. */
  readonly path: string | null;
  /** False if the folder already had this snapshot. */
  readonly fetched: boolean;
}

/** Fetches the snapshot at an address, or the newest month below it. @throws CommandError */
export async function fetchNewest(options: SnapshotFetch): Promise<FetchedSnapshot> {
  const { config, address, folder, newest = "" } = options;
  const place = readStoreAddress(address);
  if (place === null) throw new CommandError(`It must be ${checkStoreAddress("")}.`, 2);
  const store = await openStore(config, place);
  try {
    await makeFolder(folder);
    const key = MONTH.test(basename(place.prefix)) ? place.prefix : await newestKey(store);
    const month = basename(key, ".peneira");
    const isHere = month < newest || (month === newest && !existsSync(tagOf(folder, key)));
    if (isHere) return { month, path: null, fetched: false };
    return { month, ...(await new Fetch(store, key, options).run()) };
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    const from = shownObject(place, place.prefix);
    throw new CommandError(`${from} was not fetched: ${error.message}.`, 1, error);
  } finally {
    await store.close();
  }
}

async function newestKey(store: ObjectStore): Promise<string> {
  const { prefix } = store.place;
  const folder = prefix === "" ? "" : `${prefix}/`;
  let newest = "";
  for await (const { key } of store.list(folder)) {
    if (MONTH.test(key.slice(folder.length)) && key > newest) newest = key;
  }
  if (newest !== "") return newest;
  const where = shownObject(store.place, folder);
  throw new CommandError(`There is no snapshot named YYYY-MM.peneira in ${where}. Upload one.`);
}

/** Returns the path of the file that stores the fetched object's tag. */
function tagOf(folder: string, key: string): string {
  return join(folder, `.${basename(key)}.tag`);
}

/** Appends bytes. When it ends, all received bytes are in the file, even after an error. */
async function append(path: string, bytes: Readable): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    for await (const chunk of bytes) await file.appendFile(chunk as Buffer);
  } finally {
    await file.close();
  }
}

class Fetch {
  readonly #store: ObjectStore;
  readonly #key: string;
  readonly #folder: string;
  readonly #name: string;
  readonly #report: (text: string) => void;
  readonly #signal: AbortSignal | undefined;

  constructor(store: ObjectStore, key: string, { folder, report, signal }: SnapshotFetch) {
    this.#store = store;
    this.#key = key;
    this.#folder = folder;
    this.#name = basename(key);
    this.#report = report;
    this.#signal = signal;
  }

  async run(): Promise<Pick<FetchedSnapshot, "fetched"> & { readonly path: string }> {
    const shown = shownObject(this.#store.place, this.#key);
    const found = await this.#store.head(this.#key, this.#signal);
    if (found === null) throw new CommandError(`There is no ${shown}. Check files and address.`);
    const { sizeBytes, tag } = found;
    const path = join(this.#folder, this.#name);
    const tagPath = tagOf(this.#folder, this.#key);
    const known = existsSync(path) && existsSync(tagPath) && readFileSync(tagPath, "utf8") === tag;
    if (known && statSync(path).size === sizeBytes) return { path, fetched: false };
    const partial = this.#partial(tag);
    const have = existsSync(partial) ? statSync(partial).size : 0;
    checkSpace([{ folder: this.#folder, bytes: sizeBytes - have, what: "the snapshot" }]);
    this.#report(`fetching ${shown} (${sizeBytes} bytes${have > 0 ? `, ${have} are here` : ""})`);
    await this.#fetch(partial, { sizeBytes, tag });
    await this.#verify(partial);
    renameSync(partial, path);
    writeFileSync(tagPath, tag);
    syncDirectory(this.#folder);
    return { path, fetched: true };
  }

  /** Removes partial files of other objects. Returns the path for this one. */
  #partial(tag: string): string {
    const own = `.${this.#name}.${tag.replace(/[^0-9A-Za-z]/g, "")}.partial`;
    for (const name of readdirSync(this.#folder)) {
      const isOurs = name.startsWith(`.${this.#name}.`) && name.endsWith(".partial");
      if (isOurs && name !== own) rmSync(join(this.#folder, name));
    }
    return join(this.#folder, own);
  }

  /** Appends until the file is complete. */
  async #fetch(path: string, { sizeBytes, tag }: { sizeBytes: number; tag: string }) {
    for (let failures = 0; ; ) {
      const offset = existsSync(path) ? statSync(path).size : 0;
      if (offset >= sizeBytes) break;
      try {
        const length = sizeBytes - offset;
        const range = { offset, length };
        const bytes = await this.#store.get(this.#key, range, this.#signal, tag);
        if (bytes === null) throw new StoreFault("the object is gone", { status: 404 });
        await append(path, bytes);
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (error instanceof StoreFault && !error.away) throw error;
        const now = existsSync(path) ? statSync(path).size : 0;
        failures = now > offset ? 0 : failures + 1;
        if (failures === TRIES) throw error;
        this.#report(`cut after ${now} of ${sizeBytes} bytes; resuming`);
      }
    }
    const descriptor = openSync(path, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  }

  async #verify(path: string): Promise<void> {
    try {
      this.#report(await verifyFile(path));
    } catch (error) {
      if (error instanceof CommandError) rmSync(path);
      throw error;
    }
  }
}
