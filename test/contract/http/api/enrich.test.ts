/**
 * Proves: POST /v1/enrich returns one result for each CNPJ in the order of the request, on both
 * transports, for every spelling, roots, CPFs, and unknown numbers. The server's thread and a
 * compute thread give the same results. Fields and labels follow the rules of exports. Only
 * accounts that were found are charged. If the charge is refused, no results are returned. The
 * price is the documented one. No answer repeats a CPF. Every mistake in a body is reported.
 * Does not prove: that the charge survives a crash (unit/access/quota).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { loadPlans } from "../../../../src/access/plans.ts";
import { AppError } from "../../../../src/errors.ts";
import { ENRICH, ENRICH_ROUTE } from "../../../../src/http/api/enrichment/enrich.ts";
import { isSmall } from "../../../../src/http/server/body.ts";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake, TRANSPORTS } from "../../../support/http/fake.ts";
import { connectedTo } from "../../../support/mcp/client.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";
import { randomSpelling, SPELLINGS } from "../../../support/spec/cnpj-spellings.ts";
import { seededRng } from "../../../support/spec/random.ts";

interface Result {
  readonly input: string;
  readonly status: string;
  readonly cnpj: string | null;
  readonly account: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
  readonly offered?: string;
  readonly zeros_restored?: true;
}

/** Matches the CPF of these tests in every spelling. No answer may repeat it. */
const CPF = /12345678909|123\.456\.789|123456789-09/;

let sample: SampleSnapshot;
let segment: Segment;
let known: readonly Readonly<Record<string, unknown> & { cnpj: string }>[];

before(async () => {
  sample = await makeSampleSnapshot(1_000, 7);
  segment = await openSegment(sample.snapshot);
  const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
  const fields = ["cnpj", "legal_name", "headquarters", "share_capital", "phone_1"];
  known = JSON.parse(Buffer.from(segment.native.renderJson(rows, fields)).toString());
});
after(() => {
  segment.close();
  sample.dispose();
});

