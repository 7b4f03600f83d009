/**
 * Proves that the documents are true: every example of README.md, README.pt-BR.md, and docs/ runs
 * unchanged, in order, in an empty folder, against invented companies. Every shown answer is the
 * real one, every link has a target, and tables generated from code are up to date. Examples that
 * could not run here are printed with the reason. Does not prove that sentences between the
 * examples are true, nor that other sites exist.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DOCUMENTS } from "../../support/documents/figures.ts";
import { staleDocuments } from "../../support/documents/generate.ts";
import { deadLinks, EXTERNAL, externalLinks } from "../../support/documents/links.ts";
import { type RunInput, runDocument } from "../../support/documents/run.ts";
import { shareOf } from "../../support/download/dumps.ts";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";
import { productCommand } from "../../support/server/process.ts";

const FILES = filesMatching(DOCUMENTS);
const LINKED = filesMatching(/^[^/]+\.md$|^docs\/.*\.md$/);
/**
 * Maximum lines of a document, without generated lines. A longer document should be split in two.
 */
const LINES_MAX = 320;
/**
 * Documents with other limits. First pages are shorter, and the record of benchmark runs contains
 * all figures.
 */
const OTHER_LINES_MAX: Readonly<Record<string, number>> = {
  "README.md": 150,
  "README.pt-BR.md": 150,
  "ARCHITECTURE.md": 300,
  "CHANGELOG.md": 120,
  "docs/benchmarks.md": 345,
};
/**
 * The snapshots that documents use, with their numbers of establishments. They are made with the
 * commands of docs/start.md and `npm start`.
 */
const SNAPSHOTS = { "2026-10.peneira": "20000", ".peneira/demo.peneira": "200000" };

const total = { ran: 0, compared: 0, skipped: 0 };

describe("examples of the documents", { concurrency: 2 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-documents-"));
  let input: RunInput;

  let share: Awaited<ReturnType<typeof shareOf>>;

  before(async () => {
    const opened = openRunInput(folder);
    share = await shareOf(join(folder, "20000", "2026-10"), "2026-10");
    input = { ...opened, share: share.url };
  });
  after(async () => {
    await share.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const file of FILES) {
    it(`of ${file}`, async (test) => {
      const outcome = await runDocument(textOf(file), input);
      const skipped = outcome.skipped.map((one) => `${file}:${one}`);
      for (const one of skipped) test.diagnostic(`skipped ${one}`);
      total.ran += outcome.ran;
      total.compared += outcome.compared;
      total.skipped += skipped.length - outcome.absent;
      refuse(
        outcome.mistakes.map((one) => `${file}:${one}`),
        "examples that are not so",
      );
    });
  }
});

describe("documents", () => {
  it("have examples, nearly all of which ran", (test) => {
    const { ran, compared, skipped } = total;
    test.diagnostic(`${ran} blocks run, ${compared} answers compared, ${skipped} skipped`);
    assert(ran > 5 * skipped, "too many blocks are skipped");
    assert(compared > ran / 2, "too few answers are shown");
  });

  it("link to existing files and headings", () => {
    refuse(
      LINKED.flatMap((file) => deadLinks(file)),
      "links that lead nowhere",
    );
  });

  it("name only reviewed addresses", () => {
    const named = new Set(LINKED.flatMap((file) => externalLinks(textOf(file))));
    refuse(
      [...named].filter((address) => !Object.hasOwn(EXTERNAL, address)),
      "addresses that are not in the table of test/support/documents/links.ts",
    );
    const vain = Object.keys(EXTERNAL).filter((address) => !named.has(address));
    refuse(vain, "addresses in the table that no document names");
  });

  it("contain the current generated tables", () => {
    refuse(
      staleDocuments().map(({ file }) => file),
      "old; node --import tsx test/support/documents/generate.ts writes them",
    );
  });

  it("are short enough to be read", () => {
    const long = LINKED.flatMap((file) => {
      const max = OTHER_LINES_MAX[file] ?? LINES_MAX;
      const written = textOf(file).replace(/<!-- generated: [\s\S]*?<!-- end of generated/g, "");
      const lines = written.trimEnd().split("\n").length;
      return lines > max ? [`${file} has ${lines} lines, more than ${max}`] : [];
    });
    refuse(long, "documents that are too long");
  });
});

/** Makes a folder for the PATH with `peneira`, and the months of invented companies. */
function openRunInput(folder: string): RunInput {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const program = join(bin, "peneira");
  const [file, args] = productCommand([]);
  const words = [file, ...args].map((word) => `'${word}'`).join(" ");
  writeFileSync(program, `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(program, 0o755);
  const run = (...args: string[]) => execFileSync(program, args, { cwd: folder, stdio: "pipe" });
  const files: Record<string, string> = {};
  for (const [name, accounts] of Object.entries(SNAPSHOTS)) {
    const dump = join(folder, accounts, "2026-10");
    const snapshot = join(folder, `${accounts}.peneira`);
    mkdirSync(join(folder, accounts));
    run("sample", "--out", dump, "--establishments", accounts, "--seed", "1");
    run("import", dump, "--out", snapshot);
    files[name] = snapshot;
  }
  return { bin, files };
}
