/**
 * Proves that the thread which answers hardly computes: no turn of its event loop has more steps
 * (calls of functions and rounds of loops, in our own JavaScript) than a millisecond has room for,
 * whatever is asked: facets of everything, large pages, long sentences, ten thousand postal codes,
 * the longest body that is read in the call, lists, exports.
 * Does not prove how long the addon takes in the call (its bounds: contract/search/aside), nor what
 * Node does itself, such as parsing JSON, which is bounded by the bytes of a body.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { UFS } from "../../../src/spec/fields.ts";
import { type Recording, startRecording } from "../../support/road/recordingserver.ts";

/**
 * Most steps of one turn: a millisecond at 25 ns each. Reading a body of 15 KB took 0.5 ms; the
 * longest list that is read in the call has half of these bytes and 14,000 steps.
 */
const STEPS_MAX = 40_000;

const UNLIMITED = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
};
const STATES = UFS.filter((uf) => uf !== "EX");
const SENTENCE = "padarias e restaurantes em Minas Gerais com e-mail abertas desde 2020, ";
const CITIES = ["Santos", "Campinas", "Sorocaba"];
const POSTAL_CODES = Array.from({ length: 10_000 }, (_, i) => String(1_000_000 + i * 97));
const FACETS = [
  "uf",
  "cnae_division",
  "company_size",
  "mei",
  "municipality",
  "registration_status",
];
const everywhere = { filters: { geo: { uf_any_of: STATES } } };
const postal = (count: number) => ({
  spec: { filters: { geo: { postal_code_prefix_any_of: POSTAL_CODES.slice(0, count) } } },
});
const CSV = { "content-type": "text/csv" };
const LIST = Array.from({ length: 50_000 }, (_, i) => `${10_000_000 + i * 13};x`).join("\n");

/** Sends a request; returns its answer, which must be a success. */
type Ask = (path: string, body: object | string, more?: object) => Promise<Answer>;
type Answer = { readonly list?: { id: string }; readonly export?: { export_id: string } };

let round = 0;

const DEAR: Readonly<Record<string, (ask: Ask) => Promise<unknown>>> = {
  "facets of everything": (ask) => ask("/v1/accounts/count", { spec: everywhere, facets: FACETS }),
  "a page of 50,000": (ask) => ask("/v1/accounts/search", { spec: everywhere, limit: 50_000 }),
  "a sentence of 2,000 characters": (ask) =>
    ask("/v1/leads/translate", { query_text: SENTENCE.repeat(40).slice(0, 2_000) }),
  "a sentence of a few words": (ask) => ask("/v1/leads/translate", { query_text: SENTENCE }),
  "leads by 300 names of cities": (ask) =>
    ask("/v1/leads", {
      spec: { cities: Array.from({ length: 300 }, (_, i) => CITIES[i % 3]), states: ["SP"] },
    }),
  "ten thousand postal codes": (ask) => ask("/v1/accounts/count", postal(10_000)),
  "the longest list that is read in the call": (ask) => ask("/v1/accounts/count", postal(700)),
  "a list of 50,000 entries": async (ask) => {
    const { list } = await ask("/v1/lists", { name: `l${round++}`, kind: "accounts" });
    await ask(`/v1/lists/${list?.id}/entries`, `cnpj;name\n${LIST}`, CSV);
  },
  "an export": async (ask) => {
    const body = { spec: everywhere, output: { format: "csv" } };
    const made = await ask("/v1/exports", body, { "idempotency-key": `k${round++}` });
    await ask(`/v1/exports/${made.export?.export_id}?wait=30`, "");
  },
};

describe("a turn of the thread that answers", () => {
  let recording: Recording;
  before(async () => {
    recording = await startRecording(20_000, UNLIMITED);
  });
  after(() => recording?.dispose());

  for (const [name, dear] of Object.entries(DEAR)) {
    it(`has at most ${STEPS_MAX} steps beside ${name}`, async () => {
      const ask: Ask = async (path, body, more = {}) => {
        const text = typeof body === "string" ? body : JSON.stringify(body);
        const answer = await fetch(recording.base + path, {
          method: body === "" ? "GET" : "POST",
          headers: {
            authorization: `Bearer ${recording.key}`,
            "content-type": "application/json",
            ...more,
          },
          ...(body === "" ? {} : { body: text }),
        });
        const sent = await answer.text();
        assert.ok(answer.ok, `${path}: ${answer.status} ${sent.slice(0, 500)}`);
        return sent === "" ? {} : JSON.parse(sent);
      };
      await dear(ask);
      await recording.begin();
      await dear(ask);
      const { turn } = await recording.end();
      const most = [...turn.byFunction].sort(([, a], [, b]) => b - a).slice(0, 8);
      const where = most.map(([number, steps]) => `${recording.functions[number]} ${steps}`);
      assert.ok(turn.steps > 0, "something is recorded");
      assert.ok(turn.steps <= STEPS_MAX, `${turn.steps} steps:\n${where.join("\n")}`);
    });
  }
});
