/**
 * Compiling the addon. What comes in: the C++ sources, and how build.mjs runs and skips steps.
 * What goes out: the path of the addon, which then is that of the sources.
 * Invariant: plain Node. It needs nothing of node_modules: before the packages are there, npm's own
 * node-gyp compiles. The variant for AddressSanitizer is built from a mirror of the folder, because
 * node-gyp knows one build folder only.
 */
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { headersEnv, mirror } from "./toolchain.mjs";

/** Where node-gyp leaves the addon. */
export const ADDON = "build/Release/peneira.node";

/** Compiles native-index with node-gyp where a source changed since that was done last. */
export function compileAddon({ root, asan, filesIn, upToDate, requireTools, run, fail }) {
  const source = path.join(root, "native-index");
  const folder = asan ? path.join(source, "build-asan") : source;
  const inputs = filesIn("native-index", /\.(cc|h|gyp|mjs)$/, /^(build|build-asan|fuzz)$/);
  const built = path.join(folder, ADDON);
  const salt = [process.arch, process.versions.modules, process.env.CXX ?? ""].join();
  upToDate({ name: asan ? "addon-asan" : "addon", inputs, salt, outputs: [built] }, () => {
    requireTools();
    if (asan) mirror(source, folder);
    const gyp = nodeGyp(root) ?? fail("there is no node-gyp, neither installed nor npm's own");
    const flags = "-fsanitize=address -fno-omit-frame-pointer";
    const env = asan ? { CXXFLAGS: `${flags} -g`, LDFLAGS: flags } : {};
    // A changed binding.gyp needs a new configuration; it is cheap beside the compiler.
    for (const part of ["configure", "build"]) {
      const args = [gyp, part, "--release", "--jobs=max", "--loglevel=error"];
      run(process.execPath, args, { cwd: folder, env: { ...headersEnv(), ...env } });
    }
  });
  return built;
}

/** The installed node-gyp, or the one that npm brings; undefined where there is neither. */
export function nodeGyp(root) {
  const installed = path.join(root, "node_modules", "node-gyp", "bin", "node-gyp.js");
  if (existsSync(installed)) return installed;
  const which = process.platform === "win32" ? [] : ["sh", ["-c", "command -v npm"]];
  const found = which.length === 0 ? "" : spawnSync(...which, { encoding: "utf8" }).stdout.trim();
  for (const npm of [process.env.npm_execpath, found]) {
    if (!npm || !existsSync(npm)) continue;
    try {
      return createRequire(realpathSync(npm)).resolve("node-gyp/bin/node-gyp.js");
    } catch {
      // Another way of installing npm; the next one may know it.
    }
  }
  return undefined;
}
