/**
 * Installs the packages of this checkout. Input: the lockfiles, the installed packages, and the
 * running Node. Output: node_modules as in the lockfile and, in a separate folder, the Node that
 * the executable ships.
 * Invariant: npm's scripts search programs first in node_modules/.bin. The shipped Node is never
 * installed there, because it would run in place of the user's Node. A node_modules built for
 * another Node is refused, never silently recompiled.
 */
import fs from "node:fs";
import path from "node:path";

/** Folder with manifest and lockfile of the packages that only the executable ships. */
const SHIPPED = "src/executable/shipped";
/** Folder where these packages are installed: below .cache, where npm's scripts do not search. */
const SHIPPED_PLACE = ".cache/executable/shipped";
/** The only platform with a shipped Node. Others use the running Node. */
const SHIPPED_PLATFORM = "linux-x64";
/** A program at this path would run in place of the user's Node. */
const SHADOW = path.join("node_modules", ".bin", "node");

/** Returns platform and binary interface for compiled packages. */
export function runningAbi() {
  return `${process.platform}-${process.arch}-${process.versions.modules}`;
}

/**
 * Returns why the installed packages are unusable, with the fix, or null if they are usable.
 * `builtFor` is the interface they were compiled for, or undefined if it is unknown.
 */
export function refusalOf({ builtFor, running, execPath, root }) {
  const inside = path.join(fs.realpathSync(root), "node_modules") + path.sep;
  if (execPath.startsWith(inside)) {
    return (
      `this runs under the Node of a package of an earlier checkout (${execPath}), not under ` +
      `your own, because npm finds ${SHADOW} first.\n` +
      `Remove it and run the command again: rm ${SHADOW}`
    );
  }
  if (builtFor === undefined || builtFor === running) return null;
  return (
    `node_modules was built for another Node (${builtFor}; this is Node ` +
    `${process.versions.node}, ${running}).\nRun the command with that Node again, ` +
    "or build the packages for this one:\n  node build.mjs rebuild"
  );
}

/**
 * Returns the packages that are missing, superfluous, or of another version than in the lockfile.
 * With `running`, development packages may be missing.
 */
export function stalePackages(wanted, present, { running = false } = {}) {
  const differs = ([place, entry]) => {
    if (place === "") return false;
    if (present[place]) return present[place].version !== entry.version;
    return !entry.optional && !(running && entry.dev);
  };
  const missing = Object.entries(wanted).filter(differs);
  const strangers = Object.keys(present).filter((place) => wanted[place] === undefined);
  return [...missing.map(([place]) => place), ...strangers];
}

/**
 * Installs the lockfile's packages without compiling them. With `running`, installs only those
 * needed to run, unless others are already there. npm's hidden lockfile shows the last
 * installation, so manual installations count too. `rebuild` compiles all packages for this Node.
 */
export function installPackages(options) {
  const { root, cache, step, npm, fail, requireTools, rebuild = false, running = false } = options;
  const wanted = lockedIn(path.join(root, "package-lock.json"));
  const present = presentIn(root);
  const installed = fs.existsSync(path.join(root, "node_modules"));
  const stamp = path.join(cache, "abi");
  const builtFor = fs.existsSync(stamp) ? fs.readFileSync(stamp, "utf8") : undefined;
  const abi = runningAbi();
  const state = { builtFor: rebuild ? undefined : builtFor, running: abi, root };
  const refusal = refusalOf({ ...state, execPath: fs.realpathSync(process.execPath) });
  if (refusal !== null) fail(refusal);
  const fresh = installed && stalePackages(wanted, present, { running }).length === 0;
  // Accepts packages that were installed by hand. Writing the running Node's interface to `stamp`
  // lets later builds detect another Node.
  if (fresh && !rebuild) return builtFor === undefined ? write(stamp, abi) : undefined;
  const some = running && !Object.keys(present).some((place) => wanted[place]?.dev);
  step("packages", () => {
    // The development package with Polars' Linux binary is for one platform only, so npm needs
    // --force on others. The package is not optional, because npm on Node 20 would then omit it.
    // Without the package, tests that need it are skipped.
    const force = abi.startsWith(`${SHIPPED_PLATFORM}-`) ? [] : ["--force"];
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error", ...force];
    const part = ["--ignore-scripts", ...(some ? ["--omit=dev"] : []), ...quiet];
    if (!installed) npm(["ci", ...part]);
    else if (!fresh) npm(["install", "--no-save", ...part]);
    if (rebuild) {
      requireTools();
      npm(["rebuild", ...quiet]);
    }
    write(stamp, abi);
  });
}

/**
 * Packages with machine code that npm's scripts download or compile. For each step: the package,
 * the built file, and compiler flags. (esbuild's script only checks an installed file.)
 */
const COMPILED = {
  sqlite: { name: "better-sqlite3", built: "build/Release/better_sqlite3.node", flags: "-O1" },
  roaring: { name: "roaring", built: "build/Release/roaring.node" },
  zstd: { name: "zstd-napi", built: "build/Release/binding.node" },
};

/** The steps that compile packages. */
export const COMPILING = Object.keys(COMPILED);

/**
 * Downloads or compiles the package of a step if it is missing. SQLite is compiled with -O1,
 * because the first start waits for it: 58 s instead of 95 s with -O2, while the addon compiles.
 * This makes inserts, look-ups, and sums of 200,000 rows up to a tenth slower, in a database that
 * is rarely queried. The executable has its own copies of all packages (base.mjs).
 */
export function compilePackage(title, { root, cache, step, npm, requireTools }) {
  const { name, built, flags = "" } = COMPILED[title];
  const begun = path.join(cache, `compiling-${name}`);
  const there = fs.existsSync(path.join(root, "node_modules", name, built));
  if (there && !fs.existsSync(begun)) return;
  step(title, () => {
    requireTools();
    // The output of an interrupted compiler may look complete, so this file records the beginning.
    write(begun, "");
    const env = { CFLAGS: `${process.env.CFLAGS ?? ""} ${flags}`.trim(), JOBS: "max" };
    npm(["rebuild", name, "--no-audit", "--no-fund", "--loglevel=error"], env);
    fs.rmSync(begun);
  });
}

/** Folder of the shipped packages, in their own node_modules. */
export function shippedFolder(root) {
  return path.join(root, SHIPPED_PLACE, "node_modules");
}

/** Installs the packages that the executable ships, if their lockfile has changed. */
export function installShipped({ root, upToDate, npm }) {
  if (`${process.platform}-${process.arch}` !== SHIPPED_PLATFORM) return;
  const inputs = ["package.json", "package-lock.json"].map((name) => `${SHIPPED}/${name}`);
  const place = path.join(root, SHIPPED_PLACE);
  const outputs = [path.join(shippedFolder(root), `node-${SHIPPED_PLATFORM}`, "bin", "node")];
  upToDate({ name: "shipped", inputs, salt: "", outputs }, () => {
    fs.rmSync(place, { recursive: true, force: true });
    for (const file of inputs) {
      write(path.join(place, path.basename(file)), fs.readFileSync(path.join(root, file)));
    }
    // The shipped addon may not match this Node, but it does not run here.
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"];
    npm(["ci", "--prefix", place, ...quiet]);
  });
}

/** Returns npm's list of installed packages, without those removed later. */
export function presentIn(root) {
  const installed = Object.entries(lockedIn(path.join(root, "node_modules", ".package-lock.json")));
  const there = ([place]) => fs.existsSync(path.join(root, place, "package.json"));
  return Object.fromEntries(installed.filter(there));
}

function lockedIn(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")).packages : {};
}

function write(file, content) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}
