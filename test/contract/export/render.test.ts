/**
 * Proves: in CSV and JSON lines, an export has the rows of the search in the same order, cell by
 * cell, including hostile texts. In every format, repeated runs give the same bytes, for any
 * batches and for any limit that cuts off no row. The reported size and SHA-256 are those of the
 * file. A failed write, a full disk, or a cancellation leaves no file and hides no error. Does not
 * prove: the content of HTML pages, workbooks, and Parquet files (export-html, -xlsx, -parquet),
 * nor the effects of other system calls on a file (export-sink).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { explainColumns } from "../../../src/export/formats/explained.ts";
import { FORMATS, refuseTooManyRows } from "../../../src/export/formats/format.ts";
import { openHtmlRenderer } from "../../../src/export/formats/html/html.ts";
import { openParquetRenderer } from "../../../src/export/formats/parquet/parquet.ts";
import type { OpenRenderer } from "../../../src/export/formats/renderer.ts";
import { openCsvRenderer, openJsonlRenderer } from "../../../src/export/formats/text.ts";
import { openXlsxRenderer } from "../../../src/export/formats/xlsx/xlsx.ts";
import type { ExportFormat } from "../../../src/export/record.ts";
import { RenderCancelled, renderBytes, renderExport } from "../../../src/export/render.ts";
import { explainRows } from "../../../src/search/project.ts";
import { scroll } from "../../../src/search/scroll.ts";
import { search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, OUTPUT_FIELDS } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { plainDisk } from "../../support/export/plain-writer.ts";
import { readCsv } from "../../support/export/readers.ts";
import {
  batchesOf,
  contextOf,
  openRenderFixture,
  type RenderFixture,
  renderedBytes,
  searched,
} from "../../support/native-index/render-fixture.ts";
import { FORMULA } from "../../support/native-index/rows-twin.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const RENDERERS: Readonly<Record<ExportFormat, OpenRenderer>> = {
  csv: openCsvRenderer,
  html: openHtmlRenderer,
  xlsx: openXlsxRenderer,
  parquet: openParquetRenderer,
  jsonl: openJsonlRenderer,
};
const ALL_FORMATS = Object.keys(RENDERERS) as ExportFormat[];
/** More accounts than two batches contain, so that rendering pauses between batches. */
const ACCOUNTS = 9_000;

let sample: SampleSnapshot;
let segment: Segment;
let hostile: RenderFixture;
let folder: string;

before(async () => {
  sample = await makeSampleSnapshot(ACCOUNTS, 4);
  segment = await openSegment(sample.snapshot);
  hostile = await openRenderFixture();
  folder = fs.mkdtempSync(join(tmpdir(), "peneira-export-"));
});
after(() => {
  segment.close();
  hostile.dispose();
  sample.dispose();
  fs.rmSync(folder, { recursive: true });
});

/** Returns a spec of the mode `export`; without filters, it matches every account. */
function specOf(format: ExportFormat, changed: Record<string, unknown> = {}): AccountQuerySpec {
  const { output, ...rest } = changed;
  return normalizeSpec(rest, {
    catalog: segment.catalog,
    limitDefault: 1_000_000,
    limitCap: 1_000_000,
    bodyOutput: { format, fields: OUTPUT_FIELD_NAMES, ...(output as object) },
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "export",
    fullAllowed: true,
  }).spec;
}

const SMALL = { limit: 40, filters: { geo: { uf_any_of: ["SP", "MG"] } } };

function pathOf(format: string): string {
  return join(folder, `export.${format}`);
}

/** Runs work that must fail and leave the folder empty. */
async function leavesNothing(work: () => Promise<unknown>, wanted: assert.AssertPredicate) {
  assert.deepEqual(fs.readdirSync(folder), []);
  await assert.rejects(work, wanted);
  assert.deepEqual(fs.readdirSync(folder), []);
}

const FREE_TEXT = new Set<string>(OUTPUT_FIELDS.filter((row) => row.freeText).map((r) => r.name));

