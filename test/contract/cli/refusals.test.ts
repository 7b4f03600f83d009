/**
 * Proves: a spec with mistakes is rejected with the name of its file, and each mistake is printed
 * once. Wrong facets and an existing output file are refused with advice. Does not prove: which
 * mistakes are found (unit/spec).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { makeSampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

const sample = await makeSampleSnapshot(2_000, 7, "2026-10");
after(() => sample.dispose());

/** Runs a search whose spec is unusable, and returns its standard error. */
function refusal(spec: string, given: string, input = ""): string {
  if (given !== "-") writeFileSync(given, spec);
  const args = ["search", "--snapshot", sample.snapshot, "--spec", given];
  const { status, stdout, stderr } = spawnSync(...productCommand(args), {
    encoding: "utf8",
    input,
  });
  assert.deepEqual([status, stdout], [1, ""], stderr);
  return stderr;
}

describe("a rejected spec", () => {
  const file = path.join(sample.folder, "spec.json");

  it("is reported with its file and the reason", () => {
    const words = "is not acceptable JSON: expected a member name in quotes, line 1, column 2.";
    assert.equal(refusal("{bad", file), `peneira: ${file} ${words}\n`);
    assert.equal(refusal("", "-", "{bad"), `peneira: Standard input ${words}\n`);
    const args = ["search", "--snapshot", sample.snapshot, "--spec", sample.folder];
    const folder = spawnSync(...productCommand(args), { encoding: "utf8" });
    const reported = `peneira: ${sample.folder} is not a readable spec file (EISDIR).\n`;
    assert.deepEqual([folder.status, folder.stderr], [2, reported]);
  });

  it("reports each mistake once", () => {
    const two = refusal('{"filters": {"nix": 1, "geo": {"uf_any_of": ["XX"]}}}', file);
    assert.match(two, /^peneira: There are 2 mistakes:\n- \/spec\/filters\/nix: .*\n- .*"XX"\.\n$/);
    const wrong = JSON.stringify(Array.from({ length: 60 }, (_, at) => `X${at}`));
    const many = refusal(`{"filters": {"geo": {"uf_any_of": ${wrong}}}}`, file).split("\n");
    assert.deepEqual([many[0], many.length], ["peneira: There are 60 mistakes:", 53]);
    assert.equal(many[51], "- and 10 more");
    const one = refusal('{"filters": {"nix": 1}}', file);
    assert.match(one, /^peneira: At \/spec\/filters\/nix: There is no member "nix" here.*\n$/);
    assert.equal(one.split("\n").length, 2);
  });
});

describe("a count", () => {
  const count = (...args: string[]) => {
    const spec = path.join(sample.folder, "all.json");
    writeFileSync(spec, "{}");
    const sent = ["count", "--snapshot", sample.snapshot, "--spec", spec, ...args];
    return spawnSync(...productCommand(sent), { encoding: "utf8" });
  };

  it("is refused with the fix for wrong facets", () => {
    const triple = count("--facets", "uf*mei*simples");
    assert.match(triple.stderr, /uf\*mei\*simples is no pair\. Name two facets: uf\*mei\./);
    const twice = count("--facets", "uf,mei,uf");
    assert.match(twice.stderr, /--facets names uf twice\. Name it once/);
    assert.deepEqual([triple.status, twice.status], [2, 2]);
    const table = count("--facets", "uf", "--format", "csv", "--layout", "table");
    assert.match(table.stderr, /--layout table needs exactly one pair in --facets: uf\*mei\./);
    const printed = count("--facets", "uf*mei", "--layout", "lines");
    assert.match(printed.stderr, /--layout needs --format csv or xlsx\./);
    assert.deepEqual([table.status, printed.status], [2, 2]);
  });

  it("of one pair is a table with totals, unless its lines are wanted", () => {
    const args = ["--facets", "mei*headquarters", "--format", "csv"];
    const table = count(...args)
      .stdout.trimEnd()
      .split("\r\n");
    assert.match(table[0] ?? "", /^mei\*headquarters,\w+,\w+,total$/);
    assert.match(table.at(-1) ?? "", /^total(,\d+){3}$/);
    const listed = count(...args, "--layout", "lines").stdout;
    assert.match(listed, /^facet,value,label,facet_2,/);
  });

  it("has the format that the name of its file says, and no other", () => {
    const out = (name: string) => path.join(sample.folder, name);
    const startOf = (name: string) => readFileSync(out(name)).subarray(0, 2).toString("latin1");
    for (const [name, start] of [
      ["by-name.xlsx", "PK"],
      ["by-name.json", "{"],
      ["by-name.CSV", "ï»"],
    ] as const) {
      const made = count("--facets", "uf", "--labels", "pt", "--out", out(name));
      if (start === "{") assert.match(made.stderr, /--labels needs --format csv or xlsx/);
      else assert.deepEqual([made.status, startOf(name)], [0, start], made.stderr);
    }
    assert.equal(count("--facets", "uf", "--out", out("plain.json")).status, 0);
    assert.equal(startOf("plain.json")[0], "{");
    const other = count("--out", out("counts.pdf"));
    assert.match(other.stderr, /ends in \.pdf, which is no format of counts\. Use one of \.txt,/);
    const wrong = count("--format", "csv", "--out", out("counts.xlsx"));
    assert.match(wrong.stderr, /ends in \.xlsx, but --format is csv\. Use the ending \.csv,/);
    assert.deepEqual([other.status, wrong.status], [2, 2]);
  });

  it("replaces a file only with --force", () => {
    const out = path.join(sample.folder, "counts.csv");
    const args = ["--facets", "uf", "--format", "csv", "--out", out];
    assert.equal(count(...args).status, 0);
    const again = count(...args);
    assert.deepEqual(
      [again.status, again.stderr.includes("exists; --force replaces it")],
      [1, true],
    );
    assert.equal(count(...args, "--force").status, 0);
  });
});
