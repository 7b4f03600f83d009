/**
 * The parts of documents that are made from code.
 * Input: documents with pairs of comments `<!-- generated: NAME -->` and `<!-- end of generated
 * -->`, and the tables of the product. Output: each document, with the parts between the pairs.
 * Invariant: the same code gives the same text; every part is used by some document.
 */
import assert from "node:assert/strict";
import { SHARES } from "../../../bench/questions/shares.ts";
import plans from "../../../data/plans.json" with { type: "json" };
import { PLAN_NAMES } from "../../../src/access/plannames.ts";
import { PLAN_SETTINGS } from "../../../src/access/plans.ts";
import { ERROR_CODES, type ErrorCode } from "../../../src/errors.ts";
import { FORMATS } from "../../../src/export/formats/format.ts";
import { listed } from "../../../src/http/api/route.ts";
import { ROUTES } from "../../../src/http/api/routes.ts";
import { ERROR_NOTES } from "../../../src/http/openapi/error-notes.ts";
import { bodyCost, costOf, PER_UNIT } from "../../../src/http/server/admission.ts";
import { FACET_VALUES_MAX } from "../../../src/search/facet.ts";
import {
  SANCTION_PENALTY,
  SCORE_PARTS,
  SCORE_VERSION,
  SCORE_WEIGHTS,
  SCORED_STRATEGIES,
  type ScoreFacts,
  type ScorePart,
  scoreCard,
} from "../../../src/search/score.ts";
import { variableOf } from "../../../src/settings/config.ts";
import { SETTINGS } from "../../../src/settings/settings.ts";
import { expectedOf, type Setting } from "../../../src/settings/settingvalue.ts";
import { FACETS } from "../../../src/spec/facets.ts";
import { EXPORT_FORMATS, OUTPUT_FIELDS, SORT_FIELDS } from "../../../src/spec/fields.ts";
import { PRESETS } from "../../../src/spec/presets.ts";
import { filesMatching, textOf } from "../house/checkout.ts";
import { DOCUMENTS, fillFigures, type Language, languageOf, measuredTable } from "./figures.ts";
import { filtersList, leadTable, limitsTable, narrowingList, specTable } from "./spec.ts";
import { code, table } from "./tables.ts";

type Part = (language: Language) => string;

const PARTS: Readonly<Record<string, Part>> = {
  spec: specTable,
  "spec limits": limitsTable,
  "narrowing filters": narrowingList,
  filters: filtersList,
  "lead query": leadTable,
  fields: fieldsTable,
  facets: () => `${FACETS.map(code).join(", ")}; at most ${FACET_VALUES_MAX} values of each\n`,
  costs: costsTable,
  settings: settingsTable,
  plans: plansTable,
  operations: operationsTable,
  errors: errorsTable,
  formats: formatsTable,
  presets: presetsTable,
  "measured searches": (language) => measuredTable("searches", language),
  "traffic shares": trafficTable,
  "measured exports": (language) => measuredTable("exports", language),
  "score weights": weightsTable,
  "score grades": gradesTable,
};

const PAIR = /(<!-- generated: (.+?) -->\n)[\s\S]*?(<!-- end of generated -->)/g;

/** Every document with its generated parts up to date. */
export function generatedDocuments(): { readonly file: string; readonly text: string }[] {
  const used = new Set<string>();
  const made = filesMatching(DOCUMENTS).map((file) => {
    const text = textOf(file).replace(PAIR, (_, begin: string, name: string, end: string) => {
      assert(Object.hasOwn(PARTS, name), `${file}: there is no part "${name}"`);
      used.add(name);
      return `${begin}\n${(PARTS[name] as Part)(languageOf(file))}\n${end}`;
    });
    return { file, text: fillFigures(file, text) };
  });
  const unused = Object.keys(PARTS).filter((name) => !used.has(name));
  assert.deepEqual(unused, [], "parts that no document has");
  return made;
}

