/**
 * Number of tries of the random suites: the only table, and the only reader of these variables.
 * TEST_SCALE=3 tries three times as much of everything; TEST_SCALE=forgeries:50000 names one; both
 * can be combined with a comma. TEST_SEED=7 tries other values. TEST_MATRIX=uws or node selects the
 * transport of the interface tests; the default is both.
 * Invariant: without these variables a suite always tries the same.
 */

/** Kinds of tries, counts at scale 1. */
const TRIES = {
  /** Random specs that the whole engine answers like a linear scan. */
  "engine specs": 1000,
  /** Random specs whose facets are those of a linear scan. */
  "facet specs": 30,
  /** Sentences of real words and noise that must satisfy the translator's promises. */
  "hostile texts": 30_000,
  /** Long texts of ordinary words whose work is counted. */
  "long texts": 60,
  /** Texts of the sweeps of the translator; all of them if there are fewer. */
  "sweep texts": 24_000,
  /** Generated requests with known answers that the translator gives. */
  "generated requests": 1500,
  /** Random walks over pages, at and about every border. */
  "scroll specs": 200,
  /** Random specs over companies instead of establishments. */
  "company specs": 400,
  /** Random queries of what changed between two months. */
  "change specs": 300,
  /** Random specs that a real server answers like a linear scan. */
  "served specs": 250,
  /** Random queries of the kernel, over each of its snapshots. */
  "kernel queries": 120,
  /** Sequences of commands against the model of exports. */
  "export models": 60,
  /** Sequences of commands against the model of quotas. */
  "quota models": 40,
  /** Hostile files of each kind that the native scan reads like its twin. */
  "hostile files": 60,
  /** Stops of a server under load, on each transport. */
  drains: 5,
  /** Snapshots swapped under load, on each transport. */
  swaps: 12,
  /** Snapshots with forged metadata and valid checksums. */
  forgeries: 1000,
  /** Snapshots altered while being served. */
  alterations: 30,
  /** Single bits of a snapshot that are flipped. */
  flips: 400,
  /** Fault plans of a server that months are downloaded from. */
  "download faults": 10,
  /** Requests of every kind to a real server, divided between the transports. */
  requests: 50_000,
  /** Lives of a server that end by SIGKILL. */
  "crash lives": 60,
  /** Kills at each named point of the program. */
  "crash hits": 1,
  /** Lives of a killed server with notices; above 1, each point has a life of its own too. */
  "notice lives": 1,
  /** Seconds of libFuzzer per target. */
  "fuzz seconds": 6,
} as const;

/** A kind of tries. */
export type Tried = keyof typeof TRIES;

const { factor, named } = readScale(process.env.TEST_SCALE ?? "");

/** The seed of every random suite: TEST_SEED, or a constant. */
export const SEED = readNumber(process.env.TEST_SEED ?? "20261121", "TEST_SEED");

/** The transports of the interface tests. */
export const MATRIX = readMatrix(process.env.TEST_MATRIX);

/** The number of tries of a kind in this run. */
export function tries(what: Tried): number {
  return named.get(what) ?? Math.max(1, Math.round(TRIES[what] * factor));
}

/** Environment for a process with these counts, and with another seed if given. */
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
