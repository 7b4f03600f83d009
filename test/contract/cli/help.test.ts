/**
 * Proves that the help of every command equals the committed text of test/help/, so that a change
 * of user-visible text is noticed when made. Also proves that every command describes itself in
 * sentences with examples, and that every option has a description.
 * Does not prove: that the texts are clear or true. People read them, and the tests of the
 * documents run the examples.
 *
 * To renew the texts: RENEW_HELP=1 npm test -- help
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, it } from "node:test";
import { ROOT } from "../../support/house/checkout.ts";
import { productCommand } from "../../support/server/process.ts";

const FOLDER = path.join(ROOT, "test/support/help");
const COLUMNS = 80;

interface Help {
  /** The command that the help describes, such as `peneira key create`. */
  readonly command: string;
  readonly text: string;
}

let helps: readonly Help[];

function peneira(...args: string[]): string {
  const env = { ...process.env, COLUMNS: String(COLUMNS), NO_COLOR: "1" };
  return execFileSync(...productCommand(args), { env, encoding: "utf8" });
}

/** Commands whose help is in another command's file, as a folder has at most 30 entries. */
const SHARED: Readonly<Record<string, string>> = {
  ...{ manpage: "completion", openapi: "completion", version: "completion" },
  ...{ plan: "tenant", count: "search", notices: "list", watch: "list" },
};

function fileOf({ command }: Help): string {
  const name = command.split(" ")[1] ?? "peneira";
  return `${SHARED[name] ?? name}.txt`;
}

/** Returns the text of every file. */
function files(): Map<string, string> {
  const texts = new Map<string, string>();
  for (const help of helps) {
    const name = fileOf(help);
    const before = texts.get(name);
    const own = `$ ${help.command} --help\n${help.text}`;
    texts.set(name, before === undefined ? own : `${before}\n${own}`);
  }
  return texts;
}

before(() => {
  const [first, ...parts] = peneira("manpage", "--format", "text").split(
    /^\$ (peneira.*) --help\n/m,
  );
  assert.equal(first, "");
  helps = parts.flatMap((command, i) => {
    return i % 2 === 0 ? [{ command, text: `${(parts[i + 1] as string).trimEnd()}\n` }] : [];
  });
});

describe("the help", () => {
  it("equals the committed golden", () => {
    const texts = files();
    if (process.env.RENEW_HELP) {
      rmSync(FOLDER, { recursive: true, force: true });
      mkdirSync(FOLDER, { recursive: true });
      for (const [name, text] of texts) writeFileSync(path.join(FOLDER, name), text);
    }
    const fix = "if it is meant so: RENEW_HELP=1 npm test -- help";
    assert.deepEqual(readdirSync(FOLDER).sort(), [...texts.keys()].sort(), fix);
    for (const [name, text] of texts) {
      assert.equal(
        text,
        readFileSync(path.join(FOLDER, name), "utf8"),
        `test/support/help/${name}: ${fix}`,
      );
    }
  });

  it("is printed by --help and help", () => {
    for (const args of [["--help"], ["key", "create", "--help"], ["help", "search"]]) {
      const words = args.filter((word) => word !== "--help" && word !== "help");
      const help = helps.find(({ command }) => command === ["peneira", ...words].join(" "));
      assert.equal(peneira(...args).trimEnd(), help?.text.trimEnd());
    }
  });

  it("is printed for --help in any position except after two hyphens", () => {
    const search = peneira("search", "--help");
    assert.equal(peneira("search", "--text", "--help"), search);
    assert.equal(peneira("search", "--snapshot", "none", "-h"), search);
    assert.equal(peneira("key", "create", "--name", "--help"), peneira("key", "create", "--help"));
    assert.equal(peneira("help", "key", "create"), peneira("key", "create", "--help"));
    const sentence = spawnSync(...productCommand(["translate", "--", "--help"]));
    assert.notEqual(String(sentence.stdout), peneira("translate", "--help"));
  });

  it("names an unknown command", () => {
    const { status, stderr } = spawnSync(...productCommand(["help", "serch"]), {
      encoding: "utf8",
    });
    assert.equal(status, 2);
    assert.match(stderr, /unknown command 'serch'\n\(Did you mean search\?\)/);
    const suggested = spawnSync(...productCommand(["serch", "--help"]), { encoding: "utf8" });
    assert.deepEqual([suggested.status, suggested.stderr], [status, stderr]);
  });

  it("describes every command in a sentence, with an example", () => {
    for (const { command, text } of helps) {
      const sentence = /^Usage: .*\n\n((?:.+\n)+)/.exec(text)?.[1] ?? "";
      assert.match(sentence, /^[A-Z][\s\S]*\.\n$/, `${command}: ${sentence}`);
      const shown = text.split("\n").some((line) => {
        return /^ {2,}(\$ .*)?\b/.test(line) && line.includes(`${command} `);
      });
      assert.ok(shown || command === "peneira version", `${command} has an example of itself`);
    }
  });

  it("describes commands in phrases, and explains every option and argument", () => {
    for (const { command, text } of helps) {
      const lines = text.split("\n").filter((line) => line !== "");
      for (const [i, line] of lines.entries()) {
        const entry = /^ {2}(?:-\S+(?: \S+)*?)(?: {2,}(\S.*))?$/.exec(line);
        if (entry === null) continue;
        const explained = entry[1] !== undefined || /^ {10,}\S/.test(lines[i + 1] ?? "");
        assert.ok(explained, `${command}: ${line}`);
      }
      const below = /^Commands:\n((?: {2}.*\n)+)/m.exec(text)?.[1] ?? "";
      for (const line of below.split(/\n(?= {2}\S)/).filter((one) => one.trim() !== "")) {
        const phrase = /^ {2}\S.*? {2,}([\s\S]*?)\n?$/.exec(line)?.[1] ?? "";
        assert.match(phrase, /^[a-z][\s\S]*[^.]$/, `${command}: ${line}`);
      }
    }
  });

  it("fits a terminal, except for lines to copy", () => {
    for (const { command, text } of helps) {
      const [options = ""] = text
        .split(/\n\n(?=[^ ])/)
        .filter((part) => part.startsWith("Options"));
      for (const line of options.split("\n")) {
        assert.ok(line.length <= COLUMNS, `${command}: ${line}`);
      }
      for (const line of text.split("\n")) assert.ok(line.length <= 100, `${command}: ${line}`);
    }
  });
});
