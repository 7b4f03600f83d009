/**
 * Proves, over both transports, on a real snapshot: tables of two facets, all values of a facet as
 * CSV and XLSX, and comparisons of groups have the counts of a linear scan over the decoded rows.
 * The Accept header selects the format. The words of labels are right, specs with lists are
 * counted, and every mistake is reported with its place.
 * Does not prove: facets of JSON (campaign/twin/facet.test.ts), nor speed (bench/facets.bench.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import readSheets from "read-excel-file/node";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { readCsv } from "../../../support/export/readers.ts";
import { decodeSnapshot } from "../../../support/formats/decode.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";
import { Draw, randomSpec, seededRng } from "../../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../../support/twin.ts";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const COUNT = "/v1/accounts/count";
const COMPARE = "/v1/accounts/compare";

type Value = string | number | boolean | null;

/**
 * For each facet that is counted here, a function that returns a row's value. Defined independently
 * of the product.
 */
const READ = {
  uf: (row: TwinRow) => row.uf as Value,
  company_size: (row: TwinRow) => row.company_size_code as Value,
  registration_status: (row: TwinRow) => row.registration_status as Value,
  mei: (row: TwinRow) => row.mei_opt_in === true,
  municipality: (row: TwinRow) => row.municipality_ibge as Value,
  started_year: (row: TwinRow) => {
    return row.started_on === null ? null : Number(`${row.started_on}`.slice(0, 4));
  },
  contact: (row: TwinRow) => {
    const phone = row.phone_1 !== null || row.phone_2 !== null;
    if (row.email === null) return phone ? "phone" : "none";
    return phone ? "email_and_phone" : "email";
  },
  legal_nature: (row: TwinRow) => row.legal_nature as Value,
  started_month: (row: TwinRow) => {
    return row.started_on === null ? null : `${row.started_on}`.slice(0, 7);
  },
  status_month: (row: TwinRow) => {
    const date = row.registration_status_date;
    return date === null ? null : `${date}`.slice(0, 7);
  },
  status_year: (row: TwinRow) => {
    const date = row.registration_status_date;
    return date === null ? null : Number(`${date}`.slice(0, 4));
  },
} as const;
type Name = keyof typeof READ;
const NAMES = Object.keys(READ) as readonly Name[];

interface Cross {
  readonly facets: readonly [Name, Name];
  readonly rows: readonly { readonly value: Value; readonly count: number }[];
  readonly columns: readonly { readonly value: Value; readonly count: number }[];
  readonly counts: readonly (readonly number[])[];
  readonly other_rows: { readonly values: number; readonly count: number };
}

interface Body {
  readonly spec: AccountQuerySpec;
  readonly specs: readonly AccountQuerySpec[];
  readonly total: number;
  readonly crosses: readonly Cross[];
  readonly registry: number;
  readonly totals: readonly number[];
  readonly bases: readonly { readonly accounts: number }[];
  readonly facets: Readonly<Record<string, { readonly values: readonly Compared[] }>>;
  readonly code: string;
  readonly list: { readonly id: string };
  readonly errors: readonly {
    readonly pointer: string;
    readonly code: string;
    readonly detail: string;
  }[];
}

interface Compared {
  readonly value: Value;
  readonly registry: number;
  readonly counts: readonly number[];
  readonly shares: readonly number[];
  readonly index: readonly (number | null)[];
}

let sample: SampleSnapshot;
let segment: Segment;
let twin: Twin;
before(async () => {
  sample = await makeSampleSnapshot(3_000, 19, "2026-10");
  segment = await openSegment(sample.snapshot);
  twin = new Twin(decodeSnapshot(sample.snapshot).rows);
});
after(() => {
  segment.close();
  sample.dispose();
});

/** Returns the rows that match a spec, found by a linear scan. */
function rowsOf(spec: AccountQuerySpec): readonly TwinRow[] {
  return twin.answer(spec).map((row) => twin.rows[row] as TwinRow);
}

function countBy(rows: readonly TwinRow[], of: (row: TwinRow) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
  return counts;
}

