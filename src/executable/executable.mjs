/**
 * Builds the single executable (Node's single executable application), with the steps of build.mjs.
 * Input: the sources, the console, the addons, a Node binary, and build.mjs's functions to run and
 * skip steps. Output: one file with all of them, dist/peneira, or a variant in .cache/executable.
 * Invariant: the same commit and packages give the same bytes, without a path of this machine or
 * the build time. The file is replaced atomically, even while an older one runs. Steps with
 * unchanged inputs are skipped. dist contains only released files.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { ADDONS, addonIn, compileAddon, findBase, sourcesOf } from "./base.mjs";
import { bundleOptions, writeInOneByte, writeTables } from "./bundle.mjs";
import { licenseText, packagesOf, zstdLicense } from "./licenses.mjs";
import { installShipped } from "./packages.mjs";

/** A marker text in Node's binary. It shows where the program's data (the blob) is injected. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Makes V8's compiled code reproducible, because the seed of its hashes comes from the clock. */
const SEEDS = ["--hash-seed=42", "--random-seed=42"];

/** Replacements of modules that load addons, because addons are parts of the executable. */
const STAND_INS = {
  bindings: "./src/executable/bindings.cjs",
  roaring: "./src/executable/roaring.cjs",
  "uWebSockets.js": "./src/executable/uws.cjs",
};

/** Packages in no bundle: addons, headers to compile one, and the source of the console's map. */
const INSIDE = ["uWebSockets.js", "roaring", "zstd-napi", "node-addon-api", "@svg-maps/brazil"];

/**
 * Defines the URL of the running file. A bundled file knows only its own path (`__filename`), which
 * for the main script is the path of the executable.
 */
const URL_BANNER = 'const BUNDLE_URL = require("node:url").pathToFileURL(__filename).href;';

