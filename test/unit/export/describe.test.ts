/**
 * Proves: the description of a spec contains every filter, the order, the score, and the limit. For
 * that, each member of the schema is changed in turn, and the description must change. Codes are
 * described by name. Names for addresses and files are short, plain, stable, and without texts of
 * the client. Does not prove: that the words are well chosen.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  changesSlug,
  dispositionOf,
  fileNameOf,
  SLUG_LENGTH_MAX,
  slugOf,
} from "../../../src/export/files/filename.ts";
import { describeSpec } from "../../../src/export/formats/describe.ts";
import { registryNames, stateName } from "../../../src/export/formats/names.ts";
import type { ExportRecord } from "../../../src/export/record.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { SORT_DIRECTIONS, SORT_FIELDS, UFS } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { PresetName } from "../../../src/spec/presets.ts";
import { type AccountQuerySpec, SPEC_SCHEMA } from "../../../src/spec/schema.ts";
import { contextWith, SAMPLE_CATALOG } from "../../support/spec/catalog.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";

/** A segment that has names and nothing else. */
const SEGMENT = {
  catalog: SAMPLE_CATALOG,
  native: {
    table: (table: number) =>
      table === 8
        ? SAMPLE_CATALOG.cnaeCodes.map((code) => (code === "4711301" ? "" : `Ação nº ${code}`))
        : SAMPLE_CATALOG.legalNatures.map((code) => `Natureza ${code}`),
  },
} as unknown as Segment;
const NAMES = registryNames(SEGMENT);

/** A spec with every filter set, in normal form. */
const FULL = normalizeSpec(
  {
    limit: 500,
    filters: {
      industry: {
        cnae_any_of: ["4711301", "4721102"],
        cnae_exclude: ["6201501"],
        secondary_cnae_mode: "fallback",
        text_hints: ["pao quente"],
        cnae_secondary_any_of: ["4721102"],
      },
      geo: {
        uf_any_of: ["SP", "EX"],
        municipality_ibge_any_of: ["3550308"],
        municipality_tom_any_of: ["6001"],
        postal_code_prefix_any_of: ["013"],
        area_code_any_of: ["11"],
        district_any_of: [{ municipality_ibge: "3550308", name: "moema" }],
      },
      company: {
        registration_status_any_of: [2, 4],
        company_size_code_any_of: ["01", "05"],
        headquarters_only: true,
        simples_opt_in: true,
        mei_opt_in: false,
        started_after: "2010",
        started_before: "2020-05",
        share_capital_min: 1_000.5,
        share_capital_max: 2_000_000,
        legal_nature_any_of: ["2062"],
        establishments_min: 2,
        establishments_max: 9,
        status_since: "2026-01",
        status_before: "2026-04",
        status_reason_any_of: ["01"],
        simples_excluded_since: "2025",
        simples_excluded_before: "2026",
        mei_excluded_since: "2025",
        mei_excluded_before: "2026",
        sanction_any_of: ["ceis"],
        has_federal_debt: true,
        federal_debt_min: 1_000.5,
        federal_debt_max: 2_000_000,
        federal_debt_any_of: ["fgts"],
        owned_by_any_of: ["11222333"],
        owned_by_depth: 2,
        owned_companies_min: 1,
        owned_companies_max: 20,
        owner_companies_min: 1,
        owner_companies_max: 3,
      },
      contact: {
        require_email: true,
        require_phone: true,
        require_any_contact: true,
        require_mobile: true,
        require_landline: true,
        require_own_domain: true,
        email_shared_max: 1,
        phone_shared_max: 2,
        phone_any_of: ["+5511987654321"],
        email_any_of: ["ana@example.com"],
        missing_any_of: ["email"],
      },
    },
    sort: [
      { field: "share_capital", direction: "desc" },
      { field: "legal_name", direction: "asc" },
    ],
    scoring: { strategy: "newest", random_seed: 7 },
    output: { format: "html" },
  },
  contextWith({ mode: "export", fullAllowed: true }),
).spec;

// Normalization rejects a spec for head offices only and branches only. `branches_only` is set
// afterwards, so that the description has both.
FULL.filters.company.branches_only = true;

const LISTS = ["a", "b", "c"].map((digit) => `lst_${digit.repeat(32)}`) as [string, string, string];
// Normalization alone does not know the tenant's lists, so they are added afterwards.
FULL.filters.lists = { any_of: [LISTS[0]], exclude: [LISTS[1]] };

