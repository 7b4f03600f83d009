/**
 * Proves that equivalent console queries have the same form, and that removing a part of a query by
 * its JSON pointer leaves an empty filter. After a series of quick edits, the console sends one
 * request and aborts outdated ones. It never shows an old answer as a new one, and keeps the last
 * good answer.
 * Does not prove: the connection with the address bar and the server (console end-to-end tests do).
 */
import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import type { ExploreAnswer } from "../../../src/console/web/app/answers.ts";
import { switchLanguage } from "../../../src/console/web/app/words.ts";
import { bodyOf, freshDraft, hasContact, titleOf } from "../../../src/console/web/exports/draft.ts";
import { daysOf, differences } from "../../../src/console/web/exports/summary.ts";
import { Explorer } from "../../../src/console/web/find/explorer.ts";
import {
  clearPointer,
  emptyQuery,
  isEmpty,
  type SentSpec,
  sameFilters,
  sameQuery,
  specOf,
  tidyQuery,
  withDaysOf,
  withListsOf,
  withoutListsOf,
} from "../../../src/console/web/find/question.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { presetsWithin } from "../../../src/spec/presets.ts";

const planOf = (allowed: readonly string[]) => ({
  field_allowlist: [...allowed],
  presets: presetsWithin(allowed),
});

describe("the defaults of an export", () => {
  it("require contact only if the plan has a contact field", () => {
    const free = ["cnpj", "legal_name", "uf", "municipality_ibge", "cnae_primary", "trade_name"];
    assert.equal(hasContact(free), false);
    assert.ok(
      freshDraft(planOf(free), null).fields.includes("cnae_primary"),
      "the default columns",
    );
    const paid = [...free, "email"];
    assert.equal(hasContact(paid), true);
    assert.ok(freshDraft(planOf(paid), null).fields.includes("email"));
  });

  it("are an Excel file for people, named after its search, and plain for programs", () => {
    const draft = freshDraft(planOf(OUTPUT_FIELD_NAMES), null, "Padarias em BH");
    const outputOf = (change: object) =>
      bodyOf({ ...draft, ...change }, emptyQuery(), 100).output as Record<string, unknown>;
    const { format, labels, title } = outputOf({});
    assert.deepEqual([format, labels, title], ["xlsx", "pt", "Padarias em BH"]);
    assert.equal(outputOf({ people: false }).labels, undefined);
    assert.equal(outputOf({ format: "csv" }).labels, "pt");
    assert.equal(outputOf({ format: "csv", csv: "standard" }).labels, undefined);
    assert.equal(outputOf({ format: "jsonl" }).labels, undefined);
    assert.equal(outputOf({ title: "  " }).title, undefined);
    assert.equal(
      titleOf(freshDraft(planOf(OUTPUT_FIELD_NAMES), null, "x".repeat(300))).length,
      100,
    );
  });

  it("have another title for each layout, unless a title was typed", () => {
    const draft = freshDraft(planOf(OUTPUT_FIELD_NAMES), null, "Padarias em BH");
    const titled = (change: object) => titleOf({ ...draft, ...change });
    assert.equal(titled({ layout: "pipedrive" }), "Padarias em BH (Pipedrive)");
    assert.equal(titled({ layout: "hubspot" }), "Padarias em BH (HubSpot)");
    assert.equal(titled({ layout: "hubspot", format: "jsonl" }), "Padarias em BH");
    assert.equal(titled({ layout: "hubspot", title: "Clientes" }), "Clientes");
    const long = { layout: "hubspot", searched: "x".repeat(100) };
    assert.match(titled(long), /^x{90} \(HubSpot\)$/);
  });

  it("are uncompressed; text files offer every compression of the server", () => {
    const draft = freshDraft(planOf(OUTPUT_FIELD_NAMES), null);
    const sentFor = (change: object) =>
      (bodyOf({ ...draft, ...change }, emptyQuery(), 100).output as Record<string, unknown>)
        .compression;
    assert.equal(sentFor({ format: "csv" }), undefined);
    for (const compression of ["gzip", "zstd"]) {
      assert.equal(sentFor({ format: "csv", compression }), compression);
      assert.equal(sentFor({ format: "jsonl", compression }), compression);
      assert.equal(sentFor({ format: "xlsx", compression }), undefined);
    }
  });
});