for (const transport of TRANSPORTS) {
  describe(`POST /v1/enrich over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { engine: ENGINE, segment: () => segment });
    });
    after(() => server.close());

    async function sent(body: object, key = server.keys.enterprise) {
      const answer = await fetchDocumented(`${server.base}/v1/enrich`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      assert.doesNotMatch(text, CPF);
      return { status: answer.status, answered: JSON.parse(text) };
    }

    async function results(cnpjs: readonly unknown[], more: object = {}): Promise<Result[]> {
      const { status, answered } = await sent({ cnpjs, ...more });
      assert.equal(status, 200, JSON.stringify(answered));
      assert.equal(answered.snapshot, "2026-10");
      assert.equal(answered.results.length, cnpjs.length);
      return answered.results;
    }

    it("answers each spelling as the one reader reads it", async () => {
      const rng = seededRng(3);
      const spellings = [...SPELLINGS, ...Array.from({ length: 400 }, () => randomSpelling(rng))];
      for (let at = 0; at < spellings.length; at += 300) {
        const some = spellings.slice(at, at + 300);
        const found = await results(some.map(([text]) => text));
        some.forEach(([text, reading], i) => {
          const { status, reason, offered } = found[i] as Result;
          const [kind = "", value = ""] = reading.split(" ");
          const context = `${JSON.stringify(text)} is ${reading}`;
          if (kind === "cnpj") assert.ok(["found", "not_in_snapshot"].includes(status), context);
          else if (kind === "root") {
            assert.ok(["head_office", "not_in_snapshot"].includes(status), context);
          } else if (kind === "mistyped")
            assert.equal(reason ?? status, "wrong_check_digits", context);
          else assert.equal(reason, kind, context);
          assert.equal(offered, kind === "lost_zeros" ? value : undefined, context);
        });
      }
    });

    it("answers accounts in order, repeated ones each time, and the office of a root", async () => {
      const [first, second] = [known[0], known[500]] as [(typeof known)[0], (typeof known)[0]];
      const root = second.cnpj.slice(0, 8);
      const office = known.find((one) => one.cnpj.startsWith(root) && one.headquarters === true);
      const cnpjs = [second.cnpj, first.cnpj, "11222333000181", second.cnpj, root, ""];
      const found = await results(cnpjs, { fields: ["legal_name"] });
      assert.deepEqual(
        found.map(({ input, status, cnpj, account, reason }) => [
          ...[input, status, cnpj, account?.legal_name, reason],
        ]),
        [
          [second.cnpj, "found", second.cnpj, second.legal_name, null],
          [first.cnpj, "found", first.cnpj, first.legal_name, null],
          ["11222333000181", "not_in_snapshot", "11222333000181", undefined, null],
          [second.cnpj, "found", second.cnpj, second.legal_name, null],
          [root, "head_office", office?.cnpj, office?.legal_name, null],
          ["", "not_a_cnpj", null, undefined, "not_a_cnpj"],
        ],
      );
      assert.deepEqual(Object.keys(found[0]?.account ?? {}), ["legal_name"]);
    });

    it("says that lost zeros were restored on request, and that a text has several", async () => {
      const account = known.find(({ cnpj }) => cnpj.startsWith("0"));
      const cnpj = account?.cnpj ?? "";
      const texts = [Number(cnpj), cnpj, `${cnpj}; ${known[0]?.cnpj}`];
      const filled = await results(texts, { fields: ["uf"], lost_zeros: "fill" });
      assert.deepEqual(
        filled.map((one) => [one.status, one.cnpj, one.reason, one.zeros_restored, one.offered]),
        [
          ["found", cnpj, null, true, undefined],
          ["found", cnpj, null, undefined, undefined],
          ["not_a_cnpj", null, "several_cnpjs", undefined, undefined],
        ],
      );
      for (const more of [{}, { lost_zeros: "refuse" }]) {
        const [refused] = await results(texts, more);
        assert.deepEqual([refused?.reason, refused?.offered], ["lost_zeros", cnpj]);
        assert.equal(refused?.zeros_restored, undefined);
      }
    });

    it("answers 1,000 CNPJs, whose body is read off the call, as it answers few", async () => {
      const many = Array.from({ length: 1_000 }, (_, at) => known[at % known.length]?.cnpj);
      assert.ok(!isSmall(Buffer.from(JSON.stringify({ cnpjs: many }))));
      const found = await results(many);
      const [alone] = await results([many[17]]);
      assert.deepEqual(found[17], alone);
      assert.ok(found.every(({ status, cnpj }, at) => status === "found" && cnpj === many[at]));
    });

    it("costs what its description says", () => {
      const spent: number[] = [];
      const payer = { spend: (units: number) => spent.push(units) };
      const task = { plan: loadPlans().enterprise, listsKnown: false, secondaryCnaeFull: false };
      for (const count of [1, 99, 100, 1_000]) {
        const cnpjs = Array.from({ length: count }, (_, at) => known[at % known.length]?.cnpj);
        ENRICH.run({ ...task, body: Buffer.from(JSON.stringify({ cnpjs })) }, segment, payer);
      }
      assert.deepEqual(spent, [1, 1, 2, 11]);
      const { description = "" } = ENRICH_ROUTE as { readonly description?: string };
      assert.match(description, /1 more for every 100 CNPJs: 11 for 1,000/);
    });

    it("writes values as people do with labels", async () => {
      const account = known.find(({ phone_1: phone }) => phone !== null);
      const fields = ["cnpj", "share_capital", "headquarters"];
      const [found] = await results([account?.cnpj], { fields, labels: "pt" });
      assert.equal(found?.cnpj, account?.cnpj);
      const masked = account?.cnpj.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
      const capital = Number(account?.share_capital).toFixed(2).replace(".", ",");
      const office = account?.headquarters === true ? "Matriz" : "Filial";
      const expected = { cnpj: masked, share_capital: capital, headquarters: office };
      assert.deepEqual(found?.account, expected);
    });

    it("charges accounts that were found, and answers nothing where that is refused", async () => {
      server.exporter.charged.length = 0;
      await results([known[0]?.cnpj, "123.456.789-09", "11222333000181", known[1]?.cnpj]);
      assert.deepEqual(
        server.exporter.charged.map(([, rows]) => rows),
        [2],
      );
      server.exporter.failure = new AppError("quota_exceeded", "Nothing is left.");
      try {
        const { status, answered } = await sent({ cnpjs: [known[0]?.cnpj] });
        assert.deepEqual(
          [status, answered.code, answered.results],
          [429, "quota_exceeded", undefined],
        );
      } finally {
        server.exporter.failure = null;
      }
    });

    it("refuses wrong bodies with every mistake", async () => {
      const refused = async (body: object, ...expected: readonly string[]) => {
        const { status, answered } = await sent(body);
        assert.equal(status, 422, JSON.stringify(answered));
        assert.deepEqual(
          answered.errors.map(({ pointer, code }: { pointer: string; code: string }) => {
            return `${pointer} ${code}`;
          }),
          expected,
        );
      };
      await refused({}, "/cnpjs missing");
      await refused({ cnpjs: [] }, "/cnpjs wrong_length");
      await refused({ cnpjs: new Array(1_001).fill("1") }, "/cnpjs wrong_length");
      await refused({ cnpjs: "1" }, "/cnpjs wrong_type");
      await refused(
        { cnpjs: ["1", {}, null], fields: ["uf", "salary"], labels: "fr", other: 1, lost_zeros: 1 },
        ...["/other unknown_member", "/cnpjs/1 wrong_type", "/cnpjs/2 wrong_type"],
        "/lost_zeros unknown_value",
        ...["/fields/1 unknown_field", "/labels unknown_value"],
      );
    });

    it("answers agents alike, up to 200 CNPJs a call, and charges them", async () => {
      const agent = await connectedTo(server.base, server.keys.enterprise);
      try {
        const cnpjs = [known[0]?.cnpj, "123.456.789-09", "11222333"];
        const fields = ["legal_name", "headquarters"];
        const wanted = await results(cnpjs, { fields });
        server.exporter.charged.length = 0;
        const { structured, text } = await agent.call("look_up_cnpjs", { cnpjs, fields });
        assert.deepEqual(structured.results, wanted);
        assert.deepEqual(
          server.exporter.charged.map(([, rows]) => rows),
          [1],
        );
        assert.doesNotMatch(text, CPF);
        const many = await agent.call("look_up_cnpjs", { cnpjs: new Array(201).fill("1") });
        assert.match(many.text, /at most 200 CNPJs a call, not 201/);
        for (const wrong of [{}, { cnpjs: "11222333000181" }, { cnpjs: [] }]) {
          const { text: answered } = await agent.call("look_up_cnpjs", wrong);
          assert.match(answered, /cnpjs must be a list of 1 to 200 texts or numbers/);
          assert.doesNotMatch(answered, /1,000/);
        }
      } finally {
        await agent.close();
      }
    });

    it("refuses numbers that lost their digits", async () => {
      const address = `${server.base}/v1/enrich`;
      const type = { "Content-Type": "application/json" };
      const answer = await fetchDocumented(address, {
        method: "POST",
        headers: { Authorization: `Bearer ${server.keys.enterprise}`, ...type },
        body: '{"cnpjs": [1e400, 11222333000181]}',
      });
      const answered = (await answer.json()) as { errors: { pointer: string; detail: string }[] };
      assert.equal(answer.status, 422);
      assert.deepEqual(
        answered.errors.map(({ pointer }) => pointer),
        ["/cnpjs/0"],
      );
    });

    it("refuses files of other types and encodings with the way to send them", async () => {
      const refused = async (headers: Readonly<Record<string, string>>) => {
        const answer = await fetchDocumented(`${server.base}/v1/enrich/files`, {
          method: "POST",
          headers: { Authorization: `Bearer ${server.keys.enterprise}`, ...headers },
          body: "cnpj\n11222333000181\n",
        });
        assert.equal(answer.status, 415);
        return ((await answer.json()) as { detail: string }).detail;
      };
      const ways =
        /^Send the file itself with Content-Type: text\/csv, or with Content-Type: .*sheet/;
      for (const type of ["text/plain", "application/json"]) {
        const answered = await refused({ "Content-Type": type });
        assert.match(answered, ways);
        assert.doesNotMatch(answered, /JSON/);
      }
      const packed = { "Content-Type": "text/csv; charset=utf-8", "Content-Encoding": "gzip" };
      assert.match(await refused(packed), /uncompressed, and without a Content-Encoding/);
    });

    it("names the column and its file's columns, and the fields", async () => {
      const send = async (query: string) => {
        const answer = await fetchDocumented(`${server.base}/v1/enrich/files?${query}`, {
          method: "POST",
          headers: {
            ...{ Authorization: `Bearer ${server.keys.enterprise}`, "Content-Type": "text/csv" },
            "Idempotency-Key": query,
          },
          body: "id;cnpj\n1;11222333000181\n",
        });
        return { status: answer.status, answered: JSON.parse(await answer.text()) };
      };
      const { status, answered } = await send("column=xyz");
      assert.deepEqual([status, answered.errors[0].pointer], [422, "/query/column"]);
      assert.match(answered.detail, /no column "xyz" in the file\. It has "id", "cnpj"\./);
      const field = await send("fields=nope");
      assert.match(field.answered.errors[0].detail, /no field "nope"\. GET \/v1\/status lists/);
      for (const fields of ["", "legal_name,", " legal_name , uf"]) {
        assert.equal((await send(`fields=${encodeURIComponent(fields)}`)).status, 201, fields);
      }
    });

    it("refuses fields that the plan lacks", async () => {
      const body = { cnpjs: ["11222333000181"], fields: ["email"] };
      const { status, answered } = await sent(body, server.keys.free);
      assert.deepEqual(
        [status, answered.code, answered.errors[0].pointer],
        [...[422, "field_not_allowed", "/fields/0"]],
      );
    });
  });
}