/** For every member that changes the export, a value that differs from `FULL`. */
const CHANGES: Readonly<Record<string, unknown>> = {
  limit: 501,
  "filters.industry.cnae_any_of": ["4711-3/01"],
  "filters.industry.cnae_exclude": [],
  "filters.industry.secondary_cnae_mode": "full",
  "filters.industry.text_hints": ["pao"],
  "filters.industry.cnae_secondary_any_of": ["4711-3/01"],
  "filters.geo.uf_any_of": ["SP"],
  "filters.geo.municipality_ibge_any_of": ["3509502"],
  "filters.geo.municipality_tom_any_of": ["7107"],
  "filters.geo.postal_code_prefix_any_of": undefined,
  "filters.geo.area_code_any_of": ["11", "12"],
  "filters.geo.district_any_of.0.municipality_ibge": "3304557",
  "filters.geo.district_any_of.0.name": "centro",
  "filters.company.registration_status_any_of": [2],
  "filters.company.company_size_code_any_of": [],
  "filters.company.headquarters_only": false,
  "filters.company.simples_opt_in": false,
  "filters.company.mei_opt_in": null,
  "filters.company.started_after": "2010-01-02",
  "filters.company.started_before": null,
  "filters.company.share_capital_min": 1_000.51,
  "filters.company.share_capital_max": undefined,
  "filters.company.legal_nature_any_of": ["2062", "2135"],
  "filters.company.branches_only": undefined,
  "filters.company.establishments_min": 3,
  "filters.company.establishments_max": undefined,
  "filters.company.status_since": "2026-02-01",
  "filters.company.status_before": undefined,
  "filters.company.status_reason_any_of": ["01", "63"],
  "filters.company.simples_excluded_since": undefined,
  "filters.company.simples_excluded_before": "2026-02-01",
  "filters.company.mei_excluded_since": "2025-02-01",
  "filters.company.mei_excluded_before": undefined,
  "filters.company.sanction_any_of": ["ceis", "cepim"],
  "filters.company.has_federal_debt": false,
  "filters.company.federal_debt_min": 1_000.51,
  "filters.company.federal_debt_max": undefined,
  "filters.company.federal_debt_any_of": ["fgts", "other"],
  "filters.company.owned_by_any_of": ["11222333", "22333444"],
  "filters.company.owned_by_depth": undefined,
  "filters.company.owned_companies_min": 2,
  "filters.company.owned_companies_max": undefined,
  "filters.company.owner_companies_min": 2,
  "filters.company.owner_companies_max": undefined,
  "filters.contact.missing_any_of": ["email", "mobile"],
  "filters.contact.require_email": false,
  "filters.contact.require_phone": false,
  "filters.contact.require_any_contact": false,
  "filters.contact.require_mobile": undefined,
  "filters.contact.require_landline": undefined,
  "filters.contact.require_own_domain": undefined,
  "filters.contact.email_shared_max": 3,
  "filters.contact.phone_shared_max": undefined,
  "filters.contact.phone_any_of": ["+5511987654322"],
  "filters.contact.email_any_of": undefined,
  "filters.lists.any_of": [LISTS[0], LISTS[2]],
  "filters.lists.exclude": undefined,
  "sort.0.field": "cnpj",
  "sort.0.direction": "asc",
  "scoring.strategy": "established",
  "scoring.random_seed": 8,
};

/**
 * Matches members that the description leaves out: those that the file itself shows, constants, and
 * members that do not belong to the query.
 */
const NOT_DESCRIBED = /^(kind|spec_version|entity|output\..*|explain\..*)$/;

/**
 * Returns the paths of the innermost members of a schema. A list counts as one member, unless it
 * contains objects.
 */
function leavesOf(schema: unknown, path = ""): string[] {
  const { properties, items } = schema as { properties?: object; items?: { properties?: object } };
  const below = (name: string) => (path === "" ? name : `${path}.${name}`);
  if (items?.properties !== undefined) return leavesOf(items, below("0"));
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, member]) => leavesOf(member, below(name)));
}

function changed(spec: AccountQuerySpec, path: string, value: unknown): AccountQuerySpec {
  const copy = structuredClone(spec) as unknown as Record<string, unknown>;
  const steps = path.split(".");
  const last = steps.pop() as string;
  const place = steps.reduce((at, step) => at[step] as Record<string, unknown>, copy);
  assert.ok(last in place, `${path} is set`);
  place[last] = value;
  return copy as unknown as AccountQuerySpec;
}

const described = (spec: AccountQuerySpec) => JSON.stringify(describeSpec(spec, NAMES));

