/**
 * Skips the examples of documents that need packages which are not installed, and states the
 * reason.
 * Invariant: a block runs if its package is installed, without any configuration. `python3` and
 * `node` come from the PATH, so an active virtual environment is used.
 */
import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/checkout.ts";
import type { Block } from "./blocks.ts";

/** Folder of the JavaScript packages. */
const PACKAGES = join(ROOT, "node_modules");

/** A Python program that prints those of its arguments for which no module is installed. */
const PYTHON = `import sys, importlib.util
print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name) is None])`;

/** Marks the blocks whose packages are missing as skipped, with a reason such as `no pyarrow`. */
export function withPackages(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => {
    const missing = block.marks.needs === undefined ? [] : missingOf(block, block.marks.needs);
    if (missing.length === 0) return block;
    return { ...block, marks: { ...block.marks, skip: `no ${missing.join(", no ")}` } };
  });
}

/** Makes the JavaScript packages reachable from a folder. */
export function linkPackages(folder: string): void {
  symlinkSync(PACKAGES, join(folder, "node_modules"));
}

function missingOf({ language }: Block, names: readonly string[]): string[] {
  if (language === "js") return names.filter((name) => !existsSync(join(PACKAGES, name)));
  try {
    const missing = execFileSync("python3", ["-c", PYTHON, ...names], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return missing.split(/\s+/).filter((name) => name !== "");
  } catch {
    return ["python3"];
  }
}
