/**
 * Proves, with `peneira serve` as a process on a real snapshot: the first start prints one key and
 * the address, a restart keeps keys and cursors valid, and signals end it as documented. The newest
 * valid snapshot of a folder is served, settings take effect, and a mistake stops the start with a
 * sentence. Does not prove: answers in detail (contract/http/api/scenarios.test.ts).
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { registerImport } from "../../../src/cli/commands/import.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

let sample: SampleSnapshot;
/** A folder with the snapshots of 2026-10 and 2026-11, and with files that are no snapshots. */
let snapshots: string;

before(async () => {
  sample = await makeSampleSnapshot(2_000, 11);
  snapshots = join(sample.folder, "snapshots");
  mkdirSync(snapshots);
  copyFileSync(sample.snapshot, join(snapshots, "z-older.peneira"));
  const newer = join(snapshots, "newer.peneira");
  const program = new Command().exitOverride();
  registerImport(program);
  const later = ["--label", "2026-11", "--date", "2026-11-14"];
  await program.parseAsync(["import", sample.dump, "--out", newer, ...later], { from: "user" });
  writeFileSync(join(snapshots, "cut.peneira"), readFileSync(newer).subarray(0, 100_000));
  writeFileSync(join(snapshots, "README.txt"), "snapshots live here");
});

after(() => sample.dispose());

/** A started process. `stderr` grows while it runs. */
interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stderr: string;
  base: string;
}

function start(parameters: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const command = productCommand(["serve", ...parameters]);
  const options = { cwd: ROOT, env: { ...process.env, ...env } };
  const child = spawn(...command, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const started: Started = { child, ended, stderr: "", base: "" };
  child.stdout?.resume();
  child.stderr?.on("data", (chunk) => {
    started.stderr += chunk.toString();
  });
  return started;
}

async function serve(
  parameters: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const started = start(["--listen", "127.0.0.1:0", ...parameters], env);
  for (let waited = 0; waited < 1_200 && started.child.exitCode === null; waited++) {
    const line = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(started.stderr);
    if (line !== null) return { ...started, base: line[1] as string };
    await sleep(50);
  }
  started.child.kill("SIGKILL");
  return assert.fail(`the server did not start:\n${started.stderr}`);
}

const keyIn = (stderr: string) => /pnr_[0-9a-f_]+/.exec(stderr)?.[0];

async function search(
  base: string,
  key: string,
  body: object,
): Promise<Record<string, unknown> & { readonly status: number }> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const options = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${base}/v1/accounts/search`, options);
  return { ...((await answer.json()) as Record<string, unknown>), status: answer.status };
}

const SPEC = { filters: { geo: { uf_any_of: ["SP"] } } };

for (const transport of TRANSPORTS) {
  describe(`peneira serve --transport ${transport}`, () => {
    it("prints one key at the first start, and continues with it and its cursors", async () => {
      const dataDir = join(sample.folder, `state-${transport}`);
      const parameters = ["--snapshot", sample.snapshot, "--data-dir", dataDir];
      const first = await serve([...parameters, "--transport", transport]);
      const key = keyIn(first.stderr);
      assert.ok(key !== undefined);
      const one = await search(first.base, key, { spec: SPEC, limit: 3 });
      assert.equal(one.status, 200);
      assert.equal(one.has_more, true);
      first.child.kill("SIGTERM");
      assert.equal(await first.ended, 0);
      const second = await serve([...parameters, "--transport", transport]);
      assert.equal(keyIn(second.stderr), undefined);
      const two = await search(second.base, key, {
        spec: one.spec as object,
        cursor: one.next_cursor,
      });
      assert.equal(two.status, 200);
      assert.notDeepEqual(two.accounts, one.accounts);
      second.child.kill("SIGINT");
      assert.equal(await second.ended, 0);
    });

    it("ends immediately on the second signal, despite an unfinished request", async () => {
      const dataDir = join(sample.folder, `state-signals-${transport}`);
      const parameters = ["--snapshot", sample.snapshot, "--data-dir", dataDir];
      const server = await serve([...parameters, "--transport", transport]);
      const socket = connect(Number(new URL(server.base).port), "127.0.0.1");
      socket.on("error", () => {});
      const key = keyIn(server.stderr);
      socket.write(
        `POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
          "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{",
      );
      await sleep(300);
      server.child.kill("SIGTERM");
      await sleep(500);
      assert.equal(server.child.exitCode, null, "it did not wait for the request");
      server.child.kill("SIGTERM");
      const began = performance.now();
      assert.equal(await server.ended, 143, "128 and the number of the signal");
      assert.ok(performance.now() - began < 2_000);
      socket.destroy();
    });
  });
}

