/**
 * Proves: `peneira export` writes the bytes that a server's worker would, says rows, bytes, SHA-256
 * and time, refuses what it may not replace before any work, and leaves nothing behind when a
 * signal or the system ends it; `peneira search --format csv` prints the rows of that export.
 * Does not prove: what stands in the files (export-render.test.ts and its neighbours).
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { renderExport } from "../src/export/render.ts";
import { openSegment } from "../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../src/spec/fields.ts";
import { normalizeSpec } from "../src/spec/normalize.ts";
import { ROOT } from "./checkout.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "./sample-snapshot.ts";

const ACCOUNTS = 12_000;
const SPEC = {
  filters: { geo: { uf_any_of: ["SP", "RJ"] } },
  sort: [{ field: "legal_name", direction: "asc" }],
  limit: 700,
};

let sample: SampleSnapshot;
let folder: string;
let specPath: string;
before(async () => {
  sample = await makeSampleSnapshot(ACCOUNTS, 12);
  folder = join(sample.folder, "out");
  fs.mkdirSync(folder);
  specPath = join(sample.folder, "spec.json");
  fs.writeFileSync(specPath, JSON.stringify(SPEC));
});
after(() => sample.dispose());

/** Arguments of node that run a command on the sample. */
function command(name: string, args: readonly string[]): string[] {
  const main = ["--import", import.meta.resolve("tsx"), join(ROOT, "src/main.ts")];
  return [...main, name, "--snapshot", sample.snapshot, ...args];
}

function peneira(name: string, args: readonly string[], input = "") {
  const options = { cwd: folder, input, maxBuffer: 1 << 28 };
  const { status, stdout, stderr } = spawnSync(process.execPath, command(name, args), options);
  return { status, stdout, stderr: stderr.toString() };
}

/** What a server's worker renders of the same spec. */
async function wantedFile(format: string, output: Record<string, unknown> = {}) {
  const segment = await openSegment(sample.snapshot);
  const { spec } = normalizeSpec(SPEC, {
    catalog: segment.catalog,
    limitDefault: 1_000,
    limitCap: 1_000_000,
    bodyOutput: { format, ...output },
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "export",
    fullAllowed: false,
  });
  const path = join(sample.folder, "wanted");
  const file = await renderExport({ segment, spec, path });
  segment.close();
  return { ...file, bytes: fs.readFileSync(path) };
}

