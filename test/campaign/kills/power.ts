/**
 * Simulates loss of power. Runs a process on a file system of its own, and returns this file system
 * as it would be after a power cut, without data that were not durable.
 * Invariant: the process is stopped before the cut, so that it acknowledges nothing afterwards. The
 * journal is not flushed. This models lost caches, not torn sectors or disks that ignore flushes.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ground } from "./lane.ts";

/** Size of the disk. Its image is a sparse file. */
const DISK_BYTES = "512M";
/**
 * A Python program that calls FS_IOC_SHUTDOWN of <linux/fs.h>, which is _IOR('X', 125, __u32), with
 * EXT4_GOING_FLAGS_NOLOGFLUSH (2). Node has no ioctl, and Python exists on every machine that can
 * build the addon.
 */
const CUT = `import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))`;

/** Returns why no power cut can be made, as a sentence, or null. */
export function powerObstacle(): string | null {
  const needs = "A power cut needs root, Linux, ext4 and python3";
  if (process.platform !== "linux") return `${needs}: this is ${process.platform}.`;
  if (process.getuid?.() !== 0) return `${needs}: this is not root.`;
  try {
    const ground = powerGround();
    ground.dispose();
    return null;
  } catch (error) {
    return `${needs}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Returns the folder of a lane on a separate file system. Instead of killing a process, it cuts the
 * power of that file system.
 */
export function powerGround(): Ground {
  const outside = mkdtempSync(join(tmpdir(), "peneira-power-"));
  const image = join(outside, "disk.img");
  const folder = join(outside, "disk");
  mkdirSync(folder);
  run("truncate", "-s", DISK_BYTES, image);
  run("mkfs.ext4", "-q", "-F", image);
  run("mount", "-o", "loop", image, folder);
  return {
    folder,
    async kill(server) {
      server.signal("SIGSTOP");
      run("python3", "-c", CUT, folder);
      await server.end("SIGKILL");
      run("umount", folder);
      run("mount", "-o", "loop", image, folder);
    },
    dispose() {
      run("umount", folder);
      rmSync(outside, { recursive: true, force: true });
    },
  };
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
}
