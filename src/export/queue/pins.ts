/**
 * What keeps a snapshot as long as an export needs it. What comes in: the snapshot that is served,
 * and the ids of those that exports wait for. What goes out: paths that hold the same file whatever
 * the operator does to the one that he named.
 * Invariant: a pin is a hard link, so it costs no space while the file is there, and appears before
 * the export that needs it is committed; a pin that no export needs is removed. Where linking is
 * impossible (another device, foreign owner) the named path is relied on instead: a copy of ten
 * gigabytes has no place in a request. The thread that opens a path checks what it has opened.
 */
import { linkSync, lstatSync, readdirSync, type Stats, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import { faultPoint } from "../../process/fault.ts";
import type { Segment } from "../../search/segment.ts";
import { openDataDir, syncDirectory } from "../../store/datadir.ts";
import { stateGone, stateUnwritable } from "../../store/failures.ts";

/** Name of the folder in the data directory. */
const FOLDER = "pins";
const EXTENSION = ".peneira";
/** The served snapshot has a link of its own, from which pins are made when they are needed. */
const SERVED = "served-";

/** Names that this program gives; others are left alone. */
const OURS = /^(?:served-)?(?:[0-9a-f]{16}|[0-9a-f]{64})\.peneira$/;

/** A request reads which snapshot is served and asks for its pin in one go, so one is enough. */
const SERVED_KEPT = 1;

/** Why a link cannot be made here at all. */
const NO_LINKS = ["EXDEV", "EPERM", "EACCES", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"];

/** The pins of a data directory. */
export class Pins {
  readonly #folder: string;
  readonly #needed: (snapshotId: string) => boolean;
  readonly #linked: () => void;
  /** What is and was served, the newest last. */
  #served: readonly Segment[] = [];

  /**
   * Makes the folder where there is none. `needed` says whether an export waits for a snapshot,
   * `linked` is told before and after every link that is made or removed.
   * Throws `CommandError` when others could reach the folder.
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
   * Takes note of the snapshot that is served from now on, while its path is certain to be its
   * own: later the operator may move it away, or another file to its place. Gives the ids of
   * snapshots that are given up for it.
   */
  serve(segment: Segment): string[] {
    const all = [...this.#served.filter((one) => one.snapshotId !== segment.snapshotId), segment];
    this.#served = all.slice(-SERVED_KEPT);
    this.#renew(segment);
    const givenUp = all.slice(0, -SERVED_KEPT).map(({ snapshotId }) => snapshotId);
    for (const id of givenUp) this.#remove(this.#anchor(id));
    return givenUp;
  }

  /** The same content may come again in another file because the one before it was spoilt. */
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

  /** Pins a snapshot; the link is durable when it returns. */
  hold(segment: Segment): void {
    const pin = this.path(segment.snapshotId);
    if (exists(pin)) return;
    const anchor = this.#anchor(segment.snapshotId);
    this.#link(exists(anchor) ? anchor : segment.path, pin);
  }

  /** Absolute path of the pin of a snapshot, whether it is there or not. */
  path(snapshotId: string): string {
    return join(this.#folder, snapshotId + EXTENSION);
  }

  /** Where the file of a snapshot may be, the likeliest first. */
  places(snapshotId: string, snapshotPath: string): string[] {
    const served = this.#served.filter((segment) => segment.snapshotId === snapshotId);
    return [...new Set([this.path(snapshotId), snapshotPath, ...served.map(({ path }) => path)])];
  }

  /** Removes a pin that no export needs; true when nothing at all needs that snapshot. */
  release(snapshotId: string): boolean {
    if (this.#needed(snapshotId)) return false;
    if (exists(this.path(snapshotId))) this.#unlink(this.path(snapshotId));
    return this.#served.every((segment) => segment.snapshotId !== snapshotId);
  }

  /**
   * Removes every pin and link that is not needed, and pins the served snapshot again where an
   * export that waits for it has lost its pin.
   */
  clean(): void {
    const anchors = this.#served.map(({ snapshotId }) => SERVED + snapshotId);
    for (const name of readdirSync(this.#folder)) {
      if (!OURS.test(name)) continue;
      const id = name.slice(0, -EXTENSION.length);
      if (!anchors.includes(id) && !this.#needed(id)) this.#unlink(join(this.#folder, name));
    }
    for (const segment of this.#served) if (this.#needed(segment.snapshotId)) this.hold(segment);
  }

  /** Gives up the links to what is served. */
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

/** A file that is gone needs the operator; a full or failing disk may recover. */
function refusal(code: string, cause: unknown): AppError {
  if (code === "ENOENT") {
    const detail = "The snapshot was moved away while it is served. The operator must restart.";
    return new AppError("snapshot_unavailable", detail, { cause });
  }
  return stateUnwritable(cause);
}
