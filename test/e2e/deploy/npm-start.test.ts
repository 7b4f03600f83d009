/**
 * Proves that a signal to `npm start` stops the server in order, although npm, a shell, and the
 * build are in between. `npm start` opens the console with a link, logs requests to a file and not
 * to the terminal, and keeps key and password between starts. Does not prove: how a server stops
 * (e2e/server/drain.test.ts, ending.test.ts), nor how a link is rejected
 * (contract/console/links.test.ts).
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../support/house/checkout.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-npm-start-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}

/** A running `npm start`. */
interface Started {
  readonly url: string;
  /** The terminal's output so far. */
  output(): string;
  /** Sends a signal to npm, and waits until npm and the server have ended. */
  end(): Promise<void>;
}

async function npmStart(): Promise<Started> {
  const args = ["--dir", join(folder, "demo"), "--accounts", "1000", "--listen", "127.0.0.1:0"];
  const npm = spawn("npm", ["start", "--", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  after(() => killAll(npm.pid));
  const ended = new Promise((resolve) => npm.once("exit", resolve));
  let output = "";
  npm.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const url = await new Promise<string>((resolve, reject) => {
    npm.once("exit", () => reject(new Error(`npm start ended:\n${output}`)));
    npm.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const [, found] = /^Peneira is ready at (http:\S+)$[\s\S]*^Ctrl-C/m.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const end = async () => {
    npm.kill("SIGTERM");
    await ended;
    for (let round = 0; round < 100 && (await answers(url)); round++) await sleep(100);
    assert.equal(await answers(url), false, "the server goes on without npm");
  };
  return { url, output: () => output, end };
}

/** The printed credentials. */
function entryIn(output: string) {
  const found = (pattern: RegExp) => pattern.exec(output)?.[1] ?? assert.fail(output);
  return {
    key: found(/^ {2}export KEY=(pnr_\S+)$/m),
    password: found(/^ {2}password {2}(\S+)$/m),
    link: found(/^ {2}http:\S+\/app#signin=([\w-]{43})$/m),
  };
}

const asJson = { "Content-Type": "application/json" };

it("npm start forwards a signal to the server", async () => {
  const { url, end } = await npmStart();
  assert.ok(await answers(url));
  await end();
});

it("npm start keeps key and password, and its link works once", async () => {
  const first = await npmStart();
  const entry = entryIn(first.output());
  const open = (url: string, token: string) =>
    fetch(`${url}/v1/console/session/link`, {
      method: "POST",
      headers: asJson,
      body: JSON.stringify({ token }),
    });
  const opened = await open(first.url, entry.link);
  assert.equal(opened.status, 200);
  const { user } = (await opened.json()) as { user: { email: string; tenant: string } };
  assert.deepEqual([user.email, user.tenant], ["demo@example.com", "demo"]);
  assert.equal((await open(first.url, entry.link)).status, 401);
  await first.end();

  const second = await npmStart();
  const again = entryIn(second.output());
  assert.deepEqual([again.key, again.password], [entry.key, entry.password]);
  assert.notEqual(again.link, entry.link);
  assert.equal((await open(second.url, entry.link)).status, 401);
  const body = JSON.stringify({ email: "demo@example.com", password: again.password });
  const signedIn = await fetch(`${second.url}/v1/console/session`, {
    method: "POST",
    headers: asJson,
    body,
  });
  assert.equal(signedIn.status, 200);
  await second.end();
  assert.equal(statSync(join(folder, "demo", "entry.json")).mode & 0o777, 0o600);
});

it("npm start logs requests to a file, whose path it prints, and not to the terminal", async () => {
  const { url, output, end } = await npmStart();
  const { key, link } = entryIn(output());
  const headers = { Authorization: `Bearer ${key}` };
  assert.equal((await fetch(`${url}/v1/status`, { headers })).status, 200);
  await end();
  const [, file] = /^Requests are logged to (\S+)\.$/m.exec(output()) ?? [];
  const log = readFileSync(file as string, "utf8");
  assert.match(log, /"route":"\/v1\/status"/);
  assert.ok(!log.includes(link) && !log.includes(key), "a secret is in the log");
  assert.ok(!output().includes("/v1/status"), output());
});

it("npm start creates one demo if two start concurrently", async () => {
  const command = ["--dir", join(folder, "both"), "--accounts", "3000", "--listen", "127.0.0.1:0"];
  const both = [1, 2].map(() => {
    const args = [join(ROOT, "build.mjs"), "start", ...command];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    after(() => killAll(child.pid));
    const running = { child, output: "", ended: false };
    child.stderr.on("data", (chunk: Buffer) => {
      running.output += chunk.toString();
    });
    child.once("close", () => {
      running.ended = true;
    });
    return running;
  });
  const output = () => both.map((one) => one.output).join("\n--\n");
  const settled = (one: (typeof both)[number]) => one.ended || one.output.includes("Ctrl-C stops");
  for (let round = 0; round < 600 && !both.every(settled); round++) await sleep(100);
  const [loser, winner] = [...both].sort((a, b) => Number(b.ended) - Number(a.ended));
  assert.ok(loser?.ended && winner !== undefined && !winner.ended, output());
  const [, url] = /^Peneira is ready at (\S+)$/m.exec(winner.output) ?? assert.fail(winner.output);
  assert.ok(loser.output.includes(`The demo already runs at ${url} (process `), output());
  assert.equal(output().match(/ 0:0\d {2}snapshot …/g)?.length, 1, output());
  assert.match(output(), /^npm start: process \d+ is running this step; waiting for it$/m);
  killAll(winner.child.pid);
});

it("npm start reports an obstacle in a readable message, and creates nothing", () => {
  const place = (name: string) => join(folder, name);
  mkdirSync(join(place("no-file"), "demo.peneira"), { recursive: true });
  writeFileSync(place("a-file"), "");
  cpSync(join(folder, "demo"), place("entry"), { recursive: true });
  rmSync(join(place("entry"), "entry.json"));
  mkdirSync(join(place("entry"), "entry.json"));
  cpSync(join(folder, "demo"), place("log"), { recursive: true });
  rmSync(join(place("log"), "requests.log"), { force: true });
  mkdirSync(join(place("log"), "requests.log"));
  const cases: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ["no-file", {}, /^peneira: \S+no-file\/demo\.peneira is not a file\. Move it away/m],
    ["a-file", {}, /^peneira: \S+a-file: file already exists \(EEXIST at mkdir\)\.$/m],
    [
      "entry",
      {},
      /^peneira: \S+entry\.json\S*: illegal operation on a directory \(EISDIR at \w+\)/m,
    ],
    ["log", {}, /^peneira: \S+requests\.log: illegal operation on a directory \(EISDIR at open\)/m],
    ["demo", { PENEIRA_SNAPSHOT: "x" }, /^peneira: PENEIRA_SNAPSHOT would be ignored: /m],
    ["demo", { PENEIRA_DATA_DIR: "x" }, /^peneira: PENEIRA_DATA_DIR would be ignored: /m],
  ];
  for (const [name, variables, words] of cases) {
    const program = join(ROOT, "dist", "bundle", "peneira");
    const args = ["start", "--dir", place(name), "--accounts", "1000", "--listen", "127.0.0.1:0"];
    const env = { ...process.env, ...variables };
    const tried = spawnSync(program, args, { encoding: "utf8", env, timeout: 120_000 });
    assert.match(tried.stderr, words, name);
    assert.doesNotMatch(tried.stderr, /\n +at |is ready at/, name);
    assert.notEqual(tried.status, 0);
  }
  const left = readdirSync(place("entry")).filter((file) => /^entry\.json\./.test(file));
  assert.deepEqual(left, [], "a file with secrets is left");
});

/** Kills the remaining processes of a group. */
function killAll(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // No process is left, as expected.
  }
}
