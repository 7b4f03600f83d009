/**
 * Proves that the thread that answers requests does little work of its own. While it serves an
 * expensive request, no turn of its event loop has more steps (function calls and loop rounds, in
 * the product's JavaScript) than fit in a millisecond. The requests include the largest bodies that
 * this thread parses itself. The time right after the start is included as well.
 * Does not prove: how long the addon blocks the thread (limits: contract/search/aside), nor Node's
 * own functions such as JSON.parse, which the body size limits. Each kind of request runs once
 * before recording, so work done once per snapshot is not counted.
 */
import assert from "node:assert/strict";
import { copyFileSync, renameSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openUsers } from "../../../src/cli/support/state.ts";
import { isSmall } from "../../../src/http/server/body.ts";
import { FACET_PAIRS_MAX, FACETS } from "../../../src/spec/facets.ts";
import { UFS } from "../../../src/spec/fields.ts";
import { openDatabase } from "../../../src/store/database.ts";
import {
  EXPENSIVE,
  type ExpensiveCall,
  postalCodes,
  type Send,
  senderOf,
} from "../../support/http/expensive.ts";
import { type Recording, startRecording } from "../../support/road/recordingserver.ts";
import { makeSampleSnapshot } from "../../support/sample/snapshot.ts";

/**
 * Maximum steps of one turn: one millisecond at 25 ns per step. For comparison, a list of postal
 * codes of 7 KB, the longest that this thread parses, takes 16,000 steps. Parsing a body of 15 KB
 * took 0.5 ms.
 */
const STEPS_MAX = 40_000;
const SP = { spec: { filters: { geo: { uf_any_of: ["SP"] } } } };
/** Milliseconds that a server has to prepare its translator. */
const WARMING_MS = 4_000;

const UNLIMITED = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
};

/** Returns the largest body of a kind that the answering thread parses itself. */
function largestSmall(bodyOf: (count: number) => object): object {
  let count = 1;
  while (isSmall(Buffer.from(JSON.stringify(bodyOf(count + 1))))) count++;
  return bodyOf(count);
}

const cities = (count: number) => ({
  spec: { cities: Array.from({ length: count }, (_, i) => `Cidade ${i}`), states: ["SP"] },
});
const wrong = (count: number) => ({
  spec: {
    filters: {
      geo: { postal_code_prefix_any_of: Array.from({ length: count }, (_, i) => `x${i}`) },
    },
  },
});
const unknown = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]));

async function refused(send: Send, path: string, body: object): Promise<void> {
  await assert.rejects(send(path, body), /: 422 /);
}

