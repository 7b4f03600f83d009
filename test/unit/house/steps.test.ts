/**
 * Proves: processes that build the same part of a checkout take turns. The first builds it, and the
 * others use its result. A process that dies meanwhile blocks no other. A step that failed runs
 * again, and a step whose inputs are unchanged does not. Planning runs no step. Does not prove that
 * build.mjs names all inputs.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT } from "../../support/house/checkout.ts";

const STEPS = pathToFileURL(path.join(ROOT, "src/setup/steps.mjs")).href;
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "peneira-steps-"));
  writeFileSync(path.join(folder, "input"), "one");
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Program of a process that makes `output` from `input` and records each time it does. */
function maker(work: string): string[] {
  const text = `
    import fs from "node:fs";
    import path from "node:path";
    import { Steps } from ${JSON.stringify(STEPS)};
    const root = ${JSON.stringify(folder)};
    const at = (name) => path.join(root, name);
    const steps = new Steps({ root, cache: at("stamps") });
    const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const step = { name: "output", inputs: ["input"], salt: "", outputs: [at("output")] };
    const make = (work) => steps.upToDate(step, work);
    const note = (text) => fs.appendFileSync(at("notes"), text);
    const made = () => fs.writeFileSync(at("output"), fs.readFileSync(at("input")));
    ${work}`;
  return ["--input-type=module", "--eval", text];
}

const ONCE = `make(() => { note("("); sleep(300); made(); note(")"); });`;
const notes = () => readFileSync(path.join(folder, "notes"), "utf8");

function ends(work: string) {
  return spawnSync(process.execPath, maker(work), { encoding: "utf8", timeout: 60_000 });
}

describe("steps of one checkout", () => {
  it("are done by one of several processes, and the others report that they wait", async () => {
    const texts = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, maker(ONCE), { stdio: ["ignore", "ignore", "pipe"] });
        let output = "";
        child.stderr.on("data", (part) => (output += part));
        const status = await new Promise((resolve) => child.once("close", resolve));
        assert.equal(status, 0, output);
        return output;
      }),
    );
    assert.equal(notes(), "()");
    const held = texts.filter((text) => /^output: process \d+ is running this step/m.test(text));
    const making = texts.filter((text) => text.includes("output …"));
    assert.equal(making.length, 1);
    assert.ok(held.length <= 2 && held.every((text) => !making.includes(text)), texts.join());
  });

  it("are not blocked by a killed process", () => {
    const killed = ends(`make(() => { note("("); process.kill(process.pid, "SIGKILL"); });`);
    assert.equal(killed.signal, "SIGKILL");
    assert.ok(existsSync(path.join(folder, ".cache/locks/output.lock")));
    const second = ends(ONCE);
    assert.equal(second.status, 0, second.stderr);
    assert.equal(notes(), "(()");
    assert.ok(!existsSync(path.join(folder, ".cache/locks/output.lock")));
  });

  it("leave no lock after a failure, and are done again", () => {
    assert.equal(ends(`make(() => { note("!"); process.exit(3); });`).status, 3);
    assert.equal(ends(`make(() => { note("!"); throw new Error("no"); });`).status, 1);
    assert.ok(!existsSync(path.join(folder, ".cache/locks/output.lock")));
    assert.equal(ends(ONCE).status, 0);
    assert.equal(notes(), "!!()");
  });

  it("are done only if an input changed or an output is missing", () => {
    ends(ONCE);
    ends(ONCE);
    assert.equal(notes(), "()");
    writeFileSync(path.join(folder, "input"), "two");
    ends(ONCE);
    assert.equal(notes(), "()()");
    rmSync(path.join(folder, "output"));
    ends(ONCE);
    assert.equal(notes(), "()()()");
    assert.equal(readFileSync(path.join(folder, "output"), "utf8"), "two");
  });

  it("are named and not run in a plan, even while another process runs them", () => {
    mkdirSync(path.join(folder, ".cache/locks"), { recursive: true });
    writeFileSync(path.join(folder, ".cache/locks/output.lock"), String(process.pid));
    const requested = ends(`console.log(steps.due(() => make(() => note("!"))).join());`);
    assert.equal(requested.stdout, "output\n");
    assert.ok(!existsSync(path.join(folder, "notes")));
  });
});
