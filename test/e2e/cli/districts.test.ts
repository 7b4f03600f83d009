/**
 * Proves: `peneira districts` prints the districts that a full scan of a snapshot finds, in every
 * format, by name, by code, and by the prefix of a name. A name of several municipalities and one
 * of none are rejected with a message.
 * Does not prove: how names fold (unit/native-index/districtname.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { foldDistrict } from "../../../src/spec/districtname.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

const SP = "3550308";

interface Listed {
  readonly name: string;
  readonly accounts: number;
}

let sample: SampleSnapshot;
const counted = new Map<string, number>();

before(async () => {
  sample = await makeSampleSnapshot(2_000, 5);
  for (const { municipality_ibge: ibge, district } of decodeSnapshot(sample.snapshot).rows) {
    if (ibge !== SP || district === null) continue;
    const name = foldDistrict(String(district));
    counted.set(name, (counted.get(name) ?? 0) + 1);
  }
});
after(() => sample.dispose());

function districts(...args: readonly string[]) {
  const request = ["districts", "--snapshot", sample.snapshot, ...args];
  const { status, stdout, stderr } = spawnSync(...productCommand(request), { encoding: "utf8" });
  return { status, stdout, stderr };
}
const folded = (list: readonly Listed[]) =>
  list.map(({ name, accounts }) => [foldDistrict(name), accounts]);
const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Listed);

describe("peneira districts", () => {
  it("lists the districts of a city, the largest first", () => {
    const wanted = [...counted].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, 9);
    const args = ["--limit", "9", "--format", "jsonl"];
    const byName = districts("São Paulo/SP", ...args);
    assert.deepEqual(folded(lines(byName.stdout)), wanted);
    const reported = `${counted.size} districts fit in São Paulo/SP, 9 of them here, snapshot`;
    assert.ok(byName.stderr.startsWith(reported), byName.stderr);
    assert.deepEqual(districts(SP, ...args), byName);
    const whole = JSON.parse(districts(SP, "--limit", "9", "--format", "json").stdout);
    assert.deepEqual(folded(whole.districts), wanted);
    assert.deepEqual([whole.municipality_ibge, whole.total], [SP, counted.size]);
    const table = districts(SP, "--limit", "9").stdout.trimEnd().split("\n");
    assert.match(table[0] ?? "", /^name +accounts$/);
    assert.equal(table.length, 10);
  });

  it("filters by prefix", () => {
    const { stdout } = districts(SP, "jardim", "--limit", "100", "--format", "jsonl");
    const wanted = [...counted.keys()].filter((name) => /(^|[^a-z0-9])jardim/.test(name));
    assert.deepEqual(
      lines(stdout)
        .map(({ name }) => foldDistrict(name))
        .sort(),
      wanted.sort(),
    );
  });

  it("rejects ambiguous or unknown input with a readable error", () => {
    const several = districts("Bom Jesus");
    assert.equal(several.status, 2);
    assert.match(several.stderr, /Several municipalities are called "Bom Jesus"; name one: .*\/PI/);
    const none = districts("Florianópoli");
    assert.equal(none.status, 2);
    assert.match(none.stderr, /did you mean Florianópolis\/SC\?/);
    assert.equal(districts(SP, "--limit", "101").status, 2);
    assert.equal(districts("9707").status, 2);
  });
});
