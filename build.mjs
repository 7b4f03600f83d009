#!/usr/bin/env node
/**
 * The only program that builds, checks, tests, measures, and starts Peneira. Input: a command and
 * the files of this checkout, in any state. It first makes everything that the command needs
 * (packages, compiled addon, bundle, launcher), then runs the command.
 * Invariant: it is plain Node without dependencies, so that it runs on a bare clone. A step is
 * skipped if its inputs have not changed since its last success. A failed step ends the run with
 * status 1.
 */
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ADDON, asanEnv, compileAddon, headersEnv, missingTools } from "./native-index/addon.mjs";
import { headerStep } from "./native-index/headers.mjs";
import { lintNative } from "./native-index/lint.mjs";
import { bundleConsole } from "./src/console/bundle.mjs";
import { placeAddon, writeBundle } from "./src/executable/bundle.mjs";
import { executableSteps, gitOrigin } from "./src/executable/executable.mjs";
import { COMPILING, compilePackage, installPackages } from "./src/executable/packages.mjs";
import { runRelease } from "./src/executable/release.mjs";
import { checkAll } from "./src/setup/check.mjs";
import { start } from "./src/setup/start.mjs";
import { filesBelow, Steps } from "./src/setup/steps.mjs";

const ROOT = path.dirname(fileURLToPath(import.meta.url));
const NODE_MIN = [20, 11];
const DIST = path.join(ROOT, "dist");
const CACHE = path.join(ROOT, "node_modules", ".cache", "peneira");

const filesIn = filesBelow(ROOT);
const STEPS = new Steps({ root: ROOT, cache: CACHE });
const inTurn = STEPS.inTurn.bind(STEPS);
const upToDate = STEPS.upToDate.bind(STEPS);
const digestOf = STEPS.digestOf.bind(STEPS);
const step = STEPS.step.bind(STEPS);

const USAGE = `usage: node build.mjs [command]

  build               everything: packages, addon, types, lint, bundle, dist/peneira (default)
  start [options]     builds, makes a demo snapshot if there is none, and serves it
  test [NAME…]        checks, unit and contract suites, and a tour; or only the named suites
       --all          … every suite; what passed just now in "test" is not run again
       --campaign     … the campaigns only
       --scale N      … random suites try N times as much
       --seed N       … and something else than usual
       --again        … with --all, also what passed just now
       --asan         … with the addon built for AddressSanitizer
  coverage [TIER…]    which lines of the product the unit and contract suites run
  bench [name] [args] builds and runs bench/<name>.bench.ts, or every benchmark; --help says
                      what each of them measures, with its options
  road [NAME…]        which source files run for a request, in order: search, again, count, …
  crash [options]     kills the server and checks its promises; --help says how
  campaign NAME       tries for long what the tests try for seconds; without NAME it says what
  check               types and lint only
  lint-native         clang-tidy over the C++ sources that changed, where it is installed
  rebuild             compiles the installed packages for the Node that runs this
  headers             packages, and the C++ headers that are made from tables
  addon [--asan]      packages and the addon only
  bundle [--faults]   packages, addon and the bundle only; with --faults the one of the crash tests
  executable          packages, addon, console and the executable dist/peneira only
       --running      … made from the Node that runs this, into .cache/executable
       --faults       … as the crash tests want it, into .cache/executable
  console             packages and the web console only
  release             dist/release: archive, list of parts, hashes; from a clean checkout
       --allow-dirty  … to try it, also with changes or an unreleased version
`;