function costsTable(): string {
  const { accounts, cnpjs, values, facets, characters, places, bytes } = PER_UNIT;
  const number = (value: number) => value.toLocaleString("en");
  const row = (what: string, sizes: readonly number[], cost: (size: number) => number) => [
    what,
    sizes.map((size) => `${number(size)} cost ${cost(size)}`).join(", "),
  ];
  const list = (length: number) => Array<string>(length).fill("01");
  const text = "characters of a sentence, or of names of activities";
  return table(
    ["One more request for every", "Examples"],
    [
      row(`${number(accounts)} accounts of the limit`, [100, 50_000], (limit) => costOf({ limit })),
      row(`${cnpjs} CNPJs of \`POST /v1/enrich\``, [50, 1_000], (count) =>
        costOf({ cnpjs: count }),
      ),
      row(`${values} values in the lists of the spec`, [100, 10_000], (length) =>
        costOf({ spec: { filters: { geo: { postal_code_prefix_any_of: list(length) } } } }),
      ),
      row(`${facets} facets`, [2, 15], (length) => costOf({ facets: list(length) })),
      row(`${characters} ${text}`, [100, 2_000], (length) => costOf({ text: "x".repeat(length) })),
      row(`${number(places)} characters of names of places`, [1_000, 100_000], (length) =>
        costOf({ spec: { cities: "x".repeat(length) } }),
      ),
      row(`${number(bytes)} bytes of the body`, [10_000, 1_048_576], (size) => 1 + bodyCost(size)),
    ],
  );
}

function fieldsTable(): string {
  const rows = OUTPUT_FIELDS.map(({ name, kind, contact, description }) => {
    const sortable = (SORT_FIELDS as readonly string[]).includes(name) ? "yes" : "";
    return [code(name), kind, contact ? "all but free" : "all", sortable, description];
  });
  return table(["Field", "Value", "Plans", "Sorts", "What it is"], rows);
}

function settingsTable(): string {
  const rows = Object.entries(SETTINGS as Readonly<Record<string, Setting>>).map(([key, row]) => {
    const takes = row.type.kind === "text" ? "" : ` Takes ${expectedOf(row.type)}.`;
    const instead = row.uws === undefined ? "" : ` With the transport uws: ${row.uws}.`;
    const fallback = code(JSON.stringify(row.fallback));
    const stated = row.description.includes("With the transport uws") ? "" : instead;
    return [code(key), code(variableOf(key)), fallback, `${row.description}${stated}${takes}`];
  });
  return table(["Key", "Variable", "Default", "Meaning"], rows);
}

function plansTable(): string {
  const rows = Object.entries(PLAN_SETTINGS).map(([limit, { description }]) => [
    code(limit),
    description,
    ...PLAN_NAMES.map((name) => planValue(name, limit)),
  ]);
  return table(["Limit", "Meaning", ...PLAN_NAMES], rows);
}

function planValue(name: (typeof PLAN_NAMES)[number], limit: string): string {
  const value = (plans[name] as Readonly<Record<string, unknown>>)[limit];
  if (Array.isArray(value)) return "without contact";
  return typeof value === "number" ? value.toLocaleString("en-US") : String(value);
}

function operationsTable(): string {
  const rows = listed(ROUTES).map(({ method, path, summary }) => [
    code(`${method} ${path}`),
    summary,
  ]);
  return table(["Operation", "Does"], rows);
}

function errorsTable(): string {
  const rows = (Object.keys(ERROR_CODES) as ErrorCode[])
    .filter((name) => !ERROR_NOTES[name].startsWith("Console only"))
    .map((name) => [code(name), String(ERROR_CODES[name].status), ERROR_NOTES[name]]);
  return table(["Code", "Status", "When it occurs, and how to fix it"], rows);
}

function presetsTable(): string {
  const rows = Object.entries(PRESETS).map(([name, { columns, added = [] }]) => [
    code(name),
    [
      ...columns.map(([field, heading]) => `${heading} (${code(field)})`),
      ...added.map(({ firstOf, pt }) => {
        const from = firstOf.length === 0 ? "empty" : firstOf.map(code).join(", else ");
        return `${pt[0]} (${from})`;
      }),
    ].join(" · "),
  ]);
  return table(["Preset", "Columns with `pt`"], rows);
}

