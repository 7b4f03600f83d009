/**
 * Proves: campaigns are parsed from the command line or rejected with a readable message. A few
 * attacks on the sockets of both transports end no process, lock out no client, and leak no memory.
 * Does not prove: what a long run finds (`node build.mjs campaign sockets --rounds 1000`).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CAMPAIGNS, readCampaign } from "../run.ts";

describe("campaigns", () => {
  it("parses the command line and rejects invalid arguments with a readable message", () => {
    const { campaign, ...settings } = readCampaign(["kills", "--rounds", "7", "--seed", "9"]);
    assert.equal(campaign, CAMPAIGNS.kills);
    assert.deepEqual(settings, { rounds: 7, seed: 9 });
    assert.deepEqual(readCampaign(["kernel"], 1_000_077), {
      ...{ campaign: CAMPAIGNS.kernel, rounds: 600, seed: 77 },
    });
    const known = /name one campaign \(kills, requests, sockets, files, kernel, sentences\)/;
    assert.throws(() => readCampaign([]), known);
    assert.throws(() => readCampaign(["toString"]), known);
    assert.throws(() => readCampaign(["kills", "sockets"]), known);
    assert.throws(() => readCampaign(["kills", "--rounds", "-1"]), /whole number|rounds/);
    assert.throws(() => readCampaign(["kills", "--cycles", "1"]), /cycles/);
  });

  it("attacks sockets without ending the server or locking out other clients", async () => {
    const report = await CAMPAIGNS.sockets?.run({ rounds: 10, seed: 20_261_122 });
    assert.match(report ?? "", /^uws: 5 rounds .* 0 failed;.*\nnode: 5 rounds .* 0 failed;/);
  });
});
