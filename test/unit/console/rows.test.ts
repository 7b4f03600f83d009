/**
 * Proves: a list of rows has exactly the accounts of its pages in order. It requests one page at a
 * time, ahead of the visible rows. A request with a cursor contains neither a limit nor an output
 * besides the spec. The list ends at the server's limit or its own. It retries a failed page only
 * on request and after the server's delay. It restarts if the snapshot changed, and announces
 * nothing once stopped. Columns request only fields of the plan, and show any stored value
 * correctly. If the filters require a kind of phone, the row shows such a phone. Chains show the
 * head office.
 * Does not prove: how rows are drawn, nor the answers of a server (the end-to-end tests do).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { Filters, SearchPage, Spec } from "../../../src/console/web/app/answers.ts";
import { emptyQuery } from "../../../src/console/web/find/question.ts";
import {
  COLUMNS,
  type ColumnChoice,
  DEFAULT_COLUMNS,
  drawnColumns,
  fieldsOf,
  movedColumn,
  nextSort,
  readChoice,
  sortedBy,
  widthOf,
} from "../../../src/console/web/find/table/columnset.ts";
import {
  choiceFor,
  columnsToRequest,
  withPhoneFirst,
} from "../../../src/console/web/find/table/forquery.ts";
import {
  PAGE_ROWS,
  type PageBody,
  ROWS_MAX,
  Rows,
} from "../../../src/console/web/find/table/rows.ts";
import { LANDLINES, MOBILES } from "../../../src/search/rowlists.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";

const SPEC = {
  kind: "account_query",
  filters: { geo: { uf_any_of: ["AC"] } },
  limit: 7,
  output: { format: "json", include_explain: false, fields: ["cnpj"] },
  explain: { confidence: 1 },
} as unknown as Spec;

const FIELDS = ["cnpj", "legal_name"];

/** Returns a server with `total` accounts. `failures` has answers to pages that must fail. */
function serverOf(total: number, failures: Record<number, object> = {}) {
  const bodies: PageBody[] = [];
  const signals: AbortSignal[] = [];
  let inFlight = 0;
  const read = async (body: PageBody, signal: AbortSignal): Promise<SearchPage> => {
    assert.equal(++inFlight, 1, "pages are read one at a time");
    bodies.push(body);
    signals.push(signal);
    await setImmediate();
    inFlight--;
    const failure = failures[bodies.length];
    if (failure !== undefined) throw Object.assign(new Error("failed"), failure);
    const { limit } = body.spec as Spec;
    const from = Number(body.cursor ?? 0);
    const end = Math.min(total, from + limit);
    const accounts = Array.from({ length: end - from }, (_, i) => ({ cnpj: String(from + i) }));
    const more = end < total;
    const answer = { accounts, total, has_more: more, next_cursor: more ? String(end) : null };
    return { ...answer, snapshot: "2026-10" } as SearchPage;
  };
  return { read, bodies, signals };
}

/** Returns a list on a server, and records its messages and waits. */
function listOn(server: ReturnType<typeof serverOf>, pageMax = 5000) {
  const announced: string[] = [];
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  const changed = () => void announced.push(`${rows.phase} ${rows.accounts.length}`);
  const rows = new Rows({ spec: SPEC, fields: FIELDS, pageMax, read: server.read, wait, changed });
  return { rows, announced, waits };
}

/** Waits until all pending work has ended. */
async function settled(rows: Rows): Promise<void> {
  do await setImmediate();
  while (rows.phase === "reading");
}

/** Requests the last row again and again until the list is complete or a page fails. */
async function readOut(rows: Rows): Promise<void> {
  while (rows.end === "more" && rows.phase !== "failed") {
    rows.want(rows.accounts.length - 1);
    await settled(rows);
  }
}

