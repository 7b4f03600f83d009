/**
 * The snapshots of a thread that answers. Input: the segments that the owner shares, and the board.
 * Output: the one that all threads serve, and those before it for their cursors.
 * Invariant: the owner decides what is served and what is closed. A segment that is being read
 * stays open on this thread until that is over.
 */
import type { Board } from "../../../http/server/threads/board.ts";
import { openSharedSegment, type Segment, type SharedSegment } from "../../../search/segment.ts";

/** An opened snapshot. */
interface Opened {
  readonly serial: number;
  readonly segment: Segment;
  readers: number;
  /** True once the owner has closed it. */
  isLeaving: boolean;
}

/** Holds the segments of one thread. */
export class ThreadSnapshots {
  readonly #board: Board;
  readonly #serves: (segment: Segment | null) => void;
  readonly #opened = new Map<number, Opened>();
  #current: Opened | null = null;

  /** `serves` is called when another snapshot is the current one, before it is used. */
  constructor(board: Board, serves: (segment: Segment | null) => void) {
    this.#board = board;
    this.#serves = serves;
  }

  /** Opens a segment of the owner. Throws if that has closed it. */
  open(serial: number, shared: SharedSegment): void {
    const segment = openSharedSegment(shared);
    this.#opened.set(serial, { serial, segment, readers: 0, isLeaving: false });
  }

  /** Closes a snapshot as soon as nobody reads it. */
  close(serial: number): void {
    const opened = this.#opened.get(serial);
    if (opened === undefined) return;
    opened.isLeaving = true;
    this.#closeIfUnread(opened);
  }

  /** Returns the segment that is served now, or null. */
  current(): Segment | null {
    const serial = this.#board.current;
    if (serial !== (this.#current?.serial ?? 0)) {
      this.#current = this.#opened.get(serial) ?? null;
      this.#serves(this.#current?.segment ?? null);
    }
    return this.#current?.segment ?? null;
  }

  /** Returns a replaced segment by its id, for a cursor that began on it; asking keeps it open. */
  replaced(belongs: (snapshotId: string) => boolean): Segment | null {
    for (const opened of this.#opened.values()) {
      if (opened === this.#current || opened.isLeaving) continue;
      // A snapshot that is about to be served has no cursors yet.
      if (opened.serial > this.#board.current || !belongs(opened.segment.snapshotId)) continue;
      this.#board.use(opened.serial);
      return opened.segment;
    }
    return null;
  }

  /** Keeps a segment open until the returned function is called, which may be called again. */
  hold(segment: Segment): () => void {
    const opened = [...this.#opened.values()].find((one) => one.segment === segment);
    if (opened === undefined) return () => {};
    opened.readers++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      opened.readers--;
      this.#board.use(opened.serial);
      this.#closeIfUnread(opened);
    };
  }

  #closeIfUnread(opened: Opened): void {
    if (!opened.isLeaving || opened.readers > 0) return;
    this.#opened.delete(opened.serial);
    opened.segment.close();
  }
}
