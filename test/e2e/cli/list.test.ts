/**
 * Proves the output and the exit codes of `peneira list`. Lists are created, filled from files and
 * from standard input, shown, printed, renamed, and deleted, by id and by name. Rejected parts of a
 * CSV file or a spreadsheet are reported with line or cell. Impossible requests are rejected with a
 * message and change nothing. If a snapshot is given, printed CNPJs have the check digits of its
 * accounts.
 * Does not prove how columns and CNPJs are parsed (unit/lists/upload.test.ts).
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Keyring } from "../../../src/access/keyring.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { readCnpj } from "../../../src/spec/cnpj/cnpj.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import { text, workbook } from "../../support/lists/workbooks.ts";
import { makeSampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

const FILE = "nome;cnpj\nA;11.222.333/0001-81\nB;191\nC;11222333\nD;12.ABC.345/01DE-35\n";

describe("peneira list", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-list-"));
  const file = join(folder, "clientes.csv");
  const options = ["--tenant", "acme", "--data-dir", join(folder, "state")];
  before(() => {
    writeFileSync(file, FILE);
    assert.equal(run(["tenant", "create", "acme", ...options.slice(2)]).status, 0);
  });
  after(() => rmSync(folder, { recursive: true }));

  function run(args: readonly string[], input: string | Buffer = "") {
    const { status, stdout, stderr } = spawnSync(...productCommand(args), {
      encoding: "utf8",
      input,
    });
    return { status, stdout, stderr };
  }

  const list = (...args: string[]) => run(["list", ...args, ...options]);

  interface Shown {
    readonly lists: readonly Readonly<Record<string, unknown>>[];
  }

  const shown = () => (JSON.parse(list("list", "--json").stdout) as Shown).lists;

  it("reports the result of every text, also of duplicates", () => {
    list("create", "Repetida");
    const add = (text: string) => run(["list", "add", "Repetida", "-", ...options], text).stderr;
    const reported =
      "list Repetida: 3 read, 2 added, 0 there already, 1 repeated, 0 not understood; ";
    assert.equal(add("11222333\n11222333\n11222333000181\n"), `${reported}it has 2 entries now.\n`);
    list("delete", "Repetida");
  });

  it("creates, fills, prints, and deletes", () => {
    const made = list("create", "Clientes");
    assert.match(made.stderr, /^list Clientes \(lst_[0-9a-f]{32}\) was made\.\n$/);
    const added = list("add", "Clientes", file);
    assert.equal(added.status, 0);
    assert.equal(
      added.stderr,
      'line 3: "191": A number that has lost its zeros (00000000000191; ' +
        "--fill-zeros takes these)\n" +
        'column "cnpj" was read\n' +
        "list Clientes: 4 read, 3 added, 0 there already, 1 not understood; " +
        "it has 3 entries now.\n",
    );
    const { id } = shown().find(({ name }) => name === "Clientes") as { id: string };
    const printed = "cnpj\n11222333\n11222333000181\n12ABC34501DE35\n";
    assert.deepEqual(list("export", id), { status: 0, stdout: printed, stderr: "" });
    const whole = JSON.parse(list("export", id, "--json").stdout) as { entries: string[] };
    assert.deepEqual(whole.entries, printed.trim().split("\n").slice(1));
    const args = ["list", "remove", "Clientes", "-", "--json", ...options];
    const removed = JSON.parse(run(args, "11222333\n11222333\n99999999\n").stdout);
    const { read, removed: gone, not_there, repeated } = removed as Record<string, unknown>;
    assert.deepEqual([read, gone, not_there, repeated], [3, 1, 1, 1]);
    assert.match(list("show", id).stdout, /^entries +2$/m);
    assert.match(list("rename", id, "Carteira").stderr, /^list Carteira .* was called lst_/);
    assert.match(list("list").stdout, /Carteira +accounts +2 +2 /);
    assert.match(list("delete", "Carteira").stderr, /^list Carteira \(lst_.*\) is deleted\.\n$/);
    assert.deepEqual(
      shown().map(({ name }) => name),
      ["exported"],
    );
  });

  it("accepts companies, another column, and numbers without leading zeros on request", () => {
    list("create", "Empresas", "--kind", "companies");
    const numbers = "a;b\n11222333000181;2654062000142\n11222333000262;2654062000223\n";
    const args = ["list", "add", "Empresas", "-", "--column", "b", ...options];
    const offered = run(args, numbers);
    assert.match(offered.stderr, /lost its zeros \(02654062000142; --fill-zeros takes these\)/);
    assert.match(offered.stderr, /2 read, 0 added, 0 there already, 2 not understood/);
    assert.match(run([...args, "--fill-zeros"], numbers).stderr, /2 read, 1 added/);
    assert.equal(list("export", "Empresas").stdout, "cnpj\n02654062\n");
  });

  it("reads spreadsheets under any name, and standard input", async () => {
    list("create", "Planilha");
    const rows = [
      [text("x"), text("cnpj")],
      [null, { number: "2654062000142" }],
      [null, text("?")],
    ];
    const sheets = [
      { name: "A", rows },
      { name: "B", rows: [] },
    ];
    const named = join(folder, "planilha.csv");
    writeFileSync(named, await workbook(sheets));
    assert.equal(
      list("add", "Planilha", named, "--fill-zeros").stderr,
      'B3: "?": Neither a CNPJ of 14 characters nor, where the header says ' +
        "cnpj or root, a root of 8.\n" +
        'sheet "A" was read; the others, 1, were not read\n' +
        'column "cnpj" was read\n' +
        "list Planilha: 2 read, 1 added, 0 there already, 1 not understood; " +
        "it has 1 entry now.\n",
    );
    const args = ["list", "remove", "Planilha", "-", "--column", "B", "--json", ...options];
    const removed = run(args, await workbook(sheets.slice(0, 1)));
    const reported = JSON.parse(removed.stdout) as Readonly<Record<string, unknown>>;
    assert.deepEqual([reported.sheet, reported.column, reported.read], ["A", "cnpj", 2]);
    assert.equal(reported.refused_count, 2);
    writeFileSync(named, (await workbook(sheets)).subarray(0, 700));
    const corrupted = list("add", "Planilha", named);
    assert.equal(corrupted.status, 1);
    assert.match(corrupted.stderr, /no XLSX workbook, or one that is damaged or cut off/);
    list("delete", "Planilha");
  });

  it("completes its work if its output has no reader", async () => {
    list("create", "Ungelesen");
    const [node, args] = productCommand(["list", "add", "Ungelesen", file, ...options]);
    const child = spawn(node, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stderr.destroy();
    child.stdout.destroy();
    const [status] = (await once(child, "exit")) as [number];
    assert.equal(status, 0);
    assert.equal(shown().find(({ name }) => name === "Ungelesen")?.entries, 3);
    list("delete", "Ungelesen");
  });

  it("rejects impossible requests, and changes nothing", () => {
    list("create", "Zwei");
    const taken = shown().find(({ name }) => name === "Zwei")?.id as string;
    const isTaken = new RegExp(`^peneira: There is a list Zwei already: ${taken}\\. `);
    const before = shown();
    const wrong: readonly [readonly string[], number, RegExp][] = [
      [["create", " "], 2, /1 to 120 characters/],
      [["create", " Exported"], 2, /that of the list which the server keeps/],
      [["rename", "Empresas", "exported"], 2, /that of the list which the server keeps/],
      [["create", "x", "--kind", "things"], 2, /--kind must be accounts or companies/],
      [["show", "nobody's"], 1, /Tenant acme has no list nobody's\. See: peneira list list/],
      [["create", " Zwei "], 1, isTaken],
      [["create", "zwEI"], 1, isTaken],
      [["rename", "Empresas", "Zwei"], 1, isTaken],
      [["delete", "exported"], 1, /kept by the server/],
      [["rename", "exported", "x"], 1, /kept by the server/],
      [["add", "exported", file], 1, /kept by the server/],
      [["add", "Empresas", join(folder, "none.csv")], 1, /none\.csv was not read: .*ENOENT/],
      [["add", "Empresas", join(folder, "state")], 1, /state was not read: .*EISDIR/],
      [["add", "Empresas", file, "--column", "fax"], 1, /There is no column "fax"/],
    ];
    for (const [args, status, words] of wrong) {
      const answer = list(...args);
      assert.equal(answer.status, status, `${args.join(" ")}\n${answer.stderr}`);
      assert.match(answer.stderr, words);
      assert.equal(answer.stderr.match(/\n/g)?.length, 1, `told once: ${answer.stderr}`);
    }
    assert.equal(run(["list", "list", "--tenant", "acme"]).status, 2);
    const nobody = run(["list", "list", "--tenant", "nobody", ...options.slice(2)]);
    assert.match(nobody.stderr, /There is no tenant nobody/);
    assert.deepEqual(shown(), before);
    assert.match(list("rename", "Zwei", "Zwei").stderr, /was called Zwei before/);
  });

  it("requires an id if two lists of an earlier version share a name", () => {
    const database = openDatabase(join(folder, "state"));
    const lists = new Lists(new ListStore(database), systemClock);
    const { id: tenantId } = new Keyring(new KeyStore(database), systemClock).tenant("acme");
    for (const kind of ["accounts", "companies"] as const) {
      lists.create(tenantId, { name: "Gleich", kind }, { lists: 1_000, list_entries: 1 });
    }
    database.close();
    const { status, stderr } = list("delete", "Gleich");
    assert.equal(status, 2);
    assert.match(stderr, /2 lists are called Gleich: lst_[0-9a-f]+, lst_[0-9a-f]+\. Name an id/);
  });

  it("uses the check digits of a given snapshot", async () => {
    const sample = await makeSampleSnapshot(2_000, 7, "2026-10");
    try {
      const segment = await openSegment(sample.snapshot);
      const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
      const held = Buffer.from(segment.native.renderJson(rows, ["cnpj"])).toString();
      segment.close();
      const cnpjs = (JSON.parse(held) as { cnpj: string }[]).map(({ cnpj }) => cnpj).sort();
      const wrong = cnpjs.filter((cnpj) => readCnpj(cnpj)?.checked === false);
      const from = ["--snapshot", sample.snapshot];
      const sent = ["cnpj", ...cnpjs, "11222333000181"].join("\n");
      list("create", "Ziffern");
      const change = (verb: string, ...more: string[]) =>
        run(["list", verb, "Ziffern", "-", ...more, ...options], sent).stderr;
      assert.match(change("add"), /: --snapshot takes those of accounts that it has\n/);
      assert.match(change("remove"), new RegExp(`, ${wrong.length} not understood; it has 0 `));
      const added = change("add", ...from);
      assert.match(added, /, 1 not in the snapshot, 0 not understood; it has 2001 entries now/);
      assert.doesNotMatch(added, /--snapshot takes/);
      const whole = ["cnpj", ...[...cnpjs, "11222333000181"].sort(), ""].join("\n");
      assert.equal(list("export", "Ziffern", ...from).stdout, whole);
      const computed = list("export", "Ziffern").stdout;
      assert.ok(wrong.every((cnpj) => !computed.includes(cnpj)));
      assert.match(change("remove", ...from), /it has 0 entries now/);
      list("delete", "Ziffern");
    } finally {
      sample.dispose();
    }
  });
});
