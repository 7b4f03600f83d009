/**
 * A campaign that is a program of its own. Input: its arguments for Node. What goes out:
 * the lines of it that hold figures; its progress goes to standard error as it comes.
 * Invariant: a program that ends with anything but success rejects with the end of what it wrote.
 */
import { spawn } from "node:child_process";
import { ROOT } from "../support/house/checkout.ts";

/** Lines with figures: of the test runner, of libFuzzer. */
const FIGURES = /^(ℹ |stat::|\S+: \d+ )/;
/** Lines of a failure that are shown. */
const LAST_LINES = 60;

/** Runs it from the root of the checkout. */
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