describe("a query", () => {
  it("is the same for any order of its lists", () => {
    const [one, other] = [emptyQuery(), emptyQuery()];
    one.filters.geo.uf_any_of = ["SP", "MG", "SP"];
    other.filters.geo.uf_any_of = ["MG", "SP"];
    other.filters.geo.area_code_any_of = [];
    other.sort = [];
    assert.ok(sameQuery(one, other));
    assert.deepEqual(tidyQuery(one), tidyQuery(tidyQuery(one)));
  });

  it("is empty without filters, for any order", () => {
    const query = emptyQuery();
    assert.ok(isEmpty(query));
    query.sort = [{ field: "cnpj", direction: "asc" }];
    assert.ok(isEmpty(query));
    assert.ok(!sameQuery(query, emptyQuery()));
    query.filters.company.mei_opt_in = false;
    assert.ok(!isEmpty(query));
  });

  it("keeps manually selected lists if a sentence replaces the filters", () => {
    const [before, stated] = [emptyQuery(), emptyQuery()];
    before.filters.geo.uf_any_of = ["MG"];
    before.filters.lists = { exclude: ["exported"] };
    stated.filters.geo.uf_any_of = ["SP"];
    const next = withListsOf(stated, before);
    assert.deepEqual(next.filters.geo.uf_any_of, ["SP"]);
    assert.deepEqual(next.filters.lists, { exclude: ["exported"] });
    stated.filters.lists = { any_of: ["b"], exclude: ["exported", "a"] };
    assert.deepEqual(withListsOf(stated, before).filters.lists, {
      any_of: ["b"],
      exclude: ["a", "exported"],
    });
    assert.deepEqual(withListsOf(stated, emptyQuery()), stated, "nothing chosen, nothing added");
    const named = withListsOf(emptyQuery(), before);
    assert.deepEqual(withoutListsOf(before, named).filters.lists, undefined, "what was named goes");
    stated.filters.lists = { any_of: ["exported"] };
    assert.deepEqual(withoutListsOf(before, stated).filters.lists, before.filters.lists);
    assert.deepEqual(
      withListsOf(stated, before).filters.lists,
      stated.filters.lists,
      "no contradiction",
    );
  });

  it("becomes a spec with additions", () => {
    const spec = specOf(emptyQuery(), { limit: 5 });
    assert.equal(spec.kind, "account_query");
    assert.equal(spec.limit, 5);
    assert.deepEqual(spec.sort, [{ field: "score", direction: "desc" }]);
  });

  it("loses exactly the member that a pointer names", () => {
    const full = emptyQuery();
    full.filters.geo.uf_any_of = ["SP"];
    full.filters.company.share_capital_min = 5;
    full.filters.company.started_after = "2020-01-01";
    full.filters.contact.require_email = true;
    const pointers = [
      "/filters/geo/uf_any_of",
      "/filters/company/share_capital_min",
      "/filters/company/started_after",
      "/filters/contact/require_email",
    ];
    for (const pointer of pointers) {
      const draft = structuredClone(full);
      clearPointer(draft, pointer);
      assert.ok(!sameFilters(draft, full), pointer);
    }
    for (const pointer of pointers) clearPointer(full, pointer);
    assert.ok(isEmpty(full));
    clearPointer(full, "/nothing/of/the/kind");
    assert.ok(isEmpty(full));
  });
});

/** Waits until all promises have settled that can settle without a timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

function specFor(uf: string): SentSpec {
  const query = emptyQuery();
  query.filters.geo.uf_any_of = [uf];
  return specOf(query);
}

function answerOf(total: number): ExploreAnswer {
  return { total } as ExploreAnswer;
}

/** Returns an explorer whose requests the test answers. */
function exploring() {
  const requests: {
    spec: SentSpec;
    signal: AbortSignal;
    answer: (answer: ExploreAnswer) => void;
    fail: (error: Error) => void;
  }[] = [];
  const explorer = new Explorer<string>({
    request: (spec, signal) =>
      new Promise((answer, fail) => {
        requests.push({ spec, signal, answer, fail });
      }),
    failureOf: (error) => (error as Error).message,
    delayMs: 150,
  });
  return { explorer, requests };
}

