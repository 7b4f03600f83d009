/**
 * Proves: a filter that is added only to the table of filters does not compile. The compiler then
 * reports the files that docs/contributing.md lists in "Add a filter", which are at most six. A
 * filter whose parser contradicts its schema does not compile either. Every filter of the table
 * changes a spec's identity, and the search applies it like the slow reference implementation.
 * Does not prove: that the clause of a new filter is right, which its own tests do. Only product
 * files that import the table, specs, queries, or words are checked, and console components that
 * import the table. `node build.mjs check` checks all others.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type OwnerPair, rootText } from "../../../native-index/format/snapshot/owners.ts";
import { attachListRows } from "../../../src/search/rowlists.ts";
import { search } from "../../../src/search/searcher.ts";
import { rowsOf } from "../../../src/spec/filters/members.ts";
import { FILTER_GROUPS, FILTERS, type FilterName, PARTS } from "../../../src/spec/filters/table.ts";
import {
  changesHash,
  leadResultHash,
  normalizeSpec,
  resultHash,
  specHash,
} from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { textOf } from "../../support/house/checkout.ts";
import { documentedFiles, wrongFiles } from "../../support/house/overlay.ts";
import { rowListOf } from "../../support/native-index/row-lists.ts";
import { exportContext } from "../../support/spec/catalog.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

const TABLE = "src/spec/filters/table.ts";
const PLACES_MAX = 6;
/** Matches imports of the table, specs, queries, and words of filters. */
const NEAR = /from "[^"]*\/(filters\/\w+|schema|answers|question|find|strings\/\w+)\.ts"/;
/** Like `NEAR`, for components. It matches less, because each takes seconds to check. */
const NEAR_COMPONENT = /from "[^"]*\/filters\/\w+\.ts"/;

/** A part and a row, written like a contributor who knows only the table. */
const PART = `  never_judged: { section: "company", role: "name" },\n`;
const row = (read: string) => `  {
    group: "company",
    member: "never_judged_only",
    part: "never_judged",
    unset: undefined,
    normal: (shape) => shape.only("Accounts without a sanction. Absent unless used."),
    input: (shape) => shape.flag("Only accounts without a sanction."),
    read: "${read}",
    reason: { name: "never_judged", shows: "met" },
  },\n`;

function tableWith(added: string): string {
  const ends = ["} as const satisfies Readonly<Record<string, PartRow>>;"];
  ends.push("] as const satisfies readonly (FilterShape & Form)[];");
  const [parts = "", filters = ""] = ends;
  const text = textOf(TABLE);
  for (const end of ends) assert.equal(text.split(end).length, 2, end);
  return text.replace(parts, `${PART}${parts}`).replace(filters, `${added}${filters}`);
}

const check = { near: NEAR, nearComponent: NEAR_COMPONENT };

