/**
 * Proves the output of `node build.mjs release`, on a small repository with a stand-in for the
 * executable: the archive's content and modes, the list of parts, and hashes that `sha256sum`
 * confirms. Bytes are the same with another umask at another time. Tests every refusal with its
 * message.
 * Does not prove that the real executable is good: e2e/executable/executable.test.ts does.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { ROOT } from "../../support/house/checkout.ts";

interface ReleaseOptions {
  readonly root: string;
  readonly args: readonly string[];
  readonly build: () => void;
  readonly executable: string;
  readonly out: string;
}

interface Part {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly scope: string;
}

interface Bill {
  readonly bomFormat: string;
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp: string; readonly component: { readonly type: string } };
  readonly components: readonly Part[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const { release } = (await import("../../../src/executable/release.mjs" as string)) as {
  release: (options: ReleaseOptions) => string;
};

const VERSION = "1.2.3";
const NAME = `peneira-${VERSION}-${process.platform}-${process.arch}`;
const RELEASED = `# Changelog\n\n## ${VERSION} - 2026-11-21\n\n- Everything.\n`;
const SECONDS = 1_700_000_000;

const folder = mkdtempSync(path.join(tmpdir(), "peneira-release-"));
const root = path.join(folder, "checkout");
const executable = path.join(folder, "peneira");
let built = 0;

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
}

function git(...args: string[]): string {
  const who = [
    "-c",
    "user.name=Ana",
    "-c",
    "user.email=ana@example.com",
    "-c",
    "commit.gpgsign=false",
  ];
  const at = `${SECONDS} +0000`;
  const env = { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  return execFileSync("git", [...who, ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    stdio: "pipe",
  });
}

function commit(): void {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "one");
  standIn(git("log", "-1", "--format=%h", "--abbrev=12").trim());
}

/** Writes a script that prints the versions of an executable with one third-party package. */
function standIn(hash: string, version = VERSION): void {
  const versions = {
    peneira: version,
    commit: hash,
    node: "22.1.0",
    uws: "20.51.4",
    sqlite: "3.50.4",
  };
  const rule = "=".repeat(100);
  const script = `#!/bin/sh
case "$1 $2" in
  "version --json") echo '${JSON.stringify(versions)}' ;;
  "version --licenses") printf '%s\\n' '${rule}' 'inner 1.0.0 (MIT) Rui' '${rule}' '' 'Do.' ''  \
    '${rule}' 'zstd 1.5.7' '${rule}' '' 'Do.' ;;
  "manpage ") echo '.TH PENEIRA 1' ;;
  completion*) echo "# completion for $2" ;;
  *) exit 9 ;;
esac
`;
  writeFileSync(executable, script, { mode: 0o700 });
}

function make(...args: string[]): string {
  const build = () => {
    built++;
  };
  return release({ root, args, build, executable, out: path.join(folder, "release") });
}

function entries(archive: string): string[] {
  const list = ["--list", "--verbose", "--numeric-owner", "--utc", "--file", archive];
  return execFileSync("tar", list, { encoding: "utf8" }).trim().split("\n");
}

