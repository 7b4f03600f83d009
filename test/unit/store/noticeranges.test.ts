/**
 * Proves, with random months, pauses, failures, replays, and counts that come in any order: the
 * counted notices of a search cover every month since it was saved exactly once, up to the last
 * counted notice. If a failed notice is replayed after a later one was counted, only its own months
 * are repeated. Numbers ascend without gaps.
 * Does not prove: what is counted between two months (contract/notices).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openDatabase } from "../../../src/store/database.ts";
import { type CountingRow, NoticeStore } from "../../../src/store/noticestore.ts";
import { SearchStore } from "../../../src/store/searchstore.ts";
import { SEED } from "../../support/run/scale.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

const STORIES = 15;
const STEPS = 60;
const SEARCHES = 4;
const TENANT = "ten_a";

/** A state with saved searches. Random steps add months and counts. */
class Story {
  readonly #draw: Draw;
  readonly #folder = mkdtempSync(join(tmpdir(), "peneira-ranges-"));
  readonly #database = openDatabase(this.#folder);
  readonly #store = new NoticeStore(this.#database);
  readonly #searches = new SearchStore(this.#database);
  /** Month at which each search was saved. */
  readonly #saved = new Map<string, number>();
  /** Notices that were counted again by a replay. */
  readonly #replayed = new Set<string>();
  #months = 0;

  constructor(draw: Draw) {
    this.#draw = draw;
    const tenant = "INSERT INTO tenants (id, name, created_at) VALUES (?, 'a', 0)";
    this.#database.prepare(tenant).run(TENANT);
    this.#month();
    for (let n = 0; n < SEARCHES; n++) this.#save();
  }

  close(): void {
    this.#database.close();
    rmSync(this.#folder, { recursive: true });
  }

  step(): void {
    const turn = this.#draw.below(10);
    if (turn < 3) this.#month();
    else if (turn < 8) this.#count();
    else if (turn < 9) this.#pause();
    else this.#replay();
  }

  /** Adds one more month, and counts all notices that are due. */
  end(): void {
    for (const id of this.#saved.keys()) this.#searches.pause(TENANT, id, null);
    this.#month();
    for (;;) {
      const rows = this.#store.counting(0, 100);
      if (rows.length === 0) return;
      for (const row of rows) this.#succeed(row);
    }
  }

  check(): void {
    for (const [search, saved] of this.#saved) {
      const rows = this.#database
        .prepare<[string], Pick<CountingRow, "id" | "number" | "month" | "sinceMonth" | "state">>(
          `SELECT id, number, month, since AS "sinceMonth", state FROM notices
           WHERE search_id = ? ORDER BY number`,
        )
        .all(search);
      assert.deepEqual(
        rows.map(({ number }) => number),
        rows.map((_, at) => at + 1),
      );
      let covered = saved;
      for (const { id, month, sinceMonth, state } of rows) {
        if (state === "failed" || this.#replayed.has(id)) continue;
        assert.equal(sinceMonth, covered, `${search}: ${sinceMonth} after ${covered}`);
        covered = month;
      }
      assert.equal(covered, this.#months, search);
    }
  }

  #save(): void {
    const id = `sch_${this.#saved.size}`;
    const row = { id, tenantId: TENANT, userId: null, name: id, text: null, spec: "{}" };
    this.#searches.insert({ ...row, snapshot: labelOf(this.#months), total: 0, createdAt: 0 }, 99);
    this.#saved.set(id, this.#months);
  }

  #month(): void {
    const at = ++this.#months;
    this.#store.atomically(() => {
      const before = this.#store.newest();
      const month = { label: labelOf(at), date: dateOf(at), snapshotId: labelOf(at) };
      const sequence = this.#store.note(month, 0);
      if (before !== undefined) this.#store.announce(sequence, before.sequence, 0);
    });
  }

  /** Counts or fails a random due notice, because the real counter guarantees no order. */
  #count(): void {
    const rows = this.#store.counting(0, 100);
    if (rows.length === 0) return;
    const row = this.#draw.of(rows);
    if (this.#draw.chance(0.4)) this.#store.atomically(() => this.#store.fail(row.id, "broken"));
    else this.#succeed(row);
  }

  #succeed({ id, sinceMonth }: CountingRow): void {
    assert.ok(this.#store.counted(id, { counts: "{}", since: sinceMonth, nowMs: 0 }));
  }

  #pause(): void {
    const id = this.#draw.of([...this.#saved.keys()]);
    this.#searches.pause(TENANT, id, this.#draw.chance(0.5) ? 1 : null);
  }

  /** Replays a failed notice although a later one was already counted. */
  #replay(): void {
    const failed = this.#database
      .prepare<[], { id: string }>(
        `SELECT id FROM notices AS own WHERE state = 'failed' AND EXISTS
           (SELECT 1 FROM notices AS later WHERE later.search_id = own.search_id
              AND later.number > own.number AND later.state = 'counted')`,
      )
      .all();
    if (failed.length === 0) return;
    const { id } = this.#draw.of(failed);
    this.#replayed.add(id);
    assert.ok(this.#store.recount(id, 0));
  }
}

function labelOf(month: number): string {
  return `m${String(month).padStart(3, "0")}`;
}

function dateOf(month: number): string {
  return new Date(Date.UTC(2020, month, 10)).toISOString().slice(0, 10);
}

describe("the months of a search's notices", () => {
  it("are told once each, whatever fails, is paused, or is replayed", () => {
    for (let n = 0; n < STORIES; n++) {
      const story = new Story(new Draw(seededRng(SEED + n)));
      try {
        for (let step = 0; step < STEPS; step++) story.step();
        story.end();
        story.check();
      } finally {
        story.close();
      }
    }
  });
});
