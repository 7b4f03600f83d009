/**
 * The campaign of kills. It runs a server many times until it is killed (each run is a life), and
 * prints the promises that were kept.
 * Invariant: the promises are those of the crash suite (kills/campaign.ts, kills/invariants.ts),
 * recorded in a ledger outside the server.
 */
import { printReport, runCampaign } from "./kills/campaign.ts";
import type { Campaign } from "./run.ts";

/** Number of lives between two progress reports. */
const TELL_EVERY = 100;

/** Kills the real server at named points and at random, and checks its promises. */
export const kills: Campaign = {
  round: "a life of the server that ends by SIGKILL",
  rounds: 400,
  async run({ rounds, seed }) {
    const onCycle = (done: number) => {
      if (done % TELL_EVERY === 0) process.stderr.write(`${done} of ${rounds} lives\n`);
    };
    return printReport(await runCampaign({ seed, cycles: rounds, hitsMin: 0, onCycle }));
  },
};
