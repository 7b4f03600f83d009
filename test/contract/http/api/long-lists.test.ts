/**
 * Proves: reading long lists of either kind of spec gives others their turn after so many values
 * or characters, right or wrong, whatever list they stand in; an ordinary spec stops nowhere; no
 * sentence is made for a mistake that is only counted; what a search and an export read, they read
 * in those steps.
 * Does not prove: how long a step takes (bench/worst.bench.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../../../src/errors.ts";
import { prepareLeads } from "../../../../src/http/api/leads/leads-request.ts";
import { prepareSearch, searchContext } from "../../../../src/http/api/search/search-request.ts";
import type { Question } from "../../../../src/http/server/service.ts";
import type { Steps } from "../../../../src/scheduling/steps.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { normalizingSteps } from "../../../../src/spec/normalize.ts";
import { SpecReader } from "../../../../src/spec/reader.ts";
import { leadQuerySteps } from "../../../../src/translate/leads/leadquery.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";
import { contextWith } from "../../../support/spec/catalog.ts";

/** Values that a step may read, and characters of names. */
const STEP_VALUES = 1_000;
const STEP_CHARACTERS = 16_000;

const many = (count: number, make: (at: number) => unknown) =>
  Array.from({ length: count }, (_, at) => make(at));

/** Stops of steps, and the mistakes that they end with. */
function run(steps: Steps<unknown>, stopped = () => {}): { stops: number; mistakes: string } {
  for (let stops = 0; ; stops++) {
    try {
      if (steps.next().done === true) return { stops, mistakes: "" };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { stops, mistakes: error.message };
    }
    stopped();
  }
}

/** Lists that count how many of their values are looked at. */
class Watched {
  reads = 0;
  most = 0;

  list(values: unknown[]): unknown[] {
    return new Proxy(values, {
      get: (target, name, receiver) => {
        if (typeof name === "string" && /^\d+$/.test(name)) this.reads++;
        this.most = Math.max(this.most, this.reads);
        return Reflect.get(target, name, receiver);
      },
    });
  }
}

describe("a spec with long lists", () => {
  const lists = {
    right: {
      cnae_any_of: many(10_000, (at) => ["5611-2/01", "C", "47"][at % 3]),
      municipality_ibge_any_of: many(10_000, () => "3550308"),
      postal_code_prefix_any_of: many(10_000, (at) => String(99_999_999 - at)),
      registration_status_any_of: many(10_000, () => 2),
    },
    wrong: {
      cnae_any_of: many(10_000, (at) => `9x1${at}`),
      municipality_ibge_any_of: many(10_000, (at) => `9900001${at}`),
      postal_code_prefix_any_of: many(10_000, (at) => `z1${at}`),
      registration_status_any_of: many(10_000, (at) => at + 10),
    },
  };
  for (const [name, given] of Object.entries(lists)) {
    it(`is read ${STEP_VALUES} values at a time where they are ${name}`, () => {
      const watched = new Watched();
      const filters = {
        industry: { cnae_any_of: watched.list(given.cnae_any_of) },
        geo: {
          municipality_ibge_any_of: watched.list(given.municipality_ibge_any_of),
          postal_code_prefix_any_of: watched.list(given.postal_code_prefix_any_of),
        },
        company: { registration_status_any_of: watched.list(given.registration_status_any_of) },
      };
      const { stops, mistakes } = run(normalizingSteps({ filters }, contextWith()), () => {
        watched.reads = 0;
      });
      assert.ok(watched.most <= STEP_VALUES, `${watched.most} values in a step`);
      assert.ok(stops >= 40, `${stops} stops`);
      assert.equal(/There are 40000 mistakes/.test(mistakes), name === "wrong", mistakes);
    });
  }

  it("counts the values of all lists together, so that many short ones are no long step", () => {
    const filters = {
      industry: { cnae_any_of: many(900, () => "C"), cnae_exclude: many(900, () => "47") },
      geo: { uf_any_of: many(900, () => "SP"), municipality_tom_any_of: many(900, () => "7107") },
    };
    assert.equal(run(normalizingSteps({ filters }, contextWith())).stops, 3);
  });

  it("stops nowhere where it is ordinary", () => {
    const filters = { industry: { cnae_any_of: ["C"] }, geo: { uf_any_of: ["SP", "RJ"] } };
    assert.deepEqual(run(normalizingSteps({ filters }, contextWith())), { stops: 0, mistakes: "" });
  });
});

describe("mistakes", () => {
  it("get a sentence where they are listed; the others are counted", () => {
    const reader = new SpecReader();
    let made = 0;
    const detail = () => `${++made}`;
    for (let at = 0; at < 60; at++) reader.mistake(`/${at}`, "wrong_format", detail);
    assert.throws(() => reader.refuse(), /There are 60 mistakes/);
    assert.equal(made, 50);
  });
});

describe("a lead query with long lists", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    made = await makeSampleSnapshot(500, 22);
    segment = await openSegment(made.snapshot);
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  const stopsOf = (members: object) => {
    const context = { segment, limitDefault: 10, limitCap: 100 };
    return run(leadQuerySteps({ kind: "lead_query", ...members }, context)).stops;
  };

  for (const name of ["states", "regions", "sizes", "status", "cities"]) {
    it(`is read some characters of ${name} at a time`, () => {
      const texts = many(2_000, (at) => `${"a b ".repeat(25)}${at}`);
      const stops = stopsOf({ [name]: texts });
      assert.ok(stops >= 200_000 / STEP_CHARACTERS - 1, `${stops} stops`);
    });
  }

  it("stops within names that suggestions are looked for, and within short activities", () => {
    const cities = many(20, (at) => `Sao Jozé ${at}`);
    assert.ok(stopsOf({ cities }) >= 6, `${stopsOf({ cities })} stops`);
    const activities = many(30, (at) => `fabricação ${at}`);
    assert.ok(stopsOf({ activities }) >= 9, `${stopsOf({ activities })} stops`);
    const codes = many(10_000, (at) => `${at}`.padStart(5, "0"));
    assert.ok(stopsOf({ activities: codes }) >= 9, `${stopsOf({ activities: codes })} stops`);
  });

  it("stops nowhere where it is ordinary", () => {
    assert.equal(stopsOf({ activities: ["padaria"], states: ["SP"], sizes: ["micro"] }), 0);
  });

  it("and the other kind are read so by whoever answers a page of them", () => {
    const plan = { fields: ["cnpj"], limits: { search_limit: 100 } };
    const call = (spec: object) => {
      const body = Buffer.from(JSON.stringify({ spec }));
      const identity = { tenantId: "t" };
      const service = { listed: null };
      return { service, body, plan, identity, spend: () => {} } as unknown as Question<"listed">;
    };
    const geo = { postal_code_prefix_any_of: many(10_000, (at) => String(10_000_000 + at)) };
    const search = prepareSearch(call({ filters: { geo } }), segment);
    assert.ok(search instanceof Promise, "a large search is read in turns");
    const read = run(normalizingSteps({ filters: { geo } }, searchContext(segment, plan as never)));
    assert.ok(read.stops >= 8, `${read.stops} stops of a search`);
    const codes = segment.catalog.municipalities.map(({ ibge }) => ibge);
    const cities = many(10_000, (at) => codes[at % codes.length] ?? codes[0]);
    const leads = run(prepareLeads(call({ kind: "lead_query", cities }), segment));
    assert.ok(leads.stops >= 6, `${leads.stops} stops of leads`);
  });
});
