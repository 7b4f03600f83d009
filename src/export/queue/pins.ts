/**
 * Pins snapshots while an export needs them. Input: the served snapshot, and the ids of snapshots
 * with waiting exports. Output: paths that lead to the same file even if the operator moves or
 * replaces the original.
 * Invariant: a pin is a hard link, so it needs no space while the file exists. It appears before
 * its export is committed, and is removed when no export needs it. If linking is impossible
 * (another device, foreign owner), the original path is used: a request cannot copy ten gigabytes.
 * The thread that opens a path checks the opened file.
 */
import { linkSync, lstatSync, readdirSync, type Stats, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import { faultPoint } from "../../process/fault.ts";
import type { Segment } from "../../search/segment.ts";
import { openDataDir, syncDirectory } from "../../store/datadir.ts";
import { stateGone, stateUnwritable } from "../../store/failures.ts";

const FOLDER = "pins";
const EXTENSION = ".peneira";
/** The served snapshot has its own link, from which pins are made on demand. */
const SERVED = "served-";

/** Names that this program gives. Files with other names are not touched. */
const OURS = /^(?:served-)?(?:[0-9a-f]{16}|[0-9a-f]{64})\.peneira$/;

/**
 * Number of served snapshots whose links are retained. One is enough, because a request reads and
 * pins the served snapshot in one turn of the event loop.
 */
const SERVED_PINS = 1;

/** Error codes that mean that links cannot be made here. */
const NO_LINKS = ["EXDEV", "EPERM", "EACCES", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"];

/** The pins of a data directory. */
export class Pins {
  readonly #folder: string;
  readonly #needed: (snapshotId: string) => boolean;
  readonly #linked: () => void;
  /** The served snapshot and the retained earlier snapshots, the newest last. */
  #served: readonly Segment[] = [];

  /**
   * Makes the folder if it is missing. `needed` returns true if an export waits for a snapshot;
   * `linked` is called before and after each link is made or removed. Throws `CommandError` if
   * other users could reach the folder.
   */
  constructor(
    dataDir: string,
    needed: (snapshotId: string) => boolean,
    linked: () => void = () => {},
  ) {
    this.#folder = resolve(dataDir, FOLDER);
    this.#needed = needed;
    this.#linked = linked;
    openDataDir(this.#folder);
  }

  /**
   * Links the newly served snapshot while its path still leads to it: later the operator may move
   * or replace the file. Returns the ids of the snapshots that are no longer retained.
   */
  serve(segment: Segment): string[] {
    const all = [...this.#served.filter((one) => one.snapshotId !== segment.snapshotId), segment];
    this.#served = all.slice(-SERVED_PINS);
    this.#renew(segment);
    const givenUp = all.slice(0, -SERVED_PINS).map(({ snapshotId }) => snapshotId);
    for (const id of givenUp) {
      // Another server may have accepted an export that this server will render. So the snapshot is
      // pinned before its link is removed.
      if (this.#needed(id)) this.#link(this.#anchor(id), this.path(id));
      this.#remove(this.#anchor(id));
    }
    return givenUp;
  }

  /**
   * Links the file again if its path leads to another file by now. The linked file may have been
   * corrupt, and another file may have the same content.
   */
  #renew({ snapshotId, path }: Segment): void {
    const anchor = this.#anchor(snapshotId);
    const [linked, now] = [statOf(anchor), statOf(path)];
    if (linked !== undefined && now !== undefined && linked.ino !== now.ino) this.#remove(anchor);
    this.#link(path, anchor);
    const pinned = statOf(this.path(snapshotId));
    if (pinned === undefined || now === undefined || pinned.size === now.size) return;
    this.#remove(this.path(snapshotId));
    this.#link(anchor, this.path(snapshotId));
  }

  /** Pins a snapshot. The link is durable when it returns. */
  hold(segment: Segment): void {
    const pin = this.path(segment.snapshotId);
    if (exists(pin)) return;
    const anchor = this.#anchor(segment.snapshotId);
    this.#link(exists(anchor) ? anchor : segment.path, pin);
  }

  /** Absolute path of a snapshot's pin, which may not exist. */
  path(snapshotId: string): string {
    return join(this.#folder, snapshotId + EXTENSION);
  }

  /** Paths where the file of a snapshot may be, the likeliest first. */
  places(snapshotId: string, snapshotPath: string): string[] {
    const served = this.#served.filter((segment) => segment.snapshotId === snapshotId);
    return [...new Set([this.path(snapshotId), snapshotPath, ...served.map(({ path }) => path)])];
  }

  /** Removes the pin of an unneeded snapshot. Returns true if it is not served either. */
  release(snapshotId: string): boolean {
    if (this.#needed(snapshotId)) return false;
    if (exists(this.path(snapshotId))) this.#unlink(this.path(snapshotId));
    return this.#served.every((segment) => segment.snapshotId !== snapshotId);
  }

  /** Removes unneeded pins and links. Restores a lost pin of the served snapshot if needed. */
  clean(): void {
    const anchors = this.#served.map(({ snapshotId }) => SERVED + snapshotId);
    for (const name of readdirSync(this.#folder)) {
      if (!OURS.test(name)) continue;
      const id = name.slice(0, -EXTENSION.length);
      if (!anchors.includes(id) && !this.#needed(id)) this.#unlink(join(this.#folder, name));
    }
    for (const segment of this.#served) if (this.#needed(segment.snapshotId)) this.hold(segment);
  }

  /** Removes the links to served snapshots. */
  close(): void {
    for (const { snapshotId } of this.#served) this.#remove(this.#anchor(snapshotId));
    this.#served = [];
  }

  #anchor(snapshotId: string): string {
    return join(this.#folder, SERVED + snapshotId + EXTENSION);
  }

  #link(from: string, to: string): void {
    this.#linked();
    try {
      linkSync(from, to);
      this.#linked();
      syncDirectory(this.#folder);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (code === "EEXIST" || NO_LINKS.includes(code)) return;
      throw exists(this.#folder) ? refusal(code, error) : stateGone(error);
    }
  }

  #unlink(path: string): void {
    faultPoint("unpin.before_unlink");
    this.#remove(path);
    faultPoint("unpin.after_unlink");
  }

  #remove(path: string): void {
    this.#linked();
    remove(path);
    this.#linked();
  }
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function exists(path: string): boolean {
  return statOf(path) !== undefined;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Returns the error for a failed pin. Only a missing file needs the operator. */
function refusal(code: string, cause: unknown): AppError {
  if (code === "ENOENT") {
    const detail = "The snapshot was moved away while it is served. The operator must restart.";
    return new AppError("snapshot_unavailable", detail, { cause });
  }
  return stateUnwritable(cause);
}