describe("peneira export", () => {
  it("writes the bytes of a server's worker and says what it wrote", async () => {
    const cases: readonly (readonly [string, string[], Record<string, unknown>])[] = [
      ["csv", ["--bom", "--delimiter", ";"], { bom: true, delimiter: ";" }],
      ["html", ["--explain"], { include_explain: true }],
      ["parquet", [], {}],
    ];
    for (const [format, flags, output] of cases) {
      const out = join(folder, `cli.${format}`);
      const args = ["--spec", specPath, "--format", format, "--out", out, ...flags];
      const { status, stdout, stderr } = peneira("export", args);
      assert.equal(status, 0, stderr);
      assert.equal(stdout.length, 0);
      const wanted = await wantedFile(format, output);
      assert.ok(fs.readFileSync(out).equals(wanted.bytes), format);
      assert.match(stderr, /^export: 700 rows in /m);
      const size = wanted.sizeBytes.toLocaleString("en-US");
      assert.match(stderr, new RegExp(`cli\\.${format}: 700 rows, ${size} bytes, [0-9.]+ s$`, "m"));
      assert.match(stderr, new RegExp(`^SHA-256 ${wanted.sha256}$`, "m"));
      fs.rmSync(out);
    }
  });

  it("takes the format of the spec, a spec from standard input, and all rows without a limit", () => {
    const spec = { filters: SPEC.filters, output: { format: "jsonl", fields: ["cnpj"] } };
    const args = ["--spec", "-", "--out", "all.jsonl"];
    const { status, stderr } = peneira("export", args, JSON.stringify(spec));
    assert.equal(status, 0, stderr);
    const lines = fs.readFileSync(join(folder, "all.jsonl"), "utf8").split("\n");
    fs.rmSync(join(folder, "all.jsonl"));
    assert.ok(lines.length > 2_000);
    assert.match(
      stderr,
      new RegExp(`all\\.jsonl: ${(lines.length - 1).toLocaleString("en-US")} rows`),
    );
  });

  it("refuses a name it may not use and a spec it cannot follow, and writes nothing", () => {
    fs.writeFileSync(join(folder, "there.csv"), "older");
    const cases: readonly (readonly [string[], number, RegExp])[] = [
      [["--format", "csv", "--out", "there.csv"], 2, /there\.csv exists; --force replaces it/],
      [["--format", "csv", "--out", "."], 2, /must be a file, but \. is a folder/],
      [["--format", "csv", "--out", ".", "--force"], 2, /must be a file, but \. is a folder/],
      [["--format", "csv", "--out", "no/x.csv"], 2, /there is no folder .*no for --out/],
      [["--format", "csv", "--out", "-"], 2, /--out must name a file/],
      [["--format", "pdf", "--out", "x.pdf"], 2, /Allowed choices are csv, html/],
      [["--out", "x.csv"], 1, /\/spec\/output\/format/],
      [["--format", "html", "--bom", "--out", "x.html"], 1, /bom/],
    ];
    for (const [flags, exitCode, words] of cases) {
      const { status, stderr } = peneira("export", ["--spec", specPath, ...flags]);
      assert.match(stderr, words);
      assert.equal(status, exitCode, flags.join(" "));
      assert.doesNotMatch(stderr, /\n +at /);
    }
    assert.deepEqual(fs.readdirSync(folder), ["there.csv"]);
    assert.equal(fs.readFileSync(join(folder, "there.csv"), "utf8"), "older");
    const args = ["--spec", specPath, "--format", "csv", "--out", "there.csv", "--force"];
    assert.equal(peneira("export", args).status, 0);
    assert.notEqual(fs.readFileSync(join(folder, "there.csv"), "utf8"), "older");
    fs.rmSync(join(folder, "there.csv"));
  });

  it("leaves nothing behind when a signal ends it", async () => {
    const all = { filters: {}, output: { format: "xlsx", fields: OUTPUT_FIELD_NAMES } };
    const path = join(sample.folder, "all.json");
    fs.writeFileSync(path, JSON.stringify(all));
    const args = command("export", ["--spec", path, "--explain", "--out", "all.xlsx"]);
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (bytes) => {
      stderr += bytes;
    });
    const exited = once(child, "exit");
    const started = fs.watch(folder);
    await Promise.race([once(started, "change"), exited]);
    started.close();
    child.kill("SIGINT");
    const [code] = await exited;
    assert.match(stderr, /^peneira: SIGINT ended the export; all\.xlsx was not written$/m);
    assert.equal(code, 1);
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  it("says in a sentence that the system refused to write, and leaves nothing behind", () => {
    const spec = { filters: {}, output: { format: "jsonl", fields: OUTPUT_FIELD_NAMES } };
    const path = join(sample.folder, "large.json");
    fs.writeFileSync(path, JSON.stringify(spec));
    const args = command("export", ["--spec", path, "--out", "large.jsonl"]);
    // The shell counts kilobytes; the file would have some megabytes.
    const limited = ["-c", 'ulimit -f 3000; exec "$0" "$@"', process.execPath, ...args];
    const ended = spawnSync("bash", limited, { cwd: folder, encoding: "utf8" });
    assert.match(ended.stderr, /^peneira: large\.jsonl could not be written: EFBIG/m);
    assert.doesNotMatch(ended.stderr, /\n +at /);
    assert.equal(ended.status, 1);
    assert.deepEqual(fs.readdirSync(folder), []);
  });
});

describe("peneira search --format csv", () => {
  it("prints the bytes of an export of the same rows, explanations included", async () => {
    for (const explain of [false, true]) {
      const args = ["--spec", specPath, "--format", "csv", ...(explain ? ["--explain"] : [])];
      const { status, stdout, stderr } = peneira("search", args);
      assert.equal(status, 0, stderr);
      const { bytes } = await wantedFile("csv", { include_explain: explain });
      assert.ok(stdout.equals(bytes));
      assert.match(stderr, /^\d+ accounts match in snapshot 2026-10 \(2026-10-10\)$/m);
    }
  });
});
