/**
 * What a server needs to answer what changed. What comes in: the served folder, the data directory,
 * the registry of served segments. What goes out: the months beside the served one, the lists of
 * changes, and what is done for both when the folder was looked at or a snapshot was replaced.
 * Invariant: nothing here keeps a request waiting; what goes wrong ahead of any question is logged
 * and comes up again, with its reason, when somebody asks.
 */

import { ChangeLists } from "../../changes/lists.ts";
import { Months } from "../../changes/months.ts";
import { systemClock } from "../../process/clock.ts";
import { describeError, type Log } from "../../process/log.ts";
import type { Segment, SegmentRegistry } from "../../search/segment.ts";
import type { Config } from "../../settings/config.ts";

/** What the parts are made from. */
export interface ChangesParts {
  readonly config: Config;
  readonly dataDir: string;
  /** The served folder, or null where a single file is served. */
  readonly folder: string | null;
  readonly log: Log;
  readonly registry: SegmentRegistry;
}

/** Months and lists of a running server. */
export class ServedChanges {
  readonly months: Months;
  readonly lists: ChangeLists;
  readonly #parts: ChangesParts;
  /** Whether lists are made before anybody asks for them. */
  readonly #prepares: boolean;
  /** A snapshot that was taken over and whose months were not looked at yet. */
  #fresh: Segment | null = null;

  constructor(parts: ChangesParts) {
    const { config, dataDir, folder, log, registry } = parts;
    const keepMs = config.get("snapshots.keep") * 1_000;
    this.#parts = parts;
    this.#prepares = config.get("changes.prepare");
    this.months = new Months({ folder, keepMs, clock: systemClock, log });
    const hold = (segment: Segment) => {
      // Only one of the two knows a segment; the other one does nothing for it.
      const holds = [this.months.hold(segment), registry.hold(segment)];
      return () => {
        for (const release of holds) release();
      };
    };
    this.lists = new ChangeLists({ dataDir, keepMs, clock: systemClock, log, hold });
  }

  /** Takes note of a snapshot that is served from now on in the place of another one. */
  loaded(segment: Segment): void {
    this.#fresh = segment;
  }

  /** Looks at the folder; what is new there may be asked for when it resolves. Never rejects. */
  async look(): Promise<void> {
    await this.months.look();
    const { registry, log } = this.#parts;
    this.lists.clean((id) => this.#isThere(id));
    const fresh = this.#fresh;
    this.#fresh = null;
    if (fresh === null || !this.#prepares || registry.current() !== fresh) return;
    const [month] = this.months.before(fresh);
    if (month === undefined) return;
    try {
      this.lists.prepare({ older: await this.months.open(month), newer: fresh });
    } catch (error) {
      log.warn(describeError(error), "what changed was not listed ahead");
    }
  }

  /** Closes what nobody used lately. */
  sweep(): void {
    this.lists.sweep();
    for (const snapshot of this.months.sweep()) {
      this.#parts.log.info({ snapshot }, "older snapshot closed");
    }
  }

  /** Ends everything; nobody may be answered any more. */
  async close(): Promise<void> {
    await this.lists.close();
    this.months.close();
  }

  #isThere(id: string): boolean {
    if (this.#parts.registry.current()?.snapshotId === id) return true;
    return this.months.known().some(({ snapshotId }) => snapshotId === id);
  }
}