/** Pattern for piscina's path of its thread script, and the replacement in the executable. */
const THREAD = /\(0,\s*\w+\.resolve\)\(__dirname,\s*(["'])worker\.js\1\)/g;
const THREAD_HERE = "globalThis.peneiraThread";

/** Builds the executable at `target`, its parts in `folder`. `run` throws if a program fails. */
function buildExecutable(options) {
  const { root, folder, target, base, run } = options;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const packages = bundlePrograms(options);
  const files = [...placeAddons(options), ...fs.readdirSync(folder).filter(isThreadFile)];
  writeManifest(folder, files);
  writeLicenses(options, packages);
  const recording = path.join(root, "src", "executable", "recording.cjs");
  run(base.binary, [...SEEDS, recording, "main.cjs", "main.code"], { cwd: folder });
  const own = ["main.cjs", "main.code", "parts.json", "licenses.txt", "parquet.wasm"];
  const parts = [...own, ...writeTables(root, folder), ...files];
  fs.renameSync(assemble(options, parts), target);
}

const isThreadFile = (name) => name.endsWith(".cjs") && name !== "main.cjs";

/** Bundles main.cjs, each worker, and piscina's worker. Returns the bundled packages. */
function bundlePrograms({ root, folder, entries, origin, base, faults }) {
  const { metafile } = createRequire(import.meta.url)("esbuild").buildSync({
    ...bundleOptions({ root, origin, faults, executable: true }),
    entryPoints: [...entries, { in: "node_modules/piscina/dist/worker.js", out: "thread" }].map(
      (entry) => (typeof entry === "string" ? { in: entry, out: path.parse(entry).name } : entry),
    ),
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    target: `node${base.version}`,
    minifyWhitespace: true,
    legalComments: "none",
    alias: STAND_INS,
    // An optional package, with which piscina sets a thread's priority if the package is installed.
    external: ["@napi-rs/nice"],
    define: {
      ...bundleOptions({ root, origin, faults, executable: true }).define,
      "import.meta.url": "BUNDLE_URL",
    },
    banner: { js: URL_BANNER },
    metafile: true,
  });
  writeInOneByte(folder, ".cjs");
  const main = path.join(folder, "main.cjs");
  fs.writeFileSync(main, asFunction(fs.readFileSync(main, "utf8")));
  return packagesOf(metafile);
}

/** Wraps a program for boot.cjs in a function whose parameters are CommonJS variables. */
function asFunction(text) {
  const found = text.match(THREAD)?.length ?? 0;
  if (found !== 1) throw new Error(`piscina names its worker ${found} times: see ${THREAD}`);
  const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const ascii = text.replace(THREAD, THREAD_HERE).replace(/[\u0080-\uffff]/g, escaped);
  return `(function (require, module, exports, __filename) {${ascii}\n})`;
}

/** Copies the addons, without debug symbols. Returns their names. */
function placeAddons({ root, folder, addon, addons, base, run }) {
  const files = { "peneira.node": addon, ...addons, "uws.node": base.uws };
  for (const [name, from] of Object.entries(files)) {
    const to = path.join(folder, name);
    fs.copyFileSync(from, to);
    fs.chmodSync(to, 0o644);
    // Not stripped, so that its hash can be compared with the published one.
    if (name !== "uws.node") run("strip", [to]);
  }
  const wasm = path.join(root, "node_modules", "parquet-wasm", "esm", "parquet_wasm_bg.wasm");
  fs.copyFileSync(wasm, path.join(folder, "parquet.wasm"));
  return Object.keys(files);
}

/**
 * Writes the list of parts that the executable unpacks to files, each with its hash. A hash over
 * these parts becomes the name of their folder.
 */
function writeManifest(folder, files) {
  const parts = {};
  const all = createHash("sha256");
  for (const name of [...files].sort()) {
    const sha256 = createHash("sha256").update(fs.readFileSync(path.join(folder, name)));
    parts[name] = { sha256: sha256.digest("hex") };
    all.update(`${parts[name].sha256} ${name}\n`);
  }
  const manifest = { folder: all.digest("hex"), parts };
  fs.writeFileSync(path.join(folder, "parts.json"), JSON.stringify(manifest));
}

function writeLicenses({ root, folder, base, console }, packages) {
  const manifest = JSON.parse(fs.readFileSync(path.join(console, "manifest.json"), "utf8"));
  const node = { title: `Node.js ${base.version}`, file: base.license };
  const text = licenseText(root, {
    packages: [...packages, ...INSIDE, ...manifest.packages],
    further: [...(base.license === null ? [] : [node]), zstdLicense(root)],
  });
  fs.writeFileSync(path.join(folder, "licenses.txt"), text);
}

/** Adds the parts and boot.cjs, which starts them, to a copy of Node. Returns its path. */
function assemble({ root, folder, base, console, run }, parts) {
  const copy = path.join(folder, "peneira");
  const pages = fs.readdirSync(console).sort();
  // These paths are relative, because Node writes the script's path into the blob.
  fs.copyFileSync(path.join(root, "src", "executable", "boot.cjs"), path.join(folder, "boot.cjs"));
  const config = {
    main: "boot.cjs",
    output: "blob",
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    assets: {
      ...Object.fromEntries([...parts].sort().map((name) => [name, name])),
      ...Object.fromEntries(pages.map((name) => [`console/${name}`, path.join(console, name)])),
    },
  };
  fs.writeFileSync(path.join(folder, "sea.json"), JSON.stringify(config));
  run(base.binary, ["--experimental-sea-config", "sea.json"], { cwd: folder });
  fs.copyFileSync(base.binary, copy);
  fs.chmodSync(copy, 0o755);
  // Symbols are stripped before the injection, because the injection moves sections.
  run("strip", [copy]);
  const postject = path.join(root, "node_modules", "postject", "dist", "cli.js");
  const blob = path.join(folder, "blob");
  run(process.execPath, [postject, copy, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE]);
  return copy;
}

/** Lockfiles of the packages inside. */
const LOCKS = ["node_modules/.package-lock.json", "src/executable/shipped/package-lock.json"];

/**
 * Builds the executable. If `running` is true, it contains the Node that runs the build. If
 * `faults` is true, it contains the points at which tests can kill the process.
 */
export function executableSteps(options) {
  const { root, origin, inputs, upToDate, faults = false, running = false } = options;
  if (!running) installShipped(options);
  const base = findBase(root, { running });
  const name = `${base.version}${running ? "-running" : ""}${faults ? "-faults" : ""}`;
  const folder = path.join(root, ".cache", "executable", name);
  const target = faults || running ? `${folder}.peneira` : path.join(root, "dist", "peneira");
  const addons = Object.fromEntries(
    ADDONS.map((one) => [one.part ?? one.file, addonOf(one, options, base)]),
  );
  const step = {
    name: `executable-${name}`,
    inputs: [...inputs, ...LOCKS, "LICENSE"],
    salt: JSON.stringify([origin, base.version]),
    outputs: [target],
  };
  const addon = path.join(root, options.addon);
  const console = path.join(root, "dist", "console");
  const parts = { ...options, faults, base, folder, target, addons, addon, console };
  upToDate(step, () => buildExecutable(parts));
}

/** Returns a package's addon: the installed one, or one compiled for the shipped Node. */
function addonOf(addon, { root, upToDate, run, requireTools }, base) {
  if (base.headers === null) return addonIn(sourcesOf(root, addon), addon);
  const name = `${addon.name}-${base.version}`;
  const folder = path.join(root, ".cache", "executable", name);
  const built = addonIn(folder, addon);
  const inputs = [`node_modules/${addon.name}/package.json`, "src/executable/base.mjs"];
  upToDate({ name, inputs, salt: process.env.CXX ?? "", outputs: [built] }, () => {
    requireTools();
    compileAddon(addon, { root, run, base, folder });
  });
  return built;
}

/** Returns commit and day of the checkout, or "unknown" in a source archive. */
export function gitOrigin(root) {
  const args = ["log", "-1", "--format=%h %cs", "--abbrev=12"];
  const git = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  const [commit = "", date = ""] = git.status === 0 ? git.stdout.trim().split(" ") : [];
  return { commit: commit || "unknown", date: date || "unknown" };
}