const COMMANDS = {
  build() {
    prepare();
    executable();
    check();
  },
  start(args) {
    const program = path.join(DIST, "bundle", "peneira");
    const serve = () => handOver(process.execPath, [program, "start", ...args]);
    const due = () => STEPS.due(() => Object.values(START).forEach((make) => void make()));
    const hold = () => STEPS.hold("npm start");
    // The headers are checked only now, because the check needs one of the packages, which are
    // installed by now.
    const place = () => {
      headers();
      placeEngine();
    };
    return start({ root: ROOT, args, due, hold, program, place, requireTools, fail, serve });
  },
  step: ([name]) => START[name](),
  test: (args) => runTests(args),
  coverage: (args) => runTests(args, "coverage"),
  bench: runBenches,
  road: (args) => runScript("test/support/road/run.ts", args),
  crash: (args) => runScript("test/campaign/kills/run.ts", args),
  campaign: (args) => runScript("test/campaign/run.ts", args),
  rebuild: () => install({ rebuild: true }),
  check() {
    install();
    check();
  },
  async "lint-native"() {
    install();
    if (!(await lintNative({ root: ROOT, cache: CACHE }))) fail("clang-tidy refuses these places");
  },
  headers() {
    install();
    headers({ write: true });
  },
  addon(args) {
    const [asan] = flagsIn(args, "--asan");
    install();
    addon({ asan });
  },
  bundle(args) {
    const [faults] = flagsIn(args, "--faults");
    install();
    addon();
    bundle({ faults });
    webConsole();
  },
  executable(args) {
    const [faults, running] = flagsIn(args, "--faults", "--running");
    install();
    addon();
    webConsole();
    executable({ faults, running });
  },
  console() {
    install();
    webConsole();
  },
  release: (args) => runRelease({ root: ROOT, args, build: () => COMMANDS.executable([]) }),
};

// --- steps ---------------------------------------------------------------------------------

/** The steps of `npm start`, by their names in src/setup/start.mjs, which runs them. */
const START = {
  packages: () => inTurn("packages", () => installPackages({ ...TOOLS, running: true })),
  // This step runs while packages are installed. It does not check the headers, because that check
  // needs one of the packages.
  addon: () => compile(),
  sqlite: () => inTurn("sqlite", () => compilePackage("sqlite", TOOLS)),
  roaring: () => inTurn("roaring", () => compilePackage("roaring", TOOLS)),
  zstd: () => inTurn("zstd", () => compilePackage("zstd", TOOLS)),
  bundle: () => bundleProgram(),
  console: () => webConsole(),
};

/** Makes everything that the product and its tests need, in order of dependency. */
function prepare() {
  install();
  addon();
  bundle();
  webConsole();
}

/** Installs all packages of the lockfile (src/executable/packages.mjs). */
function install({ rebuild = false } = {}) {
  inTurn("packages", () => installPackages({ ...TOOLS, rebuild }));
  for (const title of COMPILING) inTurn(title, () => compilePackage(title, TOOLS));
}

/**
 * Compiles native-index with the headers that are generated from the tables. Returns the path of
 * the addon.
 */
function addon({ asan = false } = {}) {
  headers();
  return compile({ asan });
}

/** Compiles native-index without making headers (native-index/addon.mjs). */
function compile({ asan = false } = {}) {
  return compileAddon({ root: ROOT, asan, filesIn, upToDate, requireTools, run, fail });
}

/**
 * Writes or checks the generated C++ headers (native-index/headers.mjs). If a header is out of
 * date, the build ends.
 */
function headers({ write = false } = {}) {
  headerStep({ upToDate, run, write });
}

/** Checks types, lint, and the layout of the C++ (src/setup/check.mjs). */
function check() {
  headers();
  checkAll({ root: ROOT, cache: CACHE, filesIn, upToDate, run, fail });
}

/**
 * Bundles the program and the compiled addon into dist/bundle (src/executable/bundle.mjs). With
 * `faults`, the bundle can be made to kill itself at a named point (src/process/fault.ts).
 */
function bundle({ faults = false } = {}) {
  bundleProgram({ faults });
  placeEngine({ faults });
}

function bundleProgram({ faults = false } = {}) {
  const folder = bundleFolder(faults);
  const origin = gitOrigin(ROOT);
  const step = {
    name: faults ? "bundle-faults" : "bundle",
    inputs: programInputs(),
    salt: JSON.stringify(origin),
    outputs: [path.join(folder, "peneira")],
  };
  const known = { root: ROOT, entries: entries(), nodeMin: NODE_MIN, origin, faults };
  upToDate(step, () => writeBundle({ ...known, folder }));
}

