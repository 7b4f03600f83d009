/**
 * Proves: on one invented snapshot, the user-visible bytes are those of the commit that wrote
 * goldens.json. They include the snapshot, error messages, files in all formats, changes between
 * two months, and the OpenAPI document. For 150 random specs, they include the normal form,
 * identity, totals, pages, cursors, facets, plans, explanations, and the console's texts. A hash
 * covers ten specs at most, so that a change is localized.
 * Does not prove: that any of these bytes is right. The tests against reference implementations do.
 * help.test.ts covers the help.
 *
 * Only if users are meant to see a difference, run RENEW_GOLDENS=1 node --import tsx
 * test/contract/goldens.test.ts, and state the difference in the commit. The snapshot and the files
 * contain the product's version.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { CHANGE_KINDS } from "../../src/changes/kinds.ts";
import { buildChangeList, openChangeList } from "../../src/changes/list.ts";
import {
  changeCatalog,
  changePage,
  changeTotals,
  watchableFields,
} from "../../src/changes/query.ts";
import { changeItems, changeRows } from "../../src/changes/rows.ts";
import { alone, pointersOf, setParts, without } from "../../src/console/filters.ts";
import type { Spec } from "../../src/console/web/app/answers.ts";
import { switchLanguage } from "../../src/console/web/app/words.ts";
import { summaryOf } from "../../src/console/web/exports/summary.ts";
import { encodeAddress } from "../../src/console/web/find/address.ts";
import { clearGroup, countSet, GROUPS } from "../../src/console/web/find/filters/groups.ts";
import { emptyQuery, queryOf, specOf } from "../../src/console/web/find/question.ts";
import { AppError } from "../../src/errors.ts";
import { describeSpec } from "../../src/export/formats/describe.ts";
import { openHtmlRenderer } from "../../src/export/formats/html/html.ts";
import { registryNames } from "../../src/export/formats/names.ts";
import { openParquetRenderer } from "../../src/export/formats/parquet/parquet.ts";
import { openCsvRenderer, openJsonlRenderer } from "../../src/export/formats/text.ts";
import { openXlsxRenderer } from "../../src/export/formats/xlsx/xlsx.ts";
import { ROUTES } from "../../src/http/api/routes.ts";
import { publicDocument } from "../../src/http/api/service/documents.ts";
import { describePlans, planPhases } from "../../src/search/plan.ts";
import { scroll } from "../../src/search/scroll.ts";
import { countMatches, facets, search } from "../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../src/search/segment.ts";
import { catalogLookup } from "../../src/spec/catalog.ts";
import { encodeCursor } from "../../src/spec/cursor.ts";
import { FACETS } from "../../src/spec/facets.ts";
import { OUTPUT_FIELD_NAMES } from "../../src/spec/fields.ts";
import {
  changesHash,
  fieldsHash,
  leadResultHash,
  normalizeSpec,
  resultHash,
  specHash,
  tooBroad,
} from "../../src/spec/normalize.ts";
import { type AccountQuerySpec, SPEC_INPUT_SCHEMA, SPEC_SCHEMA } from "../../src/spec/schema.ts";
import { makePair } from "../support/changes/pair.ts";
import { decodeSnapshot } from "../support/formats/decode.ts";
import { ROOT } from "../support/house/checkout.ts";
import { renderedBytes } from "../support/native-index/render-fixture.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../support/sample/snapshot.ts";
import { contextWith, exportContext } from "../support/spec/catalog.ts";
import { Draw, randomExportInput, randomSpecInput, seededRng } from "../support/spec/random.ts";
import type { TwinRow } from "../support/twin.ts";

const FILE = path.join(ROOT, "test/support/goldens.json");
const ACCOUNTS = 2_000;
const SPECS = 150;
const GROUP = 10;
/** Number of rows of a page that are hashed. A page may contain all accounts. */
const PAGE_ROWS = 20;
const SECRET = Buffer.from("a secret that is no secret, of goldens");
const RENDERERS = {
  csv: openCsvRenderer,
  html: openHtmlRenderer,
  xlsx: openXlsxRenderer,
  parquet: openParquetRenderer,
  jsonl: openJsonlRenderer,
};
/** Values that are invalid for most filters. */
const WRONG: readonly unknown[] = [
  ...[null, true, "", "x", "99", -1, 1.005, 1e18, {}, [], ["x", "x"], [null], [7], ["1", 1]],
  ...["2020", "2020-02-30", 5, ["SP", "XX"], ["47", "0000000"], "off", "full", ["a".repeat(300)]],
];

/** Hashes of the suite's results, by name. */
const found = new Map<string, string>();
let sample: SampleSnapshot;
let segment: Segment;
let rows: readonly TwinRow[];

