/**
 * Sends files of CNPJs to a server from a separate process. Input: for each file a line of JSON on
 * standard input, with URL, key, file, type, and expected number of entries. Output: for each file
 * a line with the seconds until the answer.
 * Invariant: a file is read once, before the clock starts. An unexpected answer ends the process
 * with status 1. One process sends all files, because starting a process costs work and blocks the
 * process that starts it. The sender has a low priority, so that it takes no processor time from
 * the server, just as a remote sender would not.
 */
import { readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";

setPriority(constants.priority.PRIORITY_LOW);
const bodies = new Map();

for await (const line of createInterface({ input: process.stdin })) {
  const { url, key, file, type, entries } = JSON.parse(line);
  if (!bodies.has(file)) bodies.set(file, readFileSync(file));
  const headers = { authorization: `Bearer ${key}`, "content-type": type };
  const begun = performance.now();
  const answer = await fetch(url, { method: "POST", headers, body: bodies.get(file) });
  const reported = await answer.json();
  const { added, refused_count: refused } = reported;
  if (added !== entries || refused !== 0) throw new Error(JSON.stringify(reported));
  process.stdout.write(`${(performance.now() - begun) / 1000}\n`);
}
