/**
 * Proves how `npm start` builds. It first prints its steps and their approximate duration. Each
 * step waits only for the steps that it needs, and shows a clock. A failing step ends the build.
 * The measured times are stored for the next clone.
 * Does not prove the results of the steps: .ci/run runs all of them in one clone.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

interface Step {
  readonly name: string;
  readonly after: readonly string[];
  readonly does?: string;
  readonly run: () => Promise<void>;
}

/**
 * A build step that was started. `grows` names a folder that an interrupted step leaves, so that
 * its next run takes less than the full time.
 */
interface Begun {
  readonly name: string;
  readonly grows?: string;
}

interface Times {
  readonly where: string;
  readonly seconds: Readonly<Record<string, number>>;
}

interface Out {
  readonly isTTY?: boolean;
  write(text: string): void;
}

const { clockText, criticalPath, runParallel } = (await import(
  "../../../src/setup/parallelsteps.mjs" as string
)) as {
  clockText: (ms: number) => string;
  criticalPath: (steps: readonly Step[], seconds: Times["seconds"]) => number;
  runParallel: (steps: readonly Step[], options: { out: Out }) => Promise<Times["seconds"]>;
};
const { announcement, wholeSteps } = (await import("../../../src/setup/start.mjs" as string)) as {
  announcement: (steps: readonly Step[], times: Times) => string;
  wholeSteps: (steps: readonly Begun[], root: string) => string[];
};
const { storeTimes, lastTimes } = (await import(
  "../../../src/setup/parallelsteps.mjs" as string
)) as {
  storeTimes: (seconds: Times["seconds"], file: string) => void;
  lastTimes: (file: string) => Times;
};

/** Returns test steps that append their begin and end to `events`. */
function steps(events: string[], fails?: string): Step[] {
  const step = (name: string, ...before: string[]): Step => ({
    name,
    after: before,
    does: `does ${name}`,
    run: async () => {
      events.push(`+${name}`);
      await sleep(name === "addon" ? 60 : 20);
      if (name === fails) throw new Error(`${name} is broken`);
      events.push(`-${name}`);
    },
  });
  return [
    step("packages"),
    step("addon"),
    step("bundle", "packages"),
    step("snapshot", "bundle", "addon", "not asked for"),
  ];
}

/** An output that records texts, with clocks as `0:00`. */
function recorded(isTTY = false) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => void written.push(text) };
}

describe("steps of npm start", () => {
  it("wait for those they need, and otherwise run concurrently", async () => {
    const events: string[] = [];
    const out = recorded();
    const seconds = await runParallel(steps(events), { out });
    assert.deepEqual(events.slice(0, 2), ["+packages", "+addon"]);
    assert.ok(events.indexOf("+bundle") > events.indexOf("-packages"));
    assert.ok(events.indexOf("+bundle") < events.indexOf("-addon"));
    assert.equal(events.indexOf("+snapshot"), 6);
    assert.deepEqual(Object.keys(seconds).sort(), ["addon", "bundle", "packages", "snapshot"]);
    assert.ok((seconds.addon ?? 0) >= 0.05);
  });

  it("each show a clock, at their start and at their end", async () => {
    for (const isTTY of [false, true]) {
      const out = recorded(isTTY);
      await runParallel(steps([]), { out });
      const text = out.written.join("");
      for (const { name } of steps([])) {
        assert.match(text, new RegExp(`  \\d+:\\d\\d  ${name} …\\n`));
        assert.match(text, new RegExp(`  \\d+:\\d\\d  ${name} \\d+\\.\\d s\\n`));
      }
    }
    assert.deepEqual([0, 59_999, 65_000, 600_000].map(clockText), [
      "0:00",
      "0:59",
      "1:05",
      "10:00",
    ]);
  });

  it("do not begin after a failure, which is reported", async () => {
    const events: string[] = [];
    const run = runParallel(steps(events, "packages"), { out: recorded() });
    await assert.rejects(run, /packages is broken/);
    await sleep(100);
    assert.ok(!events.includes("+bundle") && !events.includes("+snapshot"));
  });
});

describe("the first output of npm start", () => {
  const times = {
    where: "a machine",
    seconds: { packages: 9.2, addon: 50, bundle: 3, snapshot: 20 },
  };

  it("is every step, and the duration of all of them run concurrently", () => {
    assert.equal(criticalPath(steps([]), times.seconds), 70);
    assert.equal(
      announcement(steps([]), times),
      `npm start builds what is missing, in parallel, then serves the demo:
  packages  does packages, 10 s
  addon     does addon, 50 s
  bundle    does bundle, 3 s
  snapshot  does snapshot, 20 s
About 1:10 min in all (a machine).
`,
    );
  });

  it("uses times of steps that began from nothing", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "peneira-times-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(path.join(folder, "built"));
    const begun: Begun[] = [
      { name: "addon", grows: "built" },
      { name: "packages", grows: "not-there" },
      { name: "bundle" },
    ];
    assert.deepEqual(wholeSteps(begun, folder), ["packages", "bundle"]);
  });

  it("uses the last times, and an estimate before there are any", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "peneira-times-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, "new", "start.json");
    const measured = lastTimes(file);
    assert.match(measured.where, /^two cores/);
    storeTimes({ packages: 1.2, addon: 30 }, file);
    storeTimes({ packages: 7 }, file);
    const { where, seconds } = lastTimes(file);
    assert.match(where, /this machine, the last time/);
    assert.deepEqual([seconds.packages, seconds.addon], [7, 30]);
    assert.equal(seconds.sqlite, measured.seconds.sqlite);
    writeFileSync(file, "{");
    assert.deepEqual(lastTimes(file), measured);
  });
});
