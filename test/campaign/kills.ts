/**
 * The campaign of kills. Input: how many lives, a seed. Output: what was promised
 * and kept over all of them.
 * Invariant: the promises are those of the crash suite (crash-campaign.ts, crash-invariants.ts),
 * kept in a ledger outside of the server.
 */
import { runCampaign, tellReport } from "./kills/campaign.ts";
import type { Campaign } from "./run.ts";

/** How often it tells how far it is, in lives. */
const TELL_EVERY = 100;

/** Kills the real server at named points and at random, and checks what it had promised. */
export const kills: Campaign = {
  round: "a life of the server that ends by SIGKILL",
  rounds: 400,
  async run({ rounds, seed }) {
    const onCycle = (done: number) => {
      if (done % TELL_EVERY === 0) process.stderr.write(`${done} of ${rounds} lives\n`);
    };
    return tellReport(await runCampaign({ seed, cycles: rounds, hitsMin: 0, onCycle }));
  },
};
