/**
 * Rechecks the blocks of opened snapshots. A damaged snapshot is logged and no longer served.
 * Invariant: a pass checks every block of every opened snapshot once within the configured time,
 * even if no query reads it. It runs off the main thread. If the file was touched, earlier checks
 * no longer count. Each block is then checked before its next use, and all blocks are checked
 * without delay.
 */
import type { FileState } from "../../native-index/napi/engine.ts";
import type { Clock } from "../process/clock.ts";
import { describeError, type Log } from "../process/log.ts";
import { forgetRows } from "./rowlists.ts";
import type { Segment } from "./segment.ts";

/** Milliseconds between searches for due blocks. Bounds how late a touched file is noticed. */
const STEP_MS = 250;

/** Number of blocks that one call checks: 1 MiB. */
const BLOCKS_PER_TRANSACTION = 16;

interface ScrubberParts {
  /** Every opened snapshot. */
  readonly segments: () => readonly Segment[];
  /** Duration of a pass over all blocks, in seconds. If it is 0, only touched files are checked. */
  readonly seconds: number;
  /** Called once for each damaged snapshot. */
  readonly damaged: (segment: Segment) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a number in [0, 1), the position in the file at which a pass starts. */
  readonly random?: () => number;
}

/** Progress of the checks of one snapshot. */
export interface ScrubState {
  readonly snapshot: string;
  readonly blocks: number;
  /** Number of blocks that the current pass has checked. */
  readonly checked: number;
  /** Number of complete passes since the snapshot was opened. */
  readonly passes: number;
  /** Time at which the last complete pass ended, in ms since 1970; null before that. */
  readonly lastPassMs: number | null;
  /** Duration of a pass in seconds; 0 if only touched files are checked. */
  readonly passSeconds: number;
}

interface Pass {
  readonly segment: Segment;
  /** State of the file (inode, size, times) when it was last compared. */
  state: FileState;
  beganMs: number;
  /** The next block to check. A pass may begin at any block, and wraps around. */
  next: number;
  checked: number;
  passes: number;
  lastPassMs: number | null;
  /** True if the file was touched: its blocks are then checked without delay. */
  hurried: boolean;
  /**
   * Number of times that the file was touched. If this number changes while a check is running, the
   * result of that check is discarded.
   */
  touches: number;
  reported: boolean;
}

/** Verifies the snapshots of a server until it is stopped. */
export class Scrubber {
  readonly #parts: ScrubberParts;
  readonly #passes = new Map<Segment, Pass>();
  #timer: NodeJS.Timeout | null = null;
  #stepping: Promise<void> | null = null;
  #stopped = false;
  #blocks = 0;
  #damages = 0;

  constructor(parts: ScrubberParts) {
    this.#parts = parts;
  }

  /** Starts the timer, which does not keep the process alive. */
  start(): void {
    this.#timer = setInterval(() => void this.step(), STEP_MS).unref();
  }

  /** Stops the checks. Resolves when no check is running. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#stepping;
  }

  /** Numbers of rechecked blocks and of damaged snapshots found, since the start. */
  get counts(): { readonly blocks: number; readonly damaged: number } {
    return { blocks: this.#blocks, damaged: this.#damages };
  }

  /** Progress of each opened snapshot, except damaged ones. */
  states(): ScrubState[] {
    const sound = [...this.#passes].filter(([{ native }]) => !native.poisoned());
    return sound.map(([, pass]) => this.#stateOf(pass));
  }

  /** Returns the progress of one snapshot, or null if it is not open. */
  stateOf(segment: Segment): ScrubState | null {
    const pass = this.#passes.get(segment);
    return pass === undefined ? null : this.#stateOf(pass);
  }

  /** Looks for touched files and damaged snapshots. Takes microseconds. */
  glance(): void {
    const segments = this.#parts.segments();
    for (const known of this.#passes.keys()) {
      if (!segments.includes(known)) this.#passes.delete(known);
    }
    for (const segment of segments) {
      const pass = this.#passOf(segment);
      if (segment.native.poisoned()) this.#report(pass);
      else this.#compare(pass);
    }
  }

  /** Counts a snapshot as damaged, because its file was overwritten. Must precede its removal. */
  noteOverwritten(segment: Segment): void {
    const pass = this.#passOf(segment);
    if (!pass.reported) this.#damages++;
    pass.reported = true;
  }

  /**
   * Checks all blocks that are due. The promise never rejects. If a check is already in progress,
   * waits for that check and starts no other.
   */
  step(): Promise<void> {
    this.glance();
    this.#stepping ??= this.#run().finally(() => {
      this.#stepping = null;
    });
    return this.#stepping;
  }

  #stateOf(pass: Pass): ScrubState {
    const { checked, passes, lastPassMs, segment } = pass;
    const passSeconds = this.#parts.seconds;
    const blocks = blocksOf(pass);
    return { snapshot: segment.label, blocks, checked, passes, lastPassMs, passSeconds };
  }