function hold(name: string, bytes: Uint8Array | string): void {
  assert.ok(!found.has(name), `${name} is held twice`);
  found.set(name, createHash("sha256").update(bytes).digest("hex"));
}

const json = (value: unknown) => JSON.stringify(value);
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** Returns random specs. One in five is the spec of an export; the others are specs of searches. */
function specsOf(): AccountQuerySpec[] {
  const draw = new Draw(seededRng(20_261_122), false);
  return Array.from({ length: SPECS }, (_, i) => {
    const exported = i % 5 === 4;
    const make = exported ? randomExportInput : randomSpecInput;
    const input = make(draw, segment.catalog, rows);
    const { catalog } = segment;
    const context = exported ? exportContext(catalog) : contextWith({ catalog });
    return normalizeSpec(input, context).spec;
  });
}

/** Returns the identity of a spec. */
function identityOf(spec: AccountQuerySpec): string {
  const request = { kinds: ["left"], watch: ["email"], fields: ["cnpj"] };
  const hashes = [specHash(spec), resultHash(spec), leadResultHash(spec, true)];
  return json([...hashes, changesHash(spec, request)]);
}

function cursorOf(spec: AccountQuerySpec, lastRow: number): string {
  const scope = {
    snapshotId: "goldens",
    specHash: resultHash(spec),
    fieldsHash: fieldsHash(spec.output.fields),
    binding: ["tenant", "accounts/search"],
  };
  return encodeCursor({ ...scope, lastRow }, [SECRET]);
}

/**
 * Returns the first page with explanations, and its cursor. For a spec that only exports accept,
 * returns all its rows and no cursor.
 */
function pageOf(spec: AccountQuerySpec): { page: string; cursor: string } {
  if (spec.filters.industry.secondary_cnae_mode === "fallback") {
    const batches = [...scroll(segment, { ...spec, limit: PAGE_ROWS }).batches()];
    return { page: json(batches.map((batch) => [...batch])), cursor: "" };
  }
  const query = { ...spec, limit: Math.min(spec.limit, PAGE_ROWS) };
  const request = { spec: query, fields: spec.output.fields, afterRow: -1, explain: true };
  const { accounts, total, more, lastRow } = search(segment, request);
  return {
    page: json([text(accounts), total, more]),
    cursor: more ? cursorOf(spec, lastRow) : "",
  };
}

/** Returns the texts that the console's server and browser show for a spec. */
function consoleOf(spec: AccountQuerySpec): string {
  const { filters } = spec;
  const parts = setParts(filters);
  const cleared = parts.map((part) => [
    part,
    pointersOf(filters, part),
    countMatches(segment, { ...spec, filters: without(filters, [part]) }),
    alone(filters, part),
  ]);
  const query = queryOf(spec as unknown as Spec);
  const groups = GROUPS.map((group) => {
    const draft = structuredClone(query);
    clearGroup(draft, group);
    return [countSet(query, group), draft];
  });
  const request = { query, sentence: "", month: null };
  const addresses = [null, catalogLookup(segment.catalog)].map((at) => encodeAddress(request, at));
  const summary = summaryOf(spec as unknown as Spec, null);
  return json([cleared, groups, specOf(query), addresses, summary]);
}

async function holdGroup(from: number, specs: readonly AccountQuerySpec[]): Promise<void> {
  const name = (aspect: string) => `${aspect} of specs ${String(from).padStart(3, "0")}`;
  const each = (aspect: string, of: (spec: AccountQuerySpec) => string) =>
    hold(name(aspect), specs.map(of).join("\n"));
  each("normal form", json);
  each("identity", identityOf);
  each("total", (spec) => String(countMatches(segment, spec)));
  const pages = specs.map(pageOf);
  hold(name("page"), pages.map(({ page }) => page).join("\n"));
  hold(name("cursor"), pages.map(({ cursor }) => cursor).join("\n"));
  const third = FACETS.filter((_, at) => at % 3 === (from / GROUP) % 3);
  each("facets", (spec) => json([facets(segment, spec, third), tooBroad(spec)]));
  each("plan", (spec) => describePlans(planPhases(segment, spec)));
  each("description", (spec) => json(describeSpec(spec, registryNames(segment))));
  await switchLanguage("pt");
  each("console", consoleOf);
  await switchLanguage("en");
  each("English console", (spec) => summaryOf(spec as unknown as Spec, null));
}

/** Returns the error message for one value of one filter. */
function messageOf(group: string, member: string, value: unknown): string {
  const input = { filters: { [group]: { [member]: value } } };
  try {
    const { spec, changes, warnings } = normalizeSpec(input, exportContext(segment.catalog));
    return json([spec.filters, changes, warnings]);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return json([error.code, error.message, error.errors]);
  }
}