/** Returns the cell that a CSV file must have for a value of a search. */
function cellOf(field: string, value: unknown): string {
  if (value === null) return "";
  if (Array.isArray(value)) return value.join(",");
  const text = typeof value === "number" ? plainNumber(value) : String(value);
  return FREE_TEXT.has(field) && FORMULA.test(text) ? `'${text}` : text;
}

/** Returns a number without an exponent and with at most two decimals, as CSV writes it. */
function plainNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2).replace(/0$/, "");
}

describe("a CSV export", () => {
  it("has the cells of the search, for any text, delimiter and mark", async () => {
    const { segment: odd, rows } = hostile;
    const wanted = searched(odd, rows, OUTPUT_FIELD_NAMES);
    for (const delimiter of [undefined, ";"] as const) {
      for (const bom of [undefined, true] as const) {
        const context = contextOf(odd, { format: "csv", rowCount: rows.length });
        const output = {
          ...context.spec.output,
          ...(bom && { bom }),
          ...(delimiter && { delimiter }),
        };
        const spec = { ...context.spec, output };
        const bytes = await renderedBytes(
          openCsvRenderer,
          { ...context, spec },
          batchesOf(rows, 64),
        );
        const text = bytes.toString();
        assert.equal(text.startsWith("\ufeff"), bom === true);
        const [header, ...lines] = readCsv(text.slice(bom ? 1 : 0), delimiter);
        assert.deepEqual(header, OUTPUT_FIELD_NAMES);
        assert.equal(lines.length, rows.length);
        wanted.forEach((account, i) => {
          const cells = OUTPUT_FIELD_NAMES.map((field) => cellOf(field, account[field]));
          assert.deepEqual(lines[i], cells, `row ${i}`);
        });
      }
    }
  });

  it("keeps a row whose only cell is empty", async () => {
    const { segment: odd, rows } = hostile;
    const fields = ["trade_name"];
    const context = contextOf(odd, { format: "csv", fields, rowCount: rows.length });
    const bytes = await renderedBytes(openCsvRenderer, context, [rows]);
    assert.equal(readCsv(bytes.toString()).length, rows.length + 1);
    assert.ok(!bytes.toString().includes("\r\n\r\n"));
  });

  it("has a column for every part of an explanation, none twice", async () => {
    const spec = specOf("csv", {
      limit: 60,
      filters: { industry: { cnae_any_of: ["G"], secondary_cnae_mode: "full" } },
      output: { include_explain: true, fields: ["cnpj"] },
    });
    await renderExport({ segment, spec, path: pathOf("csv") });
    const [header = [], ...lines] = readCsv(fs.readFileSync(pathOf("csv"), "utf8"));
    fs.rmSync(pathOf("csv"));
    const names = explainColumns(spec).map(({ name }) => name);
    assert.deepEqual(header, ["cnpj", ...names]);
    assert.equal(new Set(header).size, header.length);
    const explained = explainRows(segment, spec, [...scroll(segment, spec).batches()][0] as never);
    assert.equal(lines.length, 60);
    lines.forEach((cells, i) => {
      const row = Object.fromEntries(header.map((name, column) => [name, cells[column]]));
      const { score, parts, matched } = explained[i] as (typeof explained)[number];
      const cnae = matched.cnae as { code: string; as: string };
      assert.equal(row.explain_score, String(score));
      assert.equal(row.explain_activity, String(parts.activity));
      assert.equal(row.explain_sanction, String(parts.sanction));
      assert.deepEqual([row.explain_matched, row.explain_matched_as], [cnae.code, cnae.as]);
    });
  });
});

