/**
 * Checks the C++ sources with clang-format and clang-tidy.
 * Output: every violation, and status 1; or a message about skipped checks.
 * Invariant: nothing is changed, and neither program is needed to build. The code uses one version
 * of clang-format, because formatting differs slightly between versions.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { CPP_FOLDERS, cppFiles, headersEnv } from "./addon.mjs";

const FORMAT_VERSION = 14;
const FORMAT = process.env.CLANG_FORMAT ?? "clang-format";
const TIDY = process.env.CLANG_TIDY ?? "clang-tidy";
const FOLDERS = [...CPP_FOLDERS, "fuzz"];

/** Returns the C++ files whose names match `ending`, relative to the root, in a fixed order. */
function sourcesOf(root, ending = /\.(cc|h)$/, folders = FOLDERS) {
  const files = cppFiles(path.join(root, "native-index"), ending, folders);
  return files.map((file) => `native-index/${file}`);
}

/** Checks the C++ formatting, or reports why it cannot be checked. */
export function checkLayout({ root, upToDate, fail }) {
  const missing = formatMissing();
  if (missing !== undefined) {
    process.stderr.write(`layout of C++ ${missing}\n`);
    return;
  }
  const inputs = [...sourcesOf(root), ".clang-format"];
  upToDate({ name: "cpp-layout", inputs, salt: "", outputs: [] }, () => {
    if (!isFormatted(root)) fail("clang-format -i lays these files out");
  });
}

/** Returns the reason why the formatting cannot be checked, or undefined if it can be checked. */
function formatMissing() {
  const found = majorOf(FORMAT);
  if (found === FORMAT_VERSION) return undefined;
  const has = found === undefined ? `there is no ${FORMAT}` : `${FORMAT} is version ${found}`;
  return `skipped: clang-format ${FORMAT_VERSION} is needed, and ${has}`;
}

/** Returns true if every C++ file is formatted; prints violations. */
function isFormatted(root) {
  const args = ["--dry-run", "-Werror", ...sourcesOf(root)];
  return spawnSync(FORMAT, args, { cwd: root, stdio: ["ignore", 2, 2] }).status === 0;
}

/**
 * Runs clang-tidy over each source that has changed, or whose includes have changed, since the
 * source last passed. Returns true if all sources pass.
 */
export async function lintNative({ root, cache }) {
  const version = majorOf(TIDY);
  if (version === undefined) {
    process.stderr.write(`skipped: there is no ${TIDY} (apt-get install clang-tidy)\n`);
    return true;
  }
  const stamps = path.join(cache, "clang-tidy.json");
  const clean = existsSync(stamps) ? JSON.parse(readFileSync(stamps, "utf8")) : {};
  const salt = `${version}\0${readFileSync(path.join(root, ".clang-tidy"), "utf8")}`;
  const files = sourcesOf(root, /\.cc$/, CPP_FOLDERS);
  const digests = new Map(files.map((file) => [file, digestOf(root, file, salt)]));
  const stale = files.filter((file) => clean[file] !== digests.get(file));
  process.stderr.write(`clang-tidy: ${stale.length} of ${files.length} sources\n`);
  mkdirSync(cache, { recursive: true });
  let failed = 0;
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let file = stale.shift(); file !== undefined; file = stale.shift()) {
      if (await isTidy(root, file)) clean[file] = digests.get(file);
      else failed++;
      // Written after every file, so that an interrupted run can resume.
      writeFileSync(stamps, JSON.stringify(clean));
    }
  });
  await Promise.all(workers);
  return failed === 0;
}

function majorOf(program) {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  const major = status === 0 ? /version (\d+)/.exec(stdout)?.[1] : undefined;
  return major === undefined ? undefined : Number(major);
}

/** Returns a digest of a source and of all headers of this repository that it includes. */
function digestOf(root, file, salt) {
  const hash = createHash("sha256").update(salt);
  const queue = [file];
  for (const one of queue) {
    const text = readFileSync(path.join(root, one), "utf8");
    hash.update(`\0${one}\0${text}`);
    for (const [, name] of text.matchAll(/^#include "([^"]+)"$/gm)) {
      const included = `native-index/${name}`;
      if (!queue.includes(included)) queue.push(included);
    }
  }
  return hash.digest("hex");
}

/** Returns the folder of node_api.h, installed with this Node or downloaded by node-gyp. */
function nodeHeaders(root) {
  const config = path.join(root, "native-index", "build", "config.gypi");
  const built = existsSync(config) ? readFileSync(config, "utf8") : "";
  const folder =
    process.env.npm_config_nodedir ??
    headersEnv().npm_config_nodedir ??
    /"nodedir": "([^"]+)"/.exec(built)?.[1];
  return path.join(folder ?? path.dirname(path.dirname(process.execPath)), "include", "node");
}

function isTidy(root, file) {
  const flags = [
    "-std=c++20",
    "-DNAPI_VERSION=8",
    "-Inative-index",
    `-isystem${nodeHeaders(root)}`,
  ];
  const child = spawn(TIDY, ["--quiet", file, "--", ...flags], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (part) => {
    output += part;
  });
  // stderr is ignored, because it contains only the number of warnings in system headers.
  child.stderr.resume();
  return new Promise((resolve) => {
    child.on("close", (status) => {
      if (status !== 0) process.stderr.write(`${file}\n${output}`);
      resolve(status === 0);
    });
  });
}
