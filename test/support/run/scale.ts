/**
 * Determines how much the random suites try. It has the only table of these numbers, and is the
 * only file that reads these variables. TEST_SCALE=3 tries three times as much of everything, and
 * TEST_SCALE=forgeries:50000 sets one number. Both forms can be combined by a comma. TEST_SEED=7
 * tries other random values. TEST_MATRIX=uws or node selects the transport of the interface
 * tests, which is both by default.
 * Invariant: without these variables, a suite always tries the same.
 */

/** The number of tries of each kind at scale 1. */
const TRIES = {
  /** Random specs for which the engine's answer is compared with a linear scan. */
  "engine specs": 1000,
  /** Random specs for which facets are compared with a linear scan. */
  "facet specs": 30,
  /** Texts of real words and noise, which the translator must turn into a valid spec. */
  "hostile texts": 30_000,
  /** Long texts of ordinary words for which the translator's steps are counted. */
  "long texts": 60,
  /** Texts that the translator's systematic tests try in all, or all texts if there are fewer. */
  "sweep texts": 24_000,
  /** Generated requests whose right translation is known. */
  "generated requests": 1500,
  /** Random specs whose pages are read in sequence, at and around every boundary. */
  "scroll specs": 200,
  /** Random specs over companies instead of establishments. */
  "company specs": 400,
  /** Random queries for the changes between two months. */
  "change specs": 300,
  /** Random specs for which a real server's answer is compared with a linear scan. */
  "served specs": 250,
  /** Random queries of the C++ query code, over each of its snapshots. */
  "kernel queries": 120,
  /** Sequences of commands that are compared with the model of exports. */
  "export models": 60,
  /** Sequences of commands that are compared with the model of quotas. */
  "quota models": 40,
  /** Hostile dump files of each kind, to compare the addon's scan with its reference. */
  "hostile files": 60,
  /** Number of times that a server under load is stopped, for each transport. */
  drains: 5,
  /** Number of times that a snapshot is replaced under load, for each transport. */
  swaps: 12,
  /** Snapshots with forged metadata and valid checksums. */
  forgeries: 1000,
  /** Number of times that a snapshot is altered while it is being served. */
  alterations: 30,
  /** Single bits of a snapshot that are flipped. */
  flips: 400,
  /** Random plans of server faults during downloads of months. */
  "download faults": 10,
  /** Requests of every kind to a real server. Each transport receives a part of them. */
  requests: 50_000,
  /** Number of starts of a server, each ended by SIGKILL. */
  "crash lives": 60,
  /** Number of times that the program is killed at each of its named points. */
  "crash hits": 1,
  /**
   * Number of starts of a server with notices, each ended by a kill. If the scale is above 1, each
   * named point of the program is tried at least once.
   */
  "notice lives": 1,
  /** Seconds for which libFuzzer runs each target. */
  "fuzz seconds": 6,
} as const;

/** A kind of tries. */
export type Tried = keyof typeof TRIES;

const { factor, named } = readScale(process.env.TEST_SCALE ?? "");

/** The seed of every random suite: TEST_SEED, or else a constant. */
export const SEED = readNumber(process.env.TEST_SEED ?? "20261121", "TEST_SEED");

/** The transports over which the interface tests run. */
export const MATRIX = readMatrix(process.env.TEST_MATRIX);

/** The number of tries of a kind in this run. */
export function tries(what: Tried): number {
  return named.get(what) ?? Math.max(1, Math.round(TRIES[what] * factor));
}

/**
 * Returns environment variables for a process that should use these numbers of tries, and another
 * seed if given.
 */
export function scaled(
  counts: Readonly<Partial<Record<Tried, number>>>,
  seed?: number,
): Readonly<Record<string, string>> {
  const scale = Object.entries(counts).map(([what, count]) => `${what}:${count}`);
  return {
    TEST_SCALE: scale.join(","),
    ...(seed === undefined ? {} : { TEST_SEED: String(seed) }),
  };
}

/** Reads TEST_MATRIX. @throws Error that names the permitted values. */
function readMatrix(text: string | undefined): readonly ("uws" | "node")[] {
  if (text === undefined) return ["uws", "node"];
  if (text === "uws" || text === "node") return [text];
  throw new Error(`TEST_MATRIX must be uws or node, not "${text}"`);
}

/** Parses TEST_SCALE. @throws Error that names the mistake. */
function readScale(text: string): { factor: number; named: ReadonlyMap<string, number> } {
  const named = new Map<string, number>();
  let factor = 1;
  for (const part of text === "" ? [] : text.split(",")) {
    const [what = "", count] = part.split(":");
    if (count === undefined) factor = readNumber(what, "TEST_SCALE");
    else if (what in TRIES) named.set(what, readNumber(count, `TEST_SCALE, ${what}`));
    else throw new Error(`TEST_SCALE: "${what}" is none of ${Object.keys(TRIES).join(", ")}`);
  }
  return { factor, named };
}

function readNumber(text: string, of: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number > 0) return number;
  throw new Error(`${of} must be a number above 0, not "${text}"`);
}