describe("a JSON lines export", () => {
  it("has the objects of the search, explanations included", async () => {
    for (const explain of [false, true]) {
      const spec = specOf("jsonl", { ...SMALL, output: { include_explain: explain } });
      await renderExport({ segment, spec, path: pathOf("jsonl") });
      const lines = fs.readFileSync(pathOf("jsonl"), "utf8").split("\n");
      fs.rmSync(pathOf("jsonl"));
      assert.equal(lines.pop(), "");
      const { fields } = spec.output;
      const { accounts } = search(segment, { spec, fields, afterRow: -1, explain });
      const wanted = JSON.parse(Buffer.from(accounts).toString());
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        wanted,
      );
    }
  });

  it("keeps every text", async () => {
    const { segment: odd, rows } = hostile;
    const context = contextOf(odd, { format: "jsonl", rowCount: rows.length });
    const bytes = await renderedBytes(openJsonlRenderer, context, [rows]);
    const lines = bytes.toString().split("\n").slice(0, -1);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      searched(odd, rows, OUTPUT_FIELD_NAMES),
    );
  });
});

describe("renderExport", () => {
  it("makes the same bytes twice and from batches of any size, in every format", async () => {
    for (const format of ALL_FORMATS) {
      for (const include_explain of [false, true]) {
        const spec = specOf(format, {
          limit: 5_000,
          filters: { geo: { uf_any_of: ["SP", "RJ", "MG", "PR", "RS"] } },
          sort: [{ field: "share_capital", direction: "desc" }],
          output: { include_explain, fields: [...DEFAULT_FIELDS, "share_capital"] },
        });
        const path = pathOf(format);
        const done = await renderExport({ segment, spec, path });
        const bytes = fs.readFileSync(path);
        assert.equal(fs.statSync(path).mode & 0o777, 0o600);
        assert.equal(done.sizeBytes, bytes.length);
        assert.equal(done.sha256, createHash("sha256").update(bytes).digest("hex"));
        assert.deepEqual(await renderExport({ segment, spec, path }), done);
        assert.deepEqual(fs.readdirSync(folder), [`export.${format}`]);
        fs.rmSync(path);
        const answer = scroll(segment, spec);
        const rows = Uint32Array.from([...answer.batches()].flatMap((batch) => [...batch]));
        const { rowCount, matches } = answer;
        assert.equal(done.rowCount, rowCount);
        for (const size of [1_000, 4_999]) {
          const context = { segment, spec, rowCount, matches };
          const again = await renderedBytes(RENDERERS[format], context, batchesOf(rows, size));
          assert.ok(again.equals(bytes), `${format} in batches of ${size}`);
        }
      }
    }
  });

  it("makes the same bytes with limits that cut nothing off, and states other limits", async () => {
    const filters = { geo: { uf_any_of: ["SP", "MG"] } };
    const hashOf = async (format: ExportFormat, limit: number) => {
      const hash = createHash("sha256");
      const spec = { ...specOf(format, { filters }), limit };
      const { rowCount } = await renderBytes({ segment, spec }, (bytes) => hash.update(bytes));
      return { rowCount, sha256: hash.digest("hex") };
    };
    for (const format of ALL_FORMATS) {
      const [plain, plan, all] = await Promise.all(
        [1_000_000_000, 100_000_000, ACCOUNTS].map((limit) => hashOf(format, limit)),
      );
      assert.deepEqual(plan, plain, `${format}: a plan's cap is not in the file`);
      assert.deepEqual(all, plain);
      const near = await hashOf(format, ACCOUNTS - 1);
      assert.equal(near.rowCount, plain?.rowCount);
      const reports = ["html", "xlsx", "parquet"].includes(format);
      assert.equal(
        near.sha256 !== plain?.sha256,
        reports,
        `${format} tells what could cut rows off`,
      );
    }
  });

  it("makes a file without rows, and states the matches that the limit left out", async () => {
    for (const format of ALL_FORMATS) {
      const spec = specOf(format, { filters: { industry: { text_hints: ["qqzzqq"] } } });
      const done = await renderExport({ segment, spec, path: pathOf(format) });
      assert.equal(done.rowCount, 0);
      assert.ok(done.sizeBytes > 0 || format === "jsonl");
      fs.rmSync(pathOf(format));
    }
    const counted = await renderBytes({ segment, spec: specOf("csv", { limit: 5 }) }, () => {});
    assert.deepEqual([counted.rowCount, counted.matches], [5, ACCOUNTS]);
  });

  it("reports its progress batch by batch, up to the announced number", async () => {
    const reported: number[] = [];
    const path = pathOf("csv");
    await renderExport({
      segment,
      spec: specOf("csv"),
      path,
      onProgress(written, rowCount) {
        assert.equal(rowCount, ACCOUNTS);
        reported.push(written);
      },
    });
    fs.rmSync(path);
    assert.equal(reported.at(-1), ACCOUNTS);
    reported.forEach((written, i) => {
      const rows = written - (reported[i - 1] ?? 0);
      assert.ok(rows > 0 && rows <= 4_096);
    });
  });

  it("receives a message between batches, stops in every format, and leaves no file", async () => {
    for (const format of ALL_FORMATS) {
      let cancelled = false;
      let last = 0;
      const { port1, port2 } = new MessageChannel();
      port1.on("message", () => {
        cancelled = true;
      });
      const onProgress = (written: number) => {
        last = written;
        port2.postMessage("stop");
      };
      const job = { segment, spec: specOf(format), path: pathOf(format), onProgress };
      const work = () => renderExport({ ...job, cancelled: () => cancelled });
      await leavesNothing(work, (error) => error instanceof RenderCancelled);
      port1.close();
      assert.ok(last > 0 && last < ACCOUNTS, `${format} stopped after ${last} rows`);
    }
  });

  it("refuses more rows than the format holds, before a file is opened", async () => {
    const spec = specOf("html", { limit: 1_000_000 });
    const native = Object.create(segment.native, { count: { value: () => 100_001 } });
    const work = () =>
      renderExport({ segment: { ...segment, native }, spec, path: pathOf("html") });
    await leavesNothing(work, { code: "invalid_spec" });
    for (const format of ALL_FORMATS) {
      const { rowsMax } = FORMATS[format];
      if (rowsMax === null) continue;
      refuseTooManyRows(format, rowsMax);
      assert.throws(() => refuseTooManyRows(format, rowsMax + 1), { code: "invalid_spec" });
    }
  });

  it("writes no bytes that were read from a file truncated under its mapping", async () => {
    const bound = (name: "count" | "select" | "renderRowsInto") => ({
      value: segment.native[name].bind(segment.native) as unknown,
    });
    const native = Object.create(segment.native, {
      ...{ count: bound("count"), select: bound("select") },
      renderRowsInto: bound("renderRowsInto"),
      poisoned: { value: () => true },
    });
    const spec = specOf("csv");
    const work = () => renderExport({ segment: { ...segment, native }, spec, path: pathOf("csv") });
    await leavesNothing(work, { code: "snapshot_unavailable" });
  });
});

