/**
 * Proves: `peneira sample --since` writes a later month, which continues the previous one. Equal
 * arguments yield equal bytes. The numbers of new, changed, and lost accounts are as in a month of
 * the registry. Wrong months are rejected with a message.
 * Does not prove: the first month (unit/dump/sample-*.test.ts), nor the result of comparing months.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { readSampleFlags } from "../../../src/cli/commands/sample.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { openSegment } from "../../../src/search/segment.ts";
import { MiniWorkspace } from "../../support/dump/mini.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import type { TwinRow } from "../../support/twin.ts";

const ACCOUNTS = 4_000;

type Rows = ReadonlyMap<string, TwinRow>;

describe("a later month of a sample", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-evolve-"));
  const workspace = new MiniWorkspace();
  const months: Rows[] = [];

  async function write(name: string, label: string, since?: string): Promise<string> {
    const path = join(folder, name);
    const first = since === undefined ? {} : { since };
    await writeSample({ folder: path, establishments: ACCOUNTS, seed: 4, label, ...first });
    return path;
  }

  async function rowsOf(source: string, label: string): Promise<Rows> {
    await workspace.import(source, `${label}.peneira`, { label });
    (await openSegment(workspace.path(`${label}.peneira`))).close();
    const { rows } = decodeSnapshot(workspace.path(`${label}.peneira`));
    return new Map(rows.map((row) => [String(row.cnpj), row]));
  }

  before(async () => {
    months.push(
      await rowsOf(await write("first", "2026-09"), "2026-09"),
      await rowsOf(await write("second", "2026-10", "2026-09"), "2026-10"),
      await rowsOf(await write("third", "2026-11", "2026-09"), "2026-11"),
    );
  });
  after(() => {
    workspace.dispose();
    rmSync(folder, { recursive: true });
  });

  /** Returns the fields that differ between two months, by account, except scores. */
  function changes(before: Rows, after: Rows): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const [cnpj, row] of before) {
      const now = after.get(cnpj);
      if (now === undefined) continue;
      const names = (Object.keys(row) as (keyof TwinRow)[]).filter((name) => {
        return !name.startsWith("score") && JSON.stringify(row[name]) !== JSON.stringify(now[name]);
      });
      if (names.length > 0) found.set(cnpj, names);
    }
    return found;
  }

  it("is the same bytes for the same arguments", async () => {
    const again = await write("again", "2026-10", "2026-09");
    for (const name of readdirSync(again)) {
      const other = readFileSync(join(folder, "second", name));
      assert.ok(readFileSync(join(again, name)).equals(other), name);
    }
  });

  it("has the registry's rates of new, lost, and changed accounts", () => {
    const [first, second] = months as [Rows, Rows];
    const entered = [...second.keys()].filter((cnpj) => !first.has(cnpj)).length;
    const gone = [...first.keys()].filter((cnpj) => !second.has(cnpj)).length;
    const share = (count: number) => (100 * count) / first.size;
    assert.ok(share(entered) > 0.8 && share(entered) < 1, `${entered} entered`);
    assert.ok(gone < 5, `${gone} are gone`);
    const changed = changes(first, second);
    assert.ok(share(changed.size) > 1.5 && share(changed.size) < 5, `${changed.size} changed`);
    const fields = new Set([...changed.values()].flat());
    for (const name of ["email", "phone_1", "registration_status", "street", "simples_opt_in"]) {
      assert.ok(fields.has(name), `${name} changed somewhere`);
    }
    for (const [cnpj, row] of second) {
      if (first.has(cnpj)) continue;
      assert.ok(String(row.started_on) > "2026-09-12" && String(row.started_on) <= "2026-10-10");
    }
  });

  it("contains the previous months", () => {
    const [first, second, third] = months as [Rows, Rows, Rows];
    const inFirstMonth = changes(first, second);
    const afterTwo = changes(first, third);
    const retained = [...inFirstMonth].filter(([cnpj]) => afterTwo.has(cnpj) || !third.has(cnpj));
    // A few changes may be undone by later ones: a company may be closed and reopened, or lose the
    // name that it has just received.
    assert.ok(
      retained.length >= inFirstMonth.size - 3,
      `${retained.length} of ${inFirstMonth.size}`,
    );
    assert.ok(afterTwo.size > inFirstMonth.size * 1.5);
    for (const cnpj of second.keys()) {
      const isNew = !first.has(cnpj);
      if (isNew) assert.ok(third.has(cnpj) || third.size > 0);
    }
  });

  it("rejects months in the wrong order or too far apart", () => {
    const flags = { out: "x", establishments: "10", seed: "1", label: "2026-10" };
    const refused = (since: string, words: RegExp) =>
      assert.throws(() => readSampleFlags({ ...flags, since }), words);
    refused("2026-10", /--since must be 1 to 60 months before --label \(2026-10\), not 2026-10/);
    refused("2026-11", /--since must be/);
    refused("2020-01", /--since must be/);
    refused("2026-13", /--since must be a month of this century/);
    assert.equal(readSampleFlags({ ...flags, since: "2026-01" }).since, "2026-01");
  });
});