describe("a list of rows", () => {
  it("contains every account once, in order, for any size and page", async () => {
    const sizes = fc.integer({ min: 0, max: 3000 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 50, max: 2000 }), async (total, pageMax) => {
        const server = serverOf(total);
        const { rows } = listOn(server, pageMax);
        await readOut(rows);
        assert.equal(rows.end, "all");
        assert.equal(rows.total, total);
        assert.deepEqual(
          rows.accounts.map(({ cnpj }) => Number(cnpj)),
          Array.from({ length: total }, (_, i) => i),
        );
        for (const { spec } of server.bodies) assert.ok((spec as Spec).limit <= pageMax);
      }),
      { numRuns: 30 },
    );
  });

  it("requests a small page first, and with a cursor only the spec", async () => {
    const server = serverOf(1000);
    const { rows } = listOn(server);
    await readOut(rows);
    const [first, second] = server.bodies as [PageBody, PageBody];
    assert.deepEqual(Object.keys(first), ["spec"]);
    assert.deepEqual(Object.keys(second), ["spec", "cursor"]);
    const limits = server.bodies.map(({ spec }) => (spec as Spec).limit);
    assert.deepEqual(limits, [PAGE_ROWS.first, PAGE_ROWS.later, PAGE_ROWS.first + PAGE_ROWS.later]);
    for (const { spec } of server.bodies) {
      assert.deepEqual((spec as Spec).output.fields, FIELDS);
      assert.deepEqual((spec as Spec).filters, SPEC.filters);
      assert.ok(!("explain" in spec));
    }
  });

  it("prefetches beyond the visible rows, within a limit", async () => {
    const server = serverOf(10_000);
    const { rows } = listOn(server);
    rows.want(0);
    rows.want(0);
    await settled(rows);
    assert.equal(rows.accounts.length, 100);
    rows.want(0);
    await settled(rows);
    assert.equal(rows.accounts.length, 600);
    rows.want(199);
    await settled(rows);
    assert.equal(server.bodies.length, 2, "401 rows lie below row 199");
    rows.want(200);
    await settled(rows);
    assert.equal(rows.accounts.length, 1200);
  });

  it("requests larger pages over time, so that the end takes few requests", async () => {
    const server = serverOf(ROWS_MAX + 1);
    const { rows } = listOn(server);
    await readOut(rows);
    assert.ok(server.bodies.length < 30, `${server.bodies.length} pages`);
    const limits = server.bodies.map(({ spec }) => (spec as Spec).limit);
    assert.equal(Math.max(...limits), PAGE_ROWS.most);
  });

  it("ends at its own limit and reports that more rows exist", async () => {
    const { rows } = listOn(serverOf(ROWS_MAX + 1));
    await readOut(rows);
    assert.equal(rows.accounts.length, ROWS_MAX);
    assert.equal(rows.end, "full");
    const { rows: exact } = listOn(serverOf(ROWS_MAX));
    await readOut(exact);
    assert.equal(exact.end, "all");
  });

  it("keeps its rows if a page fails, and continues on request", async () => {
    const server = serverOf(300, { 2: { code: "internal_error", status: 500 } });
    const { rows } = listOn(server);
    await readOut(rows);
    assert.equal(rows.phase, "failed");
    assert.equal((rows.error as { code: string }).code, "internal_error");
    assert.equal(rows.accounts.length, 100);
    rows.want(99);
    await settled(rows);
    assert.equal(server.bodies.length, 2, "nothing is repeated by itself");
    rows.retry();
    await settled(rows);
    assert.equal(rows.accounts.length, 300);
    assert.equal(rows.error, null);
  });

  it("waits and retries after rate limiting, a limited number of times", async () => {
    const early = { code: "rate_limited", status: 429, retryAfterSeconds: 2 };
    const { rows, waits } = listOn(serverOf(100, { 1: early, 2: early }));
    await readOut(rows);
    assert.equal(rows.accounts.length, 100);
    assert.deepEqual(waits, [2000, 2000]);
    const late = listOn(serverOf(100, { 1: { ...early, retryAfterSeconds: 60 } }));
    await readOut(late.rows);
    assert.equal(late.rows.phase, "failed");
    const always = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [i + 1, early]));
    const never = listOn(serverOf(100, always));
    await readOut(never.rows);
    assert.equal(never.rows.phase, "failed");
    assert.equal(never.waits.length, 5);
  });

  it("restarts if the cursor is rejected, and fails if that does not help", async () => {
    const expired = { code: "cursor_expired", status: 422 };
    const server = serverOf(700, { 3: expired });
    const { rows } = listOn(server);
    rows.want(0);
    await settled(rows);
    const before = rows.accounts;
    await readOut(rows);
    assert.equal(rows.restarts, 1);
    assert.notEqual(rows.accounts, before);
    assert.equal(new Set(rows.accounts.map(({ cnpj }) => cnpj)).size, 700);
    assert.equal(rows.accounts.length, 700);
    const stuck = listOn(serverOf(700, { 2: expired, 4: expired }));
    await readOut(stuck.rows);
    assert.equal(stuck.rows.restarts, 1);
    assert.equal(stuck.rows.phase, "failed");
    const other = listOn(serverOf(700, { 2: { code: "query_too_broad", status: 422 } }));
    await readOut(other.rows);
    assert.equal(other.rows.restarts, 0);
  });

  it("is silent once stopped, whether the page arrives or fails", async () => {
    for (const failures of [{}, { 1: { code: "internal_error" } }]) {
      const server = serverOf(700, failures);
      const { rows, announced } = listOn(server);
      rows.want(0);
      rows.stop();
      await setImmediate();
      await setImmediate();
      assert.equal(server.signals[0]?.aborted, true);
      assert.deepEqual(announced, ["reading 0"]);
      assert.equal(rows.accounts.length, 0);
      rows.want(0);
      rows.retry();
      assert.equal(server.bodies.length, 1);
    }
  });
});

