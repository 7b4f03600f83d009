/**
 * Proves that a condition has the same filters next to any place, state, or activity, in any order
 * and in any wording. A name next to its state is that place. Does not prove that the filters are
 * right, which the tables of the other suites do for the sentences used in comparison.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { countMatches } from "../../../src/search/searcher.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";
import * as sweeps from "../../support/translate/sweeps.ts";

/** Number of failures to show. */
const SHOWN = 12;

/** The translation of a text: its places, and everything else. */
interface Facts {
  readonly where: string;
  readonly rest: string;
}

describe("sweeps", () => {
  let probe: Probe;
  let cities: readonly sweeps.SweepCity[];
  const known = new Map<string, Facts>();
  before(async () => {
    probe = await openProbe();
    cities = probe.segment.catalog.municipalities.flatMap(({ ibge, uf, name }) =>
      ibge === null || uf === null || uf === "EX" ? [] : [{ name, uf }],
    );
  });
  after(() => probe.close());

  const SWEEPS = {
    "a city with its state, and a wish": () => sweeps.citiesWithState(cities),
    "a city without its state, and a wish": () => sweeps.citiesAlone(cities),
    "a city beside its state in every spelling": () => sweeps.citiesNextTo(cities),
    "a state and a wish": () => sweeps.states(),
    "an activity with a wish behind and before it": () => sweeps.activities(),
    "a contact that a list joins to an item": () => sweeps.contactsBehind(),
    "wishes in every order": () => sweeps.orders(),
    "every name of every wish": () => sweeps.tableNames(),
    "other ways to write": () => sweeps.respellings(),
    "a request behind what the speaker says of himself": () => sweeps.speakers(),
    "a request in words that ask for nothing": () => sweeps.politeRequests(),
    "a request in chat spelling": () => sweeps.chats(),
    "a comparison in words and in signs": () => sweeps.comparisons(),
  };

  for (const [name, cases] of Object.entries(SWEEPS)) {
    it(`find no deviation of ${name}`, () => {
      const all = [...cases()];
      const some = sampled(all, Math.ceil(tries("sweep texts") / Object.keys(SWEEPS).length));
      const wrong = some.flatMap((one) => (agrees(one) ? [] : [one.text]));
      assert.deepEqual(wrong.slice(0, SHOWN), [], `${wrong.length} of ${some.length} deviate`);
    });
  }

  it("find that a condition narrows, and that it and its negation add up to the whole", () => {
    const matches = (text: string) => countMatches(probe.segment, probe.spec(text));
    for (const base of ["padarias", "restaurantes em SP", "dentistas no Paraná"]) {
      const all = matches(base);
      for (const [one, other] of sweeps.COMPLEMENTS) {
        const [retained, left] = [matches(`${base} ${one}`), matches(`${base} ${other}`)];
        assert.ok(retained <= all && left <= all, `${base} ${one}`);
        // Companies without an opening date match neither a condition on dates nor its opposite, so
        // up to 3% may be missing.
        assert.ok(
          retained + left <= all && retained + left >= 0.97 * all,
          `${base}: ${retained}, ${left}, ${all}`,
        );
      }
      for (const condition of sweeps.SWEEP_CONDITIONS) {
        if (condition === " baixadas") continue;
        assert.ok(matches(`${base}${condition}`) <= all, `${base}${condition}`);
      }
    }
  });

  function agrees({ text, like, where }: sweeps.SweepCase): boolean {
    const facts = factsOf(text);
    return facts.rest === remembered(like).rest && facts.where === remembered(where).where;
  }

  function remembered(text: string): Facts {
    const facts = known.get(text) ?? factsOf(text);
    known.set(text, facts);
    return facts;
  }

  function factsOf(text: string): Facts {
    const { filters, explain, limit, sort } = probe.translate(text).spec;
    const { geo, ...rest } = filters as Readonly<Record<string, unknown>>;
    // A note with the code "own_offer", about goods that the writer sells, is not about a
    // condition.
    const named = explain.unmapped_constraints.filter(({ code }) => code !== "own_offer");
    const left = named.map(({ code }) => code);
    return { where: JSON.stringify(geo), rest: JSON.stringify({ rest, limit, sort, left }) };
  }
});

/** Returns at most `count` elements, evenly spaced from a seeded start. */
function sampled<Value>(all: readonly Value[], count: number): readonly Value[] {
  if (all.length <= count) return all;
  const step = all.length / count;
  const first = SEED % Math.ceil(step);
  return Array.from({ length: count }, (_, i) => {
    return all[(Math.floor(i * step) + first) % all.length] as Value;
  });
}
