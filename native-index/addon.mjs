/**
 * Compiles the addon from the C++ sources, with the tools of this machine and the headers of Node.
 * Input: build.mjs's functions to run and skip steps. Output: the path of the up-to-date addon; the
 * missing tools; the environment for sanitizer runs.
 * Invariant: this file needs no node_modules. If packages are not installed yet, it compiles with
 * the node-gyp that npm contains. The AddressSanitizer variant is built from a copy of the folder,
 * because node-gyp supports only one build folder. Nothing else is installed or changed. `CXX`,
 * `MAKE`, `PYTHON`, and `npm_config_nodedir` have the same effect as in node-gyp.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** Output path of node-gyp. */
export const ADDON = "build/Release/peneira.node";

/** Compiles native-index with node-gyp if a source has changed. */
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
    // Runs `configure` too, because binding.gyp may have changed. It is cheap compared to
    // compiling.
    for (const part of ["configure", "build"]) {
      const args = [gyp, part, "--release", "--jobs=max", "--loglevel=error"];
      run(process.execPath, args, { cwd: folder, env: { ...headersEnv(), ...env } });
    }
  });
  return built;
}

/** Returns the path of the installed node-gyp, or of npm's own; undefined if there is neither. */
function nodeGyp(root) {
  const installed = path.join(root, "node_modules", "node-gyp", "bin", "node-gyp.js");
  if (existsSync(installed)) return installed;
  const which = process.platform === "win32" ? [] : ["sh", ["-c", "command -v npm"]];
  const found = which.length === 0 ? "" : spawnSync(...which, { encoding: "utf8" }).stdout.trim();
  for (const npm of [process.env.npm_execpath, found]) {
    if (!npm || !existsSync(npm)) continue;
    try {
      return createRequire(realpathSync(npm)).resolve("node-gyp/bin/node-gyp.js");
    } catch {
      // The folder belongs to a different npm installation; try the next folder.
    }
  }
  return undefined;
}

/** Lists missing requirements of node-gyp: Python 3, make, a C++20 compiler. */
export function missingTools() {
  // node-gyp finds Visual Studio itself and reports missing parts.
  if (process.platform === "win32") return [];
  const missing = [];
  const python = process.env.npm_config_python ?? process.env.PYTHON ?? "python3";
  const cxx = process.env.CXX ?? (process.platform === "darwin" ? "c++" : "g++");
  const probe = (command, args, input) => spawnSync(command, args, { input }).status === 0;
  if (!probe(python, ["-c", "import sys; sys.exit(sys.version_info < (3, 8))"])) {
    missing.push(`Python 3.8 or newer (tried "${python}")`);
  }
  if (!probe(process.env.MAKE ?? "make", ["--version"])) missing.push("make");
  if (!probe(cxx, ["-std=c++20", "-fsyntax-only", "-x", "c++", "-"], "#include <bit>\n")) {
    missing.push(`a C++20 compiler, g++ 10 or clang 12 or newer (tried "${cxx}")`);
  }
  return missing;
}

/**
 * Returns an environment in which node-gyp uses the headers installed with this Node, if their
 * version matches, and so downloads nothing. A `nodedir` in the environment takes precedence.
 */
export function headersEnv() {
  const prefix = path.dirname(path.dirname(process.execPath));
  const header = path.join(prefix, "include", "node", "node_version.h");
  if (process.env.npm_config_nodedir !== undefined || !existsSync(header)) return {};
  const text = readFileSync(header, "utf8");
  const part = (name) => new RegExp(`define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
  const version = ["MAJOR", "MINOR", "PATCH"].map(part).join(".");
  return version === process.versions.node ? { npm_config_nodedir: prefix } : {};
}

/**
 * Returns the environment for running Node with an addon that uses AddressSanitizer. The sanitizer
 * must be loaded before Node itself, and Node leaks at exit by design.
 */
export function asanEnv(built) {
  const cxx = process.env.CXX ?? "g++";
  const found = spawnSync(cxx, ["-print-file-name=libasan.so"], { encoding: "utf8" });
  return {
    LD_PRELOAD: realpathSync(found.stdout.trim()),
    ASAN_OPTIONS: "detect_leaks=0:handle_segv=0:allow_user_segv_handler=1",
    PENEIRA_ADDON: built,
  };
}

/**
 * Folders of the addon's C++ sources. Each includes headers only from itself and earlier folders;
 * napi/ comes last and includes all of them.
 */
export const CPP_FOLDERS = ["format", "query", "render", "builder", "scan", "join", "napi"];

/** Lists C++ files of folders (recursively) by ending, relative to native-index. */
export function cppFiles(native, ending, folders = CPP_FOLDERS) {
  return folders.flatMap((folder) =>
    readdirSync(path.join(native, folder), { recursive: true })
      .filter((name) => ending.test(name))
      .map((name) => path.posix.join(folder, ...name.split(path.sep)))
      .sort(),
  );
}

/** Copies the addon's C++ sources to another folder, and removes deleted ones there. */
function mirror(source, target) {
  for (const name of CPP_FOLDERS) {
    const isCpp = (file) => !/\.ts$/.test(file);
    rmSync(path.join(target, name), { recursive: true, force: true });
    const flags = { recursive: true, preserveTimestamps: true, filter: isCpp };
    cpSync(path.join(source, name), path.join(target, name), flags);
  }
  cpSync(path.join(source, "binding.gyp"), path.join(target, "binding.gyp"));
}