describe("peneira serve", () => {
  it("serves the newest valid snapshot of a folder and names invalid ones", async () => {
    const dataDir = join(sample.folder, "state-folder");
    const server = await serve(["--snapshot", snapshots, "--data-dir", dataDir]);
    const key = keyIn(server.stderr) as string;
    assert.equal((await search(server.base, key, { spec: SPEC })).snapshot, "2026-11");
    assert.match(server.stderr, /not served: .*cut\.peneira/);
    assert.match(server.stderr, /not served: .*README\.txt/);
    server.child.kill("SIGTERM");
    await server.ended;
  });

  it("reads the limits of plans from the settings", async () => {
    const dataDir = join(sample.folder, "state-plans");
    const parameters = ["--snapshot", sample.snapshot, "--data-dir", dataDir];
    const server = await serve(parameters, { PENEIRA_PLANS_ENTERPRISE_SEARCH_LIMIT: "7" });
    const key = keyIn(server.stderr) as string;
    const answer = await search(server.base, key, { spec: SPEC, limit: 50 });
    assert.equal((answer.accounts as unknown[]).length, 7);
    server.child.kill("SIGTERM");
    await server.ended;
  });

  for (const transport of TRANSPORTS) {
    it(`creates no state and prints no key if a port is taken (${transport})`, async () => {
      const holder = createServer().listen(0, "127.0.0.1");
      await once(holder, "listening");
      const taken = `127.0.0.1:${(holder.address() as AddressInfo).port}`;
      const free = "127.0.0.1:0";
      const cases: readonly [string, string, RegExp][] = [
        [taken, free, /Cannot listen at 127\.0\.0\.1:\d+\. .*--listen HOST:PORT/],
        [free, taken, /Cannot listen at 127\.0\.0\.1:\d+ for the metrics\. .*metrics\.listen/],
      ];
      const dataDir = join(sample.folder, `state-taken-${transport}`);
      for (const [listen, metrics, message] of cases) {
        const parameters = ["--snapshot", sample.snapshot, "--data-dir", dataDir];
        const chosen = ["--listen", listen, "--transport", transport];
        const started = start([...parameters, ...chosen], { PENEIRA_METRICS_LISTEN: metrics });
        assert.equal(await started.ended, 1, started.stderr);
        assert.match(started.stderr, message);
        assert.equal(keyIn(started.stderr), undefined, "a key was printed");
        assert.doesNotMatch(started.stderr, /API key|listening on/);
        assert.equal(existsSync(dataDir), false, "a data directory was made");
      }
      holder.close();
    });
  }

  it("fails to start with a sentence and the right exit code", async () => {
    const dataDir = join(sample.folder, "state-loose");
    mkdirSync(dataDir);
    // The folder must contain a file, because the mode of an empty folder would be corrected.
    writeFileSync(join(dataDir, "something"), "");
    chmodSync(dataDir, 0o750);
    // Each server has a separate directory. They run concurrently, and a directory in use would be
    // rejected.
    let directories = 0;
    const own = () => ["--data-dir", join(sample.folder, `state-new-${directories++}`)];
    const good = () => ["--snapshot", sample.snapshot, ...own()];
    const cases: readonly [readonly string[], number, RegExp][] = [
      [[], 2, /--snapshot PATH .*--data-dir DIR/],
      [["--snapshot", "none.peneira", ...own()], 1, /no snapshot at none\.peneira.*peneira import/],
      [["--snapshot", join(snapshots, "cut.peneira"), ...own()], 1, /cut\.peneira/],
      [
        ["--snapshot", sample.snapshot, "--data-dir", dataDir, "--listen", "127.0.0.1:0"],
        1,
        /chmod 0700 /,
      ],
      [[...good(), "--transport", "bun"], 2, /transport must be/],
      [[...good(), "--listen", "nowhere"], 2, /listen must be/],
      [[...good(), "--listen", "192.0.2.1:1"], 1, /Cannot listen at 192\.0\.2\.1:1/],
    ];
    const ended = cases.map(async ([parameters, code, message]) => {
      const started = start(parameters);
      assert.equal(await started.ended, code, started.stderr);
      assert.match(started.stderr, message);
      assert.doesNotMatch(started.stderr, /\n +at |listening on/);
    });
    await Promise.all(ended);
    rmSync(dataDir, { recursive: true });
    const made = readdirSync(sample.folder).filter((name) => name.startsWith("state-new-"));
    assert.deepEqual(made, [], "a start that failed left a data directory");
  });
});
