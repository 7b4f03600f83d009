/**
 * Proves: over both transports, the console's counts equal those of a linear scan over the decoded
 * rows. They include the accounts outside the chosen states. If a query matches nothing, they
 * include its matches without each single filter. Broad specs are counted and marked as broad.
 * Facets of many matches are counted once, in a separate request, unless the client has
 * disconnected. All mistakes are reported together.
 * Does not prove: the counts of facets (campaign/twin/facet.test.ts), or how fast they are.
 */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ENGINE } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { FACETS } from "../../../src/spec/facets.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import {
  type ConsoleServer,
  type Person,
  pointersIn,
  startConsole,
} from "../../support/console/data.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { engineOf, fakeParts, fakeSegment, TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { Draw, randomSpecInput, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

const NOBODY = { industry: {}, geo: {}, company: {}, contact: {} };

/** Members of a spec that make one filter together. Each other member is one filter. */
const TOGETHER = [
  ["municipality_ibge_any_of", "municipality_tom_any_of"],
  ["started_after", "started_before"],
  ["share_capital_min", "share_capital_max"],
  ["establishments_min", "establishments_max"],
  ["status_since", "status_before"],
  ["simples_excluded_since", "simples_excluded_before"],
  ["mei_excluded_since", "mei_excluded_before"],
  ["owned_by_any_of", "owned_by_depth"],
];
/**
 * Matches the names of members that a normalized spec omits if they do not filter. The other
 * members are present with an empty value.
 */
const ABSENT = new RegExp(
  "^(postal|area|share|legal|cnae_sec|branch|establish|(email|phone)_(sh|any)|require_([ml]|own)" +
    "|status|(simples|mei)_ex|sanction|has_fed|owned|missing)",
);

/** Returns the JSON pointers to the members of each set filter, as one list per filter. */
function setPointers(filters: AccountQuerySpec["filters"]): string[][] {
  const groups: string[][] = [];
  for (const [group, members] of Object.entries(filters)) {
    for (const [member, value] of Object.entries(members)) {
      const empty = Array.isArray(value) ? value.length === 0 : value === null;
      const unset = empty || (value === false && !/opt_in/.test(member));
      if (unset || member === "secondary_cnae_mode") continue;
      const partners = TOGETHER.find((names) => names.includes(member)) ?? [];
      const known = groups.find((one) =>
        one.some((text) => partners.some((n) => text.endsWith(n))),
      );
      if (known === undefined) groups.push([`/filters/${group}/${member}`]);
      else known.push(`/filters/${group}/${member}`);
    }
  }
  return groups;
}

/** Returns the filters with the given members set to values that do not filter. */
function cleared(filters: AccountQuerySpec["filters"], pointers: readonly string[]) {
  const copy = structuredClone(filters) as unknown as Record<string, Record<string, unknown>>;
  for (const pointer of pointers) {
    const [, root, group = "", member = ""] = pointer.split("/");
    assert.equal(root, "filters");
    const value = copy[group]?.[member];
    assert.notEqual(value, undefined, `${pointer} is set`);
    if (ABSENT.test(member)) delete copy[group]?.[member];
    else if (Array.isArray(value)) (copy[group] as Record<string, unknown>)[member] = [];
    else
      (copy[group] as Record<string, unknown>)[member] = /^(head|req)/.test(member) ? false : null;
  }
  return copy as unknown as AccountQuerySpec["filters"];
}