  /** Alternates between snapshots, so that a large snapshot does not delay a small one. */
  async #run(): Promise<void> {
    for (let some = true; some && !this.#stopped; ) {
      some = false;
      for (const pass of [...this.#passes.values()]) {
        const due = this.#due(pass);
        if (due === 0 || this.#stopped) continue;
        some = true;
        await this.#check(pass, Math.min(due, BLOCKS_PER_TRANSACTION, blocksOf(pass) - pass.next));
      }
    }
  }

  /** Returns the number of blocks that are due and not yet checked. */
  #due(pass: Pass): number {
    const blocks = blocksOf(pass);
    if (!this.#passes.has(pass.segment) || pass.reported) return 0;
    if (pass.hurried) return blocks - pass.checked;
    const { seconds, clock } = this.#parts;
    if (seconds === 0) return 0;
    const share = (clock.monotonicMs() - pass.beganMs) / (seconds * 1_000);
    return Math.max(0, Math.floor(Math.min(1, share) * blocks) - pass.checked);
  }

  async #check(pass: Pass, count: number): Promise<void> {
    const { touches } = pass;
    try {
      await pass.segment.native.verifyBlocks(pass.next, count);
      this.#blocks += count;
      if (pass.touches === touches) this.#advance(pass, count);
    } catch (error) {
      // The error may only mean that the segment was closed and is no longer checked. `glance`
      // reports damage.
      const known = describeError(error);
      this.glance();
      if (!this.#passes.has(pass.segment) || pass.reported) return;
      this.#parts.log.error({ file: pass.segment.path, ...known }, "blocks cannot be checked");
      this.#advance(pass, count);
    }
  }

  #advance(pass: Pass, count: number): void {
    const blocks = blocksOf(pass);
    pass.next = (pass.next + count) % blocks;
    pass.checked += count;
    if (pass.checked < blocks) return;
    const { clock, log } = this.#parts;
    const { label: snapshot, path: file } = pass.segment;
    if (pass.hurried) log.info({ file, snapshot, blocks }, "every block is as it was written");
    pass.hurried = false;
    pass.passes++;
    pass.lastPassMs = clock.nowMs();
    pass.checked = 0;
    pass.beganMs = clock.monotonicMs();
  }

  #passOf(segment: Segment): Pass {
    const known = this.#passes.get(segment);
    if (known !== undefined) return known;
    const { clock, random = Math.random } = this.#parts;
    const pass: Pass = {
      ...{ segment, state: segment.native.opened, beganMs: clock.monotonicMs() },
      // A pass starts at a random block, so that even a server that restarts every day checks every
      // block sooner or later.
      next: Math.floor(random() * segment.native.blockCount),
      ...{ checked: 0, passes: 0, lastPassMs: null },
      ...{ hurried: false, touches: 0, reported: false },
    };
    this.#passes.set(segment, pass);
    return pass;
  }

  #compare(pass: Pass): void {
    const { native, path: file, label: snapshot } = pass.segment;
    const now = native.fileState();
    const touched = wasTouched(pass.state, now);
    pass.state = now;
    if (!touched) return;
    native.recheckAll();
    forgetRows(pass.segment);
    pass.touches++;
    pass.checked = 0;
    if (pass.hurried) return;
    pass.hurried = true;
    this.#parts.log.warn({ file, snapshot }, "a served file was touched; it is checked again");
  }

  #report(pass: Pass): void {
    if (pass.reported) return;
    pass.reported = true;
    this.#damages++;
    const { native, path: file, label: snapshot } = pass.segment;
    const block = native.damagedBlock();
    const why = block < 0 ? "it was cut off" : `block ${block} is not what was written`;
    const known = { file, snapshot, ...(block < 0 ? {} : { block }), why };
    this.#parts.log.error(known, "snapshot damaged; nothing of it is served any more");
    this.#parts.damaged(pass.segment);
  }
}

function blocksOf({ segment }: Pass): number {
  return segment.native.blockCount;
}

/** Returns true if the bytes may have changed between two states. */
export function wasTouched(before: FileState, now: FileState): boolean {
  if (before.inode !== now.inode) return true;
  if (before.size !== now.size || before.modifiedNs !== now.modifiedNs) return true;
  return before.changedNs !== now.changedNs && before.links === now.links;
}
