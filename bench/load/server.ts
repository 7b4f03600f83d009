/**
 * The server under load. Input: a snapshot. Output: time from start to the first answer, memory,
 * latency of single requests, and requests per second.
 * Invariant: the server runs on processor 0 and the load generator on processor 1, if the system
 * can pin; the generator is `wrk` if installed, else autocannon.
 */
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { measureAsync, type Timing } from "../measure.ts";
import { peneiraCommand } from "../questions/corpus.ts";

/** A running server and a key for it. */
export interface RunningServer {
  readonly port: number;
  readonly key: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to the line of output with the server's address. */
  readonly listeningMs: number;
  /** Milliseconds from the start of the process to the first answered search. */
  readonly bootMs: number;
  stop(): Promise<void>;
}

const pinned = spawnSync("taskset", ["-V"]).status === 0;

/**
 * Variable that sets the size of the response cache. An answer from the cache does not show the
 * speed of a search.
 */
const RESPONSE_MEMORY = "PENEIRA_HTTP_RESPONSE_MEMORY_BYTES";

/** Options of a server's start. */
export interface StartOptions {
  readonly transport?: "uws" | "node";
  /**
   * True if the server is pinned to processor 0. The default is true if pinning is possible. False
   * for exports, which need processor 1 too.
   */
  readonly pin?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Main file of another build to compare with, or an executable. Default: this build. */
  readonly main?: string;
  /** Size of the response cache in bytes. It is 0 unless a benchmark measures the cache. */
  readonly responseMemory?: string;
}

/** Starts a server and waits for its first answer to `body`. */
export async function startServer(
  snapshot: string,
  body: string,
  options: StartOptions = {},
): Promise<RunningServer> {
  const { transport = "uws", pin = pinned, main: other, responseMemory = "0" } = options;
  const dataDir = mkdtempSync(join(tmpdir(), "peneira-bench-"));
  const program = programOf(other);
  const run = (...args: string[]) =>
    execFileSync(program[0] as string, [...program.slice(1), ...args], { encoding: "utf8" });
  const created = run("key", "create", "--data-dir", dataDir, "--plan", "enterprise", "--json");
  const { key } = JSON.parse(created) as { key: string };
  const serve = ["serve", "--snapshot", snapshot, "--data-dir", dataDir];
  const flags = ["--listen", "127.0.0.1:0", "--transport", transport];
  const memory = other === undefined || run("config").includes("http.response_memory_bytes");
  const started = performance.now();
  const command = [...(pin ? ["taskset", "-c", "0"] : []), ...program, ...serve, ...flags];
  const child = spawn(command[0] as string, command.slice(1), {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      // Older builds refuse to start with variables that they do not know.
      ...(memory ? { [RESPONSE_MEMORY]: responseMemory } : {}),
      ...options.environment,
    },
  });
  const port = await portOf(child);
  const listeningMs = performance.now() - started;
  const post = poster(port, key);
  await post(body);
  const bootMs = performance.now() - started;
  post.agent.destroy();
  const stop = async () => {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { port, key, pid: child.pid as number, listeningMs, bootMs, stop };
}

/** Returns the command that runs this build, the main file of another build, or an executable. */
function programOf(other: string | undefined): readonly string[] {
  if (other === undefined) return peneiraCommand();
  return other.endsWith(".mjs") ? [process.execPath, other] : [other];
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", () => reject(new Error(`the server stopped:\n${text}`)));
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const match = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(text);
      if (match !== null) resolve(Number(match[1]));
    });
  });
}

interface Poster {
  (body: string): Promise<Buffer>;
  readonly agent: Agent;
}

/** Returns a client that posts searches over one keep-alive connection. */
function poster(port: number, key: string): Poster {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const options = { host: "127.0.0.1", port, agent, method: "POST", path: "/v1/accounts/search" };
  const post = (body: string) =>
    new Promise<Buffer>((resolve, reject) => {
      const length = Buffer.byteLength(body);
      const sent = request({ ...options, headers: { ...headers, "content-length": length } });
      sent.on("error", reject);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`status ${response.statusCode}: ${bytes}`));
        });
      });
      sent.end(body);
    });
  return Object.assign(post, { agent });
}

/** Measures the latency of sequential requests on one connection. */
export async function latency(server: RunningServer, body: string): Promise<Timing> {
  const post = poster(server.port, server.key);
  const timing = await measureAsync(() => post(body), { samples: 2000, seconds: 3 });
  post.agent.destroy();
  return timing;
}

/** Returns the requests per second with 32 connections; `/healthz` if `body` is null. */
export function throughput(
  { port, key }: RunningServer,
  body: string | null,
): { perSecond: number; tool: string } {
  const path = body === null ? "/healthz" : "/v1/accounts/search";
  const target = { url: `http://127.0.0.1:${port}${path}`, key, body };
  return spawnSync("wrk", ["-v"]).error === undefined
    ? { perSecond: wrk(target), tool: "wrk" }
    : { perSecond: autocannon(target), tool: "autocannon" };
}

