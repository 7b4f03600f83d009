/**
 * Proves: Polars, which shares no code with us, reads a snapshot as it is and agrees with the
 * engine on the number of rows and on every column of sampled rows; the columns it writes back,
 * as plain Arrow or as Parquet, give the same answers; without release they are refused.
 * Does not prove: the index region (native tests) or the import of dumps (ingest tests).
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Command } from "commander";
import polars from "nodejs-polars";
import { COLUMNS } from "../native-index/columns.ts";
import { registerImport } from "../src/cli/import.ts";
import { openAnySegment } from "../src/ingest/boot.ts";
import { search } from "../src/search/searcher.ts";
import type { Segment } from "../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../src/spec/fields.ts";
import { decodeSnapshot } from "./decode.ts";
import { randomSpec, seededRng } from "./random-spec.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "./sample-snapshot.ts";

type Frame = ReturnType<typeof readFrame>;

let sample: SampleSnapshot;
let frame: Frame;
let segment: Segment;

function readFrame(path: string) {
  return polars.scanIPC(path).collectSync();
}

before(async () => {
  sample = await makeSampleSnapshot(5_000, 31);
  frame = readFrame(sample.snapshot);
  segment = await openAnySegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

/** Categories as text: Parquet of this writer has no dictionaries that others read. */
function asText(categories: Frame): Frame {
  let text = categories;
  for (const { name, type } of COLUMNS) {
    if (type === "list_dictionary16") {
      text = text.withColumn(polars.col(name).cast(polars.List(polars.Utf8)));
    } else if (type.startsWith("dictionary")) {
      text = text.withColumn(polars.col(name).cast(polars.Utf8));
    }
  }
  return text;
}

/** Output value of a stored column, from what Polars read; undefined where names differ. */
function outputOf(name: string, value: unknown): [field: string, value: unknown] {
  if (value === null || value === undefined) return [name.replace("_cents", ""), null];
  if (name === "share_capital_cents") return ["share_capital", Number(value) / 100];
  if (name.startsWith("phone_")) return [name, `+${value}`];
  if (name === "postal_code") return [name, String(value).padStart(8, "0")];
  if (value instanceof Date) return [name, value.toISOString().slice(0, 10)];
  return [name, value];
}

const RELEASE = ["--label", "2026-10", "--date", "2026-10-10"];

async function importFile(source: string, out: string, ...flags: string[]): Promise<void> {
  const program = new Command().exitOverride();
  registerImport(program);
  await program.parseAsync(["import", source, "--out", out, ...flags], { from: "user" });
}

/** Fields that come from the registry's tables, which a file without our metadata does not hold. */
const FROM_TABLES = new Set<string>([
  "cnae_primary_description",
  "legal_nature_description",
  "municipality_name",
  "municipality_population",
]);

/** The answers to some random specs, as text, without what only the tables know. */
function answersOf(opened: Segment): string[] {
  const rng = seededRng(9);
  const { rows } = decodeSnapshot(sample.snapshot);
  const fields = OUTPUT_FIELD_NAMES.filter((name) => !FROM_TABLES.has(name));
  const answers: string[] = [];
  while (answers.length < 120) {
    const spec = randomSpec(rng, segment.catalog, rows);
    if (spec.sort.some(({ field }) => field === "municipality_population")) continue;
    const answer = search(opened, { spec, fields, afterRow: -1, explain: false });
    answers.push(`${answer.total} ${Buffer.from(answer.accounts).toString()}`);
  }
  return answers;
}

describe("a snapshot read by Polars", () => {
  it("has the documented columns and every row", () => {
    assert.deepEqual(
      frame.columns,
      COLUMNS.map(({ name }) => name),
    );
    assert.equal(frame.height, segment.accounts);
  });

  it("agrees with the engine on every column of sampled rows", () => {
    const ids = Uint32Array.from({ length: 500 }, (_, i) => (i * 997) % frame.height);
    const stored = ["score_contactable", "score_newest", "score_established"];
    const text = segment.native.renderJson(ids, [...OUTPUT_FIELD_NAMES, ...stored]);
    const accounts = JSON.parse(Buffer.from(text).toString()) as Record<string, unknown>[];
    const records = frame.toRecords() as Record<string, unknown>[];
    let compared = 0;
    accounts.forEach((account, i) => {
      const record = records[ids[i] as number] as Record<string, unknown>;
      for (const { name } of COLUMNS) {
        const [field, value] = outputOf(name, record[name]);
        assert.deepEqual(account[field], value, `${field} of row ${ids[i]}`);
        compared++;
      }
    });
    assert.equal(compared, 500 * COLUMNS.length);
  });
});

describe("columns that Polars writes", () => {
  it("answer the same as Parquet, rows in any order", async () => {
    const parquet = join(sample.folder, "columns.parquet");
    const out = join(sample.folder, "from-parquet.peneira");
    asText(frame).sort("legal_name").writeParquet(parquet);
    await importFile(parquet, out, ...RELEASE);
    const opened = await openAnySegment(out);
    assert.deepEqual(answersOf(opened), answersOf(segment));
    opened.close();
  });

  it("answer the same as Arrow, imported", async () => {
    const arrow = join(sample.folder, "columns.arrow");
    const out = join(sample.folder, "from-arrow.peneira");
    frame.sort("cnpj").writeIPC(arrow);
    await importFile(arrow, out, ...RELEASE);
    const opened = await openAnySegment(out);
    assert.deepEqual(answersOf(opened), answersOf(segment));
    opened.close();
  });

  it("are refused without the release, and leave nothing behind", async () => {
    const parquet = join(sample.folder, "nameless.parquet");
    const out = join(sample.folder, "nameless.peneira");
    asText(frame).writeParquet(parquet);
    await assert.rejects(importFile(parquet, out), /give --label YYYY-MM/);
    assert.equal(existsSync(out), false);
  });
});
