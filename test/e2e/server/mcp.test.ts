/**
 * Proves, on a real snapshot: the MCP tools, run without a server, return the engine's answers
 * (accounts, totals, counts) for seeded random filters. The size of an answer is limited for any
 * request. The filters in a translation are those of its spec, in short form. Any arguments yield a
 * valid result or a named mistake, never an internal failure. Files are written whole, into their
 * folder, and replace no other files. `peneira mcp` works as a process with the official client.
 * Does not prove: restrictions of keys and plans (contract/http/api/mcp.test.ts), nor the protocol
 * over lines (unit/mcp/lines.test.ts).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { Agent } from "../../../src/mcp/agent.ts";
import { fileExportTool } from "../../../src/mcp/fileexport.ts";
import { READING_TOOLS } from "../../../src/mcp/httpendpoint.ts";
import { localContext } from "../../../src/mcp/local.ts";
import { LOOK_UP_TOOL } from "../../../src/mcp/lookup.ts";
import { shortSelection } from "../../../src/mcp/selection.ts";
import { countMatches, search } from "../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec, tooBroad } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { changed, type Shape, shaped } from "../../support/fuzz/shapes.ts";
import { connected, readResult, type ToolResult } from "../../support/mcp/client.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";
import { contextWith } from "../../support/spec/catalog.ts";
import { Draw, randomSpec, seededRng } from "../../support/spec/random.ts";
import type { TwinRow } from "../../support/twin.ts";

const SPECS = 150;
const CALLS = 600;

let sample: SampleSnapshot;
let segment: Segment;
let rows: readonly TwinRow[];
let folder: string;
let call: (name: string, sent: unknown) => Promise<ToolResult>;
let tools: readonly { readonly name: string; readonly inputSchema: Shape }[];

before(async () => {
  sample = await makeSampleSnapshot(3_000, 78);
  segment = await openSegment(sample.snapshot);
  rows = decodeSnapshot(sample.snapshot).rows;
  folder = join(sample.folder, "exports");
  mkdirSync(folder);
  const all = [...READING_TOOLS, LOOK_UP_TOOL, fileExportTool(folder)];
  const agent = new Agent(all, "0.0.0-test");
  const asker = localContext(segment);
  const validators = new Map(
    all.map(({ definition: { name, outputSchema } }) => [name, Compile(outputSchema as never)]),
  );
  tools = all.map(({ definition }) => definition as never);
  call = async (name, sent) => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    const params = { name, arguments: sent };
    const { answer, failure } = await agent.answer(
      { ...message, params },
      asker(() => false),
    );
    const shown = `${name} ${JSON.stringify(sent)?.slice(0, 2_000)}`;
    assert.equal(failure, null, `${shown}: ${failure instanceof Error ? failure.stack : ""}`);
    assert.ok(answer !== null && "result" in answer, shown);
    const result = readResult(answer.result);
    const fits = result.isError || validators.get(name)?.Check(result.structured);
    assert.ok(fits, `${shown} is answered ${JSON.stringify(result.structured)}`);
    return result;
  };
});
after(() => {
  segment.close();
  sample.dispose();
});

/** A random spec that is not too broad. */
function narrowSpec(rng: () => number): AccountQuerySpec {
  for (;;) {
    const spec = randomSpec(rng, segment.catalog, rows);
    if (tooBroad(spec) === null) return spec;
  }
}

const cnpjs = (accounts: unknown) => (accounts as { cnpj: string }[]).map(({ cnpj }) => cnpj);

