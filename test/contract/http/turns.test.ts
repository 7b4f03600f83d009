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
import { isSmall } from "../../../src/http/server/body.ts";
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

const REQUESTS: Readonly<Record<string, ExpensiveCall>> = {
  ...EXPENSIVE,
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
