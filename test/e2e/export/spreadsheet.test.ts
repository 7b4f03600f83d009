/**
 * Proves, with LibreOffice in a Brazilian locale: a file with Portuguese labels, opened as by a
 * double click, shows every value as written, in CSV and XLSX. CNPJs, phones, and codes keep their
 * leading zeros. Dates are shown as days, and amounts as numbers. This test would detect a
 * number that lost its zeros.
 * Does not prove: the display of Excel, which converts such cells in the same way but more often.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { columnLabel } from "../../../src/export/formats/labels.ts";
import { renderBytes } from "../../../src/export/render.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { readCsv } from "../../support/export/readers.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const OFFICE = "soffice";
/** CSV import options: semicolons, quotes, UTF-8, line 1, Brazilian Portuguese, detect numbers. */
const AS_OPENED = "59,34,76,1,,1046,false,true";
/** A LibreOffice profile that sets the locale, independently of the machine. */
const PROFILE = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"
  xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>pt-BR</value></prop></item>
</oor:items>`;

let sample: SampleSnapshot;
let segment: Segment;

before(async () => {
  sample = await makeSampleSnapshot(4_000, 4);
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

async function written(format: "csv" | "xlsx"): Promise<Buffer> {
  const { spec } = normalizeSpec(
    { limit: 1_500, output: { format, labels: "pt", fields: [...OUTPUT_FIELD_NAMES] } },
    {
      catalog: segment.catalog,
      limitDefault: 1_000_000,
      limitCap: 1_000_000,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "export",
      fullAllowed: true,
    },
  );
  const parts: Uint8Array[] = [];
  await renderBytes({ segment, spec }, (part) => parts.push(Buffer.from(part)));
  return Buffer.concat(parts);
}

/** Returns the cells of a file as LibreOffice displays them. */
function shown(name: string, bytes: Uint8Array): string[][] {
  const folder = join(sample.folder, "office");
  mkdirSync(join(folder, "profile", "user"), { recursive: true });
  writeFileSync(join(folder, "profile", "user", "registrymodifications.xcu"), PROFILE);
  writeFileSync(join(folder, name), bytes);
  const opened = name.endsWith(".csv") ? [`--infilter=CSV:${AS_OPENED}`] : [];
  execFileSync(
    OFFICE,
    [
      `-env:UserInstallation=file://${join(folder, "profile")}`,
      "--headless",
      ...opened,
      "--convert-to",
      `csv:Text - txt - csv (StarCalc):${AS_OPENED}`,
      "--outdir",
      join(folder, "shown"),
      join(folder, name),
    ],
    { stdio: "ignore" },
  );
  const text = readFileSync(join(folder, "shown", name.replace(/\.\w+$/, ".csv")), "utf8");
  return readCsv(text.replace(/^\ufeff/, "").replace(/\r?\n/g, "\r\n"), ";");
}

function skipped(test: TestContext): boolean {
  if (spawnSync(OFFICE, ["--version"], { stdio: "ignore" }).status === 0) return false;
  test.skip("skipped: no LibreOffice");
  return true;
}

const heading = (name: string) => columnLabel(name, { labels: "pt" }).heading;
const DAYS = ["started_on", "registration_status_date"].map(heading);
const AMOUNT = heading("share_capital");

/**
 * Returns the texts that a cell may show. In CSV files, LibreOffice shortens years and drops zeros
 * at the end of amounts.
 */
function mayShow(column: string, written: string, format: "csv" | "xlsx"): string[] {
  if (format === "xlsx" && column === heading("cnpj_root")) return [written.replace("/", "")];
  if (DAYS.includes(column)) return [written, written.replace(/\d\d(\d\d)$/, "$1")];
  if (column !== AMOUNT || written === "") return [written];
  const [whole = "", cents = ""] = written.split(",");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ".");
  return [`${grouped},${cents}`, written.replace(/,?0+$/, ""), whole, written];
}

describe("a double click in a Brazilian LibreOffice", () => {
  for (const format of ["csv", "xlsx"] as const) {
    it(`shows every value of a ${format} file`, async (test) => {
      if (skipped(test)) return;
      const text = (await written("csv")).toString("utf8").slice(1);
      const [columns = [], ...rows] = readCsv(text, ";");
      const cells = shown(`people.${format}`, await written(format));
      assert.deepEqual(cells[0], columns);
      assert.equal(cells.length, rows.length + 1);
      rows.forEach((row, line) => {
        columns.forEach((column, i) => {
          const cell = cells[line + 1]?.[i] ?? "missing";
          const right = mayShow(column, row[i] as string, format).includes(cell);
          assert.ok(right, `${column} of row ${line + 1}: ${cell} in place of ${row[i]}`);
        });
      });
    });
  }

  it("drops the zeros of values in the machine form", (test) => {
    if (skipped(test)) return;
    const cells = shown(
      "machine.csv",
      Buffer.from("cnpj;tom;raiz\r\n02654062000142;0737;02.654.062\r\n"),
    );
    assert.deepEqual(cells[1], ["2654062000142", "737", "2654062"]);
  });
});