describe("tools on a snapshot", () => {
  it(`answer ${SPECS} random filters like the engine`, async () => {
    const rng = seededRng(11);
    for (let i = 0; i < SPECS; i++) {
      const spec = { ...narrowSpec(rng), limit: 17 };
      const fields = ["cnpj", "score"] as const;
      const engine = search(segment, { spec, fields, afterRow: -1, explain: false });
      const expected = JSON.parse(Buffer.from(engine.accounts).toString()) as unknown;
      const { filters, sort, scoring } = spec;
      const request = { filters, sort, scoring, fields, limit: 17 };
      const { structured } = await call("search_accounts", request);
      const answered = JSON.stringify(request);
      assert.deepEqual(structured.accounts, expected, answered);
      assert.equal(structured.total, engine.total, answered);
      assert.equal(structured.next_cursor !== null, engine.more, answered);
      const counted = await call("count_accounts", { filters, facets: ["uf", "cnae_subclass"] });
      assert.equal(counted.structured.total, engine.total, answered);
      for (const facet of Object.values(counted.structured.facets as never) as Spread[]) {
        const listed = facet.values.reduce((sum, { count }) => sum + count, 0);
        assert.equal(listed + facet.other.count + facet.missing, engine.total, answered);
      }
    }
  });

  it("page to the end even if an answer contains fewer accounts than requested", async () => {
    const filters = { geo: { uf_any_of: ["SP"] } };
    const spec = normalizeSpec({ filters }, contextWith({ catalog: segment.catalog })).spec;
    const whole = { spec: { ...spec, limit: 50_000 }, fields: ["cnpj"], explain: false };
    const engine = search(segment, { ...whole, afterRow: -1 });
    const expected = cnpjs(JSON.parse(Buffer.from(engine.accounts).toString()));
    assert.ok(expected.length > 300);
    const found: string[] = [];
    let cursor: unknown;
    let cut = 0;
    while (cursor !== null) {
      const more = cursor === undefined ? {} : { cursor };
      const sent = { filters, fields: OUTPUT_FIELD_NAMES, limit: 50, ...more };
      const { structured, text } = await call("search_accounts", sent);
      found.push(...cnpjs(structured.accounts));
      if ((structured.count as number) < 50 && structured.next_cursor !== null) {
        cut++;
        assert.match(text, /Only \d+ of the wanted \d+ accounts fit/);
      }
      cursor = structured.next_cursor;
    }
    assert.deepEqual(found, expected);
    assert.ok(cut > 0);
  });

  it("write short filters with the same meaning, for any spec", () => {
    const rng = seededRng(12);
    const { catalog } = segment;
    const rules = contextWith({ catalog, fullAllowed: true, mode: "export" });
    for (let i = 0; i < 400; i++) {
      const spec = randomSpec(rng, catalog, rows);
      const again = normalizeSpec(shortSelection(spec, catalog), rules).spec;
      for (const part of ["filters", "sort", "scoring"] as const) {
        assert.deepEqual(again[part], spec[part], JSON.stringify(shortSelection(spec, catalog)));
      }
    }
    const sections = { filters: { industry: { cnae_any_of: ["47", "5611-2/01", "C"] } } };
    const { spec } = normalizeSpec(sections, rules);
    assert.deepEqual(shortSelection(spec, catalog), sections);
  });

  it("translate into filters that find what was counted", async () => {
    const sentences = [
      "restaurantes em Minas Gerais com e-mail, exceto MEI",
      "20 indústrias no Sul abertas desde 2015, as maiores por capital",
      "companies in São Paulo with phone",
      "comércio varejista em Recife e Olinda, menos farmácias",
    ];
    for (const query_text of sentences) {
      const { structured, text } = await call("translate", { query_text });
      const counted = await call("count_accounts", { filters: structured.filters });
      assert.equal(counted.structured.total, structured.matches, text);
      assert.ok(text.includes(JSON.stringify(structured.filters)), text);
    }
    const wanted = await call("translate", { query_text: sentences[1] });
    assert.equal(wanted.structured.wanted, 20);
    assert.deepEqual((wanted.structured.filters as never as Industry).industry.cnae_any_of, ["C"]);
  });

  it("stay small for the largest possible requests", async () => {
    const { catalog } = segment;
    const words = catalog.municipalities.map(({ name }) => name).join(", ");
    for (const query_text of [
      words.slice(0, 2_000),
      "xyzzy ".repeat(333),
      "padaria ".repeat(250),
    ]) {
      await call("translate", { query_text });
    }
    const municipality_ibge_any_of = catalog.municipalities.flatMap(({ ibge }) => ibge ?? []);
    const filters = { geo: { municipality_ibge_any_of } };
    await call("search_accounts", { filters, fields: OUTPUT_FIELD_NAMES, limit: 50 });
    const facets = ["municipality", "cnae_subclass", "legal_nature", "cnae_class"];
    await call("count_accounts", { filters, facets });
    const wrong = { geo: { uf_any_of: Array.from({ length: 9_000 }, (_, at) => `wrong ${at}`) } };
    const { isError, text } = await call("search_accounts", { filters: wrong });
    assert.ok(isError);
    assert.match(text, /- and \d+ more$/);
    const longest = rows.reduce((a, b) => (size(a) > size(b) ? a : b));
    await call("get_account", { cnpj: longest.cnpj });
  });

  it(`answer ${CALLS} random calls with a valid result or a named mistake`, async () => {
    const draw = new Draw(seededRng(13));
    const seen = { good: 0, bad: 0 };
    for (let i = 0; i < CALLS; i++) {
      const { name, inputSchema } = draw.of(tools);
      const fitting = shaped(draw, inputSchema) as Record<string, unknown>;
      // Larger files would only measure the disk.
      if (name === "create_export") Object.assign(fitting, { format: "csv", limit: 3 });
      const { filters } = randomSpec(() => draw.below(1e9) / 1e9, segment.catalog, rows);
      if ("filters" in fitting && draw.chance(0.6)) fitting.filters = filters;
      const sent = draw.chance(0.5) ? changed(draw, fitting) : fitting;
      if (typeof sent !== "object" || sent === null || Array.isArray(sent)) continue;
      const { isError } = await call(name, sent);
      seen[isError ? "bad" : "good"]++;
    }
    assert.ok(seen.good > CALLS / 10 && seen.bad > CALLS / 10, JSON.stringify(seen));
  });

  it("accept any arguments", async () => {
    const anything = fc.object({ maxDepth: 3, withNullPrototype: false });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tools.map(({ name }) => name)),
        anything,
        async (...at) => {
          await call(...at);
        },
      ),
      { numRuns: 300 },
    );
  });
});

