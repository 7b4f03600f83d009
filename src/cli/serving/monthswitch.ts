/**
 * Switches a server to a newer snapshot together with the other servers of its state. Input:
 * verified snapshots, and calls at intervals. Output: calls of `serve`.
 * Invariant: a server that shares its state with no other serves a new snapshot immediately.
 * Otherwise, it waits until every live server has verified the same snapshot. Meanwhile it keeps
 * the snapshot open, for cursors of servers that switch first. So no server refuses a cursor of
 * another. While the database cannot be reached, nothing changes.
 */
import { describeError, type Log } from "../../process/log.ts";
import type { Segment } from "../../search/segment.ts";
import type { FleetMonth, OfferedSnapshot } from "../../store/fleet/fleetmonth.ts";

interface Segments {
  current(): Segment | null;
  hold(segment: Segment): void;
  keep(segment: Segment): void;
  release(segment: Segment): void;
}

interface MonthSwitchParts {
  /** Null if no other server shares the state. */
  readonly months: Pick<FleetMonth, "agree" | "offer" | "without"> | null;
  /** Returns the current id of this server in the fleet. */
  readonly memberId: () => string;
  readonly segments: Segments;
  /** Makes a segment the current one. */
  readonly serve: (segment: Segment) => void;
  readonly log: Log;
}

/** Decides when a verified snapshot is served. */
export class MonthSwitch {
  readonly #parts: MonthSwitchParts;
  /** Verified segments that wait for other servers, the latest last. */
  #held: Segment[] = [];
  /** The last snapshot offered to other servers, and this server's id at that time. */
  #offered: { readonly memberId: string; readonly snapshotId: string | null } | null = null;
  #fleetId: string | null = null;
  #reported = "";

  constructor(parts: MonthSwitchParts) {
    this.#parts = parts;
  }

  /** Returns the latest snapshot that this server has verified, which may still wait for others. */
  latest(): Segment | null {
    return this.#held.at(-1) ?? this.#parts.segments.current();
  }

  /** True if the other servers serve a snapshot that this server does not serve. */
  get isBehind(): boolean {
    const { segments } = this.#parts;
    return this.#fleetId !== null && segments.current()?.snapshotId !== this.#fleetId;
  }

  /** Takes over a verified segment. Returns true if it is served now. */
  take(segment: Segment): boolean {
    const { months, segments, serve } = this.#parts;
    if (months === null) {
      serve(segment);
      return true;
    }
    this.#release(({ snapshotId }) => snapshotId === segment.snapshotId);
    this.#held.push(segment);
    segments.hold(segment);
    this.look();
    return segments.current() === segment;
  }

  /** Offers the latest snapshot, and serves the one on which all servers agree. Never throws. */
  look(): void {
    const { months, log } = this.#parts;
    if (months === null) return;
    try {
      this.#release(({ native }) => native.poisoned());
      this.#offer(months, this.latest());
      this.#follow(months.agree());
      this.#report(months);
    } catch (error) {
      log.warn(describeError(error), "the snapshot of the other servers is not known now");
    }
  }

  #offer(months: Pick<FleetMonth, "offer">, latest: Segment | null): void {
    const memberId = this.#parts.memberId();
    const snapshotId = latest?.snapshotId ?? null;
    if (this.#offered?.memberId === memberId && this.#offered.snapshotId === snapshotId) return;
    months.offer(
      memberId,
      latest === null ? null : { snapshotId: latest.snapshotId, label: latest.label },
    );
    this.#offered = { memberId, snapshotId };
  }

  /** Serves the snapshot on which all servers have agreed, if this server has it. */
  #follow(current: OfferedSnapshot | null): void {
    const { segments, serve, log } = this.#parts;
    this.#fleetId = current?.snapshotId ?? null;
    const next = this.#held.find(({ snapshotId }) => snapshotId === this.#fleetId);
    if (next === undefined) return;
    const replaced = segments.current()?.label ?? "none";
    // If this server held other snapshots before `next`, the other servers may have served these
    // since the last check. They stay open for cursors of those servers.
    for (const passed of this.#held.splice(0, this.#held.indexOf(next))) segments.keep(passed);
    this.#held = this.#held.filter((one) => one !== next);
    serve(next);
    const { label: snapshot, snapshotDate: date } = next;
    log.info({ snapshot, date, replaced }, "all servers serve this snapshot now");
  }

  /** Reports once for which servers a snapshot waits. */
  #report(months: Pick<FleetMonth, "without">): void {
    const waiting = this.#held.at(-1);
    const others = waiting === undefined ? [] : months.without(waiting.snapshotId);
    const change = others.length === 0 ? "" : JSON.stringify([waiting?.snapshotId, others]);
    if (change !== this.#reported && change !== "") {
      const known = { snapshot: waiting?.label, waits_for: others };
      this.#parts.log.info(known, "the snapshot is verified; other servers lack it");
    }
    this.#reported = change;
  }

  /** Closes held segments that will not be served. */
  #release(isOver: (segment: Segment) => boolean): void {
    const over = this.#held.filter(isOver);
    this.#held = this.#held.filter((one) => !over.includes(one));
    for (const segment of over) this.#parts.segments.release(segment);
  }
}
