/**
 * Proves, with the product as a process: every command that opens a snapshot rejects a snapshot
 * with valid checksums and forged metadata. It exits with 1 and prints one line that names the
 * file, the member, and the remedy. `serve` does so at its start, on both transports. If a folder
 * contains a valid snapshot, `serve` serves that, and logs a forged one that is added later without
 * serving it.
 * Does not prove this for every member (campaign/files/forged-meta.test.ts).
 */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SnapshotForge, writeSmallSnapshot } from "../../support/files/forge-snapshot.ts";
import {
  productCommand,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const LABEL = 'x"\r\nSet-Cookie: a=b';
const WORDS = '/label is "x"\\u000d\\u000aSet-Cookie: a=b", not a month as YYYY-MM';

let folder: string;
let good: string;
let forged: string;
let bytes: Buffer;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "peneira-forged-"));
  good = join(folder, "good.peneira");
  forged = join(folder, "forged.peneira");
  await writeSmallSnapshot(good, "2026-09");
  await writeSmallSnapshot(forged, "2026-10");
  const forge = new SnapshotForge(readFileSync(forged));
  bytes = forge.withMeta({ ...forge.meta(), label: LABEL });
  writeFileSync(forged, bytes);
});
after(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly output: string;
}

function run(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(...productCommand(args), { timeout: 60_000 }, (error, out, output) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, output });
    });
    child.stdin?.end();
  });
}

function assertRefused({ code, out, output }: Ended, what: string): void {
  assert.equal(code, 1, `${what}: ${out}${output}`);
  assert.equal(out, "", what);
  const [line = "", ...more] = output.trimEnd().split("\n");
  assert.deepEqual(more, [], what);
  assert.ok(line.startsWith(`peneira: ${forged} cannot be opened as a snapshot: `), line);
  assert.ok(line.includes(WORDS) && line.endsWith("import the dump again"), line);
}

describe("a forged snapshot", () => {
  it("is rejected by every command that opens one", async () => {
    const commands: readonly (readonly string[])[] = [
      ["verify", forged],
      ["inspect", forged],
      ["inspect", "--json", forged],
      ["search", "--snapshot", forged, "--text", "padarias em SP"],
      ["translate", "--snapshot", forged, "padarias em SP"],
      [
        "export",
        "--snapshot",
        forged,
        "--text",
        "padarias em SP",
        "--out",
        join(folder, "out.csv"),
      ],
      ["diff", good, forged],
      ["diff", forged, good],
      ["mcp", "--snapshot", forged],
      ["serve", "--snapshot", forged, "--data-dir", join(folder, "u"), "--transport", "uws"],
      ["serve", "--snapshot", forged, "--data-dir", join(folder, "n"), "--transport", "node"],
    ];
    const [first, ...others] = commands;
    assertRefused(await run(...(first as string[])), "verify");
    for (let at = 0; at < others.length; at += 2) {
      const some = others.slice(at, at + 2);
      const ends = await Promise.all(some.map((command) => run(...command)));
      ends.forEach((ended, i) => {
        assertRefused(ended, (some[i] ?? []).join(" "));
      });
    }
  });

  it("is not served from a folder, neither at the start nor later", async () => {
    const served = join(folder, "served");
    mkdirSync(served);
    writeFileSync(join(served, "2026-09.peneira"), readFileSync(good));
    writeFileSync(join(served, "2026-10.peneira"), bytes);
    const path = join(folder, "server.log");
    const log = openSync(path, "w");
    const options = { snapshot: served, dataDir: join(folder, "state"), log };
    const server = await startServerProcess(options);
    closeSync(log);
    const ready = async () => (await (await fetch(`${server.base}/readyz`)).json()) as object;
    const known = { status: "ready", snapshot: "2026-09" };
    assert.deepEqual(await ready(), known);
    writeFileSync(join(served, ".coming"), bytes);
    renameSync(join(served, ".coming"), join(served, "2026-11.peneira"));
    const refusals = () =>
      readFileSync(path, "utf8")
        .split("\n")
        .filter((l) => /refused/.test(l));
    for (let round = 0; round < 300 && refusals().length === 0; round++) await sleep(100);
    const [line = "{}"] = refusals();
    const { why, served: label } = JSON.parse(line) as Record<string, string>;
    assert.ok(why?.includes(WORDS), line);
    assert.equal(label, "2026-09");
    assert.deepEqual(await ready(), known);
    await stopServerProcess(server);
  });
});

describe("input that is no regular file", () => {
  it("is rejected by every command that reads one, without waiting for a pipe", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const wanted = [
      [folder, "it is a folder; name a snapshot file in it"],
      [pipe, "it is not a plain file"],
    ] as const;
    for (const [path, why] of wanted) {
      const commands: readonly (readonly string[])[] = [
        ["inspect", path],
        ["verify", path],
        ["search", "--snapshot", path, "--text", "padarias em SP"],
        ["export", "--snapshot", path, "--text", "padarias em SP", "--out", join(folder, "o.csv")],
        ["translate", "--snapshot", path, "padarias em SP"],
        ["diff", good, path],
      ];
      const linked = join(folder, "linked");
      mkdirSync(linked, { recursive: true });
      rmSync(join(linked, "loop.peneira"), { force: true });
      symlinkSync("loop.peneira", join(linked, "loop.peneira"));
      const { output } = await run("mcp", "--snapshot", linked);
      assert.match(output, /not served: .*loop\.peneira: it is a link that leads to no file\n/);
      for (const command of commands) {
        const { code, out, output } = await run(...command);
        assert.deepEqual(
          [code, out, output],
          [1, "", `peneira: ${path}: ${why}\n`],
          command.join(" "),
        );
      }
    }
  });
});
