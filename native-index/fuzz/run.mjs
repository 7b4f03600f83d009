/**
 * What comes in: `--seconds N` per target (default 20) or `--runs N`, `--target opener|kernel`,
 * `--jobs N`, `--seed S`.
 * What goes out: libFuzzer runs of the targets beside this file, compiled with clang for address
 * and undefined-behaviour checks, from seeds that test/campaign/kernel/seeds.ts makes; status 0
 * when nothing was found, 1 when something was (the input is kept and named), 2 when clang++ is
 * missing.
 * Invariant: what a run finds new is kept in build/fuzz/corpus, so the next run goes on from there.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CPP_FOLDERS } from "../toolchain.mjs";

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const NATIVE = path.dirname(FOLDER);
const ROOT = path.dirname(NATIVE);
const OUT = path.join(NATIVE, "build", "fuzz");
/** The query side of the addon, without N-API. */
const SOURCES = [
  ["format/bits", "format/blocks", "format/columnset", "format/container", "format/crc32c"],
  ["format/directory", "format/mapping", "format/postings", "format/sha256", "format/table"],
  ["format/terms", "query/answers", "query/chunkquery", "query/cube", "query/kernel"],
  ["query/query", "query/rangetest", "query/rowtest", "query/segment", "query/select"],
  ["query/selector", "query/sortkeys", "query/walk", "render/fields", "render/render"],
].flat();
const FLAGS = ["-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"];
/** The opener gets forged files, so checksums must not stop it; the kernel gets a good one. */
FLAGS.push("-fsanitize=address,undefined", "-DPENEIRA_TRUST_CHECKSUMS", `-I${NATIVE}`);
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
  const targets = values.target === undefined ? ["opener", "kernel"] : [values.target];
  await compile(targets);
  return Math.max(...targets.map((target) => fuzz(target, seeds)));
}

/** Compiles what is older than its source or than any header, two files at a time, and links. */
async function compile(targets) {
  const own = targets.map((target) => `fuzz/${target}_fuzz.cc`);
  const inputs = [...own, ...SOURCES.map((name) => `${name}.cc`)];
  const headers = CPP_FOLDERS.flatMap((folder) =>
    readdirSync(path.join(NATIVE, folder))
      .filter((name) => name.endsWith(".h"))
      .map((name) => path.join(folder, name)),
  );
  const age = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
  const newest = Math.max(...headers.map((name) => age(path.join(NATIVE, name))));
  const stale = inputs.filter(
    (file) => age(objectOf(file)) <= Math.max(newest, age(path.join(NATIVE, file))),
  );
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let file = stale.pop(); file !== undefined; file = stale.pop()) {
      // libFuzzer's counters are wanted in every file, its main() only at the link.
      const flags = [...FLAGS, "-fsanitize=fuzzer-no-link", "-c", path.join(NATIVE, file)];
      await started(COMPILER, [...flags, "-o", objectOf(file)]);
    }
  });
  await Promise.all(workers);
  const common = SOURCES.map((name) => objectOf(`${name}.cc`));
  for (const target of targets) {
    const objects = [...common, objectOf(`fuzz/${target}_fuzz.cc`)];
    await started(COMPILER, [...FLAGS, "-fsanitize=fuzzer", ...objects, "-o", program(target)]);
  }
}

function objectOf(file) {
  return path.join(OUT, `${path.basename(file, ".cc")}.o`);
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

/** How long it runs: a number of runs, or a time. */
function lengthOf({ runs, seconds, seed }) {
  const length = runs === undefined ? `-max_total_time=${seconds}` : `-runs=${runs}`;
  return seed === undefined ? [length] : [length, `-seed=${seed}`];
}

function read(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

process.exitCode = await main();