/** Copies the addon to the bundle if it differs. */
function placeEngine({ faults = false } = {}) {
  placeAddon(path.join(ROOT, "native-index", ADDON), bundleFolder(faults));
}

function bundleFolder(faults) {
  return faults ? path.join(ROOT, ".cache", "crash") : path.join(DIST, "bundle");
}

/** Makes the executable dist/peneira, or a variant of it (src/executable/executable.mjs). */
function executable(variant = {}) {
  const addon = path.join("native-index", ADDON);
  const tools = { upToDate, run, npm, requireTools };
  const known = { root: ROOT, addon, entries: entries(), origin: gitOrigin(ROOT) };
  const inputs = [...programInputs(), addon, ...filesIn("dist/console", /./)];
  executableSteps({ ...known, ...tools, ...variant, inputs });
}

/** Returns the entry points of the programs: the command line, and every kind of worker thread. */
function entries() {
  return ["src/main.ts", ...filesIn("src", /\.worker\.ts$/, /^web$/)];
}

/** Returns every file from which a bundle of the program is made. */
function programInputs() {
  return [
    ...[filesIn("src", /\.(ts|json)$/, /^web$/), filesIn("src/executable", /\.[mc]js$/)].flat(),
    ...[filesIn("data", /./), filesIn("native-index", /\.ts$/)].flat(),
    ...["build.mjs", "package-lock.json", "package.json"],
  ];
}

/** Bundles the web console into dist/console. src/console/bundle.mjs describes its contents. */
function webConsole() {
  const folder = path.join(DIST, "console");
  const inputs = [...filesIn("src", /./), "build.mjs", "package-lock.json"];
  const outputs = [path.join(folder, "manifest.json")];
  upToDate({ name: "console", inputs, salt: "", outputs }, () => bundleConsole(ROOT, folder));
}

/**
 * Runs the tests through test/support/run/command.mjs. It is loaded only here, because a source
 * archive may lack it.
 */
async function runTests(args, command = "test") {
  const commands = await import("./test/support/run/command.mjs");
  const steps = { prepare, addon, checkAside, makeExecutable, asanEnv };
  const product = path.join(DIST, "bundle");
  const tools = { fail, filesIn, digestOf, handOver };
  await commands[command]({ args, root: ROOT, cache: CACHE, product, ...tools, ...steps });
}

/** Runs a script in the test folder that is not a suite. */
function runScript(file, args) {
  prepare();
  handOver(process.execPath, ["--import", "tsx", file, ...args]);
}

/**
 * Makes the executable in the background. Suites that need it also make it: they wait for this run
 * and report its failure.
 */
function makeExecutable() {
  if (process.platform !== "linux") return;
  const args = [path.join(ROOT, "build.mjs"), "executable"];
  spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
}

/**
 * Checks types and lint in another process while suites run. Returns a function for its status. Its
 * output is printed as a whole when it ends, because the suites print all the time.
 */
function checkAside() {
  const args = [path.join(ROOT, "build.mjs"), "check"];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  // The check has a lower priority, because it ends long before the suites anyway.
  if (child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => output.push(part));
  const ended = new Promise((resolve) => child.once("close", (status) => resolve(status ?? 1)));
  return async () => {
    const status = await ended;
    process.stderr.write(Buffer.concat(output));
    return status;
  };
}

/** `bench`: runs one benchmark with its own arguments, or all in sequence. */
function runBenches([name, ...args]) {
  const all = filesIn("bench", /\.bench\.ts$/);
  const asksHelp = [name, ...args].some((word) => word === "--help" || word === "-h");
  const isNamed = name !== undefined && !name.startsWith("-");
  const files = isNamed ? pick(all, name, "bench") : all;
  if (asksHelp) return files.forEach(tellBench);
  if (!isNamed && name !== undefined) fail(`${name} needs the name of a bench before it`);
  prepare();
  for (const file of files) {
    process.stderr.write(`\n${file}\n`);
    run(process.execPath, ["--import", "tsx", "--expose-gc", file, ...args]);
  }
}

