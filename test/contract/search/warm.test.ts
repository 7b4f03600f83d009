/**
 * Proves that the work of a starting server, before and after its port opens, does not grow with
 * the registry. Every call of the addon reads one page or one sort order, and none counts or
 * compares matches. The first calls detect damage of the first page. Warming up can be stopped.
 * Does not prove: how many bytes are read (the bench `start`).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { SelectRequest } from "../../../native-index/napi/engine.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { runFirstQueries, warm } from "../../../src/search/warm.ts";
import { SORT_FIELDS } from "../../../src/spec/fields.ts";
import { placeOf } from "../../support/files/hostile-file.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/** One call of the addon. */
interface Query {
  readonly name: string;
  readonly given: readonly unknown[];
}

describe("warming a snapshot", () => {
  let sample: SampleSnapshot;
  before(async () => {
    sample = await makeSampleSnapshot(2_000, 3);
  });
  after(() => sample.dispose());

  /** Opens the sample, and records every call of the addon on it. */
  async function watched(): Promise<{ readonly segment: Segment; readonly queries: Query[] }> {
    const segment = await openSegment(sample.snapshot);
    const methods = segment.native as unknown as Record<string, unknown>;
    const queries: Query[] = [];
    for (const [name, method] of Object.entries(methods)) {
      if (typeof method !== "function") continue;
      methods[name] = (...given: unknown[]) => {
        queries.push({ name, given });
        return method.apply(segment.native, given);
      };
    }
    return { segment, queries };
  }

  it("runs no query whose cost grows with the registry", async () => {
    const { segment, queries } = await watched();
    await runFirstQueries(segment);
    await warm(segment);
    const called = new Set(queries.map(({ name }) => name));
    const quick = ["table", "renderedPage", "count", "selectAsync", "poisoned"];
    assert.deepEqual(
      [...called].filter((name) => !quick.includes(name)),
      [],
    );
    // The total number of accounts is stored, so counting without filters costs nothing.
    for (const { given } of queries.filter(({ name }) => name === "count")) {
      assert.deepEqual(given, [[]]);
    }
    const selected = queries.filter(({ name }) => name === "selectAsync");
    assert.equal(selected.length, SORT_FIELDS.length);
    for (const { given } of selected) {
      const { clauses, method, limit } = given[0] as SelectRequest;
      assert.deepEqual([clauses, limit], [[], 50]);
      assert.notEqual(method, "gather");
    }
    segment.close();
  });

  it("stops on request", async () => {
    const { segment, queries } = await watched();
    let turns = 0;
    await warm(segment, () => ++turns > 3);
    assert.ok(queries.length <= 3, `${queries.length} calls`);
    segment.close();
  });

  it("finds damage of the first page before the first request", async () => {
    const folder = mkdtempSync(join(tmpdir(), "peneira-warm-"));
    const good = await openSegment(sample.snapshot);
    const rows = good.native.renderJson(Uint32Array.of(0), ["legal_name"]);
    const [{ legal_name: name }] = JSON.parse(Buffer.from(rows).toString());
    good.close();
    const bytes = readFileSync(sample.snapshot);
    const at = placeOf(bytes, name);
    bytes[at] = (bytes[at] as number) ^ 1;
    const path = join(folder, "2026-10.peneira");
    writeFileSync(path, bytes);
    const segment = await openSegment(path);
    await assert.rejects(runFirstQueries(segment), { code: "snapshot_unavailable" });
    segment.close();
    rmSync(folder, { recursive: true });
  });
});
