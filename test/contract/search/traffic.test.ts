/**
 * Proves: the queries of the benchmarks are the same for the same seed and differ for others. The
 * shares of their filters are those of the table, within sampling error. Every body is normalized
 * without a warning, and no two are equivalent. Most queries of each kind match some accounts. The
 * table has every filter that a search can have without lists of its own.
 * Does not prove: that people query like this.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { specOfBody } from "../../../bench/questions/accounts.ts";
import { SHARES } from "../../../bench/questions/shares.ts";
import { PLAIN, seedOf, TRAFFIC_KINDS, trafficOf } from "../../../bench/questions/traffic.ts";
import { countMatches } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import type { FilterName } from "../../../src/spec/filters/table.ts";
import { FILTERS } from "../../../src/spec/filters/table.ts";
import { SEED } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const ACCOUNTS = 6_000;
const BODIES = 4_000;
const OF_A_KIND = 60;
/**
 * Allowed deviation of a share from the table, in standard deviations. The chance that some share
 * exceeds it is below one in ten thousand runs.
 */
const DEVIATIONS = 5;

/** Filters that the queries of the benchmarks do not use, with the reason. */
const LEFT_OUT: Readonly<Partial<Record<FilterName, string>>> = {
  municipality_tom_any_of: "another spelling of the IBGE code, with lists of the same kind",
  secondary_cnae_mode: "a search has one mode only",
  any_of: "needs a list of a tenant",
  exclude: "needs a list of a tenant",
  sanction_any_of: "the sample was imported without lists of sanctions",
  has_federal_debt: "the sample was imported without debts",
  federal_debt_min: "the sample was imported without debts",
  federal_debt_max: "the sample was imported without debts",
  federal_debt_any_of: "the sample was imported without debts",
  owned_by_any_of: "the sample was imported without corporate partners",
  owned_by_depth: "the sample was imported without corporate partners",
  owned_companies_min: "the sample was imported without corporate partners",
  owned_companies_max: "the sample was imported without corporate partners",
  owner_companies_min: "the sample was imported without corporate partners",
  owner_companies_max: "the sample was imported without corporate partners",
  status_reason_any_of: "new; its share of real traffic is not known",
  status_since: "new; its share of real traffic is not known",
  status_before: "new; its share of real traffic is not known",
  simples_excluded_since: "new; its share of real traffic is not known",
  simples_excluded_before: "new; its share of real traffic is not known",
  mei_excluded_since: "new; its share of real traffic is not known",
  mei_excluded_before: "new; its share of real traffic is not known",
  missing_any_of: "new; its share of real traffic is not known",
};

/** The members of a body that the tests read. */
interface Body {
  readonly spec: {
    readonly filters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly sort?: readonly { readonly field: string; readonly direction: string }[];
    readonly scoring?: { readonly strategy: string };
  };
}

let sample: SampleSnapshot;
let segment: Segment;
let bodies: readonly string[];
before(async () => {
  sample = await makeSampleSnapshot(ACCOUNTS, 5);
  segment = await openSegment(sample.snapshot);
  bodies = trafficOf(segment, SEED, BODIES);
});
after(() => {
  segment.close();
  sample.dispose();
});

/** Returns the filters of all groups in one object. The names of filters are unique. */
function membersOf(body: Body): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...Object.values(body.spec.filters));
}

type Seen = (members: Readonly<Record<string, unknown>>, body: Body) => boolean;

const has =
  (...names: string[]): Seen =>
  (members) =>
    names.every((name) => name in members);
const list = (value: unknown) => (value ?? []) as readonly string[];
const count = (name: string, fits: (length: number) => boolean) => (members: object) =>
  fits(list((members as Record<string, unknown>)[name]).length);
const equals =
  (name: string, value: unknown): Seen =>
  (members) =>
    JSON.stringify(members[name]) === JSON.stringify(value);
const sorts =
  (field: string, direction: string): Seen =>
  (_, { spec }) =>
    JSON.stringify(spec.sort) === JSON.stringify([{ field, direction }]);
const words = (wanted: number): Seen => {
  return ({ text_hints: hints }) => list(hints)[0]?.split(" ").length === wanted;
};
const digits = (code: unknown) => list(code)[0]?.length;
/** Returns the days between a date and the snapshot's date. */
const age = (date: unknown) =>
  (Date.parse(segment.snapshotDate) - Date.parse(date as string)) / 86_400_000;