interface Industry {
  readonly industry: { readonly cnae_any_of: readonly string[] };
}
interface Spread {
  readonly values: readonly { readonly count: number }[];
  readonly other: { readonly count: number };
  readonly missing: number;
}

const size = (row: TwinRow) => JSON.stringify(row, (_, value) => String(value)).length;

describe("files of an agent", () => {
  const filters = { geo: { uf_any_of: ["SP"] }, company: { registration_status_any_of: [2] } };

  it("contain all matches, under a new name each time", async () => {
    const total = (await call("count_accounts", { filters })).structured.total as number;
    const made = await Promise.all(
      [1, 2, 3].map(() => call("create_export", { filters, fields: ["cnpj"] })),
    );
    const paths = made.map(({ structured }) => structured.path as string);
    assert.equal(new Set(paths).size, 3);
    for (const { structured } of made) {
      const bytes = readFileSync(structured.path as string);
      assert.equal(structured.row_count, total);
      assert.equal(bytes.toString().trim().split("\n").length, total + 1);
      assert.equal(structured.size_bytes, bytes.length);
      assert.equal(structured.sha256, createHash("sha256").update(bytes).digest("hex"));
    }
    const named = { filters, format: "jsonl", limit: 2, file_name: "mine.jsonl" };
    assert.equal((await call("create_export", named)).structured.path, join(folder, "mine.jsonl"));
  });

  it("are written to no other place, and replace nothing", async () => {
    writeFileSync(join(folder, "kept.csv"), "mine");
    const before = readdirSync(folder).sort();
    const names = ["../x.csv", "/etc/x", "a/b", "a\\b", ".hidden", "", "..", "x".repeat(101), 7];
    for (const file_name of [...names, "kept.csv", "é.csv", "a\u0000b"]) {
      const { isError, text } = await call("create_export", { filters, file_name });
      assert.ok(isError, String(file_name));
      assert.match(text, /\/file_name \((wrong_format|exists)\)/);
    }
    assert.deepEqual(readdirSync(folder).sort(), before);
    assert.equal(readFileSync(join(folder, "kept.csv"), "utf8"), "mine");
  });
});

describe("peneira mcp", () => {
  it("answers the official client, and ends with its input", async () => {
    const exportsFolder = join(sample.folder, "of-process");
    mkdirSync(exportsFolder);
    const flags = ["--snapshot", sample.folder, "--exports", exportsFolder];
    const [command, args] = productCommand(["mcp", ...flags]);
    const transport = new StdioClientTransport({ command, args, stderr: "pipe" });
    let output = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    const broken: Error[] = [];
    const agent = await connected(transport);
    // The client reports each line of standard output that is no message of the protocol as an
    // error.
    agent.client.onerror = (error) => broken.push(error);
    const filters = { geo: { uf_any_of: ["SP"] } };
    const counted = await agent.call("count_accounts", { filters });
    const { spec } = normalizeSpec({ filters }, contextWith({ catalog: segment.catalog }));
    assert.equal(counted.structured.total, countMatches(segment, spec));
    const found = await agent.call("search_accounts", { filters, limit: 2 });
    const [first] = found.structured.accounts as readonly { readonly cnpj: string }[];
    const read = await agent.call("get_account", { cnpj: first?.cnpj ?? "" });
    assert.equal((read.structured.account as { cnpj: string }).cnpj, first?.cnpj);
    const translated = await agent.call("translate", { query_text: "empresas em SP" });
    assert.deepEqual((translated.structured.filters as typeof filters).geo, filters.geo);
    const written = await agent.call("create_export", { filters, format: "csv", limit: 5 });
    assert.ok((written.structured.path as string).startsWith(exportsFolder));
    await assert.rejects(agent.client.callTool({ name: "nope" }), /There is no tool "nope"/);
    const began = performance.now();
    await agent.close();
    // If the process had not ended by itself, the signal that ends it would come after two seconds.
    assert.ok(performance.now() - began < 1_900, "it ends with its input");
    assert.deepEqual(broken, []);
    assert.doesNotMatch(output, /Error|at /, output);
  });
});