before(async () => {
  sample = await makeSampleSnapshot(ACCOUNTS, 22);
  segment = await openSegment(sample.snapshot);
  ({ rows } = decodeSnapshot(sample.snapshot));
});
after(() => {
  segment.close();
  sample.dispose();
});

describe("goldens", () => {
  it("match the snapshot", () => {
    hold("snapshot", readFileSync(sample.snapshot));
  });

  it(`match ${SPECS} specs and their results`, async () => {
    const specs = specsOf();
    for (let from = 0; from < SPECS; from += GROUP) {
      await holdGroup(from, specs.slice(from, from + GROUP));
    }
  });

  it("match the messages for single values, valid and invalid", () => {
    const groups = SPEC_INPUT_SCHEMA.properties.filters.properties;
    for (const [group, { properties }] of Object.entries(groups)) {
      for (const member of [...Object.keys(properties), "surprise"]) {
        const messages = WRONG.map((value) => messageOf(group, member, value));
        hold(`values of ${group}/${member}`, messages.join("\n"));
      }
    }
    const company = { started_after: "2021", started_before: "2020", legal_nature_any_of: ["x"] };
    const capital = { share_capital_min: 2, share_capital_max: 1 };
    const wrong = { geo: { uf_any_of: ["XX"] }, company: { ...capital, ...company }, radius: 1 };
    const industry = { secondary_cnae_mode: "fallback", text_hints: [""] };
    const worse = { ...wrong, contact: 1, industry };
    for (const [name, filters] of Object.entries({ wrong, worse })) {
      const refused = (error: unknown) => {
        assert.ok(error instanceof AppError);
        hold(`mistakes of a ${name} spec`, json(error.errors));
        return true;
      };
      assert.throws(() => normalizeSpec({ filters }, contextWith()), refused);
    }
  });

  it("match the files of exports", async () => {
    const draw = new Draw(seededRng(7));
    for (const [format, open] of Object.entries(RENDERERS)) {
      for (let i = 0; i < 3; i++) {
        const input = randomExportInput(draw, segment.catalog, rows) as { output: object };
        const output = { ...input.output, format, include_explain: i === 2 };
        const requested = i === 0 ? { fields: OUTPUT_FIELD_NAMES } : input.output;
        const sent = { ...input, limit: 120, output: { ...requested, ...output } };
        const csv = { bom: undefined, delimiter: undefined };
        Object.assign(sent.output, format === "csv" ? {} : csv);
        const { spec } = normalizeSpec(sent, exportContext(segment.catalog));
        const answer = scroll(segment, spec);
        const { rowCount, matches } = answer;
        const context = { segment, spec, rowCount, matches };
        hold(`${format} file ${i}`, await renderedBytes(open, context, answer.batches()));
      }
    }
  });

  it("match the changes between two months", async () => {
    const pair = await makePair({ seed: 22, accounts: 400 });
    const [older, newer] = [pair.older.segment, pair.newer.segment];
    const file = path.join(pair.folder, "pair.changes");
    await buildChangeList(older, newer, file);
    const list = openChangeList(file, older, newer);
    hold("list of changes", readFileSync(file));
    const draw = new Draw(seededRng(23));
    const catalog = changeCatalog(older, newer);
    for (let i = 0; i < 12; i++) {
      const input = i === 0 ? {} : randomExportInput(draw, catalog, pair.newer.rows);
      const { spec } = normalizeSpec(input, exportContext(catalog));
      const watch = watchableFields(older, newer, OUTPUT_FIELD_NAMES);
      const query = { list, spec, kinds: CHANGE_KINDS, watch };
      const { entries, more } = await changePage(query, { from: 0, limit: 50 });
      const { fields } = spec.output;
      const pieces = changeRows(list, entries, { format: "csv", fields });
      const messages = [await changeTotals(query), changeItems(list, entries, fields), more];
      hold(`changes ${i}`, json([messages, pieces.map(text)]));
    }
    list.close();
    pair.dispose();
  });

  it("match the OpenAPI document, the schemas, and the empty query of the console", () => {
    hold("OpenAPI document", json(publicDocument(ROUTES, "0.0.0")));
    hold("schema of a spec", json(SPEC_SCHEMA));
    hold("schema of a spec as sent", json(SPEC_INPUT_SCHEMA));
    hold("empty query", json([emptyQuery(), specOf(emptyQuery())]));
  });

  it("equal goldens.json", () => {
    const now = Object.fromEntries(found);
    if (process.env.RENEW_GOLDENS) writeFileSync(FILE, `${JSON.stringify(now, null, 2)}\n`);
    const wanted = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, string>;
    const names = new Set([...Object.keys(wanted), ...Object.keys(now)]);
    const broken = [...names].filter((name) => wanted[name] !== now[name]);
    assert.deepEqual(broken, [], "users would see a difference; see the head of this file");
  });
});
