/**
 * Proves that documents point at existing files, that dependencies are exact, locked, and known,
 * and that no text names a machine or announces unfinished work. Does not prove that the documents
 * are true.
 * Every test prints all places that break its rule.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { filesMatching, ROOT, refuse, textOf } from "../../support/house/checkout.ts";
import {
  LOCKFILES,
  lockfileProblems,
  prunedLockfile,
  readLockfile,
} from "../../support/house/lockfile.ts";

/** Hash of the uWebSockets.js binary for Node 20 on Linux that was measured and tested. */
const UWS_SHA256 = "4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89";
const UWS_FILE = "node_modules/@uwsjs/linux-x64-20/uws.node";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

describe("documents", () => {
  it("point at files that exist", () => {
    const broken = filesMatching(/^(README|ARCHITECTURE|CHANGELOG)\.md$|^docs\/.*\.md$/).flatMap(
      (file) =>
        linesOf(file).flatMap((line, index) =>
          pathsIn(line)
            .filter((target) => !exists(file, target))
            .map((target) => `${file}:${index + 1} ${target}`),
        ),
    );
    refuse(broken, "there is nothing at these paths");
  });

  it("that open the repository show the console, and use the demo of npm start", () => {
    for (const file of ["README.md", "README.pt-BR.md"]) {
      const lines = linesOf(file);
      const picture = lines.findIndex((line) =>
        line.includes("](src/console/screenshots/find.webp)"),
      );
      assert.ok(picture >= 0 && picture < 20, `${file} shows the console first`);
      const given = lines.find((line) => line.startsWith("<!-- given: "));
      assert.equal(given, "<!-- given: .peneira/demo.peneira -->", file);
      const searches = lines.filter((line) => line.includes("--snapshot .peneira/demo.peneira"));
      assert.ok(searches.length > 0, `${file} searches the demo`);
    }
  });

  it("name no invented home page, repository, or tracker", () => {
    const manifest = JSON.parse(textOf("package.json")) as Record<string, unknown>;
    const invented = ["repository", "bugs", "homepage"].filter((name) => name in manifest);
    assert.deepEqual(invented, []);
  });

  it("all exist", () => {
    const wanted = [
      ...["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE", "package-lock.json"],
      ...["CONTRIBUTING.md", "SECURITY.md", "pull_request_template.md"].map((name) => {
        return `.github/${name}`;
      }),
      ...[".github/workflows/ci.yml", ".github/ISSUE_TEMPLATE/mistake.md"],
    ];
    assert.match(textOf(".github/workflows/ci.yml"), /^ +- run: \.ci\/run$/m);
    refuse(
      wanted.filter((file) => !existsSync(path.join(ROOT, file))),
      "missing",
    );
  });
});

