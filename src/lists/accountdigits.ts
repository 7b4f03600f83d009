/**
 * Replaces the computed check digits of list entries by those of the snapshot's accounts.
 * Invariant: an account is written as the snapshot has it, because some have other check digits.
 * Entries without an account, and companies, stay as they are. Entries hold no check digits
 * (entries.ts), so that they outlive a correction.
 */
import { openRowList } from "../../native-index/napi/engine.ts";
import type { Segment } from "../search/segment.ts";
import { isStoredCnpj } from "../spec/cnpj/cnpj.ts";
import { CNPJ_LENGTH, EntryBuffer, entryBase, entryParts } from "./entries.ts";

/** Renders rows as lines of CNPJs. */
const AS_LINES = { format: "csv", fields: ["cnpj"], extra: [], delimiter: ";" } as const;

/** Returns entries with the check digits of a snapshot's accounts; runs off the event loop. */
export async function withAccountDigits(
  { native }: Segment,
  entries: readonly string[],
): Promise<readonly string[]> {
  const buffer = new EntryBuffer();
  for (const entry of entries) if (entry.length === CNPJ_LENGTH) buffer.add(entryParts(entry));
  if (buffer.count === 0) return entries;
  const { roaring, rows: limit } = await native.entryRowsAside(Buffer.concat(buffer.blocks(false)));
  if (limit === 0) return entries;
  const { rows } = await native.selectAside({
    clauses: [{ kind: "rows", lists: [openRowList(roaring)], negated: false }],
    order: [{ key: "score", descending: true }],
    ...{ method: "rank", seed: 0n, afterRow: -1, limit },
  });
  const lines = Buffer.from(await native.renderRowsAside(rows, { ...AS_LINES, firstNumber: 1 }));
  const other = otherDigits(cnpjsOf(lines), new Set(entries));
  return other.size === 0 ? entries : entries.map((entry) => other.get(entryBase(entry)) ?? entry);
}

/** The CNPJs of rendered lines, below the header. */
function cnpjsOf(lines: Buffer): readonly string[] {
  return lines.toString("latin1").split(/\r?\n/).filter(isStoredCnpj);
}

/**
 * Accounts with other check digits, by their first 12 characters. If two accounts share these, the
 * one with the right check digits counts.
 */
function otherDigits(
  found: readonly string[],
  computed: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const right = new Set(found.filter((cnpj) => computed.has(cnpj)).map(entryBase));
  const others = found.filter((cnpj) => !right.has(entryBase(cnpj))).sort();
  return new Map(others.reverse().map((cnpj) => [entryBase(cnpj), cnpj]));
}
