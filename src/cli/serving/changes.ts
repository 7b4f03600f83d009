/**
 * The parts of a server that answer queries for changes. Input: the served folder, the data
 * directory, the registry of served segments. Output: the available months, and the lists of
 * changes. Both are updated when the folder is scanned or a snapshot is replaced.
 * Invariant: no request waits for this file's background work. If that work fails, the failure is
 * logged, and the next query for the same changes returns the reason.
 */

import { ChangeLists } from "../../changes/lists.ts";
import { Months } from "../../changes/months.ts";
import { systemClock } from "../../process/clock.ts";
import { describeError, type Log } from "../../process/log.ts";
import type { Segment, SegmentRegistry } from "../../search/segment.ts";
import type { Config } from "../../settings/config.ts";

/** Inputs of the parts. */
export interface ChangesParts {
  readonly config: Config;
  readonly dataDir: string;
  /** The served folder, or null if a single file is served. */
  readonly folder: string | null;
  readonly log: Log;
  readonly registry: SegmentRegistry;
}

/** The months and change lists of a running server. */
export class ServedChanges {
  readonly months: Months;
  readonly lists: ChangeLists;
  readonly #parts: ChangesParts;
  /** True if lists are made in advance. */
  readonly #prepares: boolean;
  /** A newly served snapshot whose changes from the previous month have not been prepared yet. */
  #fresh: Segment | null = null;

  constructor(parts: ChangesParts) {
    const { config, dataDir, folder, log, registry } = parts;
    const keepMs = config.get("snapshots.keep") * 1_000;
    this.#parts = parts;
    this.#prepares = config.get("changes.prepare");
    this.months = new Months({ folder, keepMs, clock: systemClock, log });
    const retain = (segment: Segment) => {
      // Either the months or the registry has the segment. The other one returns a function that
      // does nothing.
      const holds = [this.months.retain(segment), registry.retain(segment)];
      return () => {
        for (const release of holds) release();
      };
    };
    this.lists = new ChangeLists({ dataDir, keepMs, clock: systemClock, log, retain });
  }

  /** Records that a snapshot is now served in place of the previous one. */
  loaded(segment: Segment): void {
    this.#fresh = segment;
  }

  /** Scans the folder. New months can be queried when it resolves. Never rejects. */
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

  /** Closes lists and months without recent use. */
  sweep(): void {
    this.lists.sweep();
    for (const snapshot of this.months.sweep()) {
      this.#parts.log.info({ snapshot }, "older snapshot closed");
    }
  }

  /** Closes all snapshots and lists. No request may be in flight. */
  async close(): Promise<void> {
    await this.lists.close();
    this.months.close();
  }

  #isThere(id: string): boolean {
    if (this.#parts.registry.current()?.snapshotId === id) return true;
    return this.months.known().some(({ snapshotId }) => snapshotId === id);
  }
}