describe("dependencies", () => {
  const manifest = JSON.parse(textOf("package.json")) as Manifest;
  const lockfile = readLockfile("package-lock.json");

  it("have exact versions", () => {
    const broken = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
      .filter(([, version]) => !/^(npm:[@\w/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${name} ${version}`);
    refuse(broken, "a range lets the same commit mean different code");
  });

  it("are locked as in the manifest", () => {
    const root = lockfile.packages[""];
    assert.deepEqual(root?.dependencies, manifest.dependencies);
    assert.deepEqual(root?.devDependencies, manifest.devDependencies);
  });

  it("are pinned by hash, for the systems that we run on only, and name no registry", () => {
    assert.ok(LOCKFILES.includes("package-lock.json"));
    const broken = LOCKFILES.flatMap((file) =>
      lockfileProblems(readLockfile(file)).map((problem) => `${file}: ${problem}`),
    );
    refuse(broken, "node --import tsx test/support/house/lockfile.ts takes out what may go");
  });

  it("are detected here, and removed, if they are not", () => {
    const { packages } = lockfile;
    const [integrity] = Object.values(packages).flatMap((one) => one.integrity ?? []);
    const planted = {
      "": { ...packages[""], optionalDependencies: { unpinned: "1.0.0", foreign: "1.0.0" } },
      "node_modules/pinned": { version: "1.0.0", integrity, libc: "glibc", os: ["!win32"] },
      "node_modules/unpinned": { version: "1.0.0", optional: true },
      "node_modules/a/node_modules/foreign": { integrity, optional: true, os: ["freebsd"] },
      "node_modules/musl": { integrity, optional: true, libc: ["musl"] },
      "node_modules/weak": { integrity: "sha1-8nLvd8TLJ2vKPg4pxH0ETAuQRYI=" },
      "node_modules/ours": { integrity, resolved: "https://registry.example/ours.tgz" },
    };
    const found = lockfileProblems({ packages: planted } as never);
    assert.deepEqual(found, [
      "node_modules/unpinned has no sha512",
      "node_modules/a/node_modules/foreign is for systems that Peneira does not run on",
      "node_modules/musl is for systems that Peneira does not run on",
      "node_modules/weak has no sha512",
      "node_modules/ours names one registry",
    ]);
    const pruned = JSON.parse(prunedLockfile(JSON.stringify({ packages: planted })));
    assert.deepEqual(lockfileProblems(pruned), ["node_modules/weak has no sha512"]);
    assert.equal(pruned.packages[""].optionalDependencies, undefined);
    // A package that is removed from the lockfile's list but not from its root entry is reported.
    const { "node_modules/unpinned": _, ...rest } = planted;
    const half = lockfileProblems({ packages: rest } as never);
    assert.ok(half.includes("the root wants unpinned, which is not locked"));
  });

  it("hold the uWebSockets.js binary that was tested", (test) => {
    const file = path.join(ROOT, UWS_FILE);
    if (!existsSync(file)) return test.skip("skipped: another platform or Node version");
    assert.equal(createHash("sha256").update(readFileSync(file)).digest("hex"), UWS_SHA256);
  });
});

describe("texts", () => {
  const files = filesMatching(/\.(ts|tsx|mjs|cc|h|gyp|json|md|yml|sh)$|^\.ci\/|^\.gitignore$/);

  it("name no machine and no registry", () => {
    // The names are split, so that this file does not match itself.
    const hosts = ["npm" + "js\\.org", "debia" + "n\\.org", "github" + "usercontent"];
    const folders = ["wor" + "k", "far" + "m", "roo" + "t", "hom" + "e\\/[a-z]"];
    const pattern = new RegExp(`(^|[^.\\w])\\/(${folders.join("|")})\\/|${hosts.join("|")}`);
    refuse(linesMatching(files, pattern), "paths and hosts of one machine");
  });

  it("announce no unfinished work", () => {
    const words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"];
    const phrases = ["not " + "implemented", "for " + "now", "in production " + "you"];
    const pattern = new RegExp(`\\b(${words.join("|")})\\b`);
    const soft = new RegExp(`\\b(${phrases.join("|")})\\b`, "i");
    const broken = [...linesMatching(files, pattern), ...linesMatching(files, soft)];
    refuse(broken, "finish it, or write an issue");
  });

  it("of tests run every test", () => {
    const calls = ["on" + "ly", "to" + "do"].join("|");
    const pattern = new RegExp(`\\b(it|test|describe)\\.(${calls})\\(|\\{ *(${calls}): *true`);
    refuse(linesMatching(filesMatching(/^test\/.*\.ts$/), pattern), "tests that do not run");
  });
});

function linesOf(file: string): string[] {
  return textOf(file).split("\n");
}

function linesMatching(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    linesOf(file).flatMap((line, index) =>
      pattern.test(line) ? [`${file}:${index + 1} ${line.trim().slice(0, 80)}`] : [],
    ),
  );
}

/** Returns the targets of links, and paths of this checkout between backquotes. */
function pathsIn(line: string): string[] {
  const links = [...line.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
  const code = [...line.matchAll(/`([^`\s]+)`/g)].map((match) => match[1] ?? "");
  const folders = /^(src|test|bench|data|docs|native-index|\.ci)\/[\w./-]*$/;
  return [
    ...links.filter((link) => !/^([a-z]+:|#)/.test(link)).map((link) => link.replace(/#.*$/, "")),
    ...code.filter((word) => folders.test(word)),
  ];
}

function exists(from: string, target: string): boolean {
  return [path.dirname(from), ""].some((base) => existsSync(path.join(ROOT, base, target)));
}
