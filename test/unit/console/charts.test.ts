/**
 * Proves the pure functions behind the console's charts. The rows of a facet sum to the total,
 * however many are displayed. The ranges of years cover every account, and a range of years
 * converted to dates and back is unchanged. A click adds or removes a filter, branches of
 * activities have names, and stacked layers of usage sum up.
 * Does not prove: what is drawn, nor the browser's display (see the end-to-end tests), nor the map
 * (unit/console/map.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  COLOURS,
  labelledDays,
  layersOf,
  MEASURES,
  sinceFirstUse,
  stacked,
  sum,
  valuesOf,
} from "../../../src/console/web/account/layers.ts";
import type { FacetAnswer, UsageAnswer } from "../../../src/console/web/app/answers.ts";
import {
  datesOf,
  decadesUntil,
  FIRST_YEAR,
  inInterval,
  intervalOf,
  yearBuckets,
} from "../../../src/console/web/find/charts/buckets.ts";
import {
  branchChosen,
  chooseYears,
  chosenYears,
  clearYears,
  onlyActivity,
  toggleActivity,
  toggleBranch,
  toggleMunicipality,
  toggleOptIn,
  toggleReach,
  toggleSize,
  toggleState,
  toggleStatus,
} from "../../../src/console/web/find/charts/choice.ts";
import { rowsOf } from "../../../src/console/web/find/charts/rows.ts";
import { emptyQuery, isEmpty, type Query } from "../../../src/console/web/find/question.ts";
import { BRANCHES_EN as english } from "../../../src/spec/branches-en.ts";
import { BRANCHES_PT as portuguese } from "../../../src/spec/branches-pt.ts";
import { sectionOfCnae } from "../../../src/spec/catalog.ts";

const counts = fc.array(fc.nat({ max: 1_000_000 }), { maxLength: 40 });

function facet(values: FacetAnswer["values"], rest: Partial<FacetAnswer> = {}): FacetAnswer {
  return { values, other: { values: 0, count: 0 }, missing: 0, ...rest };
}

describe("facet rows", () => {
  it("sum to the total with the remainder, for any selection and any visible rows", () => {
    const inputs = fc.record({
      counts,
      other: fc.nat({ max: 500 }),
      missing: fc.nat({ max: 500 }),
      rowsMax: fc.integer({ min: 1, max: 12 }),
      chosen: fc.uniqueArray(fc.nat({ max: 50 })),
      closed: fc.boolean(),
    });
    fc.assert(
      fc.property(inputs, ({ counts: all, other, missing, rowsMax, chosen, closed }) => {
        const values = all.map((count, at) => ({ value: `v${at}`, count }));
        const given = facet(values, { other: { values: other, count: other }, missing });
        const found = rowsOf(given, {
          rowsMax,
          chosen: (value) => chosen.includes(Number(value.slice(1))),
          ...(closed ? { all: ["v0", "v3", "v50"] } : {}),
        });
        const shown = sum(found.rows.map(({ count }) => count ?? 0));
        assert.equal(shown + found.rest.count + found.missing, sum(all) + other + missing);
        assert.equal(found.total, sum(all) + other + missing);
        for (const { value } of closed ? [] : values) {
          if (!chosen.includes(Number(value.slice(1)))) continue;
          assert.ok(
            found.rows.some((row) => row.value === value && row.chosen),
            `${value} is asked for and has a row`,
          );
        }
      }),
    );
  });

  it("of a closed list distinguish zero from excluded by the filter", () => {
    const given = facet([{ value: "01", count: 5 }]);
    const all = ["01", "03"];
    const open = rowsOf(given, { rowsMax: 2, chosen: () => false, all });
    assert.deepEqual(
      open.rows.map(({ count }) => count),
      [5, 0],
    );
    const filtered = rowsOf(given, { rowsMax: 2, chosen: (value) => value === "01", all });
    assert.deepEqual(
      filtered.rows.map(({ count }) => count),
      [5, null],
    );
  });

  it("of an empty facet are empty, without NaN shares", () => {
    const none = rowsOf(undefined, { rowsMax: 3, chosen: () => false, all: ["01"] });
    assert.deepEqual([none.total, none.most, none.rows[0]?.share], [0, 0, 0]);
  });
});

describe("opening years", () => {
  const LAST = 2026;

  it("have one bucket each, the first for all earlier years, and omit no account", () => {
    const buckets = yearBuckets(
      facet([
        { value: 1891, count: 3 },
        { value: 1965, count: 2 },
        { value: 1966, count: 7 },
        { value: 2026, count: 4 },
        { value: 2027, count: 1 },
      ]),
      LAST,
    );
    assert.equal(buckets.length, LAST - FIRST_YEAR + 2);
    assert.deepEqual(buckets[0], { year: FIRST_YEAR - 1, count: 5 });
    assert.deepEqual(buckets[1], { year: 1966, count: 7 });
    assert.deepEqual(buckets.at(-1), { year: LAST, count: 5 });
    assert.equal(sum(buckets.map(({ count }) => count)), 17);
  });

  it("convert to dates: the first day included, the first day excluded", () => {
    assert.deepEqual(datesOf(2010, 2019, LAST), {
      started_after: "2010-01-01",
      started_before: "2020-01-01",
    });
    assert.deepEqual(datesOf(2019, 2010, LAST), datesOf(2010, 2019, LAST));
    assert.deepEqual(datesOf(2020, LAST, LAST), {
      started_after: "2020-01-01",
      started_before: null,
    });
    assert.deepEqual(datesOf(FIRST_YEAR - 1, 1979, LAST), {
      started_after: null,
      started_before: "1980-01-01",
    });
  });

  it("parsed from the dates equal the selected ones", () => {
    const year = fc.integer({ min: FIRST_YEAR - 1, max: LAST });
    fc.assert(
      fc.property(year, year, (a, b) => {
        const interval = intervalOf(datesOf(a, b, LAST));
        for (let at = FIRST_YEAR - 1; at <= LAST; at++) {
          const inside = at >= Math.min(a, b) && at <= Math.max(a, b);
          assert.equal(inInterval(at, interval), inside, `${at} in ${a}–${b}`);
        }
      }),
    );
  });

  it("of dates within a year are the years that they overlap", () => {
    const dates = { started_after: "2019-07-15", started_before: "2021-03-01" };
    assert.deepEqual(intervalOf(dates), { from: 2019, to: 2021 });
    assert.deepEqual(intervalOf({ started_after: null, started_before: "2021" }), {
      from: null,
      to: 2020,
    });
    assert.equal(intervalOf({ started_after: null, started_before: null }), null);
    assert.equal(inInterval(FIRST_YEAR - 1, { from: 1890, to: 1900 }), true);
  });

  it("have decade labels that begin within the axis", () => {
    assert.deepEqual(decadesUntil(2026), [1970, 1980, 1990, 2000, 2010, 2020]);
  });
});

describe("a click", () => {
  const CLICKS: [string, (draft: Query) => void][] = [
    ["a state", (draft) => toggleState(draft, "SP")],
    ["a municipality", (draft) => toggleMunicipality(draft, "3550308")],
    ["a size", (draft) => toggleSize(draft, "01")],
    ["a status", (draft) => toggleStatus(draft, 2)],
    ["an activity", (draft) => toggleActivity(draft, "4711-3/02")],
    ["a branch", (draft) => toggleBranch(draft, ["4711-3/02", "4712-1/00"])],
    ["Simples", (draft) => toggleOptIn(draft, "simples", true)],
    ["MEI", (draft) => toggleOptIn(draft, "mei", false)],
    ["e-mail", (draft) => toggleReach(draft, "email")],
    ["phone", (draft) => toggleReach(draft, "phone")],
    ["any contact", (draft) => toggleReach(draft, "any")],
    ["both contacts", (draft) => toggleReach(draft, "both")],
  ];
  for (const [name, click] of CLICKS) {
    it(`on ${name} adds the filter, and a second one removes it`, () => {
      const draft = emptyQuery();
      click(draft);
      assert.equal(isEmpty(draft), false);
      click(draft);
      assert.deepEqual(draft, emptyQuery());
    });
  }

  it("on another state adds it, and on a selected one removes only that one", () => {
    const draft = emptyQuery();
    for (const uf of ["SP", "MG", "SP"]) toggleState(draft, uf);
    assert.deepEqual(draft.filters.geo.uf_any_of, ["MG"]);
  });

  it("on the other Simples answer replaces the first one", () => {
    const draft = emptyQuery();
    toggleOptIn(draft, "simples", true);
    toggleOptIn(draft, "simples", false);
    assert.equal(draft.filters.company.simples_opt_in, false);
  });

  it("on a branch among activities keeps the activities of the branch", () => {
    const draft = emptyQuery();
    draft.filters.industry.cnae_any_of = ["4711-3/02", "5611-2/01"];
    const branch = ["4711-3/02", "4712-1/00"];
    assert.equal(branchChosen(draft.filters, branch), false);
    toggleBranch(draft, branch);
    assert.deepEqual(draft.filters.industry.cnae_any_of, ["4711-3/02"]);
    assert.equal(branchChosen(draft.filters, branch), true);
    onlyActivity(draft, "5611-2/01");
    assert.deepEqual(draft.filters.industry.cnae_any_of, ["5611-2/01"]);
  });

  it("on years sets both bounds, and clearing removes them", () => {
    const draft = emptyQuery();
    chooseYears(draft, [2015, 2018], 2026);
    assert.deepEqual(chosenYears(draft.filters), { from: 2015, to: 2018 });
    clearYears(draft);
    assert.deepEqual(draft, emptyQuery());
  });
});

describe("branch names", () => {
  it("have the same sections and divisions in both languages, all of CNAE 2.3", () => {
    assert.deepEqual(Object.keys(english).sort(), Object.keys(portuguese).sort());
    const divisions = Array.from({ length: 100 }, (_, at) => String(at).padStart(2, "0"));
    const letters = "ABCDEFGHIJKLMNOPQRSTU".split("");
    const unnamed = letters.filter((letter) => english[letter] === undefined);
    assert.deepEqual(unnamed, []);
    const named = Object.keys(english).filter((code) => /^\d/.test(code));
    assert.equal(named.length, 87);
    for (const code of named) assert.notEqual(sectionOfCnae(`${code}00000`), null, code);
    assert.ok(named.every((code) => divisions.includes(code)));
  });
});

function sender(id: string, requests: number[]): UsageAnswer["senders"][number] {
  const zeros = requests.map(() => 0);
  return { id, name: id, kind: "key", requests, accounts: requests, export_rows: zeros };
}

describe("usage", () => {
  it("has one layer per sender, and one for the small ones beyond the colors", () => {
    const senders = Array.from({ length: 9 }, (_, at) => sender(`k${at}`, [at, at * 2]));
    const layers = layersOf(senders);
    assert.equal(layers.length, COLOURS);
    assert.deepEqual(
      layers.map(({ colour }) => colour),
      [1, 2, 3, 4, 5, 6],
    );
    assert.equal(layers[0]?.id, "k8");
    assert.equal(layers.at(-1)?.senders.length, 4);
    for (const measure of MEASURES) {
      const all = sum(senders.flatMap((one) => one[measure]));
      assert.equal(sum(layers.flatMap((layer) => valuesOf(layer, measure))), all);
    }
    assert.deepEqual(layersOf([]), []);
    assert.equal(layersOf(senders.slice(0, COLOURS)).length, COLOURS);
  });

  it("begins with the first day of usage, at least a week ago", () => {
    const days = Array.from({ length: 30 }, (_, at) => `day ${at}`);
    const of = (requests: number[]) => {
      const answer = {
        days,
        senders: [
          sender("a", requests),
          sender(
            "b",
            days.map(() => 0),
          ),
        ],
      };
      return sinceFirstUse(answer as unknown as UsageAnswer);
    };
    const used = (...at: number[]) => days.map((_, day) => Number(at.includes(day)));
    assert.equal(of(used(4, 20)).days[0], "day 4");
    assert.deepEqual(of(used(4, 20)).senders[0]?.requests, used(4, 20).slice(4));
    assert.equal(of(used(29)).days.length, 7);
    assert.equal(of(used(0)).days.length, 30);
    assert.equal(of(used()).days.length, 30);
  });

  it("stacks layers onto each other", () => {
    assert.deepEqual(
      stacked([
        [1, 2],
        [0, 5],
        [3, 0],
      ]),
      [
        [1, 2],
        [1, 7],
        [4, 7],
      ],
    );
    assert.deepEqual(stacked([]), []);
  });

  it("labels as many days as fit, and always the last one", () => {
    assert.deepEqual(labelledDays(1, 300, 64), [0]);
    assert.deepEqual(labelledDays(4, 1000, 64), [0, 1, 2, 3]);
    const few = labelledDays(30, 300, 64);
    assert.equal(few.at(-1), 29);
    assert.ok(few.length * 64 <= 300 + 64);
    assert.deepEqual(labelledDays(0, 300, 64), []);
  });
});