const isYear = (date: unknown) => typeof date === "string" && date.endsWith("-01-01");
const since =
  (fits: (date: unknown) => boolean): Seen =>
  ({ started_after: from, started_before: before }) =>
    from !== undefined && before === undefined && fits(from);

/** For each row of the table, a function that detects the row in a body by independent code. */
const SEEN: Readonly<Record<string, Seen>> = {
  "one activity": (members) =>
    count("cnae_any_of", (length) => length === 1)(members) && digits(members.cnae_any_of) === 7,
  "several activities": count("cnae_any_of", (length) => length > 1),
  "a division": ({ cnae_any_of: codes }) => digits(codes) === 2,
  "a secondary activity": has("cnae_secondary_any_of"),
  "a word of the name": words(1),
  "two words of the name": words(2),
  "an e-mail address": has("email_any_of"),
  "a phone number": has("phone_any_of"),
  "a state": count("uf_any_of", (length) => length === 1),
  "several states": count("uf_any_of", (length) => length > 1),
  "a city": count("municipality_ibge_any_of", (length) => length === 1),
  "several cities": count("municipality_ibge_any_of", (length) => length > 1),
  "a district": has("district_any_of"),
  "a postal prefix": has("postal_code_prefix_any_of"),
  "an area code": has("area_code_any_of"),
  "opened in the last days": since((date) => age(date) <= 180),
  "opened in the last years": since((date) => age(date) > 180 && !isYear(date)),
  "opened between two days": has("started_after", "started_before"),
  "opened since a year": since((date) => age(date) > 180 && isYear(date)),
  "opened before a day": (members) =>
    members.started_before !== undefined && members.started_after === undefined,
  active: equals("registration_status_any_of", [2]),
  closed: equals("registration_status_any_of", [8]),
  "a size": count("company_size_code_any_of", (length) => length === 1),
  "small or larger": count("company_size_code_any_of", (length) => length === 2),
  "no MEI": equals("mei_opt_in", false),
  "MEI only": equals("mei_opt_in", true),
  "Simples: yes or no": has("simples_opt_in"),
  "head offices": has("headquarters_only"),
  branches: has("branches_only"),
  "several establishments": has("establishments_min"),
  "an e-mail": has("require_email"),
  "its own domain": has("require_own_domain"),
  "an e-mail few companies share": has("email_shared_max"),
  "a phone": has("require_phone"),
  "a mobile": has("require_mobile"),
  "a landline": has("require_landline"),
  "a phone few companies share": has("phone_shared_max"),
  "any contact": has("require_any_contact"),
  "capital from an amount": (members) =>
    has("share_capital_min")(members, { spec: { filters: {} } }) &&
    members.share_capital_max === undefined,
  "capital between amounts": has("share_capital_min", "share_capital_max"),
  "a legal nature": has("legal_nature_any_of"),
  "an activity left out": has("cnae_exclude"),
  "newest first": sorts("started_on", "desc"),
  "oldest first": sorts("started_on", "asc"),
  "by capital": sorts("share_capital", "desc"),
  "by name": sorts("legal_name", "asc"),
  "by population of the city": sorts("municipality_population", "desc"),
  "by another score": (_, { spec }) => /^(con|new|est)/.test(spec.scoring?.strategy ?? ""),
  shuffled: (_, { spec }) => spec.scoring?.strategy === "random",
};

/** Returns the fraction of the bodies that have a property. */
function partOf(texts: readonly string[], seen: Seen): number {
  const found = texts.filter((text) => {
    const body = JSON.parse(text) as Body;
    return seen(membersOf(body), body);
  });
  return found.length / texts.length;
}

/** Returns the probability that a draw is repeated: it has no place, or no activity and name. */
function drawnAgain(): number {
  const left = (choice: string) =>
    SHARES.reduce((rest, row) => (row.choice === choice ? rest - row.share : rest), 1);
  return left("subject") * left("place");
}

function near(name: string, part: number, expected: number): void {
  const error = DEVIATIONS * Math.sqrt((expected * (1 - expected)) / BODIES);
  const range = `${(expected - error).toFixed(4)} to ${(expected + error).toFixed(4)}`;
  assert.ok(Math.abs(part - expected) < error, `${name}: ${part}, expected ${range}`);
}

