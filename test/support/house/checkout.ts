/**
 * Lists the files of this checkout and reads their text.
 * Invariant: ignored files are left out, and uncommitted ones are included. Paths are relative to
 * the root and use `/`. Each file is read only once.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The root folder of the checkout. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

const IGNORED = /(^|\/)(node_modules|dist|\.git|build|build-[^/]*|\.peneira|\.cache|\.tmp)\//;
const texts = new Map<string, string>();

/** All matching files of the checkout, sorted by name. */
export function filesMatching(pattern: RegExp): string[] {
  all ??= listFiles();
  return all.filter((file) => pattern.test(file));
}

/** Fails the test if `places` is not empty, with the rule and every place that breaks it. */
export function refuse(places: readonly string[], rule: string): void {
  if (places.length > 0) assert.fail(`${rule}:\n  ${places.join("\n  ")}\n`);
}

/** The text of a file. */
export function textOf(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(path.join(ROOT, file), "utf8");
  texts.set(file, text);
  return text;
}

/** Filled on first use, because git takes 50 ms and most suites only import ROOT. */
let all: string[] | undefined;

function listFiles(): string[] {
  let files: string[];
  try {
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const output = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
    files = output.split("\0").filter((file) => file !== "" && existsSync(path.join(ROOT, file)));
  } catch {
    files = []; // No repository or no git: this is a source archive.
  }
  if (files.length === 0) files = listFolder("");
  return [...new Set(files)].sort();
}

function listFolder(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (IGNORED.test(`${file}/`)) return [];
    return entry.isDirectory() ? listFolder(file) : [file];
  });
}