describe("describeSpec", () => {
  it("changes with every leaf of the schema that changes what is exported", () => {
    const leaves = leavesOf(SPEC_SCHEMA).filter((leaf) => !NOT_DESCRIBED.test(leaf));
    assert.deepEqual(Object.keys(CHANGES).sort(), leaves.sort());
    const base = described(FULL);
    const others = new Set([base]);
    for (const [path, value] of Object.entries(CHANGES)) {
      const other = described(changed(FULL, path, value));
      assert.ok(!others.has(other), path);
      others.add(other);
    }
  });

  it("differs for different specs, and only for those", () => {
    const requested = ({ limit, filters, sort, scoring }: AccountQuerySpec) =>
      JSON.stringify({ limit, filters, sort, scoring });
    const specs = Array.from({ length: 400 }, (_, seed) =>
      randomSpec(seededRng(seed), SAMPLE_CATALOG, []),
    );
    const descriptions = new Map(specs.map((spec) => [described(spec), requested(spec)]));
    for (const spec of specs) assert.equal(descriptions.get(described(spec)), requested(spec));
    assert.equal(descriptions.size, new Set(specs.map(requested)).size);
  });

  it("names the meaning of codes, and leaves a code without a name unchanged", () => {
    const items = new Map(describeSpec(FULL, NAMES).map(({ label, values }) => [label, values]));
    assert.deepEqual(items.get("Activities"), ["4711-3/01", "Ação nº 4721102 (4721-1/02)"]);
    assert.deepEqual(items.get("States"), ["abroad (EX)", "São Paulo (SP)"]);
    assert.deepEqual(items.get("Municipalities, by IBGE code"), ["São Paulo/SP (3550308)"]);
    assert.deepEqual(items.get("Municipalities, by TOM code"), ["Rio de Janeiro/RJ (6001)"]);
    assert.deepEqual(items.get("Legal natures"), ["Natureza 2062 (2062)"]);
    assert.deepEqual(items.get("Registration status"), ["active (2)", "unfit (4)"]);
    assert.deepEqual(items.get("Share capital from"), ["R$ 1,000.50"]);
    assert.deepEqual(items.get("Order"), ["share capital, highest first; then legal name, A to Z"]);
    assert.equal(items.size, describeSpec(FULL, NAMES).length, "labels are told once");
    for (const uf of UFS) assert.ok(stateName(uf), uf);
  });

  it("has words for every order, and omits unset members", () => {
    const bare = normalizeSpec({}, contextWith()).spec;
    assert.deepEqual(
      describeSpec(bare, NAMES).map(({ label }) => label),
      ["Order", "Score", "Limit"],
    );
    const orders = SORT_FIELDS.flatMap((field) =>
      SORT_DIRECTIONS.map((direction) => described({ ...bare, sort: [{ field, direction }] })),
    );
    assert.equal(new Set(orders).size, orders.length);
  });
});

describe("slugOf", () => {
  const slug = (filters: unknown) =>
    slugOf(normalizeSpec({ filters }, contextWith()).spec, SEGMENT);

  it("names the activity and the place", () => {
    assert.equal(slug({}), "empresas");
    assert.equal(slug({ geo: { uf_any_of: ["sp"] } }), "sp");
    assert.equal(slug({ geo: { uf_any_of: ["SP", "RJ", "AC", "AM"] } }), "4-estados");
    const geo = { uf_any_of: ["SP"], municipality_ibge_any_of: ["3509502"] };
    const industry = { cnae_any_of: ["4721102"] };
    assert.equal(slug({ industry, geo }), "acao-no-4721102-campinas-sp");
    assert.equal(slug({ industry: { cnae_any_of: ["4711301"] } }), "4711-3-01");
    assert.equal(slug({ industry: { cnae_any_of: ["47"] } }), "4711-3-01-e-mais-3");
  });

  it("names the layout, so that files for different products differ", () => {
    const filters = { geo: { uf_any_of: ["SP"] } };
    const { spec } = normalizeSpec({ filters }, contextWith());
    const named = (preset: PresetName) => {
      return slugOf({ ...spec, output: { ...spec.output, preset } }, SEGMENT);
    };
    assert.equal(named("pipedrive"), "sp-pipedrive");
    assert.equal(named("rd_station"), "sp-rd-station");
  });

  it("omits texts of the client", () => {
    assert.equal(slug({ industry: { text_hints: ["maria aparecida"] } }), "empresas");
  });

  it("is short, plain, and stable, for any spec", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const spec = randomSpec(seededRng(seed), SAMPLE_CATALOG, []);
        const text = slugOf(spec, SEGMENT);
        assert.match(text, /^[a-z0-9]+(-[a-z0-9]+)*$/);
        assert.ok(text.length <= SLUG_LENGTH_MAX);
        assert.equal(slugOf(structuredClone(spec), SEGMENT), text);
      }),
      { numRuns: 300 },
    );
  });
});