describe("a filter that is only in the table", () => {
  it("causes errors in the files of the walk-through, and in no other", () => {
    const wrong = wrongFiles({ ...check, texts: { [TABLE]: tableWith(row("only")) } });
    const documented = documentedFiles("Add a filter");
    assert.deepEqual(wrong.sort(), documented.sort());
    assert.ok(documented.length > 0 && documented.length <= PLACES_MAX, documented.join());
  });

  it("causes an error in the parser if its type differs from its schema", () => {
    const texts = { [TABLE]: tableWith(row("date")) };
    const wrong = wrongFiles({ ...check, texts, wanted: /src\/spec\/filters\// });
    assert.deepEqual(wrong, ["src/spec/filters/read.ts"]);
  });

  it("causes an error if it is present with every value, but not without one", () => {
    const texts = { [TABLE]: tableWith(row("flag")) };
    const wrong = wrongFiles({ ...check, texts, wanted: /src\/spec\/filters\/table/ });
    assert.deepEqual(wrong, [TABLE]);
  });
});

/** Filters that the first version of the contract had. */
const ALWAYS_THERE = [
  ...["cnae_any_of", "cnae_exclude", "secondary_cnae_mode", "text_hints"],
  ...["uf_any_of", "municipality_ibge_any_of", "municipality_tom_any_of"],
  ...["registration_status_any_of", "company_size_code_any_of", "headquarters_only"],
  ...["simples_opt_in", "mei_opt_in", "started_after", "started_before"],
  ...["require_email", "require_phone", "require_any_contact"],
];

describe("the table of filters", () => {
  it("leaves earlier specs unchanged: later filters are absent unless used", () => {
    const there = FILTERS.filter(({ unset }) => unset !== undefined).map(({ member }) => member);
    const why =
      "with it every spec gets another normal form, identity and cursor: unset: undefined";
    assert.deepEqual(there, ALWAYS_THERE, why);
  });

  it("has each filter once, in the order of the groups, and each part", () => {
    assert.equal(new Set(FILTERS.map(({ member }) => member)).size, FILTERS.length);
    assert.deepEqual(
      FILTERS,
      FILTER_GROUPS.flatMap((group) => rowsOf(group).rows),
    );
    const parts = new Set<string | null>(FILTERS.map(({ part }) => part));
    for (const name of Object.keys(PARTS)) assert.ok(parts.has(name), name);
  });
});

const LIST = `lst_${"1".repeat(32)}`;

function isListed({ cnpj }: TwinRow): boolean {
  return Number(String(cnpj).slice(-1)) % 3 === 0;
}

/** For each filter, a value that only some accounts of the two months satisfy. */
const VALUES: Readonly<Record<FilterName, (pair: MonthPair) => unknown>> = {
  any_of: () => [LIST],
  exclude: () => [LIST],
  cnae_any_of: (pair) => [middleOf(pair, "cnae_primary")],
  cnae_exclude: (pair) => [middleOf(pair, "cnae_primary")],
  secondary_cnae_mode: () => "full",
  cnae_secondary_any_of: (pair) => {
    const { rows } = pair.newer;
    return [rows.flatMap((account) => account.cnae_secondary ?? []).sort()[9]];
  },
  branches_only: () => true,
  require_mobile: () => true,
  require_landline: () => true,
  establishments_min: () => 2,
  establishments_max: () => 1,
  require_own_domain: () => true,
  email_shared_max: () => 1,
  phone_shared_max: () => 1,
  phone_any_of: (pair) => [middleOf(pair, "phone_1")],
  email_any_of: (pair) => [middleOf(pair, "email")],
  text_hints: (pair) => [String(middleOf(pair, "legal_name")).split(" ")[0]],
  uf_any_of: (pair) => [middleOf(pair, "uf")],
  municipality_ibge_any_of: (pair) => [middleOf(pair, "municipality_ibge")],
  municipality_tom_any_of: (pair) => [middleOf(pair, "municipality_tom")],
  postal_code_prefix_any_of: (pair) => [String(middleOf(pair, "postal_code")).slice(0, 1)],
  district_any_of: ({ newer }) => {
    const account = newer.rows.find((row) => row.district !== null && row.municipality_ibge);
    const { municipality_ibge, district: name } = account ?? {};
    return [{ municipality_ibge, name }];
  },
  area_code_any_of: (pair) => [String(middleOf(pair, "phone_1")).slice(3, 5)],
  registration_status_any_of: (pair) => [middleOf(pair, "registration_status")],
  company_size_code_any_of: (pair) => [middleOf(pair, "company_size_code")],
  headquarters_only: () => true,
  simples_opt_in: () => false,
  mei_opt_in: () => true,
  started_after: (pair) => middleOf(pair, "started_on"),
  started_before: (pair) => middleOf(pair, "started_on"),
  share_capital_min: (pair) => middleOf(pair, "share_capital"),
  share_capital_max: (pair) => middleOf(pair, "share_capital"),
  legal_nature_any_of: (pair) => [middleOf(pair, "legal_nature")],
  require_email: () => true,
  require_phone: () => true,
  require_any_contact: () => true,
  status_since: (pair) => middleOf(pair, "registration_status_date"),
  status_before: (pair) => middleOf(pair, "registration_status_date"),
  status_reason_any_of: (pair) => [middleOf(pair, "registration_status_reason")],
  simples_excluded_since: (pair) => middleOf(pair, "simples_excluded_on"),
  simples_excluded_before: (pair) => middleOf(pair, "simples_excluded_on"),
  mei_excluded_since: (pair) => middleOf(pair, "mei_excluded_on"),
  mei_excluded_before: (pair) => middleOf(pair, "mei_excluded_on"),
  sanction_any_of: () => ["ceis", "cnep"],
  has_federal_debt: () => true,
  federal_debt_min: (pair) => middleOf(pair, "federal_debt_total"),
  federal_debt_max: (pair) => middleOf(pair, "federal_debt_total"),
  federal_debt_any_of: () => ["fgts", "other"],
  owned_by_any_of: ({ newer }) => [rootText((newer.partners[0] as OwnerPair).owner)],
  owned_by_depth: () => 3,
  owned_companies_min: () => 2,
  owned_companies_max: () => 1,
  owner_companies_min: () => 1,
  owner_companies_max: () => 1,
  missing_any_of: () => ["email", "mobile"],
};

/** Returns the median of a field's values over the accounts. */
function middleOf({ newer }: MonthPair, field: keyof MonthPair["newer"]["rows"][number]): unknown {
  const values = newer.rows.flatMap((account) => account[field] ?? []).sort();
  return values[values.length >> 1];
}

describe("each filter of the table", () => {
  let pair: MonthPair;
  let twin: Twin;
  before(async () => {
    pair = await makePair({ seed: 22, accounts: 500 });
    twin = new Twin(pair.newer.rows, pair.newer.partners);
  });
  after(() => pair.dispose());

  function specOf(filters: Record<string, Record<string, unknown>>): AccountQuerySpec {
    const { segment } = pair.newer;
    const context = { ...exportContext(segment.catalog), listsKnown: true };
    const { spec } = normalizeSpec({ filters }, context);
    const { lists } = spec.filters;
    if (lists === undefined) return spec;
    const row = (cnpj: unknown) => segment.native.findCnpj(String(cnpj));
    const rows = rowListOf(pair.newer.rows.filter(isListed).map(({ cnpj }) => row(cnpj)));
    const named = (ids: readonly string[] = []) => ids.map(() => rows);
    attachListRows(lists, segment, { any_of: named(lists.any_of), exclude: named(lists.exclude) });
    return spec;
  }

  /** CNPJs of the answer, in order. */
  function found(spec: AccountQuerySpec): string[] {
    const request = { spec, fields: ["cnpj"], afterRow: -1, explain: false };
    const { accounts } = search(pair.newer.segment, request);
    const rows = JSON.parse(Buffer.from(accounts).toString()) as { cnpj: string }[];
    return rows.map(({ cnpj }) => cnpj);
  }

  function expected(spec: AccountQuerySpec): unknown[] {
    const { any_of: any, exclude } = spec.filters.lists ?? {};
    const answer = twin.answer(spec).map((at) => twin.rows[at] as TwinRow);
    const listed = answer.filter((row) => any === undefined || isListed(row));
    return listed.filter((row) => exclude === undefined || !isListed(row)).map(({ cnpj }) => cnpj);
  }

  for (const { group, member, part } of FILTERS) {
    it(`${member} changes the identity of a spec, and is applied`, () => {
      // The activity mode has an effect only together with activities.
      const meant = part === null ? { cnae_any_of: VALUES.cnae_any_of(pair) } : {};
      // A depth has an effect only together with an owner.
      const owned = { owned_by_any_of: VALUES.owned_by_any_of(pair) };
      const needed = member === "owned_by_depth" ? owned : {};
      const plain = specOf({ industry: meant, company: needed });
      const others = { ...(group === "industry" ? meant : {}), ...needed };
      const request = { ...others, [member]: VALUES[member](pair) };
      const spec = specOf({ industry: meant, [group]: request });
      assert.notDeepEqual(spec.filters, plain.filters);
      assert.notEqual(specHash(spec), specHash(plain));
      assert.notEqual(resultHash(spec), resultHash(plain));
      assert.notEqual(leadResultHash(spec, true), leadResultHash(plain, true));
      const list = { kinds: [], watch: [], fields: [] };
      assert.notEqual(changesHash(spec, list), changesHash(plain, list));
      const accounts = found(spec);
      assert.deepEqual(accounts, expected(spec));
      assert.ok(accounts.length > 0, "some accounts meet it");
      assert.notDeepEqual(accounts, found(plain), "some accounts do not");
    });
  }
});
