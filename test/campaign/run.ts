/**
 * Runs `node build.mjs campaign NAME`, which is a long run of checks that the suites run for
 * seconds. Prints progress on standard error and figures on standard output. The first violation
 * exits with 1 and a message that explains how to repeat it.
 * Invariant: seed and rounds determine the run. Without --seed, the seed comes from the clock. The
 * seed is printed first.
 */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hostileFiles } from "./files.ts";
import { kernel } from "./kernel.ts";
import { kills } from "./kills.ts";
import { requests } from "./requests.ts";
import { sentences } from "./sentences.ts";
import { sockets } from "./sockets.ts";

/** Options of a campaign. */
export interface CampaignSettings {
  readonly rounds: number;
  readonly seed: number;
}

/** One campaign. */
export interface Campaign {
  /** The unit in which rounds are counted, for the help text. */
  readonly round: string;
  /** Number of rounds by default, which take a few minutes. */
  readonly rounds: number;
  /** Runs the campaign. Returns figures for a person, or rejects with the first violation. */
  run(settings: CampaignSettings): Promise<string>;
}

/** Every campaign by its name. */
export const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  ...{ kills, requests, sockets },
  files: hostileFiles,
  ...{ kernel, sentences },
};

/** Parses the command line. Throws an error with a readable message for a mistake. */
export function readCampaign(
  args: readonly string[],
  nowMs = Date.now(),
): CampaignSettings & { readonly campaign: Campaign } {
  const text = { type: "string" } as const;
  const options = { rounds: text, seed: text };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [name = "", ...rest] = positionals;
  const campaign = Object.hasOwn(CAMPAIGNS, name) ? CAMPAIGNS[name] : undefined;
  if (campaign === undefined || rest.length > 0) {
    const known = Object.keys(CAMPAIGNS).join(", ");
    throw new Error(`name one campaign (${known}), not "${positionals.join(" ")}"`);
  }
  const number = (written: string | undefined, of: string, fallback: number): number => {
    if (written === undefined) return fallback;
    if (/^\d{1,9}$/.test(written)) return Number(written);
    throw new Error(`--${of} must be a whole number, not ${written}`);
  };
  const rounds = number(values.rounds, "rounds", campaign.rounds);
  return { campaign, rounds, seed: number(values.seed, "seed", nowMs % 1_000_000) };
}

function usage(): string {
  const lines = Object.entries(CAMPAIGNS).map(
    ([name, { round, rounds }]) => `  ${name.padEnd(10)} a round is ${round} (default ${rounds})`,
  );
  const head = "usage: node build.mjs campaign NAME [--rounds N] [--seed S]";
  return `${head}\n\n${lines.join("\n")}\n`;
}

async function main(args: readonly string[]): Promise<void> {
  if (args.length === 0 || args.includes("--help")) {
    process.stdout.write(usage());
    return;
  }
  const { campaign, rounds, seed } = readCampaign(args);
  process.stdout.write(`seed ${seed}\n`);
  process.stdout.write(`${(await campaign.run({ rounds, seed })).trimEnd()}\n`);
}

if (realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