describe("fileNameOf", () => {
  it("has snapshot, slug, the start of the id, and the format", () => {
    const record = {
      id: "exp_0123456789abcdef0123456789abcdef",
      snapshot: "2026-10",
      slug: "padaria-campinas-sp",
      title: null,
      format: "parquet",
      compression: null,
    } as ExportRecord;
    assert.equal(fileNameOf(record), "peneira-2026-10-padaria-campinas-sp-01234567.parquet");
    assert.equal(
      fileNameOf({ ...record, format: "csv", compression: "gzip" }),
      "peneira-2026-10-padaria-campinas-sp-01234567.csv.gz",
    );
    assert.equal(
      fileNameOf({ ...record, format: "jsonl", compression: "zstd" }),
      "peneira-2026-10-padaria-campinas-sp-01234567.jsonl.zst",
    );
    const since = { snapshot: "2026-09", snapshotDate: "2026-09-10" };
    const months = { since: "2026-09", until: "2026-10" };
    for (const [labels, kind] of [
      [undefined, "changes"],
      ["en", "changes"],
      ["pt", "mudancas"],
    ] as const) {
      const slug = changesSlug("padaria", { ...months, labels });
      const name = `peneira-${kind}-2026-09-2026-10-padaria-01234567.parquet`;
      assert.equal(fileNameOf({ ...record, since, slug } as ExportRecord), name);
    }
  });

  it("folds any content of a record, also of one from before labels were checked", () => {
    const hostile = 'x"\r\nSet-Cookie: a=b; ../É\u202e';
    const file = { format: "csv", compression: null, title: null };
    const record = { id: `exp_${hostile}`, snapshot: hostile, slug: hostile, ...file };
    const name = "peneira-x-set-cookie-a-b-e-x-set-cookie-a-b-e-x-set.csv";
    assert.equal(fileNameOf(record as ExportRecord), name);
    const titled = fileNameOf({ ...record, title: hostile } as ExportRecord);
    assert.equal(titled, "x-set-cookie-a-b-e.csv");
    const long = { ...record, snapshot: "9".repeat(5_000), slug: "" };
    assert.ok(fileNameOf(long as ExportRecord).length < 110);
    assert.match(
      changesSlug(hostile, { since: hostile, until: hostile }),
      /^[a-z0-9]+(-[a-z0-9]+)*$/,
    );
  });
});

describe("dispositionOf", () => {
  const of = (title: string | null, format = "xlsx") =>
    dispositionOf({
      ...{ id: `exp_${"0".repeat(32)}`, snapshot: "2026-11", slug: "padaria", since: null },
      ...{ format: format as "xlsx", compression: null, title },
    });

  it("names a file as its title was typed, and in ASCII", () => {
    const cases: readonly (readonly [string, string])[] = [
      [
        "Padarias de São João 2026-11",
        "filename=\"padarias-de-sao-joao-2026-11.xlsx\"; filename*=UTF-8''" +
          "Padarias%20de%20S%C3%A3o%20Jo%C3%A3o%202026-11.xlsx",
      ],
      ["padarias", 'filename="padarias.xlsx"'],
      [
        "日本",
        'filename="peneira-2026-11-padaria-00000000.xlsx"; ' +
          "filename*=UTF-8''%E6%97%A5%E6%9C%AC.xlsx",
      ],
      ["A/B: <C>*'(!)", "filename=\"a-b-c.xlsx\"; filename*=UTF-8''A-B-%20-C-%27%28%21%29.xlsx"],
      ["...", 'filename="peneira-2026-11-padaria-00000000.xlsx"'],
    ];
    for (const [title, value] of cases) assert.equal(of(title), `attachment; ${value}`, title);
    assert.equal(of(null), 'attachment; filename="peneira-2026-11-padaria-00000000.xlsx"');
  });

  it("keeps the whole title", () => {
    const title = "a".repeat(49).concat(" ", "b".repeat(50));
    assert.ok(of(title).includes(`${title.replace(" ", "-")}.xlsx`));
  });

  it("is one printable line with a short name for any title", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (title) => {
        const value = of(title);
        assert.match(
          value,
          /^attachment; filename="[a-z0-9.-]+"(; filename\*=UTF-8''[\w%.~$&+#^`|-]+)?$/,
        );
        const [, encoded = ""] = /UTF-8''(.*)$/.exec(value) ?? [];
        const name = decodeURIComponent(encoded);
        assert.ok(Buffer.byteLength(name) <= 210);
        assert.doesNotMatch(name, /[\\/:*?"<>|\p{C}]|^[.\s]/u);
        assert.equal(of(title), value);
      }),
      { numRuns: 500 },
    );
  });
});