interface Target {
  readonly url: string;
  readonly key: string;
  readonly body: string | null;
}

function onSecondCore(command: string, parameters: string[]): string {
  const list = pinned ? ["-c", "1", command, ...parameters] : parameters;
  return execFileSync(pinned ? "taskset" : command, list, { encoding: "utf8" });
}

function wrk({ url, key, body }: Target): number {
  return wrkReport({ url, key, bodies: body === null ? null : [body] }, 6).perSecond;
}

/**
 * Sends searches over 32 connections for some seconds and uses the bodies in turn, or sends
 * `/healthz` if `bodies` is null. @throws Error on an answer other than 200, and if `wrk` is not
 * installed.
 */
export function wrkOver(
  { port, key }: RunningServer,
  bodies: readonly string[] | null,
  seconds: number,
): { perSecond: number; requests: number } {
  const path = bodies === null ? "/healthz" : "/v1/accounts/search";
  return wrkReport({ url: `http://127.0.0.1:${port}${path}`, key, bodies }, seconds);
}

/**
 * Like `wrkOver`, but does not pin processes, and also returns the p99. @throws Error like
 * `wrkOver`
 */
export function wrkFreely(
  { port, key }: RunningServer,
  bodies: readonly string[] | null,
  { seconds, connections }: { readonly seconds: number; readonly connections: number },
): { perSecond: number; requests: number; p99: string } {
  const path = bodies === null ? "/healthz" : "/v1/accounts/search";
  const target = { url: `http://127.0.0.1:${port}${path}`, key, bodies };
  return figuresIn(reportOf(target, [`-c${connections}`, `-d${seconds}s`, "--latency"], false));
}

function figuresIn(report: string): { perSecond: number; requests: number; p99: string } {
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]),
    requests: Number(/(\d+) requests in/.exec(report)?.[1]),
    p99: /^ +99% +(\S+)$/m.exec(report)?.[1] ?? "",
  };
}

function msOf(time: string): number {
  const [, value, unit] = /^([\d.]+)(us|ms|s)$/.exec(time) ?? [];
  return Number(value) * (MS[unit as keyof typeof MS] ?? Number.NaN);
}

/**
 * Like `wrkFreely`, for several servers at the same time. Returns the sums and the largest p99.
 * Each server has its own load generator and part of the bodies.
 */
export async function measureWithWrk(
  servers: readonly RunningServer[],
  bodies: readonly string[] | null,
  { seconds, connections }: { readonly seconds: number; readonly connections: number },
): Promise<{ perSecond: number; requests: number; p99: string }> {
  const load = ["-t1", `-c${Math.ceil(connections / servers.length)}`, `-d${seconds}s`, ...PATIENT];
  const path = bodies === null ? "/healthz" : "/v1/accounts/search";
  const reports = servers.map(async ({ port, key }, at) => {
    const own = bodies === null ? null : bodies.filter((_, i) => i % servers.length === at);
    const { script, remove } = scriptOf(own?.length === 0 ? bodies : own, key);
    const url = `http://127.0.0.1:${port}${path}`;
    const reported = await promisify(execFile)("wrk", [...load, "--latency", "-s", script, url]);
    remove();
    return whole(reported.stdout);
  });
  const all = (await Promise.all(reports)).map(figuresIn);
  const [slowest] = all.sort((a, b) => msOf(b.p99) - msOf(a.p99));
  return {
    perSecond: all.reduce((sum, one) => sum + one.perSecond, 0),
    requests: all.reduce((sum, one) => sum + one.requests, 0),
    p99: slowest?.p99 ?? "",
  };
}

/** Response times of one connection, in milliseconds. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

/**
 * Measures the response times of one connection that repeats a request, or `/healthz` if `body` is
 * null. Uses `wrk`, which itself takes only a few microseconds per request. A client in Node would
 * take 150.
 */
export function pinnedLatencies(
  { port, key }: RunningServer,
  body: string | null,
  seconds: number,
): Latencies {
  const path = body === null ? "/healthz" : "/v1/accounts/search";
  const bodies = body === null ? null : [body];
  const target = { url: `http://127.0.0.1:${port}${path}`, key, bodies };
  return timesIn(reportOf(target, ["-c1", `-d${seconds}s`, "--latency"]));
}

/** Like `pinnedLatencies`, but pins no process, and this process continues to run. */
export async function latencies(
  { port, key }: RunningServer,
  body: string | null,
  seconds: number,
): Promise<Latencies> {
  const path = body === null ? "/healthz" : "/v1/accounts/search";
  const { script, remove } = scriptOf(body === null ? null : [body], key);
  const parameters = ["-t1", "-c1", `-d${seconds}s`, "--latency", "-s", script];
  const url = `http://127.0.0.1:${port}${path}`;
  const { stdout } = await promisify(execFile)("wrk", [...parameters, url]);
  remove();
  return timesIn(whole(stdout));
}

