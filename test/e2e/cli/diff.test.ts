/**
 * Proves: `peneira diff` of a snapshot and the next month prints the same accounts in each format.
 * The accounts go to standard output and everything else to standard error. Kinds, watched fields,
 * output fields, and a limit apply, and wrong ones are rejected in one error. Specs and lead
 * queries are read from files and standard input. Plain Arrow files work. A cached list of changes
 * is reused, and a damaged one is replaced. A signal, or a reader of the output that ends, leaves
 * no files.
 * Does not prove: that the changes are right (campaign/twin/changes.test.ts).
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { RecordBatchFileWriter, tableFromIPC } from "apache-arrow";
import { Command } from "commander";
import { registerDiff } from "../../../src/cli/commands/diff.ts";
import { Interrupts, listOfPair } from "../../../src/cli/support/changelist.ts";
import type { CommandError } from "../../../src/errors.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { text as cellOf, workbook } from "../../support/lists/workbooks.ts";
import { productCommand } from "../../support/server/process.ts";

interface Item {
  readonly cnpj: string;
  readonly change: string;
  readonly changed_fields: readonly string[];
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

describe("peneira diff", () => {
  let pair: MonthPair;
  let scratch: string;

  before(async () => {
    pair = await makePair({ seed: 21, accounts: 400 });
    scratch = join(pair.folder, "tmp");
    mkdirSync(scratch);
  });
  after(() => pair.dispose());

  function run(args: readonly string[], input = "") {
    const env = { ...process.env, TMPDIR: scratch };
    const command = productCommand(["diff", ...args]);
    const ended = spawnSync(...command, { cwd: ROOT, encoding: "utf8", input, env });
    assert.deepEqual(readdirSync(scratch), [], "nothing is left in the temporary folder");
    return ended;
  }

  function diff(...args: readonly string[]) {
    return run([pair.older.path, pair.newer.path, ...args]);
  }

  function items(...args: readonly string[]): Item[] {
    const { status, stdout, stderr } = diff("--format", "jsonl", ...args);
    assert.equal(status, 0, stderr);
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  it("prints the same accounts in every format, ascending by CNPJ", () => {
    const all = items();
    const cnpjs = all.map(({ cnpj }) => cnpj);
    assert.deepEqual(cnpjs, [...cnpjs].sort());
    const csv = diff("--format", "csv", "--fields", "cnpj");
    const lines = csv.stdout.split("\r\n");
    assert.match(lines[0] ?? "", /^change,changed_fields,cnpj,status_before,status_after,/);
    assert.deepEqual(
      lines.slice(1, -1).map((line) => /,([0-9A-Z]{12}\d\d),/.exec(line)?.[1]),
      cnpjs,
    );
    const json = JSON.parse(diff("--format", "json").stdout);
    assert.deepEqual(json.changes, all);
    assert.equal(json.count, all.length);
    assert.deepEqual(json.since, { snapshot: "2026-09", snapshot_date: "2026-09-12" });
    const table = diff("--limit", "5");
    const rows = table.stdout.trimEnd().split("\n");
    assert.match(rows[0] as string, /^change +cnpj +legal_name .*what$/);
    assert.deepEqual(
      rows.slice(1).map((row) => row.split(/ +/)[1]),
      cnpjs.slice(0, 5),
    );
    assert.match(table.stderr, /^2026-09 \(2026-09-12\) to 2026-10 \(2026-10-12\): \d+ entered/m);
    assert.match(table.stderr, new RegExp(`^5 of ${all.length} shown`, "m"));
  });

  it("accepts kinds, watched fields, and fields", () => {
    const some = items("--kind", "changed,left", "--watch", "uf,email", "--fields", "cnpj,uf");
    assert.deepEqual([...new Set(some.map(({ change }) => change))].sort(), ["changed", "left"]);
    for (const { change, changed_fields: changed, before, after } of some) {
      assert.ok(changed.every((name) => name === "uf" || name === "email"));
      if (change === "changed") assert.ok(changed.length > 0);
      assert.deepEqual(Object.keys(before ?? {}).slice(0, 2), ["cnpj", "uf"]);
      assert.ok(after === null || before?.cnpj === after.cnpj);
    }
  });

  it("accepts a spec or a lead query from a file or standard input", () => {
    const spec = { filters: { geo: { uf_any_of: ["SP"] } }, limit: 3 };
    const path = join(pair.folder, "spec.json");
    writeFileSync(path, JSON.stringify(spec));
    const months = [pair.older.path, pair.newer.path, "--format", "jsonl"];
    const fromFile = run([...months, "--spec", path]);
    const piped = run([...months, "--spec", "-"], JSON.stringify(spec));
    assert.equal(fromFile.stdout, piped.stdout);
    assert.match(fromFile.stderr, /^warning: limit of the spec is ignored/m);
    const lines = fromFile.stdout.trimEnd().split("\n");
    assert.ok(lines.length > 3);
    for (const line of lines) {
      const { before, after } = JSON.parse(line) as Item;
      assert.ok(before?.uf === "SP" || after?.uf === "SP");
    }
    const lead = { kind: "lead_query", spec_version: "1.0", states: ["SP"], has_email: true };
    const leads = run([...months, "--spec", "-"], JSON.stringify(lead));
    assert.equal(leads.status, 0, leads.stderr);
    assert.match(leads.stderr, /^warning: .*one_per_company of a lead query are ignored/m);
    assert.ok(leads.stdout.length > 0 && leads.stdout.length < fromFile.stdout.length);
  });

  it("compares the CNPJs of a file, and filters by what changed", () => {
    const all = items();
    const typed = all.filter((_, at) => at % 3 === 0).map(({ cnpj }) => cnpj);
    // Lists do not store check digits, and some invented CNPJs differ only in these.
    const bases = new Set(typed.map((cnpj) => cnpj.slice(0, 12)));
    const some = all.filter(({ cnpj }) => bases.has(cnpj.slice(0, 12)));
    const path = join(pair.folder, "clients.csv");
    const rows = typed.map((cnpj, at) => `${at};${cnpj}`);
    writeFileSync(path, ["id;cnpj", ...rows, "x;123", "y;11222333000181", ""].join("\r\n"));
    assert.deepEqual(items("--list", path), some);
    const addresses = items("--list", path, "--changed", "address,name");
    const groups = ["street", "uf", "legal_name", "postal_code", "district", "trade_name"];
    const wanted = some.filter(({ change, changed_fields: names }) => {
      return change === "changed" && names.some((name) => groups.includes(name));
    });
    const shown = addresses.map(({ cnpj }) => cnpj);
    assert.ok(wanted.length > 0 && wanted.every(({ cnpj }) => shown.includes(cnpj)));
    for (const { change, changed_fields: names } of addresses) {
      assert.equal(change, "changed");
      assert.ok(names.length > 0 && !names.includes("email"));
    }
    const reported = diff("--list", path, "--format", "json");
    assert.match(reported.stderr, /^line \d+: /m);
    assert.match(reported.stderr, new RegExp(`${typed.length + 1} CNPJs read, 1 not understood`));
    assert.equal("lists" in JSON.parse(reported.stdout).spec.filters, false);
    const companies = items("--list", path, "--companies");
    const roots = new Set(typed.map((cnpj) => cnpj.slice(0, 8)));
    assert.deepEqual(
      companies,
      all.filter(({ cnpj }) => roots.has(cnpj.slice(0, 8))),
    );
    writeFileSync(path, "cnpj\r\n11222333000181\r\n");
    assert.equal(diff("--list", path, "--format", "jsonl").stdout, "");
  });

  it("names the sheet of a workbook, and refuses files without a CNPJ", async () => {
    const path = join(pair.folder, "clients.xlsx");
    const rows = [
      ["CNPJ"],
      ...items()
        .slice(0, 9)
        .map(({ cnpj }) => [cnpj]),
    ];
    const cells = rows.map((row) => row.map((one) => cellOf(one)));
    const sheets = ["Base", "Outra"].map((name) => ({ name, rows: cells }));
    writeFileSync(path, await workbook(sheets));
    const reported = diff("--list", path, "--format", "jsonl").stderr;
    assert.match(reported, /column "CNPJ" of sheet "Base"; other sheets not read: 1/);
    for (const text of ["x\n", "", "cnpj\n123\nabc\n"]) {
      const none = join(pair.folder, "none.csv");
      writeFileSync(none, text);
      const { status, stderr } = diff("--list", none);
      assert.equal(status, 1, text);
      assert.match(stderr, /none\.csv has no CNPJ; \d of its texts were not understood/);
    }
  });

  it("rejects invalid requests with the reason", async () => {
    const refused = async (args: readonly string[], words: RegExp, exitCode?: number) => {
      const program = new Command("peneira").exitOverride();
      registerDiff(program);
      for (const command of program.commands) {
        command.exitOverride().configureOutput({ writeErr: () => undefined });
      }
      await assert.rejects(program.parseAsync(["diff", ...args], { from: "user" }), (error) => {
        assert.match((error as Error).message, words);
        if (exitCode !== undefined) assert.equal((error as CommandError).exitCode, exitCode);
        return true;
      });
    };
    const months = [pair.older.path, pair.newer.path];
    await refused(
      [...months].reverse(),
      /2026-10 .* newer than 2026-09 .*: peneira diff OLD NEW/,
      2,
    );
    await refused([...months, "--kind", "moved,gone"], /must be of .*not moved, gone/, 2);
    const watch = /score cannot be watched.*\nfoo cannot be watched: there is no such field/;
    await refused([...months, "--watch", "score,foo"], watch, 2);
    await refused([...months, "--spec", "/nowhere.json"], /no spec file/, 2);
    await refused([...months, "--fields", "cnpj,foo"], /\/output\/fields\/1: There is no field/);
    await refused([...months, "--limit", "0"], /whole number/);
    await refused([...months, "--changed", "where"], /--changed must be of .*not where/, 2);
    const apart = ["--changed", "name", "--watch", "uf"];
    await refused([...months, ...apart], /No field of --watch is in a group/, 2);
    await refused([...months, "--companies"], /need --list FILE/, 2);
    await refused([...months, "--list", "-", "--spec", "-"], /cannot both read standard input/, 2);
    await refused([...months, "--list", "/nowhere.csv"], /nowhere/);
    await refused([pair.older.path, join(pair.folder, "none")], /none/, 1);
  });

  it("accepts plain Arrow files, and finds nothing between a snapshot and itself", () => {
    const plain = join(pair.folder, "plain.arrow");
    const table = tableFromIPC(readFileSync(pair.newer.path));
    writeFileSync(plain, RecordBatchFileWriter.writeAll(table).toUint8Array(true));
    // An import fills in some missing values, but no e-mail.
    const args = ["--format", "jsonl", "--fields", "cnpj", "--watch", "email"];
    const ended = run([pair.older.path, plain, ...args]);
    assert.equal(ended.status, 0, ended.stderr);
    assert.equal(ended.stdout, diff(...args).stdout);
    const same = run([pair.older.path, pair.older.path, "--format", "jsonl"]);
    assert.equal(same.stdout, "");
    assert.match(same.stderr, /0 entered, 0 left, 0 changed/);
  });

  it("caches its comparison on request", () => {
    const cache = join(pair.folder, "cache");
    const first = diff("--format", "jsonl", "--cache", cache);
    const [name] = readdirSync(cache) as [string];
    assert.match(first.stderr, /^compare/m);
    const second = diff("--format", "jsonl", "--cache", cache);
    assert.doesNotMatch(second.stderr, /^compare/m);
    const bytes = readFileSync(join(cache, name));
    writeFileSync(join(cache, name), bytes.subarray(1));
    const third = diff("--format", "jsonl", "--cache", cache);
    assert.match(third.stderr, /^warning: .* listed again$/m);
    assert.deepEqual(readFileSync(join(cache, name)), bytes);
    for (const { stdout } of [second, third]) assert.equal(stdout, first.stdout);
    assert.deepEqual(readdirSync(cache), [name]);
  });

  it("leaves nothing if a signal ends the comparison", async () => {
    const previous = process.env.TMPDIR;
    process.env.TMPDIR = scratch;
    const interrupts = new Interrupts();
    try {
      const months = { older: pair.older.segment, newer: pair.newer.segment };
      const list = listOfPair(months, undefined, interrupts);
      assert.equal(readdirSync(scratch).length, 1, "the comparison is under way");
      process.emit("SIGTERM", "SIGTERM");
      await assert.rejects(list, { message: "SIGTERM ended the comparison", exitCode: 1 });
      assert.deepEqual(readdirSync(scratch), []);
      assert.throws(() => interrupts.check(), /SIGTERM/);
    } finally {
      interrupts.end();
      if (previous === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = previous;
    }
  });

  it("leaves nothing if the reader ends", async () => {
    const command = productCommand(["diff", pair.older.path, pair.newer.path, "--spec", "-"]);
    const env = { ...process.env, TMPDIR: scratch };
    const child = spawn(...command, { cwd: ROOT, env, stdio: ["pipe", "pipe", "pipe"] });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.stdout.destroy();
    child.stdin.end("{}");
    assert.equal(await ended, 0);
    assert.deepEqual(readdirSync(scratch), []);
  });
});