describe("POST /v1/console/explore", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  let twin: Twin;
  before(async () => {
    made = await makeSampleSnapshot(2_500, 61);
    segment = await openSegment(made.snapshot);
    twin = new Twin(decodeSnapshot(made.snapshot).rows);
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  const total = (spec: AccountQuerySpec, filters = spec.filters) =>
    twin.answer({ ...spec, filters }).length;

  for (const transport of TRANSPORTS) {
    describe(`over ${transport}`, () => {
      let server: ConsoleServer;
      let person: Person;
      before(async () => {
        server = await startConsole(transport, { engine: ENGINE });
        server.load(segment);
        person = await server.person();
      });
      after(() => server.close());

      it("counts random specs as a linear scan does", async () => {
        const draw = new Draw(seededRng(6_101));
        let empty = 0;
        for (let i = 0; i < 60; i++) {
          const sent = randomSpecInput(draw, segment.catalog, twin.rows);
          if (i % 4 === 0) {
            const geo = { uf_any_of: ["AC"], municipality_ibge_any_of: ["3304557"] };
            sent.filters = { ...(sent.filters as object), geo };
          }
          const question = { spec: sent, facets: ["uf", "mei", "cnae_division"], beside: ["uf"] };
          const { status, json } = await person.post("/explore", question);
          assert.equal(status, 200, JSON.stringify(json));
          const reported = JSON.stringify(json.spec.filters);
          assert.equal(json.total, total(json.spec), reported);
          const { values, other, missing } = json.facets.mei;
          const sum = values.reduce((all: number, { count }: { count: number }) => all + count, 0);
          assert.equal(sum + other.count + missing, json.total, reported);
          checkInThread(json);
          if (json.total === 0) {
            empty++;
            checkDrops(json);
          } else {
            assert.deepEqual(json.drops, []);
          }
        }
        assert.ok(empty >= 5, `only ${empty} specs matched nothing`);
      });

      it("has facets whose counts equal those of their values as filters", async () => {
        const draw = new Draw(seededRng(6_102));
        for (let i = 0; i < 60; i++) {
          const sent = i === 0 ? {} : randomSpecInput(draw, segment.catalog, twin.rows);
          const { json } = await person.post("/explore", {
            spec: sent,
            facets: ["mei", "contact"],
          });
          const spec = json.spec as AccountQuerySpec;
          const { company, contact } = spec.filters;
          const total = (filters: Partial<AccountQuerySpec["filters"]>) =>
            ENGINE.countMatches(segment, {
              ...spec,
              filters: { ...spec.filters, ...filters },
            });
          const counted = (name: string, values: readonly unknown[]) =>
            (json.facets[name].values as { value: unknown; count: number }[])
              .filter(({ value }) => values.includes(value))
              .reduce((sum, { count }) => sum + count, 0);
          if (company.mei_opt_in === null) {
            const mei = total({ company: { ...company, mei_opt_in: true } });
            assert.equal(counted("mei", [true]), mei, JSON.stringify(spec.filters));
          }
          const mail = total({ contact: { ...contact, require_email: true } });
          assert.equal(counted("contact", ["email", "email_and_phone"]), mail);
          const phone = total({ contact: { ...contact, require_phone: true } });
          assert.equal(counted("contact", ["phone", "email_and_phone"]), phone);
        }
      });

      function checkInThread(json: { spec: AccountQuerySpec; beside: Record<string, never> }) {
        const { geo } = json.spec.filters;
        const places = [
          "uf_any_of",
          "municipality_ibge_any_of",
          "municipality_tom_any_of",
        ] as const;
        const set = places.filter((name) => geo[name].length > 0);
        if (set.length === 0) return assert.equal(json.beside.uf, null);
        const filters = cleared(
          json.spec.filters,
          set.map((name) => `/filters/geo/${name}`),
        );
        const rows = twin.answer({ ...json.spec, filters });
        const counts = new Map<string, number>();
        for (const row of rows) {
          const uf = (twin.rows[row] as TwinRow).uf as string | null;
          if (uf !== null) counts.set(uf, (counts.get(uf) ?? 0) + 1);
        }
        const facet = json.beside.uf as unknown as { values: { value: string; count: number }[] };
        const counted = new Map(facet.values.map(({ value, count }) => [value, count]));
        assert.deepEqual([...counted].sort(), [...counts].sort());
      }

      function checkDrops(json: {
        spec: AccountQuerySpec;
        drops: { filter: string; pointers: string[]; total: number }[];
      }) {
        for (const { filter, pointers, total: reported } of json.drops) {
          assert.ok(pointers.length > 0 && reported > 0, filter);
          assert.equal(reported, total(json.spec, cleared(json.spec.filters, pointers)), filter);
        }
        const helpful = setPointers(json.spec.filters).filter(
          (pointers) => total(json.spec, cleared(json.spec.filters, pointers)) > 0,
        );
        const report = json.drops.map(({ pointers }) => String(pointers)).sort();
        assert.deepEqual(report, helpful.map(String).sort(), "every filter that stands in the way");
        const totals = json.drops.map((drop) => drop.total);
        assert.deepEqual(
          totals,
          [...totals].sort((a, b) => b - a),
          "the most helpful first",
        );
      }

      it("names the filters that alone empty an answer", async () => {
        const filters = {
          geo: { uf_any_of: ["SP"], municipality_ibge_any_of: ["3304557"] },
          industry: { cnae_any_of: ["G"] },
          company: { registration_status_any_of: [2] },
        };
        const { json } = await person.post("/explore", { spec: { filters } });
        assert.equal(json.total, 0);
        const names = json.drops.map(({ filter }: { filter: string }) => filter).sort();
        assert.deepEqual(names, ["municipality", "uf"]);
        const { pointers } = json.drops.find((drop: { filter: string }) => drop.filter === "uf");
        assert.deepEqual(pointers, ["/filters/geo/uf_any_of"]);
        checkDrops(json);
      });

      it("counts the whole registry, and reports that a search would refuse it", async () => {
        const { status, json } = await person.post("/explore", { spec: {}, facets: FACETS });
        assert.equal(status, 200);
        assert.equal(json.total, 2_500);
        assert.equal(json.too_broad, true);
        assert.ok(json.missing.includes("/filters/geo/uf_any_of"));
        assert.deepEqual(Object.keys(json.facets), [...FACETS]);
        const narrow = await person.post("/explore", {
          spec: { filters: { geo: { uf_any_of: ["SP"] } } },
        });
        assert.deepEqual([narrow.json.too_broad, narrow.json.missing], [false, []]);
      });

      it("answers 304 if unchanged, and another tag to another query", async () => {
        const question = { spec: { filters: { geo: { uf_any_of: ["RJ"] } } }, facets: ["uf"] };
        const first = await person.post("/explore", question);
        const tag = first.headers.get("etag") ?? "";
        const second = await person.post("/explore", question, { "If-None-Match": tag });
        assert.deepEqual([second.status, second.text], [304, ""]);
        const other = await person.post(
          "/explore",
          { ...question, facets: [] },
          { "If-None-Match": tag },
        );
        assert.equal(other.status, 200);
      });

      it("reports a place outside its state, and all mistakes together", async () => {
        const filters = { geo: { uf_any_of: ["SP"], municipality_ibge_any_of: ["3304557"] } };
        const { json } = await person.post("/explore", { spec: { filters } });
        assert.equal(json.warnings.length, 1);
        const wrong = await person.post("/explore", {
          spec: { filters: { geo: { uf_any_of: ["XX"] } } },
          facets: ["uf", "colour"],
          beside: ["uf", "uf", "mei"],
          more: 1,
        });
        assert.equal(wrong.status, 422);
        assert.equal(wrong.json.code, "invalid_request");
        assert.deepEqual(pointersIn(wrong), [
          "/beside/1",
          "/facets/1",
          "/more",
          "/spec/filters/geo/uf_any_of/0",
        ]);
      });
    });
  }
});

for (const transport of TRANSPORTS) {
  describe(`POST /v1/console/explore of many matches over ${transport}`, () => {
    let counted: string[] = [];
    let busyMs = 0;
    let isAside = false;
    let server: ConsoleServer;
    let person: Person;
    before(async () => {
      const engine = engineOf({
        ...fakeParts,
        countMatches: () => 900_000,
        facets: (segment, spec, names) => {
          counted.push(String(names));
          for (const until = performance.now() + busyMs; performance.now() < until; );
          return fakeParts.facets(segment, spec, names);
        },
        wait: () => (isAside ? Promise.resolve() : null),
      });
      server = await startConsole(transport, { engine });
      person = await server.person();
    });
    after(() => server.close());

    const send = (uf: string, signal?: AbortSignal) =>
      fetch(`${server.base}/v1/console/explore`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-CSRF-Token": "the-token-of-a-test",
          Cookie: `peneira_session=${person.id}`,
        },
        body: JSON.stringify({ spec: { filters: { geo: { uf_any_of: [uf] } } }, facets: FACETS }),
        ...(signal === undefined ? {} : { signal }),
      });

    it("counts facet by facet, activities together, and each once per snapshot", async () => {
      counted = [];
      assert.equal((await send("SP")).status, 200);
      const activities = FACETS.filter((name) => name.startsWith("cnae_"));
      const others = FACETS.filter((name) => !name.startsWith("cnae_"));
      assert.deepEqual(counted, [String(activities), ...others]);
      assert.equal((await send("SP")).status, 200);
      assert.equal(counted.length, others.length + 1);
      server.load(fakeSegment("2026-11", "0123456789abcdef"));
      assert.equal((await send("SP")).status, 200);
      assert.equal(counted.length, 2 * (others.length + 1));
    });

    it("reuses counts made off the main thread, and recounts none", async () => {
      counted = [];
      isAside = true;
      const answer = await send("MG");
      isAside = false;
      assert.equal(answer.status, 200);
      const { facets } = (await answer.json()) as { facets: object };
      assert.deepEqual(Object.keys(facets).sort(), [...FACETS].sort());
      const names = counted.flatMap((group) => group.split(","));
      assert.deepEqual(names.sort(), [...FACETS].sort(), "each is counted once");
      assert.equal((await send("MG")).status, 200);
      assert.equal(names.length, counted.flatMap((group) => group.split(",")).length);
    });

    it("answers other requests meanwhile, and stops for a client that left", async () => {
      counted = [];
      busyMs = 25;
      const left = new AbortController();
      const gone = send("RJ", left.signal).catch(() => null);
      while (counted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      assert.equal((await person.get("/status")).status, 200);
      assert.ok(counted.length < 8, "the other answer did not wait for all facets");
      left.abort();
      await gone;
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.ok(counted.length < 8, `${counted.length} facets were counted for nobody`);
      busyMs = 0;
    });

    it("requires a snapshot", async () => {
      server.load(null);
      const { status, json } = await person.post("/explore", { spec: { filters: NOBODY } });
      assert.deepEqual([status, json.code], [503, "snapshot_unavailable"]);
    });
  });
}
