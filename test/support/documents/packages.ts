/**
 * Packages that examples of documents are written for. Input: blocks of a document. What
 * goes out: the same, those skipped whose packages are not installed, with the reason.
 * Invariant: where a package is there its block runs; nobody has to say so. `python3` and `node`
 * are those of the PATH, so that a virtual environment counts once it stands there.
 */
import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/checkout.ts";
import type { Block } from "./blocks.ts";

/** Where the packages of JavaScript lie. */
const PACKAGES = join(ROOT, "node_modules");

/** Prints those of its arguments that no module is named after. */
const PYTHON = `import sys, importlib.util
print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name) is None])`;

/** Skips the blocks that cannot run here, as `no pyarrow`. */
export function withPackages(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => {
    const missing = block.marks.needs === undefined ? [] : missingOf(block, block.marks.needs);
    if (missing.length === 0) return block;
    return { ...block, marks: { ...block.marks, skip: `no ${missing.join(", no ")}` } };
  });
}

/** What makes the packages of JavaScript reachable from a folder. */
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
