/**
 * Runs a campaign that is a separate program. It starts Node with the program's arguments, returns
 * the output lines that contain figures, and passes progress on to standard error.
 * Invariant: if the program fails, the promise rejects with the end of its output.
 */
import { spawn } from "node:child_process";
import { ROOT } from "../support/house/checkout.ts";

/** Matches lines with figures, of the test runner and of libFuzzer. */
const FIGURES = /^(ℹ |stat::|\S+: \d+ )/;
/** Number of last output lines that are shown after a failure. */
const LAST_LINES = 60;

/** Runs the program in the root folder of the checkout. */
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