const XLSX = { accept: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" };

/** Returns a new spec that nearly all accounts match. */
function nearlyAll(round: number): object {
  const started_after = `19${10 + (round % 80)}-03-01`;
  // With EX too, the states would not restrict the spec, which would be too broad.
  const uf_any_of = UFS.filter((uf) => uf !== "EX");
  return { filters: { geo: { uf_any_of }, company: { started_after } } };
}

/** The tables with the most cells. */
const LARGE_PAIRS = [
  ["municipality", "started_year"],
  ["status_month", "started_year"],
].slice(0, FACET_PAIRS_MAX);

const compared = (round: number) => ({
  specs: [0, 20, 40, 60].map((years) => nearlyAll(round + years)),
  facets: FACETS,
});

/** The largest table that the console may send. */
function largestTable(round: number): object {
  const line = (at: number) => [`Município ${at}`, ...Array<number>(11).fill(round + at)];
  const lines = Array.from({ length: 1_000 }, (_, at) => line(at));
  return { labels: "pt", head: line(0), lines, facts: [["UF", "SP"]] };
}

/** Headers of the requests of a signed-in user. */
let session: Readonly<Record<string, string>> = {};

async function signIn({ base, dataDir }: Recording): Promise<typeof session> {
  const account = { email: "ana@example.com", password: "nine lamps on a river" };
  const database = openDatabase(dataDir);
  try {
    await openUsers(database).create({ ...account, tenant: { name: "default" }, role: "owner" });
  } finally {
    database.close();
  }
  const answer = await fetch(`${base}/v1/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(account),
  });
  const { csrf_token: token = "" } = (await answer.json()) as { readonly csrf_token?: string };
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { cookie, "x-csrf-token": token };
}

const REQUESTS: Readonly<Record<string, ExpensiveCall>> = {
  ...EXPENSIVE,
  "all facets": (send, round) =>
    send("/v1/accounts/count", { spec: nearlyAll(round), facets: FACETS }),
  "a workbook of all facets": (send, round) =>
    send("/v1/accounts/count", { spec: nearlyAll(round), facets: FACETS }, XLSX),
  "the largest tables of two facets": (send, round) =>
    send("/v1/accounts/count", { spec: nearlyAll(round), facets: LARGE_PAIRS }),
  "a workbook of the largest tables of two facets": (send, round) =>
    send("/v1/accounts/count", { spec: nearlyAll(round), facets: LARGE_PAIRS }, XLSX),
  "a CSV file of the largest tables of two facets": (send, round) => {
    const body = { spec: nearlyAll(round), facets: LARGE_PAIRS };
    return send("/v1/accounts/count", body, { accept: "text/csv" });
  },
  "a comparison of four groups by all facets": (send, round) =>
    send("/v1/accounts/compare", compared(round)),
  "a workbook of that comparison": (send, round) =>
    send("/v1/accounts/compare", compared(round), XLSX),
  "a workbook of the largest table of the console": (send, round) =>
    send("/v1/console/workbook", largestTable(round), session),
  "sentences of a few words": (send, round) =>
    send("/v1/leads/translate", { query_text: `padarias em Santos abertas desde ${1990 + round}` }),
  "the most postal codes that are read in the call": (send, round) =>
    send(
      "/v1/accounts/count",
      largestSmall((count) => postalCodes(count, round)),
    ),
  "the most unknown names of cities that are read in the call": (send) =>
    refused(send, "/v1/leads", largestSmall(cities)),
  "the most mistakes in a list that is read in the call": (send) =>
    refused(send, "/v1/accounts/count", largestSmall(wrong)),
  "the most unknown members that are read in the call": (send) =>
    refused(send, "/v1/accounts/count", largestSmall(unknown)),
};

describe("a turn of the answering thread", () => {
  let recording: Recording;
  before(async () => {
    recording = await startRecording(20_000, UNLIMITED);
    session = await signIn(recording);
  });
  after(() => recording?.dispose());

  it(`has at most ${STEPS_MAX} steps right after the start`, async () => {
    await recording.beginTurns();
    await sleep(WARMING_MS);
    await checkTurn();
  });

  it(`has at most ${STEPS_MAX} steps during the switch to a newer snapshot`, async () => {
    const next = await makeSampleSnapshot(19_000, 6);
    try {
      const send = senderOf(recording.base, recording.key);
      const served = async () =>
        (JSON.parse(await send("/v1/accounts/count", SP)) as { total: number }).total;
      const before = await served();
      const nextPath = `${recording.snapshot}.next`;
      copyFileSync(next.snapshot, nextPath);
      await recording.beginTurns();
      renameSync(nextPath, recording.snapshot);
      for (let looks = 0; (await served()) === before; looks++) {
        assert.ok(looks < 400, "the newer snapshot is served within twenty seconds");
        await sleep(50);
      }
      await checkTurn();
    } finally {
      next.dispose();
    }
  });

  let round = 0;
  for (const [name, call] of Object.entries(REQUESTS)) {
    it(`has at most ${STEPS_MAX} steps during ${name}`, async () => {
      const send = senderOf(recording.base, recording.key);
      await call(send, ++round);
      await recording.beginTurns();
      await call(send, ++round);
      await checkTurn();
    });
  }

  /** Ends the recording. Asserts that the turn with the most steps is within the limit. */
  async function checkTurn(): Promise<void> {
    const { turn } = await recording.end();
    const most = [...turn.byFunction].sort(([, a], [, b]) => b - a).slice(0, 8);
    const where = most.map(([number, steps]) => `${recording.functions[number]} ${steps}`);
    assert.ok(turn.steps > 0, "something is recorded");
    assert.ok(turn.steps <= STEPS_MAX, `${turn.steps} steps:\n${where.join("\n")}`);
  }
});
