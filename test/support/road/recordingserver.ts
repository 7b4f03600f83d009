/**
 * Starts a server of this checkout that records which of its functions run, and the number of steps
 * in one turn of its event loop. The bundle must be built.
 * Invariant: only the thread that answers requests is recorded. Worker threads run the ordinary
 * bundle.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/checkout.ts";
import { makeSampleSnapshot } from "../sample/snapshot.ts";

/** The functions that ran between the beginning of a recording and `end`. */
export interface Recorded {
  /** Numbers of the functions, in the order of their first run. */
  readonly ran: number[];
  /** Number of these functions that had run by the end of each turn of the event loop. */
  readonly seenByTurn: readonly number[];
  readonly calls: number;
  /**
   * The turn of the event loop with the most steps, which are function calls and loop iterations.
   * After `begin`, steps are not counted, so their number is zero.
   */
  readonly turn: {
    readonly steps: number;
    /** Steps by the number of the function. */
    readonly byFunction: readonly (readonly [number, number])[];
  };
}

/** A recording server. */
export interface Recording {
  readonly base: string;
  readonly key: string;
  readonly dataDir: string;
  /** Path of the served file, which a test may replace. */
  readonly snapshot: string;
  /** Names of the functions by number, as `file:name`. */
  readonly functions: readonly string[];
  /** Begins a recording. */
  begin(): Promise<void>;
  /** Begins a recording that counts the steps of each turn. */
  beginTurns(): Promise<void>;
  /** Ends the recording and returns it. */
  end(): Promise<Recorded>;
  /** Stops the server and removes its files. */
  dispose(): void;
}

// This module belongs to the build and is plain JavaScript, so its types are declared here.
const { buildRecorder } = (await import("./instrument.mjs" as string)) as {
  buildRecorder(wanted: {
    readonly root: string;
    readonly folder: string;
    readonly product: string;
  }): Promise<{ readonly program: string; readonly functions: readonly string[] }>;
};

/** Starts a recording server over a sample of this many companies. */
export async function startRecording(
  companies: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Recording> {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  // The folder is inside the checkout, because the program imports the checkout's packages.
  const folder = mkdtempSync(join(ROOT, ".cache", "road-"));
  const sample = await makeSampleSnapshot(companies, 5);
  const product = join(ROOT, "dist", "bundle");
  const { program, functions } = await buildRecorder({ root: ROOT, folder, product });
  const dataDir = join(folder, "state");
  const parameters = ["serve", "--snapshot", sample.snapshot, "--data-dir", dataDir];
  const child = fork(program, [...parameters, "--listen", "127.0.0.1:0"], {
    execArgv: [],
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const dispose = () => {
    child.kill("SIGKILL");
    sample.dispose();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const begin = async () => void (await send(child, "begin"));
    const beginTurns = async () => void (await send(child, "begin turns"));
    const end = async () => (await send(child, "end")) as Recorded;
    const { snapshot } = sample;
    const parts = { snapshot, dataDir, functions, begin, beginTurns, end, dispose };
    return { ...(await started(child)), ...parts };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Resolves when the server listens. */
function started(child: ChildProcess): Promise<{ readonly base: string; readonly key: string }> {
  let text = "";
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error(`the server stopped:\n${text}`)));
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const base = /^listening on (http:\/\/\S+)$/m.exec(text)?.[1];
      const key = /pnr_[0-9a-f_]+/.exec(text)?.[0];
      if (base !== undefined && key !== undefined) resolve({ base, key });
    });
  });
}

async function send(child: ChildProcess, message: string): Promise<unknown> {
  const answer = once(child, "message");
  child.send(message);
  const [value] = await answer;
  return value;
}