const ALL: ReadonlySet<string> = new Set(OUTPUT_FIELD_NAMES);

describe("the effect of a query on the table", () => {
  const filtersWith = (change: (filters: Filters) => void): Filters => {
    const { filters } = emptyQuery();
    change(filters);
    return filters;
  };
  const mobiles = filtersWith(({ contact }) => Object.assign(contact, { require_mobile: true }));
  const landlines = filtersWith(({ contact }) => {
    Object.assign(contact, { require_landline: true });
  });
  const [fixed, mobile] = ["+551858584872", "+5518991234567"];

  it("shows the searched phone, and the other one once", () => {
    const account = { cnpj: "1", phone_1: fixed, phone_2: mobile, phone_1_kind: "landline" };
    const turned = { ...account, phone_1: mobile, phone_2: fixed, phone_1_kind: null };
    const { phone_2_kind: kind, ...rest } = {
      phone_2_kind: "",
      ...withPhoneFirst(account, mobiles),
    };
    assert.deepEqual(rest, turned);
    assert.equal(kind, "landline");
    assert.deepEqual(withPhoneFirst(account, landlines), account);
    assert.deepEqual(withPhoneFirst(account, emptyQuery().filters), account);
    const only = { cnpj: "1", phone_1: mobile, phone_2: null };
    assert.deepEqual(withPhoneFirst(only, mobiles), only);
  });

  it("distinguishes phones like the filters", () => {
    const isFirst = (phone: string, filters: Filters) =>
      withPhoneFirst({ cnpj: "1", phone_1: "x", phone_2: phone }, filters).phone_1 === phone;
    for (const [low, high] of MOBILES) {
      for (const number of [low, high]) {
        assert.ok(isFirst(`+${number}`, mobiles) && !isFirst(`+${number}`, landlines), `${number}`);
      }
      assert.ok(!isFirst(`+${low - 1}`, mobiles), `${low - 1}`);
    }
    for (const [low, high] of LANDLINES) {
      for (const number of [low, high]) {
        assert.ok(isFirst(`+${number}`, landlines) && !isFirst(`+${number}`, mobiles), `${number}`);
      }
      assert.ok(!isFirst(`+${low - 1}`, landlines) && !isFirst(`+${high + 1}`, landlines));
    }
  });

  it("requests both phones if a kind is selected, and draws no extra column", () => {
    const usual = readChoice(null);
    assert.ok(fieldsOf(columnsToRequest(usual, mobiles), ALL).includes("phone_2"));
    assert.ok(!fieldsOf(columnsToRequest(usual, emptyQuery().filters), ALL).includes("phone_2"));
    assert.equal(choiceFor(usual, mobiles), usual);
    const kinds: ColumnChoice = { ...usual, shown: [...usual.shown, "phone_1_kind"] };
    assert.ok(fieldsOf(columnsToRequest(kinds, landlines), ALL).includes("phone_2_kind"));
  });

  it("distinguishes the head office of a chain from its branches", () => {
    const usual = readChoice(null);
    const chains = filtersWith(({ company }) => Object.assign(company, { establishments_min: 6 }));
    const wanted = ["name", "headquarters", ...usual.shown.slice(1)];
    assert.deepEqual(choiceFor(usual, chains).shown, wanted);
    assert.deepEqual(choiceFor({ ...usual, shown: ["name"] }, chains).shown.length, 2);
    const chosen: ColumnChoice = { ...usual, shown: ["name", "cnpj", "headquarters"] };
    assert.equal(choiceFor(chosen, chains), chosen);
    const single = filtersWith(({ company }) => {
      Object.assign(company, { establishments_min: 1, establishments_max: 1 });
    });
    assert.equal(choiceFor(usual, single), usual);
  });
});
const WITHOUT_CONTACT: ReadonlySet<string> = new Set(
  OUTPUT_FIELD_NAMES.filter((name) => !["email", "phone_1", "phone_2"].includes(name)),
);

