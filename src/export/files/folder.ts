/**
 * The files of exports, and the files uploaded for them. If a notice made an export's file, its
 * entries are stored too: the accounts that are added to the tenant's list `exported`. They are
 * unclaimed until a client reads the file, and claimed from then until they are in the list.
 * Invariant: a path is made only of a checked id, format, and compression, never of client text.
 * Only files with this program's names are removed. An uploaded file has a temporary name until its
 * export is accepted. Then it is durable under the export's name.
 */
import { strict as assert } from "node:assert";
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import { storageCause } from "../../files/storage.ts";
import { faultPoint } from "../../process/fault.ts";
import { openDataDir, syncDirectory } from "../../store/datadir.ts";
import type { ReceivedFile, SentFile } from "../exporter.ts";
import { COMPRESSED, type ExportKind, extensionOf, FORMATS } from "../formats/format.ts";
import { EXPORT_ID } from "../record.ts";
import type { SentObject, StoredFile } from "./exportfiles.ts";

const FOLDER = "exports";

/** Name of the folder of uploaded files. */
const SENT_FOLDER = "sent";
/**
 * Names of uploaded files and of unclaimed entries, complete and partial. Claimed entries are
 * excluded, because they are needed until they are in the tenant's list.
 */
const SENT =
  /^(exp_[0-9a-f]{32})(?:\.unclaimed)?$|^(?:[0-9a-f]{32}|exp_[0-9a-f]{32}\.unclaimed)\.tmp$/;
/** Names of files with unclaimed entries. */
const UNCLAIMED = /^(exp_[0-9a-f]{32})\.unclaimed$/;
/** Names of claimed entries. */
const CLAIMED = /^(exp_[0-9a-f]{32})\.claimed$/;

/** Names of finished files, and of their temporary files. */
const OURS = /^exp_[0-9a-f]{32}\./;

/** The folders in a data directory that hold export files and uploaded files. */
export class ExportFolder {
  readonly #path: string;
  readonly #sent: string;

