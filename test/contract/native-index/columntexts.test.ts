/**
 * Proves: texts of Arrow and Parquet files become one printable line, by the same rule as the
 * registry's files. A text of 65,535 bytes or more becomes null. Both changes are counted.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Table, tableFromIPC, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { parquetLibrary } from "../../../native-index/format/arrow/parquet.ts";
import { importColumns } from "../../../src/ingest/columns/columns-import.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const LONGEST = 65_534;
const LONG = "A".repeat(LONGEST);
/**
 * Texts in a file, and the texts that an import makes of them. Lone surrogates are missing, because
 * they cannot be written to a file.
 */
const TEXTS: readonly (readonly [given: string | null, retained: string | null])[] = [
  ["RUA\u0000 DAS\u001b[31m\tFLORES", "RUA DAS FLORES"],
  ["A\u0085B\u2028C\u2029D", "A B C D"],
  ["\u202eodnuF", "odnuF"],
  ["\n\u0007\r", null],
  [" AVENIDA  BRASIL ", " AVENIDA  BRASIL "],
  ["São João “do Zé” – 😀", "São João “do Zé” – 😀"],
  [LONG, LONG],
  [`${LONG}A`, null],
  // The limit counts bytes, not characters.
  ["é".repeat(LONGEST / 2), "é".repeat(LONGEST / 2)],
  [`${"é".repeat(LONGEST / 2)}A`, null],
  ["😀".repeat(20_000), null],
  // Controls go first.
  [`${LONG}\u0007`, LONG],
  ["", null],
  [null, null],
];
const CONTROLS = 5;
const TOO_LONG = 3;

describe("texts of a file with the columns", () => {
  let sample: SampleSnapshot;
  before(async () => {
    sample = await makeSampleSnapshot(60, 11, "2026-10");
  });
  after(() => sample.dispose());

  /** Returns the snapshot's first rows as an Arrow table, with these streets and districts. */
  function table(): Table {
    const whole = tableFromIPC(readFileSync(sample.snapshot)).slice(0, TEXTS.length);
    const texts = vectorFromArray(
      TEXTS.map(([given]) => given),
      new Utf8(),
    );
    const named = whole.schema.fields.map(({ name }) => {
      const isOurs = name === "street" || name === "district";
      return [name, isOurs ? texts : whole.getChild(name)] as const;
    });
    return new Table(Object.fromEntries(named) as never);
  }

  const FILES = {
    "texts.arrow": (one: Table) => tableToIPC(one, "file"),
    "texts.parquet": (one: Table) => {
      const library = parquetLibrary();
      return library.writeParquet(library.Table.fromIPCStream(tableToIPC(one, "stream")));
    },
  };

  for (const [name, encode] of Object.entries(FILES)) {
    it(`are printable and short, and odd ones are counted: ${name}`, async () => {
      const made = table();
      const source = join(sample.folder, name);
      writeFileSync(source, encode(made));
      const out = join(sample.folder, `${name}.peneira`);
      const report = await importColumns({
        ...{ source, out, label: "2026-10", date: "2026-10-10", keepCpf: true, threads: 1 },
        startStage: () => ({ update: () => undefined, done: () => undefined }),
      });
      const rows = new Map(decodeSnapshot(out).rows.map((row) => [row.cnpj, row]));
      TEXTS.forEach(([given, retained], at) => {
        const row = rows.get(String(made.getChild("cnpj")?.get(at)));
        const wanted = [retained, retained];
        const shown = JSON.stringify(given)?.slice(0, 40);
        assert.deepEqual([row?.street, row?.district], wanted, shown);
      });
      const { text_control, text_long } = report.rules;
      assert.deepEqual([text_control?.count, text_long?.count], [2 * CONTROLS, 2 * TOO_LONG]);
      const shown = text_long?.examples.map(({ value }) => value);
      assert.ok(
        shown?.every((value) => value === undefined),
        "a text may name a person",
      );
    });
  }
});
