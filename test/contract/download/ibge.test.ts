/**
 * Proves, against a local service like IBGE's: both tables become files that an import and the
 * translation accept. Answers that fail, stall, are cut, or are refused are retried or reported
 * with the remedy. Without a complete answer, the previous file stays unchanged. A configured proxy
 * is used. Does not prove: what the real service answers today.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { downloadTable, type ServiceTable } from "../../../src/download/ibge.ts";
import { proxyRules } from "../../../src/download/proxy.ts";
import { readActivityTexts } from "../../../src/dump/activities.ts";
import { readPlaces } from "../../../src/dump/places.ts";
import { CommandError } from "../../../src/errors.ts";
import { httpProxy } from "../../support/download/proxies.ts";

const state = { id: 35, sigla: "SP", nome: "São Paulo", regiao: { id: 3, sigla: "SE" } };

/** The service's answer, with unneeded members. A new municipality lacks the older regions. */
const MUNICIPALITIES = [
  {
    ...{ id: 3550308, nome: "São Paulo" },
    microrregiao: {
      ...{ id: 35061, nome: "São Paulo" },
      mesorregiao: { id: 3515, nome: "Metropolitana de São Paulo", UF: state },
    },
    "regiao-imediata": {
      ...{ id: 350001, nome: "São Paulo, e mais" },
      "regiao-intermediaria": { id: 3501, nome: "São Paulo", UF: state },
    },
  },
  {
    ...{ id: 5101837, nome: "Boa Esperança do Norte", microrregiao: null },
    "regiao-imediata": {
      ...{ id: 510009, nome: "Sorriso" },
      "regiao-intermediaria": { id: 5103, nome: "Sinop", UF: state },
    },
  },
];
const SUBCLASSES = [
  { id: "5611201", descricao: "RESTAURANTES E SIMILARES", atividades: ["A; B DE", "C"] },
  { id: "4721102", descricao: "PADARIA", atividades: null },
];

type Answer = (response: ServerResponse) => void;
const json = (content: unknown): Answer => {
  return (response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(content));
  };
};
const status = (code: number, headers: Record<string, string> = {}): Answer => {
  return (response) => {
    response.writeHead(code, headers).end("no");
  };
};

let server: Server;
let url: string;
let folder: string;
/** Answers to the next requests. The last answer is repeated. */
let plan: Answer[] = [];
let requested: string[] = [];
before(async () => {
  server = createServer((request, response) => {
    requested.push(request.url ?? "");
    const answer = plan.length > 1 ? plan.shift() : plan[0];
    answer?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-ibge-"));
  requested = [];
});

/** Fetches a table; returns the messages. */
async function fetched(name: ServiceTable, { proxy = "direct", address = url } = {}) {
  const messages: string[] = [];
  let shown = 0;
  try {
    const table = await downloadTable(name, folder, {
      ...{ url: address, proxies: proxyRules(proxy, {}), stallMs: 200 },
      signal: new AbortController().signal,
      listener: {
        report: (text) => void messages.push(text),
        show: () => ({ update: (bytes) => (shown = bytes), done: () => undefined }),
      },
    });
    return { table, messages, shown, words: "" };
  } catch (error) {
    assert.ok(error instanceof CommandError, String((error as Error).stack));
    return { table: null, messages, shown, words: error.message };
  }
}

describe("tables of the IBGE service", () => {
  it("become a file of places, with unknown values left empty", async () => {
    plan = [json(MUNICIPALITIES)];
    const { table, messages, shown } = await fetched("places");
    assert.deepEqual(requested, ["/api/v1/localidades/municipios"]);
    assert.equal(table?.file, join(folder, "places.csv"));
    assert.equal(table?.rows, 2);
    assert.equal(shown, Buffer.byteLength(JSON.stringify(MUNICIPALITIES)));
    assert.match(messages.join("\n"), /places\.csv: 2 municipalities/);
    const { names, municipalities } = readPlaces(join(folder, "places.csv"));
    const named = municipalities.map(([ibge, ...cells]) => [
      ibge,
      ...cells.slice(0, 4).map((cell) => (cell === null ? null : names[cell as number])),
    ]);
    assert.deepEqual(named, [
      ["3550308", "Metropolitana de São Paulo", "São Paulo", "São Paulo", "São Paulo, e mais"],
      ["5101837", null, null, "Sinop", "Sorriso"],
    ]);
  });

  it("become a file of texts", async () => {
    plan = [json(SUBCLASSES)];
    const { table } = await fetched("descriptors");
    assert.deepEqual(requested, ["/api/v2/cnae/subclasses"]);
    assert.equal(table?.rows, 4);
    assert.deepEqual(readActivityTexts(join(folder, "descriptors.csv")), [
      { code: "5611201", texts: ["RESTAURANTES E SIMILARES", "A; B DE", "C"] },
      { code: "4721102", texts: ["PADARIA"] },
    ]);
  });

  it("are requested again if the service fails, stalls, or cuts the answer", async () => {
    const cut: Answer = (response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("[");
      setTimeout(() => response.destroy(), 20);
    };
    const stall: Answer = (response) => {
      response.writeHead(200);
      response.write("[");
    };
    plan = [status(503), stall, cut, status(429), json(MUNICIPALITIES)];
    const { table, messages } = await fetched("places");
    assert.equal(table?.rows, 2);
    assert.equal(requested.length, 5);
    assert.match(messages.join("\n"), /answers 503; trying again[\s\S]*no bytes for[\s\S]*429/);
  });

  it("keep the previous file if none arrives, and leave nothing else", async () => {
    const before = join(folder, "places.csv");
    writeFileSync(before, "before");
    const broken = [{ id: 1 }, { ...MUNICIPALITIES[0], id: "x" }];
    for (const [answer, words, times] of [
      [status(500), /places\.csv: the service answers 500, 5 times in a row.*ibge_url/, 5],
      [status(404), /municipios answers 404; check download\.ibge_url/, 1],
      [(response) => response.end("<html>"), /answers no JSON.*check download\.ibge_url/, 1],
      [json([]), /it is not a list of municipalities/, 1],
      [json(broken), /entry 1: id is not a code[\s\S]*entry 1: it has no regions[\s\S]*entry 2/, 1],
      [json([MUNICIPALITIES[0], MUNICIPALITIES[0]]), /3550308 stands there twice/, 1],
    ] as readonly (readonly [Answer, RegExp, number])[]) {
      plan = [answer];
      requested = [];
      const { table, words: messages } = await fetched("places");
      assert.equal(table, null);
      assert.match(messages, words);
      assert.equal(requested.length, times, String(words));
      assert.equal(readFileSync(before, "utf8"), "before");
      assert.deepEqual(readdirSync(folder), ["places.csv"]);
    }
    rmSync(folder, { recursive: true });
  });

  it("use the configured proxy", async () => {
    plan = [json(SUBCLASSES)];
    const proxy = await httpProxy({});
    const address = url.replace("127.0.0.1", "mirror.test");
    const { table, words } = await fetched("descriptors", {
      proxy: `http://${proxy.host}`,
      address,
    });
    assert.equal(words, "");
    assert.equal(table?.rows, 4);
    assert.ok(proxy.requested.length > 0);
    await proxy.stop();
  });
});
