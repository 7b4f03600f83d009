/**
 * Makes small releases of the registry, shares that serve them, and download requests whose
 * messages are recorded.
 * Invariant: `assertWhole` compares every byte with the share's current content.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readShares } from "../../../src/download/address.ts";
import type { DownloadOptions } from "../../../src/download/month.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { CommandError } from "../../../src/errors.ts";
import { type Fault, type FaultPlan, WebdavShare } from "./webdav-server.ts";

/** The label of the month that the tests publish. */
export const LABEL = "2026-10";

const MEMORY = "/dev/shm";

/** Release folders. */
export interface Dumps {
  readonly root: string;
  /** Folders of this month's release, of the previous month's, and of the next one's. */
  readonly first: string;
  readonly older: string;
  readonly later: string;
  readonly dispose: () => Promise<void>;
}

/** Writes the releases. */
export async function makeDumps(establishments: number): Promise<Dumps> {
  // The download syncs every file, which costs nothing if the folder is in memory.
  const root = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "download-"));
  const first = join(root, "first");
  const older = join(root, "older");
  await writeSample({ folder: first, establishments, seed: 1, label: LABEL });
  await writeSample({ folder: older, establishments, seed: 2, label: "2026-09" });
  const later = join(root, "later");
  await writeSample({ folder: later, establishments, seed: 3, label: "2026-11" });
  return { root, first, older, later, dispose: () => rm(root, { recursive: true, force: true }) };
}

/** A share with one month. */
export async function shareOf(folder: string, label = LABEL): Promise<WebdavShare> {
  const share = await new WebdavShare().start();
  await share.addFolder(label, folder);
  return share;
}

/** A request, its messages. */
export interface TestOptions extends DownloadOptions {
  readonly messages: string[];
}

let targets = 0;

/** Options to download a month of a share into a new folder. */
export function downloadOptions(
  url: string | readonly string[],
  root: string,
  over: Partial<DownloadOptions> = {},
): TestOptions {
  const messages: string[] = [];
  return {
    shares: readShares(url),
    streams: 2,
    stallMs: 100,
    signal: new AbortController().signal,
    listener: {
      report: (text) => messages.push(text),
      show: () => ({ update: () => {}, done: () => {} }),
    },
    month: LABEL,
    to: join(root, `to-${targets++}`),
    all: false,
    replace: false,
    verify: false,
    messages,
    ...over,
  };
}

/** Checks that exactly the files of the share's month exist, in the final folder. */
export async function assertWhole(
  share: WebdavShare,
  to: string,
  label = LABEL,
  all = false,
): Promise<void> {
  const names = (await readdir(join(to, label))).sort();
  const wanted = [...(share.months.get(label)?.keys() ?? [])]
    .filter((name) => all || !name.startsWith("Socios"))
    .concat("download.json")
    .sort();
  assert.deepEqual(names, wanted);
  for (const name of wanted) {
    if (name === "download.json") continue;
    const bytes = await readFile(join(to, label, name));
    assert.ok(bytes.equals(share.bytesOf(label, name)), `${name} has other bytes than the share`);
  }
  assert.equal(existsSync(join(to, `${label}.part`)), false);
}

/** Checks that no file or folder has the final name. */
export function assertNothing(to: string, label = LABEL): void {
  assert.equal(existsSync(join(to, label)), false);
}

/** Runs a test with a share whose only month is the given release. */
export async function withShare(
  folder: string,
  work: (share: WebdavShare) => Promise<void>,
): Promise<void> {
  const share = await shareOf(folder);
  try {
    await work(share);
  } finally {
    await share.stop();
  }
}

/** Returns the message of the CommandError of rejected work. Fails for any other outcome. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof CommandError, String(error));
    return error.message;
  }
  assert.fail("nothing was refused");
}

/**
 * Returns a plan that applies the faults one after another to the first requests for the bytes of a
 * file. Requests for the end of the file do not count.
 */
export function faultsFor(name: string, faults: readonly (Fault | null)[]): FaultPlan {
  const left = [...faults];
  return ({ method, path, range }) => {
    const bytes = range === null || /-$/.test(range);
    return method === "GET" && path.endsWith(name) && bytes ? (left.shift() ?? null) : null;
  };
}

/** Returns the fault that cuts the connection after this many bytes. */
export const cut = (after: number): Fault => ({ kind: "cut", after });

/** Name of a file that is much larger than the other files. */
export const BIG = "Municipios.zip";