before(() => {
  write(
    "package.json",
    JSON.stringify({
      name: "peneira",
      version: VERSION,
      license: "Apache-2.0",
      dependencies: { inner: "1.0.0", outer: "2.0.0" },
    }),
  );
  const packages = { inner: "1.0.0", outer: "2.0.0" };
  const locked = Object.entries(packages).map(([name, version]) => {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version, license: "MIT" }));
    return [`node_modules/${name}`, { version, license: "MIT" }];
  });
  const self = { name: "peneira", version: VERSION, dependencies: packages };
  const lock = { name: "peneira", version: VERSION, lockfileVersion: 3, requires: true };
  const text = JSON.stringify({ ...lock, packages: { "": self, ...Object.fromEntries(locked) } });
  write("package-lock.json", text);
  write(".gitignore", "node_modules\n");
  for (const name of ["LICENSE", "README.md"]) write(name, `${name}\n`);
  write("CHANGELOG.md", RELEASED);
  cpSync(path.join(ROOT, "docs/deploy"), path.join(root, "docs/deploy"), { recursive: true });
  git("init", "--quiet");
  commit();
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe("a release", () => {
  it("is an archive, a list of parts, and valid hashes", () => {
    const out = make();
    assert.equal(built, 1, "the executable is made first");
    const files = [`${NAME}.cdx.json`, `${NAME}.tar.gz`];
    assert.deepEqual(readdirSync(out).sort(), ["SHA256SUMS", ...files]);
    const checked = execFileSync("sha256sum", ["-c", "SHA256SUMS"], { cwd: out, encoding: "utf8" });
    assert.equal(checked, files.map((name) => `${name}: OK\n`).join(""));
  });

  it("has what a stranger needs, without an owner", () => {
    const list = entries(path.join(make(), `${NAME}.tar.gz`));
    const names = list.map((line) => line.split(" ").at(-1)?.replace(`${NAME}/`, ""));
    for (const name of [
      ...["peneira", "LICENSE", "THIRD-PARTY-LICENSES.txt", "README.md", "CHANGELOG.md"],
      ...["man/peneira.1", "completions/peneira.bash", "completions/_peneira"],
      ...["completions/peneira.fish", "deploy/peneira.service", "deploy/peneira-update.service"],
      ...["deploy/peneira.timer", "deploy/nginx.conf", "deploy/Caddyfile"],
    ]) {
      assert.ok(names.includes(name), name);
    }
    assert.ok(!names.includes("deploy/Dockerfile"), "an image is built from a checkout");
    for (const line of list) {
      assert.match(line, /^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) 0\/0 +\d+ 2023-11-14 22:13 /, line);
    }
    assert.match(list.find((line) => line.endsWith(`${NAME}/peneira`)) ?? "", /^-rwxr-xr-x/);
  });

  it("has the same bytes for any builder and time", () => {
    const sums = readFileSync(path.join(make(), "SHA256SUMS"), "utf8");
    const before = process.umask(0o077);
    try {
      for (const name of ["README.md", "docs/deploy/nginx.conf"]) {
        utimesSync(path.join(root, name), 1, 1);
        chmodSync(path.join(root, name), 0o600);
      }
      assert.equal(readFileSync(path.join(make(), "SHA256SUMS"), "utf8"), sums);
    } finally {
      process.umask(before);
    }
  });

  it("lists its parts, Node too, and what is not included", () => {
    const text = readFileSync(path.join(make(), `${NAME}.cdx.json`), "utf8");
    const bill = JSON.parse(text) as Bill;
    assert.equal(bill.bomFormat, "CycloneDX");
    assert.equal(bill.serialNumber, undefined);
    assert.equal(bill.metadata.timestamp, "2023-11-14T22:13:20Z");
    assert.equal(bill.metadata.component.type, "application");
    const scopes = Object.fromEntries(bill.components.map((one) => [one["bom-ref"], one.scope]));
    assert.equal(scopes["inner@1.0.0"], "required");
    assert.equal(scopes["outer@2.0.0"], "excluded");
    assert.equal(scopes["node@22.1.0"], "required");
    assert.equal(scopes["sqlite@3.50.4"], "required");
    assert.equal(scopes["zstd@1.5.7"], "required");
    assert.equal(scopes[`@uwsjs/${process.platform}-${process.arch}-22@20.51.4`], "required");
    const own = bill.dependencies.find(({ ref }) => ref === `peneira@${VERSION}`);
    assert.ok(own?.dependsOn.includes("node@22.1.0"));
    for (const name of bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])) {
      assert.ok(name === `peneira@${VERSION}` || name in scopes, name);
    }
  });
});

describe("a release is refused", () => {
  const log = (text: string) => write("CHANGELOG.md", text);

  function refused(words: readonly RegExp[], ...args: string[]): void {
    const [was, stood] = [built, readFileSync(path.join(folder, "release/SHA256SUMS"), "utf8")];
    assert.throws(
      () => make(...args),
      ({ message }: Error) => words.every((word) => word.test(message)) || assert.fail(message),
    );
    assert.equal(built, was, "nothing was built");
    assert.equal(readFileSync(path.join(folder, "release/SHA256SUMS"), "utf8"), stood);
    assert.ok(!existsSync(path.join(folder, "release.new")));
  }

  it("with changes or without an entry in the changelog, both reported together", () => {
    log("# Changelog\n\n## 1.2.30 - 2026-11-21\n");
    refused([/changes without a commit \(CHANGELOG\.md\)/, /no entry for version 1\.2\.3\n/]);
    refused([/no entry for version 1\.2\.3/], "--allow-dirty");
    log(RELEASED);
  });

  it("while the version is not released, except for a trial", () => {
    log(`# Changelog\n\n## Unreleased: ${VERSION}\n`);
    commit();
    refused([/begin it with "## 1\.2\.3 - YYYY-MM-DD"/, /--allow-dirty/]);
    make("--allow-dirty");
    log(RELEASED);
    commit();
  });

  it("with an unknown option", () => refused([/only --allow-dirty/], "--alow-dirty"));

  it("if the executable is not of this version and commit", () => {
    standIn("0123456789ab");
    assert.throws(() => make(), /made of commit 0123456789ab, not of/);
    standIn(git("log", "-1", "--format=%h", "--abbrev=12").trim(), "1.2.2");
    assert.throws(() => make(), /is version 1\.2\.2, package\.json says 1\.2\.3/);
  });

  it("outside of a repository", () => {
    const bare = path.join(folder, "bare");
    cpSync(root, bare, { recursive: true, filter: (name) => !name.endsWith(".git") });
    const env = process.env.GIT_CEILING_DIRECTORIES;
    process.env.GIT_CEILING_DIRECTORIES = folder;
    try {
      const options = { root: bare, args: [], build: () => assert.fail(), executable };
      assert.throws(() => release({ ...options, out: `${bare}.out` }), /no git checkout/);
    } finally {
      if (env === undefined) delete process.env.GIT_CEILING_DIRECTORIES;
      else process.env.GIT_CEILING_DIRECTORIES = env;
    }
  });
});
