/**
 * Makes random forgeries of a snapshot. Input: a forge and a seeded random source. Output: a
 * description, and a snapshot with valid checksums in which the metadata, string tables, directory,
 * index location, or footer differ from those that an import writes.
 * Invariant: the same seed yields the same bytes, and one mutation takes about a millisecond.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import { SECTION } from "../../../native-index/format/snapshot/region.ts";
import type { Forgery, SnapshotForge } from "./forge-snapshot.ts";

/** A forged file. */
export interface Mutation {
  readonly what: string;
  readonly bytes: Buffer;
}

/** A random source in [0, 1). */
export type Chance = () => number;

/**
 * Texts that have a special meaning in a header, a page, a path, a terminal, a spreadsheet, or a
 * JavaScript object.
 */
const TEXTS = [
  "",
  "2026-13",
  "2026-02-30",
  '2026-10"\r\nSet-Cookie: a=b',
  "2026-10\nlistening on http://evil",
  "<script>alert(1)</script>",
  "../../../../../etc/passwd",
  "\u0000",
  "\u007f",
  "\u0085",
  "\u2028",
  "\u202e01-6202",
  "\ud800",
  "\u001b[2J",
  "=HYPERLINK(1)",
  "__proto__",
  "constructor",
  "9".repeat(5_000),
  "é".repeat(1_001),
  "2026-10",
  "0000007",
];
const VALUES: readonly unknown[] = [
  ...TEXTS,
  ...[null, true, -1, 0, 0.5, 1e308, 2 ** 53, 4_294_967_296],
  ...[[], {}, [[]], [null], { length: 5 }, { toString: 1, valueOf: 1 }],
];

type Json = Record<string, unknown> | unknown[];

/** Forges one file. A change of the metadata consists of at most `steps` single changes. */
export function mutate(forge: SnapshotForge, chance: Chance, steps = 3): Mutation {
  const kind = pick(KINDS, chance);
  return kind(forge, chance, steps);
}

type Kind = (forge: SnapshotForge, chance: Chance, steps: number) => Mutation;

const KINDS: readonly Kind[] = [
  // Half of the kinds change the metadata, because the TypeScript part trusts them.
  ...[changeMembers, changeMembers, changeMembers, changeMembers],
  ...[changeText, changeTable, changeDirectory, changeLocation, changeFooter],
];

function changeMembers(forge: SnapshotForge, chance: Chance, steps: number): Mutation {
  const meta = forge.meta() as unknown as Json;
  const words = Array.from({ length: 1 + below(chance, steps) }, () => changeOne(meta, chance));
  return { what: `META: ${words.join("; ")}`, bytes: forge.withMeta(meta) };
}

/** Changes one member anywhere in the value. Returns the member's path and its new value. */
function changeOne(root: Json, chance: Chance): string {
  let holder = root;
  let place = "";
  for (;;) {
    const keys = Object.keys(holder);
    const key = keys.length === 0 ? "0" : pick(keys, chance);
    place += `/${key}`;
    const value = (holder as Record<string, unknown>)[key];
    const deeper = typeof value === "object" && value !== null && chance() < 0.85;
    if (!deeper) return `${place} ${changeAt(holder, key, chance)}`;
    holder = value as Json;
  }
}

function changeAt(holder: Json, key: string, chance: Chance): string {
  const members = holder as Record<string, unknown>;
  const kind = below(chance, 6);
  if (kind === 0) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete members[key];
    return "is gone";
  }
  if (kind === 1 && Array.isArray(holder)) {
    holder.splice(Number(key), 0, holder[Number(key)]);
    return "is there twice";
  }
  if (kind === 2 && Array.isArray(holder)) {
    const other = below(chance, holder.length || 1);
    [members[key], members[other]] = [members[other], members[key]];
    return `and ${other} are exchanged`;
  }
  if (kind === 3 && typeof members[key] === "string") {
    const text = members[key] as string;
    const at = below(chance, text.length + 1);
    members[key] = text.slice(0, at) + pick(TEXTS, chance) + text.slice(at);
    return `has something at ${at}`;
  }
  const value = pick(VALUES, chance);
  const name = kind === 4 && !Array.isArray(holder) ? pick(TEXTS, chance) : key;
  // An assignment would set the prototype if the name is `__proto__`.
  const property = { value: structuredClone(value), enumerable: true, writable: true };
  Object.defineProperty(holder, name, { ...property, configurable: true });
  return `gets ${JSON.stringify(value)?.slice(0, 60)}`;
}