function timesIn(report: string): Latencies {
  const [p50, p99] = [50, 99].map((share) => {
    const [, value, unit] = new RegExp(`^ +${share}% +([\\d.]+)(us|ms|s)$`, "m").exec(report) ?? [];
    return Number(value) * (MS[unit as keyof typeof MS] ?? Number.NaN);
  }) as [number, number];
  if (Number.isNaN(p50 + p99)) throw new Error(`wrk tells no times:\n${report}`);
  return { p50, p99 };
}

const MS = { us: 0.001, ms: 1, s: 1_000 } as const;

function wrkReport(
  target: Pick<Target, "url" | "key"> & { readonly bodies: readonly string[] | null },
  seconds: number,
): { perSecond: number; requests: number } {
  const report = reportOf(target, ["-c32", `-d${seconds}s`]);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]),
    requests: Number(/(\d+) requests in/.exec(report)?.[1]),
  };
}

/** A busy machine can exceed the two-second timeout of wrk. */
const PATIENT = ["--timeout", "30s"];

/** Runs `wrk` and returns its report. @throws Error unless all answers are 200. */
function reportOf(
  { url, key, bodies }: Pick<Target, "url" | "key"> & { readonly bodies: readonly string[] | null },
  load: readonly string[],
  onOther = true,
): string {
  const { script, remove } = scriptOf(bodies, key);
  const parameters = ["-t1", ...load, ...PATIENT, "-s", script, url];
  const report = onOther
    ? onSecondCore("wrk", parameters)
    : execFileSync("wrk", parameters, { encoding: "utf8" });
  remove();
  return whole(report);
}

/** Returns a report if all its answers are 200. @throws Error with the report otherwise */
function whole(report: string): string {
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(report);
  return report;
}

/**
 * Writes a script for wrk that sends these bodies in turn. Also returns a function that removes the
 * script.
 */
function scriptOf(
  bodies: readonly string[] | null,
  key: string,
): { readonly script: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "peneira-wrk-"));
  const list = join(folder, "bodies");
  const script = join(folder, "post.lua");
  writeFileSync(list, (bodies ?? []).join("\n"));
  writeFileSync(script, bodies === null ? "" : postsOf(list, key));
  return { script, remove: () => rmSync(folder, { recursive: true }) };
}

/** Returns a script that prepares all requests as bytes before it sends the first one. */
function postsOf(list: string, key: string): string {
  return `
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
    wrk.headers["Authorization"] = "Bearer ${key}"
    local posts, at = {}, 0
    function init(args)
      for body in io.lines("${list}") do posts[#posts + 1] = wrk.format(nil, nil, nil, body) end
    end
    function request()
      at = at % #posts + 1
      return posts[at]
    end
  `;
}

/** Returns the processor time of a process's main thread, in microseconds (Linux). */
export function mainThreadUs(pid: number): number {
  const [ns] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(ns) / 1000;
}

/**
 * Length of one check, the processor share below which a server counts as idle, and the maximum
 * time to wait until it is idle.
 */
const POLL_MS = 1_000;
const IDLE_SHARE = 0.05;
const QUIET_WITHIN_MS = 60_000;

/**
 * Waits until a server has finished the work that it does after its start, such as loading words
 * into memory.
 */
export async function quiet(pid: number): Promise<void> {
  for (let waited = 0; waited < QUIET_WITHIN_MS; waited += POLL_MS) {
    const before = mainThreadUs(pid);
    await setTimeout(POLL_MS);
    if (mainThreadUs(pid) - before < POLL_MS * 1_000 * IDLE_SHARE) return;
  }
  throw new Error("the server does not come to rest");
}

function autocannon({ url, key, body }: Target): number {
  const headers = ["-H", "Content-Type=application/json", "-H", `Authorization=Bearer ${key}`];
  const post = body === null ? [] : ["-m", "POST", "-b", body, ...headers];
  const load = ["-c", "32", "-d", "6", "--json", "--no-progress", ...post, url];
  const report = onSecondCore(process.execPath, ["node_modules/autocannon/autocannon.js", ...load]);
  return (JSON.parse(report) as { requests: { average: number } }).requests.average;
}

/** Returns the resident memory of a process in MB: anonymous memory, and memory from files. */
export function memoryOf(pid: number): { anonymous: number; file: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { anonymous: read("RssAnon"), file: read("RssFile") };
}

/** Drops a file from the page cache, so that the next start reads it from the disk. */
export function evict(path: string): boolean {
  const flags = ["oflag=nocache", "conv=notrunc,fdatasync", "count=0"];
  return spawnSync("dd", [`of=${path}`, ...flags]).status === 0;
}
