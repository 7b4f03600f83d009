/**
 * Proves: a snapshot records the host that its files came from, whether parts were missing or
 * empty, and the number of skipped malformed rows. `peneira inspect` shows these facts. A complete
 * month of unknown origin records nothing, so its bytes do not change. Hostile content in the
 * note that a download leaves (download.json) becomes one line or nothing.
 * Does not prove which files are accepted (whole.test.ts), nor how the download writes its note
 * (download).
 */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { Command } from "commander";
import type { SnapshotOrigin } from "../../../native-index/format/snapshot/meta.ts";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { registerInspect } from "../../../src/cli/commands/inspect.ts";
import { hostOfDump } from "../../../src/dump/archive.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { establishment, MiniWorkspace } from "../../support/dump/mini.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const STRICT = { partial: false, force: false, threads: 1, label: "2026-10" };
const CNPJS = ["11222333000181", "00000000000191"] as const;

let whole: string;
before(async () => {
  whole = join(space.folder, "dump-2026-10");
  await writeSample({ folder: whole, establishments: 100, seed: 3, label: "2026-10", threads: 0 });
});

async function originOf(name: string): Promise<SnapshotOrigin | undefined> {
  return (await openSnapshot(space.path(name))).meta.origin;
}

/** Returns the output of `peneira inspect` for a snapshot. */
async function inspected(test: TestContext, name: string, ...flags: string[]): Promise<string> {
  let printed = "";
  test.mock.method(process.stdout, "write", (text: string | Uint8Array) => {
    if (typeof text === "string") printed += text;
    return true;
  });
  const program = new Command();
  registerInspect(program);
  await program.parseAsync(["node", "peneira", "inspect", space.path(name), ...flags]);
  test.mock.restoreAll();
  return printed;
}

/** Writes the download's note, download.json, next to the zip files. */
function note(host: unknown, folder = whole): void {
  writeFileSync(join(folder, "download.json"), JSON.stringify({ format: 1, host, files: [] }));
}

describe("the origin of a snapshot", () => {
  it("is reported only if it is remarkable", async (test) => {
    await space.import(whole, "plain.peneira", STRICT);
    assert.equal(await originOf("plain.peneira"), undefined);
    const text = await inspected(test, "plain.peneira");
    assert.match(text, /made by peneira [0-9.]+\nColumns/);
    assert.equal(JSON.parse(await inspected(test, "plain.peneira", "--json")).origin, null);
    const before = space.bytes("plain.peneira");
    note(7);
    await space.import(whole, "plain.peneira", STRICT);
    assert.ok(before.equals(space.bytes("plain.peneira")), "a note of no host says nothing");
  });

  it("is the host of a download", async (test) => {
    note("mirror.example:8443");
    await space.import(whole, "host.peneira", STRICT);
    const origin = { host: "mirror.example:8443", partial: false, rows_left_out: 0 };
    assert.deepEqual(await originOf("host.peneira"), origin);
    const text = await inspected(test, "host.peneira");
    assert.match(text, /made by peneira [0-9.]+\n {2}files from mirror\.example:8443\nColumns/);
    assert.deepEqual(JSON.parse(await inspected(test, "host.peneira", "--json")).origin, origin);
    rmSync(join(whole, "download.json"));
  });

  it("mentions a partial month, and skipped rows", async (test) => {
    const bad = { raw: '"1";"2"\n' };
    const rows = { estabelecimentos: [establishment(CNPJS[0]), bad, bad, establishment(CNPJS[1])] };
    await space.import(space.write(rows), "half.peneira", { skipBadRows: 5 });
    const origin = { host: null, partial: true, rows_left_out: 2 };
    assert.deepEqual(await originOf("half.peneira"), origin);
    const text = await inspected(test, "half.peneira");
    assert.match(
      text,
      /\n {2}not whole: parts were missing or empty \(--partial\), 2 malformed rows left out\nC/,
    );
    // The dump is complete, so a snapshot imported with --partial must not record missing parts.
    await space.import(whole, "whole.peneira", { ...STRICT, partial: true });
    assert.equal(await originOf("whole.peneira"), undefined);
  });
});

describe("the note of a download", () => {
  it("is one short line or nothing, for any content", () => {
    const folder = join(space.folder, "dump-note");
    mkdirSync(folder);
    assert.equal(hostOfDump(folder), null);
    for (const host of [null, 5, "", "a\nb", "\u001b[2J", "x".repeat(301), ["a"]]) {
      note(host, folder);
      assert.equal(hostOfDump(folder), null, JSON.stringify(host));
    }
    for (const text of ["", "null", "[", '"x"', `${" ".repeat(1 << 20)}{"host":"a"}`]) {
      writeFileSync(join(folder, "download.json"), text);
      assert.equal(hostOfDump(folder), null);
    }
    note("arquivos.example", folder);
    assert.equal(hostOfDump(folder), "arquivos.example");
    rmSync(join(folder, "download.json"));
    mkdirSync(join(folder, "download.json"));
    assert.equal(hostOfDump(folder), null);
  });
});