describe("a file that cannot be written", () => {
  it("is removed, and the failure is thrown unchanged, in every format", async () => {
    for (const format of ALL_FORMATS) {
      const failure = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      const writeSync = () => {
        throw failure;
      };
      const disk = plainDisk({ ...fs, writeSync });
      const work = () =>
        renderExport({ segment, spec: specOf(format), path: pathOf(format) }, disk);
      await leavesNothing(work, (error) => error === failure);
    }
  });

  it("frees the space of a full disk", async (test) => {
    const disk = fs.mkdtempSync(join(tmpdir(), "peneira-full-"));
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", disk]);
    if (mounted.status !== 0) {
      fs.rmdirSync(disk);
      return test.skip("a small file system can be mounted by root only");
    }
    try {
      const free = fs.statfsSync(disk).bfree;
      for (const format of ALL_FORMATS) {
        const spec = specOf(format, { output: { fields: OUTPUT_FIELD_NAMES } });
        // Another file takes most of the disk, because a compressed export alone would fit on it.
        fs.writeFileSync(join(disk, "other"), Buffer.alloc(1_900_000));
        const work = renderExport({ segment, spec, path: join(disk, "export") });
        await assert.rejects(work, { code: "ENOSPC" }, format);
        fs.rmSync(join(disk, "other"));
        assert.equal(fs.statfsSync(disk).bfree, free);
        assert.deepEqual(fs.readdirSync(disk), []);
      }
    } finally {
      spawnSync("umount", [disk]);
      fs.rmdirSync(disk);
    }
  });
});
