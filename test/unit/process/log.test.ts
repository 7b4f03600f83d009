/**
 * Proves when log lines are written: in order after a moment, immediately with an error, and
 * completely when the process ends by itself, by exit, or by an uncaught error. Also proves
 * for which errors the message is logged. The log file of `npm start` has a limited size, and
 * warnings appear on the terminal too. Does not prove: what is logged otherwise
 * (e2e/server/secrecy.test.ts) nor anything after a kill.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  bufferedDestination,
  describeError,
  fileOfLog,
  openLog,
} from "../../../src/process/log.ts";
import { ROOT } from "../../support/house/checkout.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-log-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
/** Opens a log that writes to a file. Returns the log and a function that reads the file. */
function open() {
  const path = join(folder, `log-${files++}`);
  const log = openLog("info", bufferedDestination(openSync(path, "w")));
  const lines = () => readFileSync(path, "utf8").split("\n").slice(0, -1);
  return { log, numbers: () => lines().map((line) => (JSON.parse(line) as { n: number }).n) };
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);

describe("the log", () => {
  it("of npm start is a file of bounded size, and warnings are shown as well", async (test) => {
    const path = join(folder, "requests.log");
    writeFileSync(path, "of an earlier start\n");
    const shown: string[] = [];
    test.mock.method(process.stderr, "write", (text: string) => shown.push(text) > 0);
    const log = openLog("info", fileOfLog(path, 2_000));
    log.info({ route: "/v1/status" }, "request");
    log.warn({ n: 1 }, "odd");
    log.error({ n: 2 }, "wrong");
    test.mock.restoreAll();
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    assert.deepEqual(messages, ["request", "odd", "wrong"]);
    assert.deepEqual(
      shown.map((text) => text.replace(/^[\d:]{8} /, "")),
      ["warn  odd n=1\n", "error wrong n=2\n"],
    );
    for (const n of upTo(100)) log.info({ n }, "request");
    for (let i = 0; i < 50 && !readFileSync(path, "utf8").includes('"n":99'); i++) await sleep(20);
    assert.ok(statSync(path).size <= 12_000, "it begins anew");
  });

  it("buffers lines briefly and writes them in order", async () => {
    const { log, numbers } = open();
    for (const n of upTo(50)) log.info({ n }, "request");
    await sleep(20);
    assert.deepEqual(numbers(), [], "fifty lines are not worth a write");
    for (let i = 0; i < 50 && numbers().length < 50; i++) await sleep(20);
    assert.deepEqual(numbers(), upTo(50));
    log.info({ n: 50 }, "request");
    for (let i = 0; i < 50 && numbers().length < 51; i++) await sleep(20);
    assert.deepEqual(numbers(), upTo(51), "the moment comes again");
  });

  it("writes an error immediately, after earlier lines", async () => {
    const { log, numbers } = open();
    for (const n of upTo(9)) log.info({ n }, "request");
    log.error({ n: 9 }, "failed");
    for (let i = 0; i < 10 && numbers().length < 10; i++) await sleep(5);
    assert.deepEqual(numbers(), upTo(10));
  });

  it("writes synchronously if much is buffered", async () => {
    const { log, numbers } = open();
    for (const n of upTo(5_000)) log.info({ n, padding: "x".repeat(50) }, "request");
    for (let i = 0; i < 100 && numbers().length < 5_000; i++) await sleep(20);
    assert.deepEqual(numbers(), upTo(5_000));
  });

  for (const [name, end, code] of [
    ["by itself", "", 0],
    ["by process.exit", "process.exit(3);", 3],
    ["by an error that nobody catches", 'throw new Error("x");', 1],
    ["by a rejection that nobody catches", 'void Promise.reject(new Error("x"));', 1],
  ] as const) {
    it(`is complete when the process ends ${name}`, () => {
      const module = pathToFileURL(join(ROOT, "src/process/log.ts")).href;
      const script = `import { openLog } from ${JSON.stringify(module)};
        const log = openLog("info");
        for (let n = 0; n < 100; n++) log.info({ n }, "request");
        ${end}`;
      const flags = ["--import", "tsx", "--input-type=module", "-e", script];
      const ended = spawnSync(process.execPath, flags, { encoding: "utf8", cwd: ROOT });
      assert.equal(ended.status, code, ended.stderr);
      const found = ended.stdout.split("\n").slice(0, -1);
      assert.deepEqual(
        found.map((line) => (JSON.parse(line) as { n: number }).n),
        upTo(100),
      );
    });
  }
});

describe("describeError", () => {
  const coded = (code: string) => Object.assign(new Error("block 7 is wrong"), { code });

  it("returns only the engine's message for a snapshot file", () => {
    for (const code of ["SNAPSHOT_DAMAGED", "SNAPSHOT_VERSION", "SNAPSHOT_UNREADABLE"]) {
      assert.equal(describeError(coded(code)).why, "block 7 is wrong");
      const outer = new Error("secret", { cause: coded(code) });
      assert.deepEqual((describeError(outer).cause as { why: string }).why, "block 7 is wrong");
      assert.ok(!JSON.stringify(describeError(outer)).includes("secret"));
    }
    for (const error of [coded("ENOENT"), coded("INVALID_ARGUMENT"), new Error("secret")]) {
      assert.equal("why" in describeError(error), false);
    }
  });

  it("omits the position if there is none", () => {
    const error = coded("SNAPSHOT_DAMAGED");
    assert.ok((describeError(error).place as string[]).length > 0);
    error.stack = "Error: block 7 is wrong";
    assert.equal("place" in describeError(error), false);
  });
});
