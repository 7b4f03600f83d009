/**
 * Proves: every generator of random specs uses every filter of the table, so each new filter is
 * compared with the reference implementations. The generators make searches (for the engine, the
 * console, and cached searches), exports, changes, and HTTP requests. HTTP requests also use lists
 * and every member of a lead query.
 * Does not prove: that the filters have an effect, nor that random lists are named
 * (campaign/twin/listed.test.ts does, and counts the answers that have rows).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FILTERS } from "../../../src/spec/filters/table.ts";
import { LEAD_MEMBERS } from "../../../src/spec/leadschema.ts";
import { type FuzzWorld, fuzzRequest } from "../../support/fuzz/requests.ts";
import { SAMPLE_CATALOG } from "../../support/spec/catalog.ts";
import { Draw, randomExportInput, randomSpecInput, seededRng } from "../../support/spec/random.ts";
import type { TwinRow } from "../../support/twin.ts";

const SPECS = 1_500;
const REQUESTS = 12_000;

/** Members that searches reject, and members that name lists of a tenant. */
const OF_EXPORTS = ["secondary_cnae_mode"];
const OF_TENANTS = ["any_of", "exclude"];

const account = { cnpj: "11222333000181", municipality_ibge: "3550308", district: "MOEMA" };
const rows = [account as unknown as TwinRow];
const world: FuzzWorld = {
  ...{ catalog: SAMPLE_CATALOG, rows, ids: [], lists: [], links: [], tags: [], pages: [] },
  keys: { good: "a", small: "b", disabled: "c" },
  waitsInLine: false,
};

/** Adds each filter that a spec sets to `used`, as `group/member`. */
function usedBy(spec: unknown, used: Set<string>): void {
  const { filters } = (spec ?? {}) as { readonly filters?: unknown };
  if (typeof filters !== "object" || filters === null) return;
  for (const [group, members] of Object.entries(filters)) {
    if (typeof members !== "object" || members === null) continue;
    for (const [member, value] of Object.entries(members)) {
      if (value !== null && value !== undefined) used.add(`${group}/${member}`);
    }
  }
}

/** Returns the filters of the table that a generator has not drawn, except those in `but`. */
function missing(used: ReadonlySet<string>, but: readonly string[]): string[] {
  const wanted = FILTERS.filter(({ member }) => !but.includes(member));
  return wanted.map(({ group, member }) => `${group}/${member}`).filter((name) => !used.has(name));
}

function drawn(make: (draw: Draw) => unknown): ReadonlySet<string> {
  const draw = new Draw(seededRng(7));
  const used = new Set<string>();
  for (let i = 0; i < SPECS; i++) usedBy(make(draw), used);
  return used;
}

const FIX = "draw it in test/support/spec/random.ts, apart, so that other specs stay as they were";

describe("every filter of the table", () => {
  it("is drawn in searches", () => {
    const used = drawn((draw) => randomSpecInput(draw, SAMPLE_CATALOG, rows));
    assert.deepEqual(missing(used, [...OF_EXPORTS, ...OF_TENANTS]), [], FIX);
  });

  it("is drawn in exports and changes", () => {
    const used = drawn((draw) => randomExportInput(draw, SAMPLE_CATALOG, rows));
    assert.deepEqual(missing(used, OF_TENANTS), [], FIX);
  });

  it("is drawn in requests over HTTP, and so is every member of a lead query", () => {
    const draw = new Draw(seededRng(11));
    const used = new Map<string, Set<string>>();
    const leads = new Set<string>();
    for (let i = 0; i < REQUESTS; i++) {
      const { path, body } = fuzzRequest(draw, world);
      const { spec } = (body ?? {}) as { readonly spec?: Readonly<Record<string, unknown>> };
      if (spec?.kind === "lead_query") for (const name of Object.keys(spec)) leads.add(name);
      else usedBy({ filters: spec?.filters }, used.get(path) ?? setIn(used, path));
    }
    for (const path of ["/v1/accounts/search", "/v1/accounts/count", "/v1/changes"]) {
      assert.deepEqual(missing(used.get(path) ?? new Set(), OF_EXPORTS), [], `${path}: ${FIX}`);
    }
    const reported = LEAD_MEMBERS.filter((name) => !leads.has(name));
    assert.deepEqual(reported, [], "draw it in test/support/fuzz/requests.ts");
  });
});

function setIn(sets: Map<string, Set<string>>, key: string): Set<string> {
  const made = new Set<string>();
  sets.set(key, made);
  return made;
}