for (const transport of MATRIX) {
  describe(`counts over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { engine: ENGINE, segment: () => segment });
    });
    after(() => server.close());

    function send(path: string, body: unknown, accept?: string): Promise<Response> {
      return fetchDocumented(server.base + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${server.keys.enterprise}`,
          "content-type": "application/json",
          ...(accept === undefined ? {} : { accept }),
        },
        body: JSON.stringify(body),
      });
    }

    async function request(path: string, body: unknown, status = 200): Promise<Body> {
      const answer = await send(path, body);
      const text = await answer.text();
      assert.equal(answer.status, status, text);
      return JSON.parse(text) as Body;
    }

    /** Returns random specs of searches, restricted to a few states. */
    function specs(count: number, seed: number): object[] {
      const rng = seededRng(seed);
      const narrow = (spec: AccountQuerySpec) => ({
        filters: { ...spec.filters, geo: { uf_any_of: ["SP", "MG", "RJ", "BA"] } },
      });
      return Array.from({ length: count }, (_, at) =>
        at === 0
          ? { filters: { geo: { uf_any_of: ["SP", "EX", "AC"] } } }
          : narrow(randomSpec(rng, segment.catalog, twin.rows)),
      );
    }

    it("have tables of two facets that equal a scan", async () => {
      const draw = new Draw(seededRng(7));
      let cells = 0;
      for (const spec of specs(20, 3)) {
        const pairs = [0, 1].map(() => {
          // A table of months by municipality would have too many cells.
          const many = draw.of(["municipality", "status_month", "started_month"] as const);
          const large = ["municipality", "status_month", "started_month", "status_year"];
          const few = NAMES.filter((name) => name === many || !large.includes(name));
          const first = draw.of(few);
          return [first, draw.of(few.filter((name) => name !== first))] as const;
        });
        if (String(pairs[0]) === String(pairs[1])) pairs.pop();
        const body = await request(COUNT, { spec, facets: pairs });
        const rows = rowsOf(body.spec);
        assert.equal(body.total, rows.length);
        for (const [at, [first, second]] of pairs.entries()) {
          const { rows: down, columns, counts, other_rows: rest } = body.crosses[at] as Cross;
          const expected = countBy(rows, (row) =>
            JSON.stringify([READ[first](row), READ[second](row)]),
          );
          for (const [i, row] of down.entries()) {
            for (const [j, column] of columns.entries()) {
              const key = JSON.stringify([row.value, column.value]);
              assert.equal(counts[i]?.[j], expected.get(key) ?? 0, `${first} ${second} ${key}`);
              cells++;
            }
          }
          const sum = down.reduce((total, { count }) => total + count, 0);
          assert.equal(sum + rest.count, rows.length);
          const known = down.filter(({ value }) => value !== null).map(({ count }) => count);
          assert.deepEqual(
            known,
            [...known].sort((a, b) => b - a),
          );
        }
      }
      assert.ok(cells > 500, `only ${cells} cells`);
    });

    it("are files with every value, whose lines add up", async () => {
      const facets = ["municipality", "mei", ["registration_status", "company_size"]];
      for (const spec of specs(4, 5)) {
        const answer = await send(COUNT, { spec, facets }, "text/csv");
        assert.match(answer.headers.get("content-type") ?? "", /^text\/csv; charset=utf-8/);
        assert.match(answer.headers.get("content-disposition") ?? "", /counts-2026-10\.csv/);
        const [head, ...lines] = readCsv(await answer.text());
        assert.deepEqual(head, [
          ...["facet", "value", "label", "facet_2", "value_2", "label_2", "count", "share"],
        ]);
        const { spec: normal } = await request(COUNT, { spec });
        const rows = rowsOf(normal);
        const of = (line: readonly string[]) => Number(line[6]);
        const cities = lines.filter((line) => line[0] === "municipality");
        const expected = countBy(rows, (row) => String(row.municipality_ibge ?? ""));
        assert.deepEqual(new Map(cities.map((line) => [line[1], of(line)])), expected);
        const pairs = lines.filter((line) => line[3] !== "");
        const both = countBy(rows, (row) => {
          return `${row.registration_status ?? ""} ${row.company_size_code ?? ""}`;
        });
        assert.deepEqual(new Map(pairs.map((line) => [`${line[1]} ${line[4]}`, of(line)])), both);
        assert.deepEqual(lines[0]?.slice(0, 2), ["total", ""]);
        assert.equal(of(lines[0] as string[]), rows.length);
        const sheet = await send(COUNT, { spec, facets }, XLSX);
        const bytes = Buffer.from(await sheet.arrayBuffer());
        const [read] = await readSheets(bytes);
        const cells = read?.data.map((line) =>
          line.map((cell) => (cell === null ? "" : `${cell}`)),
        );
        assert.deepEqual(cells, [head, ...lines]);
        const again = await send(COUNT, { spec, facets }, XLSX);
        assert.deepEqual(Buffer.from(await again.arrayBuffer()), bytes);
      }
    });

    it("of one pair are a table with totals, as CSV and as XLSX, or lines", async () => {
      const pair = ["company_size", "started_year"] as const;
      for (const spec of specs(4, 6)) {
        const body = { spec, facets: [pair] };
        const [head = [], ...lines] = readCsv(await (await send(COUNT, body, "text/csv")).text());
        const rows = rowsOf((await request(COUNT, { spec })).spec);
        const name = (row: TwinRow) => pair.map((one) => String(READ[one](row))).join(" ");
        const expected = countBy(rows, name);
        assert.equal(head[0], "company_size*started_year");
        const years = head.slice(1, -1);
        assert.deepEqual(years, [...years].sort(), "years ascend");
        assert.equal(new Set(years).size, years.length);
        const cells = new Map<string, number>();
        for (const [size = "", ...numbers] of lines.slice(0, -1)) {
          years.forEach((year, at) => {
            if (numbers[at] !== "0") cells.set(`${size} ${year}`, Number(numbers[at]));
          });
          const sum = numbers.slice(0, -1).reduce((all, one) => all + Number(one), 0);
          assert.equal(Number(numbers.at(-1)), sum, size);
        }
        assert.deepEqual(cells, expected);
        const totals = head
          .slice(1)
          .map((_, at) => lines.slice(0, -1).reduce((all, line) => all + Number(line[at + 1]), 0));
        assert.deepEqual(lines.at(-1), ["total", ...totals.map(String)]);
        assert.equal(totals.at(-1), rows.length);
        const sheet = await send(COUNT, { ...body, layout: "table" }, XLSX);
        const [read] = await readSheets(Buffer.from(await sheet.arrayBuffer()));
        const texts = read?.data.map((line) => line.map(String));
        assert.deepEqual(texts, [head, ...lines]);
        const listed = await send(COUNT, { ...body, layout: "lines" }, "text/csv");
        const [listedHead, ...pairs] = readCsv(await listed.text());
        assert.equal(listedHead?.[3], "facet_2");
        assert.equal(pairs.length, expected.size + 1);
      }
    });

    it("of one pair are in words as on screen, with filters on the second sheet", async () => {
      const spec = { filters: { geo: { uf_any_of: ["SP", "MG"] } } };
      const body = { spec, facets: [["uf", "cnae_section"]], labels: "pt" };
      const text = await (await send(COUNT, body, "text/csv")).text();
      const [head = "", ...lines] = text.trimEnd().split("\r\n");
      assert.match(head, /^UF × Seção CNAE;.*Comércio.*;Total$/);
      const names = lines.map((line) => line.split(";")[0] ?? "").sort();
      assert.deepEqual(names, ["Minas Gerais", "São Paulo", "Total"]);
      for (const [labels, sheets, about] of [
        ["pt", ["Tabela", "Sobre"], [/^Base de dados 2026-10$/m, /^Estados Minas Gerais \(MG\)$/m]],
        ["en", ["Table", "About"], [/^Snapshot 2026-10$/m, /^States Minas Gerais \(MG\)$/m]],
      ] as const) {
        const sheet = await send(COUNT, { ...body, labels }, XLSX);
        const read = await readSheets(Buffer.from(await sheet.arrayBuffer()));
        assert.deepEqual(
          read.map((one) => one.sheet),
          sheets,
        );
        const written = read[1]?.data.map((line) => line.map((cell) => cell ?? "").join(" "));
        for (const line of about) assert.match(written?.join("\n") ?? "", line);
        const date = labels === "pt" ? "10/10/2026" : "2026-10-10";
        assert.ok(
          written?.some((line) => line.endsWith(date)),
          written?.join("\n"),
        );
      }
    });

    it("refuse a layout that does not fit", async () => {
      const spec = { filters: { geo: { uf_any_of: ["SP"] } } };
      for (const facets of [["uf"], [], undefined, ["uf", ["uf", "mei"]]]) {
        const answer = await send(COUNT, { spec, facets, layout: "table" }, "text/csv");
        const { errors } = (await answer.json()) as Body;
        assert.deepEqual(
          errors.map(({ pointer, code }) => `${pointer} ${code}`),
          ["/layout not_one_pair"],
        );
      }
      const { errors } = await request(COUNT, { spec, layout: "x" }, 422);
      assert.equal(`${errors[0]?.pointer} ${errors[0]?.code}`, "/layout unknown_value");
      const json = await request(COUNT, { spec, facets: [["uf", "mei"]], layout: "table" }, 422);
      assert.equal(`${json.errors[0]?.pointer} ${json.errors[0]?.code}`, "/layout not_with_json");
    });

    it("are in words for people", async () => {
      const facets = ["registration_status", "company_size", "mei"];
      const body = { spec: { filters: { geo: { uf_any_of: ["SP"] } } }, facets, labels: "pt" };
      const text = await (await send(COUNT, body, "text/csv")).text();
      const lines = text.split("\r\n");
      assert.equal(lines[0], "Campo;Valor;Descrição;Quantidade;Parte do total");
      for (const [labels, mark] of [
        ["pt", "efbbbf"],
        ["en", "efbbbf"],
        [undefined, "666163"],
      ]) {
        const bytes = await (await send(COUNT, { ...body, labels }, "text/csv")).arrayBuffer();
        assert.equal(Buffer.from(bytes).toString("hex", 0, 3), mark, labels);
      }
      assert.match(text, /^Situação;2;Ativa;\d+;0,\d+$/m);
      assert.match(text, /^MEI;true;Sim;\d+;0,\d+$/m);
      const english = await send(COUNT, { ...body, labels: "en" }, "text/csv");
      assert.match(await english.text(), /^Status,2,Active,\d+,0\.\d+$/m);
      const wrong = await request(COUNT, body, 422);
      assert.deepEqual(wrong.errors[0], { ...wrong.errors[0], pointer: "/labels" });
    });

    it("have facets of time in the order of time", async () => {
      const body = { spec: { filters: { geo: { uf_any_of: ["SP"] } } } };
      for (const facet of [
        ...["started_year", "started_quarter", "started_month"],
        ...["status_year", "status_quarter", "status_month"],
      ]) {
        const text = await (await send(COUNT, { ...body, facets: [facet] }, "text/csv")).text();
        const values = readCsv(text).filter(([name]) => name === facet);
        const times = values.flatMap(([, value = ""]) => (value === "" ? [] : [value]));
        assert.ok(times.length > 3, facet);
        assert.deepEqual(times, [...times].sort(), facet);
      }
    });

    it("come in the format that Accept prefers", async () => {
      const body = { spec: { filters: { geo: { uf_any_of: ["SP"] } } }, facets: ["uf"] };
      const formats = [
        ["*/*", "application/json"],
        ["text/csv", "text/csv"],
        [`text/csv;q=0.5, ${XLSX}`, XLSX],
        ["application/json, text/csv", "application/json"],
        ["application/json;q=0.2, text/csv;q=0.9", "text/csv"],
        ["text/html", "application/json"],
        ["text/csv;q=0", "application/json"],
        [";;=,q", "application/json"],
      ] as const;
      for (const [accept, type] of formats) {
        const answer = await send(COUNT, body, accept);
        assert.equal(answer.headers.get("content-type")?.split(";")[0], type, accept);
      }
    });

    it("count lists, and answer 304 for the same file", async () => {
      const { list } = await request("/v1/lists", { name: `counted ${transport}` }, 201);
      const cnpjs = twin.rows.slice(0, 40).map(({ cnpj }) => cnpj);
      await request(`/v1/lists/${list.id}/entries`, { cnpjs });
      const spec = { filters: { lists: { any_of: [list.id] } } };
      const body = await request(COUNT, { spec, facets: [["uf", "mei"]] });
      const sum = body.crosses[0]?.rows.reduce((total, { count }) => total + count, 0);
      assert.ok(body.total >= 30 && sum === body.total, `${body.total}`);
      const csv = await send(COUNT, { spec, facets: ["uf"] }, "text/csv");
      const json = await send(COUNT, { spec, facets: ["uf"] });
      assert.notEqual(csv.headers.get("etag"), json.headers.get("etag"));
    });

    it("refuse wrong pairs with their places", async () => {
      const spec = { filters: { geo: { uf_any_of: ["SP"] } } };
      const places = async (facets: unknown) =>
        (await request(COUNT, { spec, facets }, 422)).errors.map(
          ({ pointer, code }) => `${pointer} ${code}`,
        );
      const [one, two] = [
        ["uf", "mei"],
        ["uf", "simples"],
      ];
      assert.deepEqual(await places([one, two, ["mei", "uf"]]), ["/facets/2 too_many"]);
      assert.deepEqual(await places([one, one]), ["/facets/1 duplicate"]);
      assert.deepEqual(await places([["uf", "uf"]]), ["/facets/0 duplicate"]);
      assert.deepEqual(await places([["uf"], ["uf", "x"]]), [
        "/facets/0 unknown_value",
        "/facets/1 unknown_value",
      ]);
      assert.deepEqual(await places([["uf", "mei", "simples"]]), ["/facets/0 unknown_value"]);
      const large = [["municipality", "started_month"]];
      assert.deepEqual(await places(large), ["/facets too_many_cells"]);
      const search = { spec, facets: [["uf", "mei"]] };
      const searched = await request("/v1/accounts/search", search, 422);
      assert.equal(searched.errors[0]?.pointer, "/facets/0");
    });

    it("of a comparison are files with every value, as JSON has them", async () => {
      const [first, second] = specs(2, 9) as [object, object];
      const body = { specs: [first, second], facets: ["municipality", "mei", "started_year"] };
      const json = await request(COMPARE, body);
      const answer = await send(COMPARE, body, "text/csv");
      assert.match(answer.headers.get("content-disposition") ?? "", /comparison-2026-10\.csv/);
      const [head = [], ...lines] = readCsv(await answer.text());
      const numbers = [1, 2].flatMap((at) => [`count_${at}`, `share_${at}`, `index_${at}`]);
      assert.deepEqual(head, ["facet", "value", "label", "registry", ...numbers]);
      const at = (line: readonly string[] | undefined, name: string) => line?.[head.indexOf(name)];
      const counts = (line: readonly string[] | undefined) =>
        [1, 2].map((group) => Number(at(line, `count_${group}`)));
      assert.deepEqual([lines[0]?.[0], counts(lines[0])], ["total", json.totals]);
      const bases = json.bases.map(({ accounts }) => accounts);
      assert.deepEqual([lines[1]?.[0], counts(lines[1])], ["base", bases]);
      for (const [facet, { values }] of Object.entries(json.facets)) {
        const own = lines.filter(([name]) => name === facet);
        for (const one of values) {
          const line = own.find(([, value]) => value === String(one.value ?? ""));
          assert.equal(at(line, "registry"), String(one.registry), `${facet} ${one.value}`);
          assert.deepEqual(counts(line), one.counts);
          const [shares, index] = ["share", "index"].map((name) =>
            [1, 2].map((group) => at(line, `${name}_${group}`)),
          );
          assert.deepEqual(shares, one.shares.map(String));
          assert.deepEqual(
            index,
            one.index.map((number) => String(number ?? "")),
          );
        }
        const sums = [0, 1].map((group) =>
          own.reduce((sum, line) => sum + (counts(line)[group] ?? 0), 0),
        );
        assert.deepEqual(sums, json.totals, `the lines of ${facet} add up`);
      }
      const sheets = await readSheets(
        Buffer.from(await (await send(COMPARE, { ...body, labels: "pt" }, XLSX)).arrayBuffer()),
      );
      assert.deepEqual(
        sheets.map(({ sheet }) => sheet),
        ["Comparação", "Sobre"],
      );
      assert.equal(sheets[0]?.data.length, lines.length + 1);
      assert.deepEqual(sheets[0]?.data[1]?.slice(4, 5), [json.totals[0]]);
      assert.deepEqual(sheets[0]?.data[0]?.slice(0, 6), [
        ...["Campo", "Valor", "Descrição", "Todo o cadastro"],
        ...["Quantidade (1)", "Parte do grupo (1)"],
      ]);
      const about = (sheets[1]?.data ?? []).map((line) => line.map((cell) => cell ?? "").join(" "));
      for (const line of [/^Grupo 1/, /^Grupo 2/, /^Base do índice 3000$/, /São Paulo \(SP\)/]) {
        assert.ok(
          about.some((one) => line.test(one)),
          about.join("\n"),
        );
      }
      const { errors } = await request(COMPARE, { ...body, labels: "pt" }, 422);
      assert.equal(`${errors[0]?.pointer} ${errors[0]?.code}`, "/labels not_with_json");
    });

    it("compare groups as a scan does", async () => {
      const sent = specs(4, 11);
      for (const groups of [sent.slice(0, 2), sent]) {
        const body = await request(COMPARE, { specs: groups, facets: NAMES });
        const rows = body.specs.map(rowsOf);
        assert.equal(body.registry, twin.rows.length);
        const requested = body.specs.map(({ filters: { company } }) => {
          return [...company.registration_status_any_of].sort();
        });
        const [first = []] = requested;
        const shared = requested.every((one) => String(one) === String(first)) ? first : [];
        const based = twin.rows.filter(({ registration_status: status }) => {
          return shared.length === 0 || shared.some((one) => one === status);
        });
        assert.deepEqual(
          body.bases.map(({ accounts }) => accounts),
          groups.map(() => based.length),
        );
        assert.deepEqual(
          body.totals,
          rows.map(({ length }) => length),
        );
        for (const name of NAMES) {
          const key = (row: TwinRow) => String(READ[name](row));
          const own = rows.map((some) => countBy(some, key));
          const whole = countBy(twin.rows, key);
          const known = countBy(based, key);
          for (const { value, counts, registry, shares, index } of body.facets[name]?.values ??
            []) {
            const expected = own.map((some) => some.get(String(value)) ?? 0);
            assert.deepEqual(counts, expected, `${name} ${value}`);
            assert.equal(registry, whole.get(String(value)));
            for (const [at, count] of counts.entries()) {
              const total = body.totals[at] as number;
              const share = total === 0 ? 0 : count / total;
              assert.ok(Math.abs((shares[at] as number) - share) < 1e-6);
              if (total === 0) assert.equal(index[at], null);
              else {
                const base = known.get(String(value)) as number;
                const wanted = (100 * share) / (base / based.length);
                assert.ok(Math.abs((index[at] as number) - wanted) <= 0.05 + 1e-9, `${name}`);
              }
            }
          }
        }
      }
    });

    it("refuse wrong comparisons with their places", async () => {
      const spec = { filters: { geo: { uf_any_of: ["SP"] } } };
      const places = async (body: object) =>
        (await request(COMPARE, body, 422)).errors.map(({ pointer, code }) => `${pointer} ${code}`);
      assert.deepEqual(await places({}), ["/specs missing"]);
      assert.deepEqual(await places({ specs: [spec] }), ["/specs wrong_length"]);
      assert.deepEqual(await places({ specs: Array(5).fill(spec) }), ["/specs wrong_length"]);
      assert.deepEqual(await places({ specs: spec }), ["/specs wrong_type"]);
      const wrong = { filters: { geo: { uf_any_of: ["ZZ"] } } };
      assert.deepEqual(await places({ specs: [spec, wrong], facets: ["x"], more: 1 }), [
        "/more unknown_member",
        "/facets/0 unknown_value",
        "/specs/1/filters/geo/uf_any_of/0 unknown_uf",
      ]);
      const broad = await request(COMPARE, { specs: [spec, {}] }, 422);
      assert.equal(broad.code, "query_too_broad");
      for (const { pointer, detail } of broad.errors) {
        const [, name = ""] = /^\/specs\/1\/filters\/(\w+\/\w+)$/.exec(pointer) ?? [];
        assert.notEqual(name, "", pointer);
        assert.ok(detail.includes(`filter ${name.replace("/", ".")} would`), detail);
      }
      const unknown = { filters: { lists: { any_of: [`lst_${"0".repeat(32)}`] } } };
      const gone = await request(COMPARE, { specs: [spec, unknown] }, 404);
      assert.equal(gone.code, "list_not_found");
      assert.equal(gone.errors[0]?.pointer, "/specs/1/filters/lists/any_of/0");
    });
  });
}
