/**
 * Sends files of CNPJs to a server, a process beside the one that measures. What comes in: a line
 * of JSON for each on standard input: where to, the key, the file, its type, and how many entries
 * the server is to tell. What goes out: a line for each, the seconds it took until the answer.
 * Invariant: a file is read once, before the clock runs; an answer that tells something else ends
 * the process with status 1. It stays for all files: the start of a process is work of its own, and
 * the process that starts one stands still meanwhile. Others go first: elsewhere a sender takes no
 * processor from the server.
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
  const told = await answer.json();
  const { added, refused_count: refused } = told;
  if (added !== entries || refused !== 0) throw new Error(JSON.stringify(told));
  process.stdout.write(`${(performance.now() - begun) / 1000}\n`);
}
