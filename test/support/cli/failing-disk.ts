/**
 * A small disk that can become full, read-only, or failing. It needs root and mounts; the failing
 * disk also needs gcc.
 * Invariant: `dispose` unmounts it, and a failing write never reaches it.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The faults that the disk can have. */
export const FAULTS = ["full", "readOnly", "failing"] as const;
/** One of them. */
export type Fault = (typeof FAULTS)[number];

const FILLER = ".filler";

/**
 * Source of a C library that makes writes below FAILING_FOLDER fail with EIO while the file
 * FAILING_FOLDER.on exists.
 */
const SHIM = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
static int fails(int fd) {
  const char *folder = getenv("FAILING_FOLDER");
  char link[64], path[4096];
  if (folder == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  snprintf(path, sizeof path, "%s.on", folder);
  if (access(path, F_OK) != 0) return 0;
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder)) != 0) return 0;
  errno = EIO;
  return 1;
}
#define FAIL(type, name, args, call)                    \\
  type name args {                                      \\
    static type(*real) args;                            \\
    if (fails(fd)) return -1;                           \\
    if (real == NULL) real = dlsym(RTLD_NEXT, #name);   \\
    return real call;                                   \\
  }
FAIL(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n))
FAIL(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o))
FAIL(ssize_t, pwrite64, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o))
FAIL(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
FAIL(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t o), (fd, v, n, o))
FAIL(int, fsync, (int fd), (fd))
FAIL(int, fdatasync, (int fd), (fd))
`;

/** A mounted disk. */
export class FailingDisk {
  readonly folder: string;
  readonly #shim: string;

  /** Mounts a disk of this size. */
  constructor(bytes: number) {
    this.folder = mkdtempSync(join(tmpdir(), "peneira-disk-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "tmpfs", this.folder]);
    this.#shim = `${this.folder}.so`;
    const source = `${this.folder}.c`;
    writeFileSync(source, SHIM);
    execFileSync("gcc", ["-shared", "-fPIC", "-o", this.#shim, source, "-ldl"]);
    rmSync(source);
  }

  /**
   * Environment variables for processes that the failing disk should affect. Set them before the
   * processes start.
   */
  get variables(): Record<string, string> {
    return { LD_PRELOAD: this.#shim, FAILING_FOLDER: this.folder };
  }

  /** Applies the fault. A disk with open files cannot become read-only. */
  break(fault: Fault): void {
    if (fault === "full") this.#fill();
    if (fault === "readOnly") execFileSync("mount", ["-o", "remount,ro", this.folder]);
    if (fault === "failing") writeFileSync(`${this.folder}.on`, "");
  }

  /** Ends every fault. */
  repair(): void {
    execFileSync("mount", ["-o", "remount,rw", this.folder]);
    rmSync(`${this.folder}.on`, { force: true });
    rmSync(join(this.folder, FILLER), { force: true });
  }

  /** Returns the paths of all files on the disk, except the side files of a database reader. */
  names(): string[] {
    const all = readdirSync(this.folder, { recursive: true }) as string[];
    return all.filter((name) => !/-(wal|shm)$/.test(name) && name !== FILLER).sort();
  }

  /** Unmounts the disk. */
  dispose(): void {
    execFileSync("umount", ["-l", this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(this.#shim, { force: true });
  }

  #fill(): void {
    const fd = openSync(join(this.folder, FILLER), "w");
    try {
      for (const bytes of [1 << 20, 4_096]) fillWith(fd, Buffer.alloc(bytes));
    } finally {
      closeSync(fd);
    }
  }
}

function fillWith(fd: number, piece: Buffer): void {
  try {
    for (;;) writeSync(fd, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** Returns the reason why this machine cannot mount a failing disk, or false if it can. */
export function noFailingDisk(): string | false {
  if (process.getuid?.() !== 0) return "needs root and mounts";
  const folder = mkdtempSync(join(tmpdir(), "peneira-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "tmpfs", folder]);
  if (status === 0) spawnSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  if (status !== 0) return "needs root and mounts";
  return spawnSync("gcc", ["--version"]).status !== 0 && "needs gcc";
}
