/**
 * Fills the disk of a server whose data directory is on a small disk in memory. Output: a summary
 * line, or the thrown violation.
 * Invariant: with little space, a large export fails as `disk_full` and releases its space, and a
 * small one succeeds. With no space, new exports are refused with 507, and searches continue. When
 * space is available again, everything works without a restart, and nothing is lost.
 */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { checkRecovered, checkRemains, type Recovered } from "./invariants.ts";
import { type Entry, jsonOf, Ledger, type SeenRecord } from "./ledger.ts";
import { create, download, read } from "./load.ts";
import { REQUESTS } from "./plan.ts";
import { References } from "./reference.ts";
import { buildVictim, makeKeys, Server } from "./server.ts";
import { Gone, must, Violation } from "./violation.ts";

const DISK_BYTES = 24 << 20;
const ACCOUNTS = 12_000;
/** Space in bytes for the small export and the database log, but not for the large export. */
const LITTLE_BYTES = 700_000;
const LARGE = {
  spec: { filters: { geo: { uf_any_of: ["SP", "MG", "RJ", "BA", "PR", "RS", "SC", "GO"] } } },
  output: { format: "jsonl", include_explain: true, fields: ["cnpj", "legal_name", "email"] },
};
const SMALL = 3;

/** Returns why no small disk can be mounted, as a sentence, or null. */
export function diskObstacle(): string | null {
  const needs = "A full disk needs Linux and the right to mount a tmpfs";
  if (process.platform !== "linux") return `${needs}: this is ${process.platform}.`;
  if (process.getuid?.() !== 0) return `${needs}: this is not root.`;
  try {
    new SmallDisk().dispose();
    return null;
  } catch (error) {
    return `${needs}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Fills the disk under a server twice, and frees the space. Returns a summary. */
export async function runDiskFull(seed: number): Promise<string> {
  const obstacle = diskObstacle();
  if (obstacle !== null) throw new Error(obstacle);
  buildVictim();
  const references = await References.make(ACCOUNTS, seed);
  const disk = new SmallDisk();
  const dataDir = join(disk.folder, "state");
  let server: Server | null = null;
  try {
    const keys = makeKeys(dataDir);
    const snapshot = references.snapshots[0] as string;
    // The server keeps no free space in reserve, so that the disk really becomes full.
    const env = { PENEIRA_EXPORTS_FREE_BYTES_MIN: "0" };
    const started = await Server.start({ snapshot, dataDir, keys, env });
    must(started instanceof Server, "I9", "it does not start");
    server = started;
    const ledger = new Ledger();
    ledger.life++;
    const world = { server, ledger, references, snapshot: 0, dataDir };
    const summary = await fillTwice(world, disk).catch(async (error: unknown) => {
      if (!(error instanceof Gone)) throw error;
      const { code, signal } = await started.death;
      const how = `${code ?? signal} under ${error.message}:\n${started.output}`;
      throw new Violation("I10", `the process ended with ${how}`);
    });
    must((await server.end("SIGTERM")).code === 0, "I10", `it does not stop:\n${server.output}`);
    await checkRemains({ dataDir, ledger, references });
    return summary;
  } finally {
    if (server?.alive) await server.end("SIGKILL");
    disk.dispose();
    references.dispose();
  }
}

async function fillTwice(world: Recovered, disk: SmallDisk): Promise<string> {
  const { ledger } = world;
  const before = ledger.sent(0, "before", SMALL);
  await create(world, before);
  await expectDone(world, before);

  disk.fillUpTo(LITTLE_BYTES);
  const freeBefore = disk.freeBytes();
  let freeAfter = 0;
  const failed = await createLarge(world, "large", () => {
    freeAfter = disk.freeBytes();
  });
  must(failed === "disk_full", "I3", `the large export ended as ${failed}`);
  const lost = freeBefore - freeAfter;
  must(lost < 300_000, "I7", `${lost} bytes of a failed export are not given back`);
  const beside = ledger.sent(1, "beside", SMALL);
  await create(world, beside);
  await expectDone(world, beside);

  disk.fillUpTo(0);
  const refusals = await createUntilRefused(world);
  await expectSearch(world);
  await download(world, before, 1);

  disk.empty();
  // Accepted exports that could not be rendered or stored now finish.
  await sleep(1_500);
  const after = ledger.sent(0, "after", SMALL);
  await create(world, after);
  await expectDone(world, after);
  const again = await createLarge(world, "large-again");
  must(again === "done", "I3", `with space again the large export ended as ${again}`);
  ledger.failuresAllowed = ["disk_full", "write_failed"];
  for (const entry of ledger.entries()) if (entry.id !== null) await read(world, entry);
  await checkRecovered(world);
  return `1 failed as disk_full, ${refusals} refused with 507, ${ledger.counts.done} done`;
}

async function expectDone(world: Recovered, entry: Entry): Promise<void> {
  const record = await read(world, entry);
  const recordText = JSON.stringify(record);
  must(record?.status === "done", "I3", `${entry.key} did not end well: ${recordText}`);
}

/** Exports the large file and deletes it. Returns `done` or the failure code. */
async function createLarge(
  { server, ledger }: Recovered,
  key: string,
  onEnd: () => void = () => {},
): Promise<string> {
  const headers = { "idempotency-key": key };
  const reply = await server.request("/v1/exports", {
    method: "POST",
    tenant: 0,
    headers,
    body: LARGE,
  });
  must(reply.status === 201, "I12", `a create was answered by ${reply.status}`);
  const made = jsonOf(reply) as { spec: AccountQuerySpec; export: SeenRecord };
  const { export_id: id, snapshot } = made.export;
  const ended = await server.request(`/v1/exports/${id}?wait=30`, { tenant: 0 });
  onEnd();
  const record = jsonOf(ended) as SeenRecord;
  const doneAt = record.status === "done" ? 0 : null;
  ledger.held.note({ tenant: 0, snapshot, spec: made.spec, sentAt: 0 }, doneAt);
  const removed = await server.request(`/v1/exports/${id}`, { method: "DELETE", tenant: 0 });
  must(removed.status === 204, "I12", `a removal was answered by ${removed.status}`);
  ledger.removedOther(id);
  return record.error?.code ?? record.status;
}

/** Creates exports on a full disk until three are refused with 507. Others must be durable. */
async function createUntilRefused(world: Recovered): Promise<number> {
  let refusals = 0;
  for (let i = 0; i < 200 && refusals < 3; i++) {
    const entry = world.ledger.sent(1, `full-${i}`, SMALL);
    const reply = await world.server.request("/v1/exports", {
      ...{ method: "POST", tenant: 1, body: REQUESTS[SMALL] ?? {} },
      headers: { "idempotency-key": entry.key },
    });
    if (reply.status === 201) {
      world.ledger.acknowledged(entry, reply);
      continue;
    }
    const { code } = jsonOf(reply) as { code: string };
    must(reply.status === 507 && code === "storage_full", "I12", `${reply.status} ${code}`);
    must(reply.headers.has("retry-after"), "I12", "the 507 does not say when to try again");
    entry.refused = true;
    refusals++;
  }
  must(refusals > 0, "I12", "nothing was refused on a disk without space");
  return refusals;
}

async function expectSearch({ server }: Recovered): Promise<void> {
  const { spec } = LARGE;
  const options = { method: "POST", tenant: 2, body: { spec, limit: 5 } };
  const reply = await server.request("/v1/accounts/search", options);
  must(reply.status === 200, "I12", `a search on a full disk: ${reply.status}\n${server.output}`);
}

/** An in-memory disk with a file that fills its space. */
class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), "peneira-disk-"));

  constructor() {
    mkdirSync(this.folder, { recursive: true });
    const size = `size=${DISK_BYTES},mode=0700`;
    execFileSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", this.folder], { stdio: "pipe" });
  }

  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Fills the disk until only this many bytes are free. */
  fillUpTo(bytes: number): void {
    const ballast = openSync(this.#ballast, "a", 0o600);
    try {
      const block = Buffer.alloc(4_096);
      while (this.freeBytes() >= bytes + block.byteLength) writeSync(ballast, block);
    } finally {
      closeSync(ballast);
    }
  }

  empty(): void {
    rmSync(this.#ballast, { force: true });
  }

  dispose(): void {
    execFileSync("umount", [this.folder], { stdio: "pipe" });
    rmSync(this.folder, { recursive: true });
  }

  get #ballast(): string {
    return join(this.folder, "ballast");
  }
}
