/**
 * Checks the content of a lockfile. `node --import tsx test/support/house/lockfile.ts` fixes it: it
 * removes packages for systems that Peneira does not run on, and optional ones without a content
 * hash.
 * Invariant: a removed entry is also removed from its dependents' optional dependencies, because
 * `npm ci` of npm 11 would otherwise report the file as out of sync. Nothing else changes.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { filesMatching, ROOT, textOf } from "./checkout.ts";

/** A locked package. */
export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The part of a lockfile that is checked. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Systems that run or build the program: Linux with glibc, and macOS from the sources. */
const PLATFORMS = ["x64", "arm64"].flatMap((cpu) => [
  { os: "linux", cpu, libc: "glibc" },
  { os: "darwin", cpu, libc: "" },
]);

const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Every lockfile of the checkout. */
export const LOCKFILES = filesMatching(/(^|\/)package-lock\.json$/);

/** Reads and parses a lockfile. */
export function readLockfile(file: string): Lockfile {
  return JSON.parse(textOf(file)) as Lockfile;
}

/** Returns every problem of a lockfile, with the package that causes it. */
export function lockfileProblems({ packages }: Lockfile): string[] {
  const named = new Set(Object.keys(packages).map(nameOf));
  return Object.entries(packages).flatMap(([place, entry]) => {
    const problems: string[] = [];
    if (entry.resolved !== undefined) problems.push("names one registry");
    if (place !== "" && !SHA512.test(entry.integrity ?? "")) problems.push("has no sha512");
    if (!isForUs(entry)) problems.push("is for systems that Peneira does not run on");
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!named.has(name)) problems.push(`wants ${name}, which is not locked`);
    }
    return problems.map((problem) => `${place || "the root"} ${problem}`);
  });
}

/** The text of a lockfile without forbidden entries. */
export function prunedLockfile(text: string): string {
  const lockfile = JSON.parse(text) as Lockfile;
  const retained = Object.entries(lockfile.packages).filter(([place, entry]) => {
    const pinned = place === "" || entry.optional !== true || SHA512.test(entry.integrity ?? "");
    return isForUs(entry) && pinned;
  });
  const named = new Set(retained.map(([place]) => nameOf(place)));
  const packages = Object.fromEntries(retained.map(([place, one]) => [place, without(one, named)]));
  return `${JSON.stringify({ ...lockfile, packages }, null, 2)}\n`;
}

/** Returns the entry without its registry address and without the removed optional packages. */
function without(
  { resolved: _, ...entry }: LockedPackage,
  named: ReadonlySet<string>,
): LockedPackage {
  if (entry.optionalDependencies === undefined) return entry;
  const left = Object.entries(entry.optionalDependencies).filter(([name]) => named.has(name));
  if (left.length > 0) return { ...entry, optionalDependencies: Object.fromEntries(left) };
  const { optionalDependencies: _none, ...rest } = entry;
  return rest;
}

function isForUs({ os, cpu, libc }: LockedPackage): boolean {
  return PLATFORMS.some((one) => fits(os, one.os) && fits(cpu, one.cpu) && fits(libc, one.libc));
}

/** True if an npm list such as `["linux"]` or `["!win32"]` has the value or is undefined. */
function fits(wanted: string | readonly string[] | undefined, value: string): boolean {
  const list = wanted === undefined ? [] : [wanted].flat();
  if (list.includes(`!${value}`)) return false;
  return list.every((one) => one.startsWith("!")) || list.includes(value);
}

function nameOf(place: string): string {
  return place.replace(/^.*node_modules\//, "");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const file of LOCKFILES) {
    const text = prunedLockfile(textOf(file));
    if (text !== textOf(file)) process.stdout.write(`${file}\n`);
    writeFileSync(path.join(ROOT, file), text);
  }
}
