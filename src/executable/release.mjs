/**
 * Makes the published files of a version. Input: a clean checkout whose CHANGELOG describes the
 * version, the executable, and npm's list of installed packages. Output: in dist/release the
 * archive, its bill of materials (CycloneDX), and the SHA-256 of both.
 * Invariant: the same commit and executable give the same bytes on any machine at any time. The
 * folder appears complete or not at all. Packages whose licenses ship with the executable are
 * listed as required, other packages that npm installs as excluded. The only time in it is the
 * commit's, and no value is random.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

/** Matches titles of licenses: `name version (license)`. */
const TITLE = /^=+\n(\S+) (\d\S*) \(.*\n=+$/gm;

function billOfMaterials(root, { version, commit, built, licenses }) {
  const bill = npmBill(root);
  const shipped = new Set([...licenses.matchAll(TITLE)].map(([, name, at]) => `${name}@${at}`));
  const own = `peneira@${version}`;
  const parts = partsOf(root, { ...built, zstd: zstdIn(licenses) });
  const packages = bill.components.map((one) => ({
    ...one,
    scope: titlesOf(one).some((title) => shipped.has(title)) ? "required" : "excluded",
  }));
  const components = [...packages.filter(isOfHere), ...parts].sort(byReference);
  const known = new Set([own, ...components.map((one) => one["bom-ref"])]);
  const titles = new Set(components.flatMap(titlesOf));
  const missing = [...shipped].filter((title) => !titles.has(title));
  if (missing.length > 0) throw new Error(`npm sbom does not list ${missing.join(", ")}`);
  return {
    $schema: bill.$schema,
    bomFormat: bill.bomFormat,
    specVersion: bill.specVersion,
    version: 1,
    metadata: {
      timestamp: new Date(commit.seconds * 1000).toISOString().replace(".000Z", "Z"),
      lifecycles: [{ phase: "build" }],
      tools: bill.metadata.tools,
      component: {
        ...bill.metadata.component,
        type: "application",
        name: "peneira",
        properties: [{ name: "commit", value: commit.hash }],
      },
    },
    components,
    dependencies: [
      ...bill.dependencies.map(({ ref, dependsOn }) => ({
        ref,
        dependsOn: [...dependsOn, ...(ref === own ? parts.map((one) => one["bom-ref"]) : [])]
          .filter((name) => known.has(name))
          .sort(),
      })),
      ...parts.map((one) => ({ ref: one["bom-ref"], dependsOn: [] })),
    ]
      .filter(({ ref }) => known.has(ref))
      .sort((a, b) => (a.ref < b.ref ? -1 : 1)),
  };
}

function npmBill(root) {
  const args = ["sbom", "--omit=dev", "--sbom-format=cyclonedx", "--loglevel=error"];
  const result = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (result.status === 0) return JSON.parse(result.stdout);
  throw new Error(`npm sbom: ${result.error?.message ?? result.stderr.trim()}`);
}

/** Returns the version of the executable's zstd, as in the title of its license (licenses.mjs). */
function zstdIn(licenses) {
  const [, version] = /^=+\nzstd (\d\S*)\n=+$/m.exec(licenses) ?? [];
  if (version === undefined) throw new Error("the executable has no licence of zstd");
  return version;
}

/** Returns components that npm does not list, or lists only as build tools. */
function partsOf(root, { node, sqlite, uws, zstd }) {
  const line = node.split(".")[0];
  return [
    {
      "bom-ref": `node@${node}`,
      type: "platform",
      name: "node",
      version: node,
      scope: "required",
      description: "The JavaScript runtime that the executable is built on.",
      cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
      purl: `pkg:generic/node@${node}`,
      licenses: [{ license: { id: "MIT" } }],
    },
    {
      "bom-ref": `sqlite@${sqlite}`,
      type: "library",
      name: "sqlite",
      version: sqlite,
      scope: "required",
      description: "The database of the state; its sources come with the package better-sqlite3.",
      cpe: `cpe:2.3:a:sqlite:sqlite:${sqlite}:*:*:*:*:*:*:*`,
      purl: `pkg:generic/sqlite@${sqlite}`,
      licenses: [{ license: { name: "Public domain" } }],
    },
    {
      "bom-ref": `zstd@${zstd}`,
      type: "library",
      name: "zstd",
      version: zstd,
      scope: "required",
      description: "Compresses exports; its sources come with the package zstd-napi.",
      cpe: `cpe:2.3:a:facebook:zstandard:${zstd}:*:*:*:*:*:*:*`,
      purl: `pkg:generic/zstd@${zstd}`,
      licenses: [{ license: { id: "BSD-3-Clause" } }],
    },
    uwsPart(root, { line, uws }),
  ];
}

/** Returns the compiled uWebSockets.js of this platform and Node, as a component. */
function uwsPart(root, { line, uws }) {
  const name = `@uwsjs/${process.platform}-${process.arch}-${line}`;
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const { integrity = "" } = lock.packages[`node_modules/${name}`] ?? {};
  const content = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  return {
    "bom-ref": `${name}@${uws}`,
    type: "library",
    name,
    version: uws,
    scope: "required",
    description: "uWebSockets.js, compiled.",
    purl: `pkg:npm/${encodeURIComponent(name).replace("%2F", "/")}@${uws}`,
    hashes: integrity.startsWith("sha512-") ? [{ alg: "SHA-512", content }] : [],
    licenses: [{ license: { id: "Apache-2.0" } }],
  };
}

/**
 * False for compiled packages of other platforms or Nodes, which this executable does not contain.
 */
function isOfHere(one) {
  return !/^@uwsjs\/\w+-\w+-\d+$/.test(nameOf(one));
}

/** Returns a package's names with version. A package installed under an alias has two names. */
function titlesOf(one) {
  return [one.name, nameOf(one)].map((name) => `${name}@${one.version}`);
}

function nameOf(one) {
  return one["bom-ref"].replace(/@[^@]+$/, "");
}

function byReference(a, b) {
  return a["bom-ref"] < b["bom-ref"] ? -1 : 1;
}

/** Files of docs/deploy that work with an executable. The image needs a checkout. */
const DEPLOY = /^(peneira[.-]|Caddyfile$|nginx\.conf$)/;

/** `node build.mjs release`: makes the release in dist. Prints its path, or why it failed. */
export function runRelease({ root, args, build }) {
  const dist = path.join(root, "dist");
  const places = { executable: path.join(dist, "peneira"), out: path.join(dist, "release") };
  try {
    process.stdout.write(`${release({ root, args, build, ...places })}\n`);
  } catch (error) {
    process.stderr.write(`\nbuild.mjs: ${error.message}\n`);
    process.exit(1);
  }
}

/**
 * Makes the release. `build` makes the executable. `--allow-dirty` makes a trial release, even with
 * uncommitted changes and an unreleased version.
 */
export function release({ root, args, build, executable, out }) {
  const unknown = args.filter((arg) => arg !== "--allow-dirty");
  if (unknown.length > 0) throw new Error(`release: only --allow-dirty is known, not ${unknown}`);
  const trial = args.includes("--allow-dirty");
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const commit = commitOf(root);
  refuse(root, { version, commit, trial });
  build();
  const built = JSON.parse(outputOf(executable, ["version", "--json"]));
  if (!trial) refuseForeign(built, { version, commit });
  const name = `peneira-${version}-${process.platform}-${process.arch}`;
  const next = `${out}.new`;
  fs.rmSync(next, { recursive: true, force: true });
  stage(root, { folder: path.join(next, name), executable });
  pack(next, { name, seconds: commit.seconds });
  fs.rmSync(path.join(next, name), { recursive: true });
  const bill = billOfMaterials(root, { version, commit, built, licenses: licensesOf(executable) });
  fs.writeFileSync(path.join(next, `${name}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
  writeSums(next);
  fs.rmSync(out, { recursive: true, force: true });
  fs.renameSync(next, out);
  return out;
}

/** Returns hash and time of the commit, or null outside a repository. */
function commitOf(root) {
  const result = git(root, ["log", "-1", "--format=%H %ct"]);
  if (result === null) return null;
  const [hash, seconds] = result.trim().split(" ");
  return { hash, seconds: Number(seconds) };
}

/** Reports all problems of a release together. */
function refuse(root, { version, commit, trial }) {
  const problems = [];
  if (commit === null) problems.push("this is no git checkout: a release is made of a commit");
  const changed = commit === null ? "" : (git(root, ["status", "--porcelain"]) ?? "").trim();
  if (changed !== "" && !trial) {
    const files = changed.split("\n");
    const some = files.slice(0, 5).map((line) => line.trim().split(/\s+/).at(-1));
    const more = files.length > some.length ? ` and ${files.length - some.length} more` : "";
    problems.push(`there are changes without a commit (${some.join(", ")}${more})`);
  }
  const log = path.join(root, "CHANGELOG.md");
  const text = fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "";
  const escaped = version.replaceAll(".", "\\.");
  const released = new RegExp(`^## \\[?${escaped}\\]?\\W+\\d{4}-\\d\\d-\\d\\d`, "m").test(text);
  const named = new RegExp(`^## .*\\b${escaped}(\\W|$)`, "m").test(text);
  if (!named) problems.push(`CHANGELOG.md has no entry for version ${version}`);
  else if (!released && !trial) {
    problems.push(
      `the entry of CHANGELOG.md has no day: begin it with "## ${version} - YYYY-MM-DD"`,
    );
  }
  if (problems.length === 0) return;
  const fix = trial || commit === null ? "" : "\nTo try a release all the same: --allow-dirty";
  throw new Error(`no release:\n- ${problems.join("\n- ")}${fix}`);
}

function refuseForeign(built, { version, commit }) {
  if (built.peneira !== version) {
    throw new Error(`the executable is version ${built.peneira}, package.json says ${version}`);
  }
  if (!commit.hash.startsWith(built.commit)) {
    throw new Error(`the executable is made of commit ${built.commit}, not of ${commit.hash}`);
  }
}

function licensesOf(executable) {
  return outputOf(executable, ["version", "--licenses"]);
}

/** Collects the files of the archive; modes do not depend on the user. */
function stage(root, { folder, executable }) {
  const put = (name, content, mode = 0o644) => {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    fs.chmodSync(file, mode);
  };
  put("peneira", fs.readFileSync(executable), 0o755);
  put("THIRD-PARTY-LICENSES.txt", licensesOf(executable));
  for (const name of fs
    .readdirSync(root)
    .filter((file) => /^(README.*\.md|CHANGELOG\.md|LICENSE)$/.test(file))) {
    put(name, fs.readFileSync(path.join(root, name)));
  }
  put("man/peneira.1", outputOf(executable, ["manpage"]));
  const names = { bash: "peneira.bash", zsh: "_peneira", fish: "peneira.fish" };
  for (const [shell, name] of Object.entries(names)) {
    put(`completions/${name}`, outputOf(executable, ["completion", shell]));
  }
  const deploy = path.join(root, "docs", "deploy");
  for (const name of fs.readdirSync(deploy).filter((file) => DEPLOY.test(file))) {
    put(`deploy/${name}`, fs.readFileSync(path.join(deploy, name)));
  }
  for (const place of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (place.isDirectory())
      fs.chmodSync(path.join(place.parentPath ?? place.path, place.name), 0o755);
  }
  fs.chmodSync(folder, 0o755);
}

/** Packs the archive with sorted names and no user, so that its bytes depend on the content. */
function pack(folder, { name, seconds }) {
  const plain = ["--format=ustar", "--sort=name", `--mtime=@${seconds}`];
  const nobody = ["--owner=0", "--group=0", "--numeric-owner"];
  const tar = run("tar", [...plain, ...nobody, "-cf", "-", name], {
    cwd: folder,
    encoding: "buffer",
  });
  fs.writeFileSync(path.join(folder, `${name}.tar.gz`), gzipSync(tar, { level: 9 }));
}

/** Writes hashes in the format of `sha256sum -c`. */
function writeSums(folder) {
  const lines = fs
    .readdirSync(folder)
    .sort()
    .map((name) => {
      const hash = createHash("sha256").update(fs.readFileSync(path.join(folder, name)));
      return `${hash.digest("hex")}  ${name}\n`;
    });
  fs.writeFileSync(path.join(folder, "SHA256SUMS"), lines.join(""));
}

/** Returns the executable's output, run in a minimal environment. */
function outputOf(executable, args) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  return run(executable, args, { env, encoding: "utf8" });
}

function git(root, args) {
  const result = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return result.status === 0 ? result.stdout : null;
}

function run(command, args, options) {
  const result = spawnSync(command, args, { maxBuffer: 2 ** 30, ...options });
  if (result.status === 0) return result.stdout;
  const why = result.error?.message ?? String(result.stderr).trim();
  throw new Error(`${path.basename(command)} ${args.join(" ")}: ${why}`);
}
