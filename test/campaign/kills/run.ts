/**
 * `npm run crash -- --cycles N` runs the real server N times (lives) and kills it each time. It
 * prints counts, or the first violation and exits with 1.
 * Invariant: without --seed, the seed comes from the clock. It is printed first and determines the
 * plan of every life, so that any run can be repeated.
 */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { FAULT_POINTS } from "../../../src/process/fault.ts";
import { type CampaignOptions, printReport, runCampaign } from "./campaign.ts";
import { runDiskFull } from "./diskfull.ts";
import { powerGround, powerObstacle } from "./power.ts";

const USAGE = `usage: npm run crash -- [options]

  --cycles N      lives of the server that end by SIGKILL, half of them at random, half at the
                  ${FAULT_POINTS.length} named points in turn (default 400; 0 for none)
  --hits N        further lives until every point was hit so often (default 3)
  --lanes N       data directories side by side (default 2)
  --seed S        what the plans follow from (default: the clock)
  --power-cut N   lives that end with the loss of power instead (root, Linux, ext4)
  --disk-full     fills the disk under the server (root, Linux)
`;

/** Options of the command line. */
export interface CrashOptions {
  readonly seed: number;
  readonly cycles: number;
  readonly hits: number;
  readonly lanes: number;
  readonly powerCuts: number;
  readonly diskFull: boolean;
}

/** Parses the command line. Throws an error with a readable message for a mistake. */
export function readOptions(args: readonly string[], nowMs = Date.now()): CrashOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      cycles: text,
      hits: text,
      lanes: text,
      seed: text,
      "power-cut": text,
      "disk-full": { type: "boolean" },
    },
  });
  const number = (name: keyof typeof values, fallback: number): number => {
    const written = values[name];
    if (written === undefined) return fallback;
    if (typeof written === "string" && /^\d{1,9}$/.test(written)) return Number(written);
    throw new Error(`--${name} must be a whole number, not ${String(written)}`);
  };
  const powerCuts = number("power-cut", 0);
  const diskFull = values["disk-full"] === true;
  const alone = powerCuts > 0 || diskFull;
  return {
    seed: number("seed", nowMs % 1_000_000),
    cycles: number("cycles", alone ? 0 : 400),
    hits: number("hits", alone ? 0 : 3),
    lanes: Math.max(1, number("lanes", 2)),
    powerCuts,
    diskFull,
  };
}

async function main(args: readonly string[]): Promise<void> {
  const settings = readOptions(args);
  const { seed, cycles, hits, lanes, powerCuts } = settings;
  process.stdout.write(`seed ${seed}\n`);
  if (cycles > 0 || hits > 0) await campaign({ seed, cycles, hitsMin: hits, lanes });
  if (powerCuts > 0) {
    const obstacle = powerObstacle();
    if (obstacle !== null) throw new Error(obstacle);
    process.stdout.write("power cuts:\n");
    await campaign({ seed, cycles: powerCuts, hitsMin: 0, lanes: 1, ground: powerGround });
  }
  if (settings.diskFull) process.stdout.write(`full disk: ${await runDiskFull(seed)}\n`);
}

async function campaign(options: CampaignOptions): Promise<void> {
  let printed = 0;
  const onCycle = (done: number, total: number) => {
    if (done - printed < 100) return;
    printed = done;
    process.stderr.write(`${done} lives of ${total}\n`);
  };
  process.stdout.write(printReport(await runCampaign({ ...options, onCycle })));
}

if (realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  if (args.includes("--help")) process.stdout.write(USAGE);
  else {
    await main(args).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    });
  }
}
