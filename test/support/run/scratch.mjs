/**
 * Creates the folder for the temporary files of a run of suites.
 * Invariant: when the run ends, the folder and everything that suites left in it are removed. It is
 * in a memory file system if that is large enough and permits running programs, because the suites
 * write and sync about 100,000 small files.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { lives } from "../../../src/setup/steps.mjs";

/** The file system that Linux distributions keep in memory. */
const IN_MEMORY = "/dev/shm";
/**
 * Free bytes that the memory file system must have. The suites of a run need about 1 GiB at the
 * same time. With less, the disk is used.
 */
const BYTES_MIN = 4 * 2 ** 30;

/** Prefix of the folder's name, which is followed by the id of the run's process. */
const NAMED = "peneira-run-";

/** Makes the folder and returns its path. The folder is removed when this process ends. */
export function makeScratch() {
  const parent = process.env.TMPDIR ?? (isRoomy() ? IN_MEMORY : os.tmpdir());
  removeOld(parent);
  const folder = path.join(parent, `${NAMED}${process.pid}`);
  fs.mkdirSync(folder, { recursive: true });
  process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Removes the folders that killed runs left. */
function removeOld(parent) {
  for (const name of fs.readdirSync(parent)) {
    const dead = name.startsWith(NAMED) && !lives(Number(name.slice(NAMED.length)));
    if (dead) fs.rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}

function isRoomy() {
  try {
    const { bavail, bsize } = fs.statfsSync(IN_MEMORY);
    return bavail * bsize >= BYTES_MIN && os.freemem() >= BYTES_MIN && runsPrograms();
  } catch {
    return false;
  }
}

/**
 * Returns false if the file system is mounted with `noexec`, as in containers, because suites start
 * programs that they wrote.
 */
function runsPrograms() {
  const folder = fs.mkdtempSync(path.join(IN_MEMORY, "peneira-probe-"));
  try {
    const program = path.join(folder, "probe");
    fs.writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
