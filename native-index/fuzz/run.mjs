/**
 * What comes in: `--seconds N` per target (default 20), `--target opener|kernel`, `--jobs N`.
 * What goes out: libFuzzer runs of the targets beside this file, compiled with clang for address
 * and undefined-behaviour checks, from seeds that test/fuzz-seeds.ts makes; status 0 when nothing
 * was found, 1 when something was (the input is kept and named), 2 when clang++ is missing.
 * Invariant: what a run finds new is kept in build/fuzz/corpus, so the next run goes on from there.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const NATIVE = path.dirname(FOLDER);
const ROOT = path.dirname(NATIVE);
const OUT = path.join(NATIVE, "build", "fuzz");
/** The query side of the addon, without N-API. */
const SOURCES = [
  ["answers", "bits", "blocks", "chunkquery", "columnset", "container", "crc32c", "cube"],
  ["directory", "fields", "kernel", "mapping", "postings", "query", "rangetest", "render"],
  ["rowtest", "segment", "select", "selector", "sortkeys", "table", "terms", "walk"],
].flat();
const FLAGS = ["-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"];
/** The opener gets forged files, so checksums must not stop it; the kernel gets a good one. */
const DEFINES = { opener: ["-DPENEIRA_TRUST_CHECKSUMS"], kernel: [] };
const COMPILER = process.env.CLANGXX ?? "clang++";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    target: { type: "string" },
    jobs: { type: "string", default: "1" },
  },
});

function main() {
  if (spawnSync(COMPILER, ["--version"]).status !== 0) {
    process.stderr.write(`${COMPILER} is missing: on Debian or Ubuntu, apt-get install clang\n`);
    return 2;
  }
  mkdirSync(OUT, { recursive: true });
  const seeds = path.join(OUT, "seeds");
  run(process.execPath, ["--import", "tsx", path.join(ROOT, "test", "fuzz-seeds.ts"), seeds], ROOT);
  const targets = values.target === undefined ? ["opener", "kernel"] : [values.target];
  return Math.max(...targets.map((target) => fuzz(target, compile(target), seeds)));
}

/** Compiles a target unless it is newer than all its sources; make's rule, in one command. */
function compile(target) {
  const program = path.join(OUT, `${target}_fuzz`);
  const files = [path.join(FOLDER, `${target}_fuzz.cc`)];
  files.push(...SOURCES.map((name) => path.join(NATIVE, `${name}.cc`)));
  const sanitizers = "-fsanitize=fuzzer,address,undefined";
  run(COMPILER, [...FLAGS, sanitizers, ...DEFINES[target], ...files, "-o", program], OUT);
  return program;
}

function fuzz(target, program, seeds) {
  const corpus = path.join(OUT, "corpus", target);
  mkdirSync(corpus, { recursive: true });
  const snapshot = path.join(seeds, "kernel.txt");
  const limits = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=262144", "-print_final_stats=1"];
  const places = [`-artifact_prefix=${OUT}${path.sep}${target}-`, corpus];
  const child = spawnSync(
    program,
    [`-max_total_time=${values.seconds}`, `-fork=${values.jobs === "1" ? 0 : values.jobs}`]
      .filter((flag) => flag !== "-fork=0")
      .concat(limits, places, path.join(seeds, target)),
    { stdio: "inherit", env: { ...process.env, PENEIRA_FUZZ_SNAPSHOT: read(snapshot) } },
  );
  return child.status === 0 ? 0 : 1;
}

function read(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function run(command, args, cwd) {
  const child = spawnSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if (child.status !== 0) throw new Error(`${path.basename(command)} ended with ${child.status}`);
}

process.exitCode = main();