function formatsTable(): string {
  const rows = EXPORT_FORMATS.map((format) => {
    const { contentType, rowsMax } = FORMATS[format];
    const rows = rowsMax === null ? "those of the plan" : rowsMax.toLocaleString("en-US");
    return [code(format), code(contentType), rows];
  });
  return table(["Format", "Media type", "Most rows"], rows);
}

function trafficTable(): string {
  const rows = SHARES.map(({ name, choice, share, filters = [], how = "always the same" }) => [
    choice,
    name,
    `${Math.round(100 * share)}%`,
    filters.map(code).join(", "),
    how,
  ]);
  return table(["Choice", "Question", "Share", "Filters", "Value"], rows);
}

function weightsTable(): string {
  const rows = SCORE_PARTS.map((part) => [
    part,
    ...SCORED_STRATEGIES.map((strategy) => String(SCORE_WEIGHTS[strategy][part] || "")),
  ]);
  const sums = SCORED_STRATEGIES.map((strategy) =>
    String(SCORE_PARTS.reduce((sum, part) => sum + SCORE_WEIGHTS[strategy][part], 0)),
  );
  const head = ["Part", ...SCORED_STRATEGIES.map(code)];
  const end = `A sanction in force lowers each score by ${SANCTION_PENALTY}.`;
  return `${table(head, [...rows, ["**sum**", ...sums]])}\nVersion ${SCORE_VERSION}. ${end}\n`;
}

/** An account that scores no points in any part. */
const NOTHING: ScoreFacts = {
  status: 8,
  size: 0,
  mei: false,
  headquarters: false,
  hasEmail: false,
  phones: 0,
  activityKnown: false,
  ageDays: -1,
  capitalCents: -1,
  sanctioned: false,
};

const YEAR = 365.25;
const years = (count: number) => ({ ageDays: Math.floor(count * YEAR) });
const yearsText = (count: number) => (count === 1 ? "1 year" : `${count} years`);
const reais = (amount: number) => ({ capitalCents: amount * 100 });

/**
 * Example accounts for each scored part. The score function computes how much of the part's points
 * each one gets.
 */
const GRADES: readonly (readonly [ScorePart, string, Partial<ScoreFacts>])[] = [
  ["status", "active", { status: 2 }],
  ["status", "suspended", { status: 3 }],
  ["status", "unfit", { status: 4 }],
  ["status", "closed, void", { status: 8 }],
  ["email", "has one", { hasEmail: true }],
  ["phone", "one", { phones: 1 }],
  ["phone", "two", { phones: 2 }],
  ...[1, 2, 5, 10, 20, 40].map((count) => ["age", yearsText(count), years(count)] as const),
  ...[0, 1, 5, 10, 20].map((count) => ["recency", yearsText(count), years(count)] as const),
  ["size", "other (medium and large)", { size: 5 }],
  ["size", "small", { size: 3 }],
  ["size", "micro", { size: 1 }],
  ["size", "micro, MEI", { size: 1, mei: true }],
  ["size", "not informed", { size: 0 }],
  ...[1, 100, 1_000, 10_000, 50_000, 100_000, 1_000_000, 10_000_000].map(
    (amount) => ["capital", `R$ ${amount.toLocaleString("en-US")} or more`, reais(amount)] as const,
  ),
  ["activity", "known (not 8888888)", { activityKnown: true }],
  ["headquarters", "head office", { headquarters: true }],
];

function gradesTable(): string {
  const rows = GRADES.map(([part, what, facts]) => [
    part,
    what,
    ...SCORED_STRATEGIES.map((strategy) => {
      const points = scoreCard(strategy, { ...NOTHING, ...facts }).parts[part];
      return points === undefined ? "" : String(points);
    }),
  ]);
  return table(["Part", "Account", ...SCORED_STRATEGIES.map(code)], rows);
}