/** Changes the text of the metadata in single bytes. The copy in the footer may differ. */
function changeText(forge: SnapshotForge, chance: Chance): Mutation {
  const bytes = Buffer.from(forge.metaText);
  for (let left = 1 + below(chance, 4); left > 0; left--) {
    bytes[below(chance, bytes.length)] = below(chance, 256);
  }
  const cut = chance() < 0.2 ? bytes.subarray(0, below(chance, bytes.length)) : bytes;
  const nested = Buffer.from("[".repeat(50_000));
  const meta = chance() < 0.05 ? nested : cut;
  const differs = chance() < 0.1 ? { footerMeta: forge.metaText } : {};
  return { what: "META bytes", bytes: forge.forge({ meta, ...differs }) };
}

function changeTable(forge: SnapshotForge, chance: Chance): Mutation {
  const argument = below(chance, TABLES.length);
  const bytes = Buffer.from(forge.section(SECTION.table, argument));
  for (let left = 1 + below(chance, 3); left > 0; left--) {
    bytes[below(chance, bytes.length)] = below(chance, 256);
  }
  const longer = chance() < 0.2 ? Buffer.concat([bytes, Buffer.alloc(64)]) : bytes;
  const sections = new Map([[`${SECTION.table}.${argument}`, longer]]);
  return { what: `TABLE ${TABLES[argument]}`, bytes: forge.forge({ sections }) };
}

function changeDirectory(forge: SnapshotForge, chance: Chance): Mutation {
  const number = () => pick([0n, 1n, 63n, 64n, 65_536n, 1n << 31n, 1n << 53n, ~0n], chance);
  const entries: Forgery["entries"] = (right) => {
    const changed = right.map((entry) => ({ ...entry }));
    const entry = pick(changed, chance);
    const other = pick(right, chance);
    const kind = below(chance, 6);
    if (kind === 0) entry.offset = number();
    else if (kind === 1) entry.length = number();
    else if (kind === 2) entry.kind = below(chance, 20);
    else if (kind === 3) entry.argument = below(chance, 20);
    else if (kind === 4) return [...changed, { ...other }];
    else Object.assign(entry, { offset: other.offset, length: other.length });
    return changed;
  };
  const directory = (bytes: Buffer): void => {
    if (chance() < 0.3) bytes[below(chance, 48)] = below(chance, 256);
  };
  return { what: "directory", bytes: forge.forge({ entries, directory }) };
}

function changeLocation(forge: SnapshotForge, chance: Chance): Mutation {
  const location = (text: string): string => {
    if (chance() < 0.2) return pick(["", "null", "[]", "5", '"x"', `{${text}`], chance);
    const json = JSON.parse(text) as Record<string, unknown>;
    json[pick(Object.keys(json), chance)] = pick(VALUES, chance);
    return JSON.stringify(json);
  };
  return { what: "index location", bytes: forge.forge({ location }) };
}

function changeFooter(forge: SnapshotForge, chance: Chance): Mutation {
  const footerBytes = (right: Buffer): Buffer => {
    const bytes = Buffer.from(right);
    for (let left = 1 + below(chance, 4); left > 0; left--) {
      // The metadata fill most of the footer; the flatbuffer's tables are at both ends.
      const near = chance() < 0.5 ? below(chance, 400) : bytes.length - 1 - below(chance, 400);
      const at = chance() < 0.1 ? below(chance, bytes.length) : near;
      if (chance() < 0.5) bytes[at] = below(chance, 256);
      else bytes.writeInt32LE(pick([-1, 0, 1, 2 ** 31 - 1, 65_536], chance), at & ~3);
    }
    return bytes;
  };
  return { what: "footer", bytes: forge.forge({ footerBytes }) };
}

function below(chance: Chance, limit: number): number {
  return Math.floor(chance() * limit);
}

function pick<Value>(values: readonly Value[], chance: Chance): Value {
  return values[below(chance, values.length)] as Value;
}
