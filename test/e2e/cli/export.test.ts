/**
 * Proves: `peneira export` writes the same bytes as an export of a server, and reports rows, bytes,
 * SHA-256, and time. It refuses to replace certain files before it does any work. If a signal or
 * the system ends it, it leaves no files. `peneira search --format csv` prints the rows of that
 * export.
 * Does not prove: the content of the files (contract/export/render.test.ts and its neighbors).
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { Command } from "commander";
import { registerExport } from "../../../src/cli/commands/export.ts";
import { renderExport } from "../../../src/export/render.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

const ACCOUNTS = 6_000;
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

/** Returns the program and arguments that run a command on the sample. */
function command(name: string, args: readonly string[]): [file: string, args: string[]] {
  return productCommand([name, "--snapshot", sample.snapshot, ...args]);
}

/** Runs the command in this process. In `args`, `out/…` names a file in the test's folder. */
async function exported(test: TestContext, args: readonly string[]): Promise<string> {
  const program = new Command("peneira");
  registerExport(program);
  for (const one of [program, ...program.commands]) {
    one.exitOverride().configureOutput({ writeErr: () => {} });
  }
  let output = "";
  const write = test.mock.method(process.stderr, "write", (text: string) => {
    output += text;
    return true;
  });
  try {
    const paths = args.map((text) => text.replace(/^out\//, `${folder}/`));
    const all = ["export", "--snapshot", sample.snapshot, ...paths];
    await program.parseAsync(all, { from: "user" });
    return output;
  } finally {
    write.mock.restore();
  }
}

/** Renders the expected file in this process, in the way in which a server's worker renders it. */
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
  it("writes the bytes of a server's worker and reports what it wrote", async (test) => {
    const cases: readonly (readonly [string, string[], Record<string, unknown>])[] = [
      ["csv", ["--bom", "--delimiter", ";"], { bom: true, delimiter: ";" }],
      ["html", ["--explain"], { include_explain: true }],
      ["xlsx", [], {}],
      ["parquet", [], {}],
      ["jsonl", [], {}],
      ["csv.gz", [], { compression: "gzip" }],
      ["jsonl.gz", ["--compression", "gzip"], { compression: "gzip" }],
      ["csv.zst", [], { compression: "zstd" }],
      ["jsonl.zst", ["--compression", "zstd"], { compression: "zstd" }],
    ];
    for (const [ending, flags, output] of cases) {
      const format = ending.replace(/\.(gz|zst)$/, "");
      const args = ["--spec", specPath, "--format", format, "--out", `out/cli.${ending}`, ...flags];
      const printed = await exported(test, args);
      const wanted = await wantedFile(format, output);
      const path = join(folder, `cli.${ending}`);
      assert.ok(fs.readFileSync(path).equals(wanted.bytes), ending);
      fs.rmSync(path);
      const size = wanted.sizeBytes.toLocaleString("en-US");
      assert.match(printed, /^export: 700 rows in /m);
      assert.match(
        printed,
        new RegExp(`cli\\.${ending}: 700 rows, ${size} bytes, [0-9.]+ s$`, "m"),
      );
      assert.match(printed, new RegExp(`^SHA-256 ${wanted.sha256}$`, "m"));
    }
  });

  it("uses the format and fields of the spec, and all rows without a limit", async (test) => {
    const spec = { filters: SPEC.filters, output: { format: "jsonl", fields: ["cnpj"] } };
    const path = join(sample.folder, "bare.json");
    fs.writeFileSync(path, JSON.stringify(spec));
    const output = await exported(test, ["--spec", path, "--out", "out/all.jsonl"]);
    const lines = fs.readFileSync(join(folder, "all.jsonl"), "utf8").split("\n");
    fs.rmSync(join(folder, "all.jsonl"));
    assert.ok(lines.length > 1_000);
    assert.match(lines[0] ?? "", /^\{"cnpj":"[0-9A-Z]{12}\d\d"\}$/);
    const rows = (lines.length - 1).toLocaleString("en-US");
    assert.match(output, new RegExp(`all\\.jsonl: ${rows} rows`));
    await exported(test, ["--spec", path, "--limit", "3", "--out", "out/three.jsonl"]);
    assert.equal(
      fs.readFileSync(join(folder, "three.jsonl"), "utf8"),
      lines
        .slice(0, 3)
        .map((line) => `${line}\n`)
        .join(""),
    );
    fs.rmSync(join(folder, "three.jsonl"));
  });

  it("prefers the format of the file's extension to that of the spec", async (test) => {
    const spec = { filters: SPEC.filters, limit: 3, output: { format: "jsonl", fields: ["cnpj"] } };
    const path = join(sample.folder, "named.json");
    fs.writeFileSync(path, JSON.stringify(spec));
    const begins: readonly (readonly [string, string[], string])[] = [
      ["a.XLSX", [], "PK"],
      ["a.parquet", [], "PAR1"],
      ["a.html", [], "<!doctype html>"],
      ["a.csv", [], "cnpj\r\n"],
      ["a.CSV", ["--format", "csv"], "cnpj\r\n"],
      ["csv", [], '{"cnpj":'],
      ["csv", ["--format", "parquet"], "PAR1"],
      [".csv", ["--format", "parquet"], "PAR1"],
    ];
    for (const [name, flags, begin] of begins) {
      await exported(test, ["--spec", path, "--out", `out/${name}`, ...flags]);
      const bytes = fs.readFileSync(join(folder, name));
      assert.equal(bytes.toString("latin1", 0, begin.length), begin, name);
      fs.rmSync(join(folder, name));
    }
  });

  it("warns if the file's extension overrides the spec", async (test) => {
    const path = join(sample.folder, "other.json");
    fs.writeFileSync(path, JSON.stringify({ ...SPEC, limit: 3, output: { format: "xlsx" } }));
    const output = await exported(test, ["--spec", path, "--out", "out/y.csv"]);
    assert.match(output, /^warning: --out \S+y\.csv ends in \.csv, so csv is written; .* xlsx\./m);
    fs.rmSync(join(folder, "y.csv"));
  });

  it("rejects an unusable name and a wrong spec, and writes nothing", async (test) => {
    fs.writeFileSync(join(folder, "there.csv"), "older");
    const cases: readonly (readonly [string[], object])[] = [
      [["--out", "out/there.csv"], { exitCode: 2, message: /there\.csv exists; --force replaces/ }],
      [["--out", "out/"], { exitCode: 2, message: /must be a file, but .* is a folder/ }],
      [
        ["--out", "out/", "--force"],
        { exitCode: 2, message: /must be a file, but .* is a folder/ },
      ],
      [["--out", "/dev/null", "--force"], { exitCode: 2, message: /or a device/ }],
      [["--out", "out/no/x.csv"], { exitCode: 2, message: /there is no folder .*no for --out/ }],
      [["--out", "-"], { exitCode: 2, message: /--out must name a file/ }],
      [["--out", ""], { exitCode: 2, message: /--out must name a file/ }],
      [
        ["--out", "out/p.docx"],
        {
          exitCode: 2,
          message: /p\.docx ends in \.docx, which is not an export format\. Use one of \.csv, /,
        },
      ],
      [
        ["--out", "out/x.csv", "--compression", "gzip"],
        { exitCode: 2, message: /ends in \.csv, but --compression is gzip\. Use the ending/ },
      ],
      [["--out", "out/x.xlsx.gz"], { code: "invalid_spec" }],
      [["--out", "out/x.parquet.zst"], { code: "invalid_spec" }],
      [
        ["--out", "out/x.csv", "--format", "xlsx"],
        { exitCode: 2, message: /ends in \.csv, but --format is xlsx\. Use the ending \.xlsx/ },
      ],
      [["--out", "out/x.data", "--format", "csv"], { exitCode: 2, message: /ends in \.data/ }],
      [["--out", "out/x.pdf", "--format", "pdf"], { message: /Allowed choices are csv, html/ }],
      [["--out", "out/x.csv", "--limit", "0"], { message: /whole number from 1/ }],
      [["--out", "out/x.html", "--format", "html", "--bom"], { code: "invalid_spec" }],
      [
        ["--out", "out/x.csv", "--spec", "no.json"],
        { exitCode: 2, message: /no spec file no\.json/ },
      ],
    ];
    for (const [flags, refusal] of cases) {
      const work = exported(test, ["--spec", specPath, ...flags]);
      await assert.rejects(work, refusal, flags.join(" "));
    }
    assert.deepEqual(fs.readdirSync(folder), ["there.csv"]);
    assert.equal(fs.readFileSync(join(folder, "there.csv"), "utf8"), "older");
    await exported(test, ["--spec", specPath, "--out", "out/there.csv", "--force"]);
    const { bytes } = await wantedFile("csv");
    assert.ok(fs.readFileSync(join(folder, "there.csv")).equals(bytes));
    fs.rmSync(join(folder, "there.csv"));
  });

  it("leaves nothing if a signal ends it", async () => {
    const all = { filters: {}, output: { format: "xlsx", fields: OUTPUT_FIELD_NAMES } };
    const path = join(sample.folder, "all.json");
    fs.writeFileSync(path, JSON.stringify(all));
    const args = command("export", ["--spec", path, "--explain", "--out", "all.xlsx"]);
    const child = spawn(...args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
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

  it("reports a write error of the system in a sentence, and leaves nothing", () => {
    const spec = { filters: {}, output: { format: "jsonl", fields: OUTPUT_FIELD_NAMES } };
    const path = join(sample.folder, "large.json");
    fs.writeFileSync(path, JSON.stringify(spec));
    const [file, args] = command("export", ["--spec", path, "--out", "large.jsonl"]);
    // The limit of 3,000 kilobytes is smaller than the file.
    const limited = ["-c", 'ulimit -f 3000; exec "$0" "$@"', file, ...args];
    const ended = spawnSync("bash", limited, { cwd: folder, encoding: "utf8" });
    const words = "the file would be larger than the system allows \\(EFBIG( at \\w+)?\\)\\. Raise";
    assert.match(
      ended.stderr,
      new RegExp(`^peneira: large\\.jsonl was not written: ${words}`, "m"),
    );
    assert.doesNotMatch(ended.stderr, /\n +at /);
    assert.equal(ended.status, 1);
    assert.deepEqual(fs.readdirSync(folder), []);
  });
});

describe("peneira search --format csv", () => {
  it("prints the bytes of an export of the same rows, explanations included", async () => {
    const flags = ["--spec", "-", "--format", "csv", "--explain"];
    const options = { cwd: folder, input: JSON.stringify(SPEC) };
    const ended = spawnSync(...command("search", flags), options);
    assert.equal(ended.status, 0, ended.stderr.toString());
    const { bytes } = await wantedFile("csv", { include_explain: true });
    assert.ok(ended.stdout.equals(bytes));
    assert.match(
      ended.stderr.toString(),
      /^\d+ accounts match in snapshot 2026-10 \(2026-10-10\)$/m,
    );
  });
});
