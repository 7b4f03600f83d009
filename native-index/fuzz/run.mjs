/**
 * Runs the libFuzzer targets next to this file, compiled with clang and with address and
 * undefined-behavior checks, from seeds of test/campaign/kernel/seeds.ts.
 * Input: `--seconds N` per target (default 20) or `--runs N`, `--jobs N`, `--seed S`, `--target
 * opener|kernel|scan|records`. Output: status 0 if nothing was found, 1 if something was (its
 * input is saved and named), 2 if clang++ is missing.
 * Invariant: new inputs are saved in build/fuzz/corpus, so the next run continues from there.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cppFiles } from "../addon.mjs";

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const NATIVE = path.dirname(FOLDER);
const ROOT = path.dirname(NATIVE);
const OUT = path.join(NATIVE, "build", "fuzz");
/** The sources that queries and the scan of an import need, without N-API. */
const SOURCES = cppFiles(NATIVE, /\.cc$/, ["format", "query", "render", "scan"]);
const FLAGS = [
  "-std=c++20",
  "-O1",
  "-gline-tables-only",
  "-fno-omit-frame-pointer",
  "-fno-sanitize-recover=all",
];
/**
 * Checksums are trusted, because they must not stop the opener from reading forged files. The
 * kernel target gets a valid file anyway.
 */
FLAGS.push("-fsanitize=address,undefined", "-DPENEIRA_TRUST_CHECKSUMS", `-I${NATIVE}`);
/** Every file needs libFuzzer's counters; only the link needs its main(). */
const COMPILED = [...FLAGS, "-fsanitize=fuzzer-no-link"];
const TARGETS = ["opener", "kernel", "scan", "records"];
const COMPILER = process.env.CLANGXX ?? "clang++";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    target: { type: "string" },
    runs: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string", default: "1" },
  },
});

async function main() {
  if (spawnSync(COMPILER, ["--version"]).status !== 0) {
    process.stderr.write(`${COMPILER} is missing: on Debian or Ubuntu, apt-get install clang\n`);
    return 2;
  }
  mkdirSync(OUT, { recursive: true });
  const seeds = path.join(OUT, "seeds");
  const maker = path.join(ROOT, "test/campaign/kernel/seeds.ts");
  await started(process.execPath, ["--import", import.meta.resolve("tsx"), maker, seeds]);
  const targets = values.target === undefined ? TARGETS : [values.target];
  await compile(targets);
  return Math.max(...targets.map((target) => fuzz(target, seeds)));
}

/** Compiles files older than their source or any header, two at a time, and links. */
async function compile(targets) {
  const own = targets.map((target) => `fuzz/${target}_fuzz.cc`);
  const inputs = [...own, ...SOURCES];
  const headers = cppFiles(NATIVE, /\.h$/);
  const age = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
  const newest = Math.max(...headers.map((name) => age(path.join(NATIVE, name))));
  const stale = inputs.filter(
    (file) => age(objectOf(file)) <= Math.max(newest, age(path.join(NATIVE, file))),
  );
  if (stale.length === 0) return link(targets);
  // Precompiling the standard headers saves two fifths of the compile time.
  const precompiled = path.join(OUT, "standard.pch");
  const standard = path.join(NATIVE, "format/standard.h");
  await started(COMPILER, [...COMPILED, "-x", "c++-header", standard, "-o", precompiled]);
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let file = stale.pop(); file !== undefined; file = stale.pop()) {
      const flags = [...COMPILED, "-include-pch", precompiled, "-c", path.join(NATIVE, file)];
      await started(COMPILER, [...flags, "-o", objectOf(file)]);
    }
  });
  await Promise.all(workers);
  await link(targets);
}

async function link(targets) {
  const common = SOURCES.map(objectOf);
  for (const target of targets) {
    const objects = [...common, objectOf(`fuzz/${target}_fuzz.cc`)];
    await started(COMPILER, [...FLAGS, "-fsanitize=fuzzer", ...objects, "-o", program(target)]);
  }
}

function objectOf(file) {
  return path.join(OUT, `${file.replaceAll("/", "-")}.o`);
}

function program(target) {
  return path.join(OUT, `${target}_fuzz`);
}

function started(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) resolve();
      else reject(new Error(`${path.basename(command)} ended with ${status}`));
    });
  });
}

function fuzz(target, seeds) {
  const corpus = path.join(OUT, "corpus", target);
  mkdirSync(corpus, { recursive: true });
  const snapshot = path.join(seeds, "kernel.txt");
  const limits = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=262144", "-print_final_stats=1"];
  const places = [`-artifact_prefix=${OUT}${path.sep}${target}-`, corpus];
  const child = spawnSync(
    program(target),
    [...lengthOf(values), `-fork=${values.jobs === "1" ? 0 : values.jobs}`]
      .filter((flag) => flag !== "-fork=0")
      .concat(limits, places, path.join(seeds, target)),
    { stdio: "inherit", env: { ...process.env, PENEIRA_FUZZ_SNAPSHOT: read(snapshot) } },
  );
  return child.status === 0 ? 0 : 1;
}

/** Returns the option that sets the length of a run: a number of runs, or a time. */
function lengthOf({ runs, seconds, seed }) {
  const length = runs === undefined ? `-max_total_time=${seconds}` : `-runs=${runs}`;
  return seed === undefined ? [length] : [length, `-seed=${seed}`];
}

function read(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

process.exitCode = await main();
