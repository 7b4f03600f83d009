/**
 * Proves: an update or check writes its outcome to files next to the snapshots, and a server turns
 * them into metrics. The metrics always have the names in the shipped alert. The counts of changes
 * equal those of a slow reference implementation and are computed once per pair of months. --keep
 * removes only snapshots that this program made and that are not in use.
 * Does not prove: how a check decides (update-check.test.ts), the same with real processes
 * (e2e/cli/update.test.ts).
 */
import assert from "node:assert/strict";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { changeCatalog, watchableFields } from "../../../src/changes/query.ts";
import {
  freshnessOf,
  LAST_CHECK_FILE,
  monthsFrom,
  readLastCheck,
  writeLastCheck,
} from "../../../src/cli/update/lastcheck.ts";
import { CHANGES_FILE, countChanges } from "../../../src/cli/update/monthcounts.ts";
import { keepNewest, listSnapshots } from "../../../src/cli/update/snapshots.ts";
import { Telemetry } from "../../../src/http/server/telemetry.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { ChangesTwin } from "../../support/changes/expected.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { textOf } from "../../support/house/checkout.ts";
import { exportContext } from "../../support/spec/catalog.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");

let pair: MonthPair;
let folder: string;
before(async () => {
  pair = await makePair({ seed: 5, accounts: 900 });
});
after(() => pair.dispose());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-update-"));
  mkdirSync(join(folder, ".update"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Adds one of the two months to the folder as an update does, and returns its path. */
function place(month: "older" | "newer", name: string): string {
  const path = join(folder, name);
  linkSync(pair[month].path, path);
  return path;
}

const quiet = (): void => undefined;

const snapshots = () => listSnapshots(folder, quiet);
/** Returns the names of the files in the folder that a server uses. */
const visible = () => readdirSync(folder).filter((name) => !name.startsWith("."));

describe("the metrics of a server", () => {
  const log = openLog("silent");
  const NAMES = {
    peneira_snapshot_months_behind: "behind",
    peneira_update_check_age_seconds: "age",
  };

  function valuesOf(label: string | null): Record<string, string> {
    const telemetry = new Telemetry(log);
    const clock = manualClock(NOW);
    const file = join(folder, "2026-09.peneira");
    const freshness = freshnessOf({ folder: null, file }, () => label);
    assert.deepEqual(
      freshnessOf({ folder, file: null }, () => label).monthsBehind(),
      freshness.monthsBehind(),
      "a served folder and a file in it know the same",
    );
    const none = () => 0;
    telemetry.watch(
      {
        ...{ ...freshness, snapshotMs: () => null, snapshots: none, streams: none },
        ...{ bodyBytes: none, freeBytes: () => null, exports: () => ({ queued: 0, running: 0 }) },
        scrub: () => ({ blocks: 0, damaged: 0, states: [] }),
        responses: { bytes: 0, hits: 0, misses: 0 },
        sockets: { open: 0, busy: 0, crowding: { idle: 0, address: 0, full: 0 }, slow: 0 },
      },
      clock,
    );
    const text = telemetry.text();
    telemetry.close();
    const value = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1] ?? "none";
    const values = Object.entries(NAMES).map(([name, short]) => [short, value(name)] as const);
    return Object.fromEntries(values);
  }

  it("report how many months it lags behind the last check, and the check's age", () => {
    assert.deepEqual(valuesOf("2026-09"), { behind: "NaN", age: "NaN" });
    writeLastCheck(folder, { asked_at: "2026-11-20T11:00:00Z", published: "2027-01" }, quiet);
    assert.deepEqual(valuesOf("2026-09"), { behind: "4", age: "3600" });
    assert.deepEqual(valuesOf("2027-01"), { behind: "0", age: "3600" });
    assert.deepEqual(valuesOf("2027-02"), { behind: "0", age: "3600" });
    assert.deepEqual(valuesOf(null), { behind: "NaN", age: "3600" });
    assert.equal(monthsFrom("2025-12", "2026-01"), 1);
  });

  it("are those of the shipped alert, which the document shows", () => {
    const rules = textOf("docs/deploy/alerts.yml");
    const expression = /^ +expr: (.+)$/m.exec(rules)?.[1] ?? "none";
    assert.ok(textOf("docs/operations.md").includes(`\`${expression}\``));
    const named = expression.match(/peneira_\w+/g) ?? [];
    assert.deepEqual(named.sort(), Object.keys(NAMES).sort());
  });

  it("report no values for a file that is not an update note", () => {
    const forged = [
      "",
      "null",
      "[1]",
      '"2026-11"',
      '{"asked_at":5,"published":"2026-13","last_update":7}',
      '{"asked_at":"soon","published":["2026-11"],"last_update":{"at":"x"}}',
      `{"asked_at":null,"pad":"${"x".repeat(1 << 18)}","published":"2026-11"}`,
    ];
    for (const text of forged) {
      writeFileSync(join(folder, LAST_CHECK_FILE), text);
      assert.deepEqual(valuesOf("2026-09"), { behind: "NaN", age: "NaN" }, text.slice(0, 40));
      assert.deepEqual(readLastCheck(folder), {
        ...{ asked_at: null, published: null, last_update: null, refused: null },
      });
    }
  });
});

describe("the changes since the previous month", () => {
  function count(signal = new AbortController().signal, report: (text: string) => void = quiet) {
    const desk = join(folder, ".update");
    return snapshots().then((known) => countChanges(known, { folder, desk, signal, report }));
  }

  it("are counted like the twin's, once for a pair", async () => {
    place("newer", "2026-10.peneira");
    assert.equal(await count(), null, "without a month before");
    place("older", "2026-09.peneira");
    const messages: string[] = [];
    const counts = await count(undefined, messages.push.bind(messages));
    const { older, newer } = pair;
    const watch = watchableFields(older.segment, newer.segment, OUTPUT_FIELD_NAMES);
    const { spec } = normalizeSpec({}, exportContext(changeCatalog(older.segment, newer.segment)));
    const twin = new ChangesTwin(older.rows, newer.rows);
    const items = twin.answer({ spec, watch, fields: [] });
    const of = (kind: string) => items.filter(({ change }) => change === kind).length;
    const totals = { entered: of("entered"), left: of("left"), changed: of("changed") };
    assert.ok(totals.entered > 0 && totals.left > 0 && totals.changed > 0);
    assert.deepEqual(counts?.totals, totals);
    assert.deepEqual([counts?.since.snapshot, counts?.until.snapshot], ["2026-09", "2026-10"]);
    const { entered, left, changed } = totals;
    const words = `2026-09 to 2026-10: ${entered} entered, ${left} left, ${changed} changed`;
    assert.deepEqual(messages, [words]);
    const file = join(folder, CHANGES_FILE);
    const retained = JSON.parse(readFileSync(file, "utf8"));
    assert.deepEqual(retained, { format: 1, months: [counts] });
    assert.deepEqual(readdirSync(join(folder, ".update")), []);
    const { mtimeNs } = statSync(file, { bigint: true });
    assert.deepEqual(await count(undefined, () => assert.fail("counted again")), counts);
    assert.equal(statSync(file, { bigint: true }).mtimeNs, mtimeNs);
  });

  it("are counted again for another snapshot of the month, and else cached", async () => {
    place("older", "2026-09.peneira");
    place("newer", "2026-10.peneira");
    const month = (snapshot: string) => ({ snapshot, snapshot_date: "", accounts: 1, id: "x" });
    const totals = { entered: 1, left: 2, changed: 3 };
    const entry = (since: string, until: string) => {
      return { since: month(since), until: month(until), totals };
    };
    const months = [entry("2026-09", "2026-10"), entry("2026-08", "2026-09"), { until: 5 }, null];
    writeFileSync(join(folder, CHANGES_FILE), JSON.stringify({ format: 1, months }));
    const counts = await count();
    const { months: retained } = JSON.parse(readFileSync(join(folder, CHANGES_FILE), "utf8"));
    assert.deepEqual(retained, [counts, entry("2026-08", "2026-09")]);
  });

  it("are skipped with a message if they cannot be counted; a signal ends them", async () => {
    place("newer", "2026-10.peneira");
    place("older", "2026-09.peneira");
    const abort = new AbortController();
    abort.abort(new Error("enough"));
    await assert.rejects(count(abort.signal), /enough/);
    assert.deepEqual(readdirSync(join(folder, ".update")), []);
    rmSync(join(folder, ".update"), { recursive: true });
    const messages: string[] = [];
    assert.equal(await count(undefined, messages.push.bind(messages)), null);
    assert.match(
      messages[0] ?? "",
      /^what changed from 2026-09 to 2026-10 was not counted: ENOENT/,
    );
  });
});

describe("retention of the newest months", () => {
  it("removes unused snapshots by name, and reports it", async () => {
    place("newer", "2026-10.peneira");
    const older = copyOf("older", "2026-09.peneira");
    const pin = join(folder, ".pin");
    linkSync(older, pin);
    place("older", "mine.peneira");
    const before = await snapshots();
    assert.deepEqual(keepNewest(before, null, quiet), { removed: [], kept: [] });
    assert.deepEqual(keepNewest(before, 2, quiet), { removed: [], kept: [] });
    const messages: string[] = [];
    const keeping = keepNewest(before, 1, messages.push.bind(messages));
    assert.deepEqual(keeping, { removed: [older], kept: [] });
    assert.deepEqual(messages, [`${older}: removed (--keep 1)`]);
    assert.deepEqual(visible().sort(), ["2026-10.peneira", "mine.peneira"]);
    assert.equal((await openSegmentAt(pin)).label, "2026-09", "a pin of an export stays whole");
  });

  it("never removes a mapped file, under any name, until it is unmapped", async () => {
    place("newer", "2026-10.peneira");
    const older = copyOf("older", "2026-09.peneira");
    const pin = join(folder, ".pin");
    linkSync(older, pin);
    const reader = await openSegment(pin);
    const messages: string[] = [];
    const keeping = keepNewest(await snapshots(), 1, messages.push.bind(messages));
    assert.deepEqual(keeping.removed, []);
    assert.deepEqual(
      keeping.kept.map(({ snapshot }) => snapshot),
      [older],
    );
    assert.match(
      messages[0] ?? "",
      /not removed \(--keep 1\): a server or a command still reads it/,
    );
    assert.ok(existsSync(older));
    reader.close();
    assert.deepEqual(keepNewest(await snapshots(), 1, quiet).removed, [older]);
  });

  it("reports the system's error for a file that cannot be removed", async () => {
    place("newer", "2026-10.peneira");
    const older = copyOf("older", "2026-09.peneira");
    const known = await snapshots();
    rmSync(older);
    const { removed, kept } = keepNewest(known, 1, quiet);
    assert.deepEqual(removed, []);
    assert.match(kept[0]?.why ?? "", /No such file/);
  });
});

/** Adds a copy of a month, because the original file is open. */
function copyOf(month: "older" | "newer", name: string): string {
  const path = join(folder, name);
  writeFileSync(path, readFileSync(pair[month].path));
  return path;
}

async function openSegmentAt(path: string): Promise<{ readonly label: string }> {
  const segment = await openSegment(path);
  segment.close();
  return segment;
}
