/**
 * Runs the commands `test` and `coverage` of build.mjs. Builds everything that the suites need,
 * then starts a process that runs them (run.mjs).
 * Invariant: the full run skips suites that passed in the quick run, unless Node, the scale, or any
 * file of the checkout has changed since. Suites that test the interface run in both, over one
 * transport in the quick run and over the other in the full run after it.
 */
import fs from "node:fs";
import path from "node:path";
import { bundleTests, testsFolder } from "./bundle.mjs";
import { coverageReport } from "./coverage.mjs";
import { makeScratch } from "./scratch.mjs";
import { isOfMatrix, quickSuites, readTests, TIERS, tierOf } from "./tiers.mjs";

/** Suites that start dist/peneira, which is built while other suites run. */
const NEEDS_EXECUTABLE = /^test\/e2e\/executable\//;
/** Matches folders that contain no sources of the checkout. */
const NOT_OURS = /^(node_modules|dist|build|build-[^/]*|\.git|\.cache|\.tmp|\.peneira)$/;

/**
 * V8 flags for the suites. Node passes the flags of the runner on to them. A suite runs only for
 * seconds, so V8 optimizes code later than by default (135,168), which saves 10% of the processor
 * time. The second flag saves another 10% in a small suite that uses HTTP, whose parser is
 * WebAssembly.
 */
const V8_FLAGS = ["--interrupt-budget=600000", "--wasm-tiering-budget=1000000000"];

/**
 * Settings of glibc for a run of short suites, with which a process keeps freed memory. Memory that
 * is returned to the system costs a page fault per 4 KiB when it is reused. This was 20% of all
 * page faults and 7% of the processor time.
 */
const KEEP_MEMORY = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: String(32 * 2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(256 * 2 ** 20),
};

/** Runs the suites that `args` select; exits with their status. */
export async function test({ args, root, cache, product, fail, ...steps }) {
  const { filesIn, prepare, addon, checkAside, makeExecutable, handOver, asanEnv } = steps;
  const all = filesIn("test", /\.test\.ts$/);
  const requested = orFail(() => readTests(args, all), fail);
  prepare();
  const built = addon({ asan: requested.asan });
  const passed = new Passed({ stamp: path.join(cache, "passed"), ...requested, ...steps });
  const left = requested.all && !requested.again && passed.holds();
  const suites = left ? withoutPassed(root, all) : requested.suites;
  if (suites.some((file) => NEEDS_EXECUTABLE.test(file))) makeExecutable();
  // The type check runs during the suites, because it uses one processor for half a minute.
  const checked = requested.quick || requested.all ? checkAside() : () => 0;
  const files = await bundleTests(root, { files: suites, product });
  const names = suites.map((file) => file.slice("test/".length, -".test.ts".length));
  const runner = [...V8_FLAGS, ...runnerOf({ root, cache, files, names })];
  const matrix = requested.quick ? { TEST_MATRIX: "uws" } : left ? { TEST_MATRIX: "node" } : {};
  const asan = requested.asan ? asanEnv(built) : {};
  // These settings apply only to the quick run. Suites of the full run search a server's memory for
  // secrets.
  const memory = requested.quick ? KEEP_MEMORY : {};
  const variables = { ...requested.variables, ...matrix, ...asan, ...runEnv(root) };
  handOver(process.execPath, runner, { ...memory, ...variables }, async (status) => {
    const ended = (await checked()) || status;
    if (ended === 0 && requested.quick) passed.note();
    return ended;
  });
}

/** Returns variables with the folders of this run, for bundled suites and for temporary files. */
function runEnv(root) {
  return { TEST_RUN: testsFolder(root), TMPDIR: makeScratch() };
}

/** Returns the arguments of the process that runs the bundled suites. */
function runnerOf({ root, cache, files, names }) {
  const known = { folder: testsFolder(root), remembered: path.join(cache, "durations.json") };
  return [path.join(root, "test/support/run/run.mjs"), JSON.stringify({ ...known, files, names })];
}

/** Returns the suites that the quick run did not pass, or passed over one transport only. */
function withoutPassed(root, all) {
  const quick = quickSuites(all);
  const matrix = quick.filter((file) => isOfMatrix(fs.readFileSync(path.join(root, file), "utf8")));
  const passed = new Set(quick.filter((file) => !matrix.includes(file)));
  const other = `${matrix.length} over the other transport`;
  process.stderr.write(`passed on these very files: ${passed.size} suites; ${other}; --again\n`);
  return all.filter((file) => !passed.has(file));
}

/**
 * `coverage`: runs the suites of unit and contract, or of the tiers in `args`, and reports the
 * parts that ran.
 */
export async function coverage({ args, root, cache, product, fail, ...steps }) {
  const { filesIn, prepare, handOver } = steps;
  prepare();
  const strange = args.find((tier) => !TIERS.includes(tier));
  if (strange !== undefined) fail(`there is no tier "${strange}"; there are: ${TIERS.join(", ")}`);
  const tiers = args.length > 0 ? args : ["unit", "contract"];
  const all = filesIn("test", /\.test\.ts$/);
  const suites = all.filter((file) => tiers.includes(tierOf(file)));
  // Coverage includes the modules that compute the tables.
  const files = await bundleTests(root, { files: suites, product, tables: false });
  const names = suites.map((file) => file.slice("test/".length, -".test.ts".length));
  const folder = path.join(root, "coverage");
  fs.rmSync(folder, { recursive: true, force: true });
  // Prints the report even if a suite fails; the exit status shows the failure.
  process.once("exit", () => process.stdout.write(`\n${coverageReport(root, folder)}`));
  const runner = ["--enable-source-maps", ...runnerOf({ root, cache, files, names })];
  handOver(process.execPath, runner, { NODE_V8_COVERAGE: folder });
}

/** State on which the quick run passed: files, Node, compiler, scale, seed. */
class Passed {
  #stamp;
  #digest;
  #now;

  constructor({ stamp, variables, asan, filesIn, digestOf }) {
    const salt = JSON.stringify([process.version, variables, asan, process.env.CXX ?? ""]);
    this.#stamp = stamp;
    this.#now = () => digestOf(filesIn(".", /./, NOT_OURS), salt);
    this.#digest = this.#now();
  }

  /** True if the quick run passed on the current state. */
  holds() {
    return fs.existsSync(this.#stamp) && fs.readFileSync(this.#stamp, "utf8") === this.#digest;
  }

  /** Records that the quick run passed, unless a file changed meanwhile. */
  note() {
    if (this.#now() === this.#digest) fs.writeFileSync(this.#stamp, this.#digest);
  }
}

function orFail(read, fail) {
  try {
    return read();
  } catch (error) {
    return fail(error.message);
  }
}