describe("columns", () => {
  it("name every output field, and no other", () => {
    const named = new Set(COLUMNS.flatMap(({ fields }) => fields));
    assert.deepEqual([...named].sort(), [...OUTPUT_FIELD_NAMES].sort());
  });

  it("request fields of the plan only, in a fixed order", () => {
    const usual = readChoice(null);
    assert.deepEqual(usual.shown, DEFAULT_COLUMNS);
    assert.ok(fieldsOf(usual, ALL).includes("email"));
    assert.ok(!fieldsOf(usual, WITHOUT_CONTACT).includes("email"));
    const ids = drawnColumns(usual, WITHOUT_CONTACT).map(({ id }) => id);
    assert.deepEqual(ids, ["name", "cnpj", "city", "activity", "opened"]);
    const turned: ColumnChoice = { ...usual, shown: ["name", ...usual.shown.slice(1).reverse()] };
    assert.deepEqual(fieldsOf(turned, ALL), fieldsOf(usual, ALL));
  });

  it("default to the usual ones, name first, for any stored value", () => {
    for (const retained of ["", "{", "null", "[]", "7", '{"shown":"x"}']) {
      assert.deepEqual(readChoice(retained).shown, DEFAULT_COLUMNS, retained);
    }
    const odd =
      '{"shown":["cnpj","gone","cnpj","name",5],"widths":{"cnpj":9e9,"gone":1,"tom":"x"}}';
    const choice = readChoice(odd);
    assert.deepEqual(choice.shown, ["name", "cnpj"]);
    assert.deepEqual(choice.widths, { cnpj: 640 });
    const city = COLUMNS.find(({ id }) => id === "city") as (typeof COLUMNS)[number];
    assert.equal(widthOf(city, choice), city.width);
  });

  it("move without leaving the list or passing the name", () => {
    const shown = readChoice(null).shown;
    assert.deepEqual(movedColumn(shown, "cnpj", -1), shown);
    assert.deepEqual(movedColumn(shown, "name", 3), shown);
    assert.deepEqual(movedColumn(shown, "cnpj", 1).slice(0, 3), ["name", "phone", "cnpj"]);
    assert.equal(movedColumn(shown, "city", 99).at(-1), "city");
    assert.equal(movedColumn(shown, "opened", 1).at(-1), "opened");
  });

  it("are sorted ascending, descending, and then by default", () => {
    assert.equal(sortedBy([], "score"), "desc");
    assert.deepEqual(nextSort([], "score"), [{ field: "score", direction: "asc" }]);
    assert.deepEqual(nextSort([{ field: "score", direction: "asc" }], "score"), []);
    let sort = nextSort([], "legal_name");
    assert.deepEqual(sort, [{ field: "legal_name", direction: "asc" }]);
    sort = nextSort(sort, "legal_name");
    assert.deepEqual(sort, [{ field: "legal_name", direction: "desc" }]);
    assert.deepEqual(nextSort(sort, "legal_name"), []);
    assert.deepEqual(nextSort(sort, "started_on"), [{ field: "started_on", direction: "desc" }]);
  });
});