describe("the explorer", () => {
  it("sends one request for a burst of edits, for the last of them", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { explorer, requests } = exploring();
      for (const uf of ["AC", "AL", "AM"]) {
        explorer.explore(specFor(uf));
        mock.timers.tick(100);
      }
      assert.equal(requests.length, 0);
      assert.equal(explorer.state.value.state, "busy");
      mock.timers.tick(50);
      assert.equal(requests.length, 1);
      assert.deepEqual(requests[0]?.spec, specFor("AM"));
      requests[0]?.answer(answerOf(7));
      await settle();
      assert.deepEqual(explorer.state.value, { state: "ready", answer: { total: 7 }, error: null });
    } finally {
      mock.timers.reset();
    }
  });

  it("aborts a stale request and never shows its answer", async () => {
    const { explorer, requests } = exploring();
    explorer.explore(specFor("AC"), { now: true });
    explorer.explore(specFor("AL"), { now: true });
    const [stale, fresh] = requests;
    assert.ok(stale?.signal.aborted);
    assert.ok(!fresh?.signal.aborted);
    fresh?.answer(answerOf(2));
    await settle();
    stale?.answer(answerOf(1));
    await settle();
    assert.equal(explorer.state.value.answer?.total, 2);
  });

  it("reports no error for an aborted request", async () => {
    const { explorer, requests } = exploring();
    explorer.explore(specFor("AC"), { now: true });
    explorer.explore(specFor("AL"), { now: true });
    requests[0]?.fail(new Error("aborted"));
    await settle();
    assert.equal(explorer.state.value.state, "busy");
    assert.equal(explorer.state.value.error, null);
  });

  it("keeps the last good answer during a request and after a failure, and retries", async () => {
    const { explorer, requests } = exploring();
    explorer.explore(specFor("AC"), { now: true });
    requests[0]?.answer(answerOf(5));
    await settle();
    explorer.explore(specFor("AL"), { now: true });
    assert.deepEqual(explorer.state.value, { state: "busy", answer: { total: 5 }, error: null });
    requests[1]?.fail(new Error("down"));
    await settle();
    const failed = { state: "failed", answer: { total: 5 }, error: "down" };
    assert.deepEqual(explorer.state.value, failed);
    explorer.retry();
    assert.deepEqual(requests[2]?.spec, specFor("AL"));
    requests[2]?.answer(answerOf(6));
    await settle();
    assert.deepEqual(explorer.state.value, { state: "ready", answer: { total: 6 }, error: null });
  });
});

describe("the days of a saved sentence", () => {
  const since = (day: string | null) => {
    const query = emptyQuery();
    query.filters.company.started_after = day;
    return query;
  };

  it("replace those that the sentence means now, but add none", () => {
    const [meant, opened] = [since("2026-08-12"), since("2026-07-12")];
    assert.ok(sameQuery(withDaysOf(meant, opened), opened));
    assert.ok(sameQuery(withDaysOf(since(null), opened), since(null)));
    assert.ok(sameQuery(withDaysOf(meant, since(null)), meant));
  });

  it("are named for the notice; a search without days has none", async () => {
    await switchLanguage("pt");
    assert.match(daysOf(specOf(since("2026-07-12")) as never, null), /^abertas desde 12 de jul/);
    assert.equal(daysOf(specOf(emptyQuery()) as never, null), "");
  });
});

describe("groups of a comparison", () => {
  it("are named by the filters that the other lacks", async () => {
    await switchLanguage("pt");
    const inState = (uf: string | null) => {
      const query = emptyQuery();
      query.filters.company.mei_opt_in = true;
      query.filters.geo.uf_any_of = uf === null ? [] : [uf];
      return query;
    };
    const names = differences([inState("RS"), inState("SC")], null);
    assert.deepEqual(names, ["Rio Grande do Sul", "Santa Catarina"]);
    assert.deepEqual(differences([inState("RS"), inState(null)], null), ["Rio Grande do Sul", ""]);
  });
});
