/**
 * Proves: names of members, labels of months, and date marks in file names are parsed as the
 * registry writes them. Names written by `peneira sample` are parsed as well.
 * Does not prove: the content of any file.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FILE_TYPES,
  LAYOUTS,
  memberNames,
  readLabel,
  readMemberName,
  readToken,
} from "../../../src/dump/layout.ts";

test("parses the registry's member names", () => {
  const names: [string, ReturnType<typeof readMemberName>][] = [
    ["K3241.K03200Y0.D60808.EMPRECSV", { type: "empresas", part: 0, token: "D60808" }],
    ["K3241.K03200Y9.D60808.ESTABELE", { type: "estabelecimentos", part: 9, token: "D60808" }],
    ["K3241.K03200Y3.D60808.SOCIOCSV", { type: "socios", part: 3, token: "D60808" }],
    ["F.K03200$W.SIMPLES.CSV.D60808", { type: "simples", part: null, token: "D60808" }],
    ["F.K03200$Z.D60808.CNAECSV", { type: "cnaes", part: null, token: "D60808" }],
    ["f.k03200$z.d60808.natjucsv", { type: "naturezas", part: null, token: "D60808" }],
    ["MUNICCSV", { type: "municipios", part: null, token: null }],
    ["LEIAME.TXT", null],
  ];
  for (const [name, expected] of names) assert.deepEqual(readMemberName(name), expected, name);
});

test("round-trips names", () => {
  for (const type of FILE_TYPES) {
    for (const part of LAYOUTS[type].parts ? [0, 9] : [0]) {
      const [zip, member] = memberNames(type, part, "D61010");
      assert.match(zip, LAYOUTS[type].parts ? /^[A-Z][a-z]+\d\.zip$/ : /^[A-Z][a-z]+\.zip$/);
      const expected = { type, part: LAYOUTS[type].parts ? part : null, token: "D61010" };
      assert.deepEqual(readMemberName(member), expected);
    }
  }
});

test("counts columns", () => {
  const counts = FILE_TYPES.map((type) => LAYOUTS[type].columns.length);
  assert.deepEqual(counts, [7, 30, 11, 7, 2, 2, 2, 2, 2, 2]);
  for (const type of FILE_TYPES) {
    assert.equal(new Set(LAYOUTS[type].columns).size, LAYOUTS[type].columns.length);
  }
});

test("parses folder labels", () => {
  assert.equal(readLabel("2026-08"), "2026-08");
  assert.equal(readLabel("2026-08-09"), "2026-08");
  assert.equal(readLabel("cnpj-2026-08"), "2026-08");
  assert.equal(readLabel("2026-13"), null);
  assert.equal(readLabel("dump"), null);
});

test("chooses the decade of a token that is nearest to the label", () => {
  assert.equal(readToken("D50913", "2025-09"), "2025-09-13");
  assert.equal(readToken("D60110", "2026-01"), "2026-01-10");
  assert.equal(readToken("D91214", "2030-01"), "2029-12-14");
  assert.equal(readToken("D00111", "2029-12"), "2030-01-11");
  assert.equal(readToken("D60231", "2026-02"), null);
  assert.equal(readToken("X60201", "2026-02"), null);
});
