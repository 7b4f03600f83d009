/**
 * A campaign that is a separate program: runs Node with its arguments, returns the output
 * lines that have figures, and passes its progress to standard error.
 * Invariant: a failing program rejects with the end of its output.
 */
import { spawn } from "node:child_process";
import { ROOT } from "../support/house/checkout.ts";

/** Matches lines with figures, of the test runner and of libFuzzer. */
const FIGURES = /^(ℹ |stat::|\S+: \d+ )/;
/** Number of last lines shown for a failure. */
const LAST_LINES = 60;

/** Runs the program from the root of the checkout. */
export function runProgram(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...variables };
    const child = spawn(process.execPath, args, {
      ...{ cwd: ROOT, env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      process.stderr.write(chunk);
    });
    child.on("error", reject);
    child.on("close", (status) => {
      const lines = text.split("\n");
      if (status === 0) resolve(lines.filter((line) => FIGURES.test(line.trim())).join("\n"));
      else reject(new Error(lines.slice(-LAST_LINES).join("\n")));
    });
  });
}