describe("the traffic of the benchmarks", () => {
  it("is the same for a seed, and differs for another seed", () => {
    for (const kind of TRAFFIC_KINDS) {
      const one = trafficOf(segment, SEED, 40, kind);
      assert.deepEqual(trafficOf(segment, SEED, 40, kind), one, kind.name);
      assert.notDeepEqual(trafficOf(segment, SEED + 1, 40, kind), one, kind.name);
    }
    assert.deepEqual(trafficOf(segment, SEED, 40), bodies.slice(0, 40));
  });

  it("has each row of the table as often as the table states", () => {
    assert.deepEqual(Object.keys(SEEN).sort(), SHARES.map(({ name }) => name).sort());
    const narrow = 1 - drawnAgain();
    for (const { name, choice, share } of SHARES) {
      const expected = choice === "subject" || choice === "place" ? share / narrow : share;
      near(name, partOf(bodies, SEEN[name] as Seen), expected);
    }
  });

  it("has a third with a date inside a year, a fifth in a city, a tenth by newest", () => {
    const dates: Seen = ({ started_after: from, started_before: before }) =>
      [from, before].some((date) => date !== undefined && !isYear(date));
    near("dates", partOf(bodies, dates), 1 / 3);
    near("cities", partOf(bodies, SEEN["a city"] as Seen), 1 / 5);
    near("newest", partOf(bodies, SEEN["newest first"] as Seen), 1 / 10);
  });

  it("is normalized without a warning, and no two queries are equivalent", () => {
    const specs = bodies.map((body) => specOfBody(segment, body));
    for (const [at, spec] of specs.entries()) {
      assert.deepEqual(spec.explain.warnings, [], bodies[at]);
    }
    assert.equal(new Set(specs.map((spec) => JSON.stringify(spec))).size, BODIES);
  });

  it("finds rows for most queries of each kind, and none for some", () => {
    let empty = 0;
    for (const kind of TRAFFIC_KINDS) {
      const specs = trafficOf(segment, SEED, OF_A_KIND, kind).map((body) => {
        return specOfBody(segment, body);
      });
      const found = specs.filter((spec) => countMatches(segment, spec) > 0).length;
      assert.ok(found > OF_A_KIND / 2, `${kind.name}: ${found} of ${OF_A_KIND} find something`);
      empty += OF_A_KIND - found;
    }
    assert.ok(empty > 0, "a client also asks for what does not exist");
  });

  it("sets the filters of its row in all queries of a kind", () => {
    for (const kind of TRAFFIC_KINDS) {
      const drawn = trafficOf(segment, SEED, OF_A_KIND, kind);
      if (kind.has === undefined) continue;
      assert.equal(partOf(drawn, SEEN[kind.name] as Seen), 1, kind.name);
      for (const filter of kind.has.filters ?? [])
        assert.ok(partOf(drawn, has(filter)) > 0, filter);
    }
    for (const body of trafficOf(segment, SEED, OF_A_KIND, PLAIN)) {
      const { cnae_any_of: activities, uf_any_of: states, ...rest } = membersOf(JSON.parse(body));
      assert.deepEqual([list(activities).length, list(states).length], [1, 1]);
      assert.deepEqual(rest, { registration_status_any_of: [2] });
    }
    const without = TRAFFIC_KINDS.filter((kind) => kind.without !== undefined);
    for (const kind of without) {
      const drawn = trafficOf(segment, SEED, OF_A_KIND, kind);
      assert.equal(partOf(drawn, has("started_after")) + partOf(drawn, has("started_before")), 0);
    }
  });
});

describe("the table of shares", () => {
  it("has every filter that a search can have, or a reason", () => {
    const drawn = new Set<FilterName>(SHARES.flatMap(({ filters = [] }) => filters));
    const expected = FILTERS.map(({ member }) => member).filter((name) => !(name in LEFT_OUT));
    assert.deepEqual([...drawn].sort(), expected.sort());
  });

  it("sums to at most one within a choice", () => {
    for (const choice of new Set(SHARES.map((row) => row.choice))) {
      const rows = SHARES.filter((row) => row.choice === choice);
      const sum = rows.reduce((all, { share }) => all + share, 0);
      assert.ok(sum <= 1 + Number.EPSILON * rows.length, `${choice}: ${sum}`);
    }
  });
});

it("draws a seed for each run, and checks a given one", () => {
  assert.notEqual(seedOf(undefined), seedOf(undefined));
  assert.equal(seedOf("4294967295"), 4_294_967_295);
  for (const wrong of ["-1", "1.5", "x", "4294967296"]) {
    assert.throws(() => seedOf(wrong), /is not an integer/);
  }
});