  /** Creates the folder if it is missing. Throws `CommandError` if other users could access it. */
  constructor(dataDir: string) {
    this.#path = resolve(dataDir, FOLDER);
    openDataDir(this.#path);
    this.#sent = resolve(dataDir, SENT_FOLDER);
    openDataDir(this.#sent);
  }

  /** Returns the absolute path of an export's uploaded file. */
  sentPathOf(id: string): string {
    assert(EXPORT_ID.test(id), "an export has a checked id");
    return join(this.#sent, id);
  }

  /** True if an export's uploaded file exists here. */
  hasSent(id: string): boolean {
    return existsSync(this.sentPathOf(id));
  }

  /** Begins to receive an upload. Calls `hasRoom` at intervals. */
  receive(hasRoom: () => boolean): SentFile {
    return new Receiving(join(this.#sent, `${randomBytes(16).toString("hex")}.tmp`), hasRoom);
  }

  /** Returns an export's uploaded file as a new upload, or null if the file is gone. */
  sendAgain(id: string, { bytes, sha256 }: Omit<ReceivedFile, "path">): SentFile | null {
    const path = join(this.#sent, `${randomBytes(16).toString("hex")}.tmp`);
    if (!copyIfThere(this.sentPathOf(id), path)) return null;
    const end = () => Promise.resolve({ path, bytes, sha256 });
    return { add: () => {}, end, drop: () => unlinkIfThere(path) };
  }

  /** Assigns an uploaded file to an export, durably. */
  keepSent({ path }: ReceivedFile, id: string): void {
    renameSync(path, this.sentPathOf(id));
    syncDirectory(this.#sent);
  }

  /**
   * Receives a copy of an export's uploaded file. Calls `cut` with the reason if the bytes end
   * early or differ. Throws the errors of the disk.
   */
  async fetchSent(
    { id, sha256 }: SentObject,
    bytes: AsyncIterable<Uint8Array>,
    cut: (cause?: unknown) => never,
  ): Promise<void> {
    const file = this.receive(() => true);
    try {
      try {
        for await (const chunk of bytes) file.add(chunk);
      } catch (error) {
        cut(error);
      }
      const received = await file.end().catch((error: unknown) => {
        throw storageCause(error) ?? error;
      });
      if (received.sha256 !== sha256) cut();
      this.keepSent(received, id);
    } finally {
      file.drop();
    }
  }

  /** Returns the exports whose uploaded file exists here. */
  sent(): string[] {
    return readdirSync(this.#sent).filter((name) => EXPORT_ID.test(name));
  }

  /** Removes an export's uploaded file and its unclaimed entries, if they exist. */
  removeSent(id: string): void {
    unlinkIfThere(this.sentPathOf(id));
    unlinkIfThere(this.unclaimedPathOf(id));
  }

  /** Returns the path of an export's entries while no client has read the export's file. */
  unclaimedPathOf(id: string): string {
    return `${this.sentPathOf(id)}.unclaimed`;
  }

  /** Returns the path of an export's entries once a client has read the export's file. */
  claimedPathOf(id: string): string {
    return `${this.sentPathOf(id)}.claimed`;
  }

  /** Durably marks an export's entries as claimed (read). Returns false without entries. */
  claim(id: string): boolean {
    try {
      renameSync(this.unclaimedPathOf(id), this.claimedPathOf(id));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
    syncDirectory(this.#sent);
    return true;
  }

  /** Returns the exports with unclaimed entries. */
  unclaimed(): string[] {
    return readdirSync(this.#sent).flatMap((name) => UNCLAIMED.exec(name)?.[1] ?? []);
  }

  /** Returns the exports with claimed entries. */
  claimed(): string[] {
    return readdirSync(this.#sent).flatMap((name) => CLAIMED.exec(name)?.[1] ?? []);
  }

  /** Removes the claimed entries of an export (its file was read), if they exist. */
  removeClaimed(id: string): void {
    unlinkIfThere(this.claimedPathOf(id));
  }

  /** Removes uploaded files that no export needs. Call it only while no upload is received. */
  cleanSent(isNeeded: (id: string) => boolean, all: boolean): void {
    for (const name of readdirSync(this.#sent)) {
      const [known, id] = SENT.exec(name) ?? [];
      const isLeft = id === undefined ? all : !isNeeded(id);
      if (known !== undefined && isLeft) unlinkIfThere(join(this.#sent, name));
    }
  }

  pathOf(file: StoredFile): string {
    return join(this.#path, this.nameOf(file));
  }

  nameOf({ id, format, compression }: StoredFile): string {
    const isKnown = format in FORMATS && (compression === null || compression in COMPRESSED);
    assert(EXPORT_ID.test(id) && isKnown, "an export has a checked id, format and compression");
    return `${id}.${extensionOf({ format, compression } as ExportKind)}`;
  }

  /** Returns the size of an export file in bytes, or null if it does not exist. */
  sizeOf(name: string): number | null {
    const found = lstatSync(join(this.#path, name), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : null;
  }

  /** Returns the free bytes of the disk for this process, or null if it is unknown. */
  freeBytes(): number | null {
    try {
      const { bavail, bsize } = statfsSync(this.#path);
      return bavail * bsize;
    } catch {
      return null;
    }
  }

  /** Returns the names of all export files, including temporary ones. */
  names(): string[] {
    return readdirSync(this.#path).filter((name) => OURS.test(name));
  }

  /** Removes a file if it exists. */
  remove(name: string): void {
    assert(OURS.test(name), "only files of exports are removed");
    unlinkIfThere(join(this.#path, name));
  }
}

/**
 * Makes a second name for a file by a link, or by a copy, which is equivalent because files never
 * change. Returns false if the file does not exist.
 */
function copyIfThere(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EMLINK") throw error;
  }
  // Not every file system has links.
  copyFileSync(from, to);
  return true;
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Number of bytes after which the free space is checked again. */
const CHECK_BYTES = 16 << 20;
const FULL =
  "The server has not enough room for the file. Try again later, or ask the operator for space.";

class Receiving implements SentFile {
  readonly #path: string;
  readonly #hasRoom: () => boolean;
  readonly #hash = createHash("sha256");
  #fd: number | null;
  #bytes = 0;
  #failure: AppError | null = null;

  constructor(path: string, hasRoom: () => boolean) {
    this.#path = path;
    this.#hasRoom = hasRoom;
    if (!hasRoom()) throw new AppError("storage_full", FULL);
    this.#fd = openSync(path, "wx", 0o600);
  }

  add(chunk: Uint8Array): void {
    if (this.#fd === null) return;
    const checked = Math.floor(this.#bytes / CHECK_BYTES);
    this.#hash.update(chunk);
    try {
      for (let done = 0; done < chunk.byteLength; ) {
        done += writeSync(this.#fd, chunk, done, chunk.byteLength - done);
      }
      this.#bytes += chunk.byteLength;
      if (Math.floor(this.#bytes / CHECK_BYTES) === checked || this.#hasRoom()) return;
      this.#fail();
    } catch (error) {
      this.#fail(error);
    }
  }

  async end(): Promise<ReceivedFile> {
    if (this.#failure !== null) throw this.#failure;
    this.#close();
    faultPoint("receive.after_write");
    const file = await open(this.#path, "r");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    return { path: this.#path, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  drop(): void {
    this.#close();
    unlinkIfThere(this.#path);
  }

  #fail(cause?: unknown): void {
    this.#failure = new AppError("storage_full", FULL, { cause });
    this.drop();
  }

  #close(): void {
    const fd = this.#fd;
    this.#fd = null;
    if (fd !== null) closeSync(fd);
  }
}