/** Prints the header of a benchmark: the measurement and its options. */
function tellBench(file) {
  const [, header] = /^\/\*\*\n([\s\S]*?) \*\//.exec(
    fs.readFileSync(path.join(ROOT, file), "utf8"),
  );
  process.stdout.write(`${file}\n${header.replaceAll(/^ \* ?/gm, "  ")}\n`);
}

// --- what the steps stand on ---------------------------------------------------------------

function requireTools() {
  const blanks = `node-gyp cannot build in a path with blanks; move the checkout: ${ROOT}`;
  if (/\s/.test(ROOT)) fail(blanks);
  const missing = missingTools().join("; ");
  if (missing !== "") {
    fail(`missing: ${missing}\nOn Debian or Ubuntu: apt-get install python3 make g++`);
  }
}

/** Returns the one file that a name matches: its exact path, or `<name>.<kind>.ts`. */
function pick(all, name, kind) {
  const wanted = [name, `${kind}/${name}`, `${kind}/${name}.${kind}.ts`].map(path.posix.normalize);
  const file = all.find((candidate) => wanted.includes(candidate));
  if (file === undefined) fail(`there is no ${kind} "${name}"; there are:\n  ${all.join("\n  ")}`);
  return [file];
}

function npm(args, env = {}) {
  const windows = process.platform === "win32";
  run(windows ? "npm.cmd" : "npm", args, { shell: windows, env: { ...headersEnv(), ...env } });
}

/** Runs a program to its end. If the program fails, the build ends. */
function run(command, args, { cwd = ROOT, env = {}, shell = false } = {}) {
  const options = { cwd, env: { ...process.env, ...env }, shell, stdio: ["ignore", 2, 2] };
  const result = spawnSync(command, args, options);
  if (result.error) fail(`${command}: ${result.error.message}`);
  if (result.status !== 0) {
    const script = args.find((arg) => path.isAbsolute(arg)) ?? command;
    fail(`${path.relative(ROOT, script)} ended with ${result.status ?? result.signal}`);
  }
}

/**
 * Runs the last program of a command on this terminal. Ends with the status of that program, or
 * with the status that `ended` returns for it.
 */
function handOver(command, args, env = {}, ended = (status) => status) {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, stdio: "inherit" };
  const child = spawn(command, args, options);
  // The terminal sends Ctrl-C to the child too, and a second SIGINT would kill it. Only other
  // signals are passed on.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`${command}: ${error.message}`));
  child.on("exit", async (status) => process.exit(await ended(status ?? 1)));
}

/** Returns which of the known flags are given. An unknown flag ends the build. */
function flagsIn(args, ...known) {
  const strange = args.find((arg) => !known.includes(arg));
  if (strange !== undefined) fail(`there is no ${strange} here; there is: ${known.join(", ")}`);
  return known.map((flag) => args.includes(flag));
}

function fail(message) {
  process.stderr.write(`\nbuild.mjs: ${message}\n`);
  process.exit(1);
}

/** The functions and paths that src/executable/packages.mjs needs. */
const TOOLS = { root: ROOT, cache: CACHE, step, npm, fail, requireTools };

// --- here it begins ------------------------------------------------------------------------

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
    fail(`Node ${NODE_MIN.join(".")} or newer is needed, this is ${process.version}`);
  }
  const [name = "build", ...args] = process.argv.slice(2);
  if (!Object.hasOwn(COMMANDS, name)) {
    const isHelp = /^(-h|--help|help)$/.test(name);
    process.stderr.write(isHelp ? USAGE : `${USAGE}\nThere is no command "${name}".\n`);
    process.exit(isHelp ? 0 : 2);
  }
  if (COMMANDS[name].length === 0 && args.length > 0) fail(`${name} takes nothing: ${args[0]}`);
  process.stderr.write(`build.mjs ${name}: Node ${process.versions.node}, ${process.execPath}\n`);
  await COMMANDS[name](args);
}
