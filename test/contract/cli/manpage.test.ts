/**
 * Proves that the manual page has every command, option, setting, and exit code, is plain ASCII,
 * and is deterministic. If mandoc or groff is installed, it reads the page without a warning.
 * Does not prove: that the page reads well.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { before, describe, it } from "node:test";
import { settingRows } from "../../../src/cli/support/config.ts";
import { productCommand } from "../../support/server/process.ts";

let page: string;
/** The page as displayed, without bold and with plain hyphens. */
let words: string;

function peneira(...args: string[]): string {
  return execFileSync(...productCommand(args), { encoding: "utf8" });
}

function installed(tool: string): false | string {
  const { error } = spawnSync(tool, ["-man"], { input: ".TH A 1 2026-01-01\n" });
  return error === undefined ? false : `${tool} is not installed`;
}

before(() => {
  page = peneira("manpage");
  words = page
    .replace(/\\f[BIR]/g, "")
    .replace(/\\-/g, "-")
    .replace(/\\\(aq/g, "'")
    .replace(/\\e/g, "\\");
});

describe("the manual page", () => {
  it("has all sections once and in order", () => {
    const sections = [...page.matchAll(/^\.SH (.*)$/gm)].map(([, name]) => name);
    const first = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS"];
    assert.deepEqual(sections, [...first, "SETTINGS", "ENVIRONMENT", "FILES", "EXAMPLES"]);
    assert.match(page, /^\.TH PENEIRA 1 "[^"]+" "Peneira \d+\.\d+\.\d+\S*" "User Commands"$/m);
  });

  it("contains every command and option of the help", () => {
    const parts = peneira("manpage", "--format", "text")
      .split(/^\$ (peneira.*) --help$/m)
      .slice(1);
    let options = 0;
    for (let i = 0; i < parts.length; i += 2) {
      const command = parts[i] as string;
      const at = command === "peneira" ? ".SH OPTIONS\n" : `.SS ${command} `;
      const section = words.split(at)[1]?.split(/^\.S[SH] /m)[0] ?? "";
      assert.notEqual(section, "", command);
      for (const [, name] of (parts[i + 1] as string).matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)) {
        if (name === "--help" && command !== "peneira") continue;
        options++;
        assert.ok(
          section.includes(`\n${name}`) || section.includes(`, ${name}`),
          `${command} ${name}`,
        );
      }
    }
    assert.ok(options > 80, String(options));
  });

  it("contains every setting with its variable, and the plan limits once", () => {
    const rows = settingRows();
    assert.ok(rows.length > 60);
    for (const { key, variable } of rows) {
      const limit = /^plans\.[^.]+(\..+)$/.exec(key)?.[1];
      assert.ok(
        words.includes(limit === undefined ? `\n${variable}\n` : `plans.plan${limit}\n`),
        key,
      );
    }
    assert.equal(words.split("\nplans.plan.burst\n").length, 2);
  });

  it("is ASCII and deterministic", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the range.
    assert.match(page, /^[\x0a\x20-\x7e]+$/);
    assert.equal(peneira("manpage"), page);
  });

  it("is accepted by mandoc without a warning", { skip: installed("mandoc") }, () => {
    const { stdout } = spawnSync("mandoc", ["-Tlint", "-Wwarning"], {
      input: page,
      encoding: "utf8",
    });
    // A program that is not bundled does not know the date of its commit, so the page lacks a date.
    // The warning about that is removed.
    assert.equal(stdout.replace(/^.*cannot parse date.*\n/m, ""), "");
  });

  it("is accepted by groff without a warning", { skip: installed("groff") }, () => {
    const args = ["-man", "-Tutf8", "-ww", "-z"];
    const { status, stderr } = spawnSync("groff", args, { input: page, encoding: "utf8" });
    assert.equal(stderr, "");
    assert.equal(status, 0);
  });
});
