/**
 * Finds which lists contain an account, and restores the check digits of entries. Input: CNPJs and
 * the lists of a tenant, or entries. Output: for CNPJs, each list with those that it contains, also
 * through an entry for the whole company. For entries, their CNPJs with the check digits of the
 * snapshot.
 * Invariant: each list is read at its newest revision. In a long list, only the blocks that may
 * contain a CNPJ are read. Other requests are answered between two lists.
 */

import { openRowList } from "../../native-index/napi/engine.ts";
import type { Segment } from "../search/segment.ts";
import { isStoredCnpj } from "../spec/cnpj/cnpj.ts";
import { readCnpjText } from "../spec/cnpj/cnpjspelling.ts";
import { EXPORTED } from "../spec/listids.ts";
import type { ListRow } from "../store/liststore.ts";
import { CNPJ_LENGTH, ENTRY_BYTES, EntryBuffer, entryBase, entryParts } from "./entries.ts";
import type { Lists } from "./lists.ts";

/** Lists per page. */
const PAGE = 100;
/**
 * Maximum number of entries of a list that is read as a whole, which is a quarter of a megabyte.
 */
const WHOLE_MAX = 32_768;
/** Bits of an entry that identify the establishment; zero means the whole company. */
const ORDER_BITS = 21n;

/** A list, and which of the requested CNPJs it contains. */
interface Held {
  readonly list: ListRow;
  readonly cnpjs: readonly string[];
}

interface Wanted {
  readonly cnpj: string;
  readonly entry: bigint;
  readonly company: bigint;
}

/**
 * Returns the lists that contain any of the CNPJs, newest first; awaits `turn` before each list.
 */
export async function holding(
  lists: Lists,
  tenantId: string,
  cnpjs: readonly string[],
  turn: () => Promise<void> | undefined,
): Promise<Held[]> {
  const wanted = cnpjs.flatMap(entryOf).sort((a, b) => (a.entry < b.entry ? -1 : 1));
  const held: Held[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = lists.page(tenantId, before, PAGE);
    for (const list of rows) {
      await turn();
      const found = lists.atOneMoment(() => {
        const now = lists.seen(tenantId, list.id);
        return now === undefined ? [] : amountOfOwner(lists, now, wanted);
      });
      if (found.length > 0) held.push({ list, cnpjs: found });
    }
    if (rows.length < PAGE) return held;
    before = (rows.at(-1) as ListRow).sequence;
  }
}

/**
 * Returns the list entry of a CNPJ. Returns an empty array for other text. Check digits are
 * ignored, because some in the registry are wrong.
 */
function entryOf(text: string): Wanted[] {
  const read = readCnpjText(text);
  if (read.kind !== "cnpj") return [];
  const entries = new EntryBuffer();
  entries.add({ root: read.cnpj.slice(0, 8), order: read.cnpj.slice(8, 12) });
  const entry = Buffer.concat(entries.blocks(false)).readBigInt64LE(0);
  return [{ cnpj: read.cnpj, entry, company: (entry >> ORDER_BITS) << ORDER_BITS }];
}

function amountOfOwner(lists: Lists, list: ListRow, wanted: readonly Wanted[]): string[] {
  if (list.entries === 0) return [];
  const { sequence, revision } = list;
  // The list of exported accounts has another format.
  const few = list.id !== EXPORTED && list.entries <= WHOLE_MAX;
  let block: Buffer = few
    ? Buffer.from(lists.allEntries({ list: sequence, revision }))
    : Buffer.alloc(0);
  const has = (number: bigint) => {
    if (!few && !covers(block, number)) block = lists.blockFor(list, number) ?? block;
    return isIn(block, number);
  };
  return wanted.filter(({ entry, company }) => has(company) || has(entry)).map(({ cnpj }) => cnpj);
}

function covers(block: Buffer, number: bigint): boolean {
  const { byteLength } = block;
  if (byteLength === 0 || number < block.readBigInt64LE(0)) return false;
  return number <= block.readBigInt64LE(byteLength - ENTRY_BYTES);
}

function isIn(block: Buffer, number: bigint): boolean {
  let low = 0;
  let high = block.byteLength / ENTRY_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (block.readBigInt64LE(middle * ENTRY_BYTES) < number) low = middle + 1;
    else high = middle;
  }
  const at = low * ENTRY_BYTES;
  return at < block.byteLength && block.readBigInt64LE(at) === number;
}

/** Rendering of rows as lines of CNPJs. */
const AS_LINES = { format: "csv", fields: ["cnpj"], extra: [], delimiter: ";" } as const;

/** Returns entries as CNPJs with the accounts' check digits, looked up off the event loop. */
export async function withAccountDigits(
  { native }: Segment,
  entries: readonly string[],
): Promise<readonly string[]> {
  const buffer = new EntryBuffer();
  for (const entry of entries) if (entry.length === CNPJ_LENGTH) buffer.add(entryParts(entry));
  if (buffer.count === 0) return entries;
  const { roaring, rows: limit } = await native.entryRowsAsync(Buffer.concat(buffer.blocks(false)));
  if (limit === 0) return entries;
  const { rows } = await native.selectAsync({
    clauses: [{ kind: "rows", lists: [openRowList(roaring)], negated: false }],
    order: [{ key: "score", descending: true }],
    ...{ method: "rank", seed: 0n, afterRow: -1, limit },
  });
  const lines = Buffer.from(await native.renderRowsAsync(rows, { ...AS_LINES, firstNumber: 1 }));
  const other = otherDigits(cnpjsOf(lines), new Set(entries));
  return other.size === 0 ? entries : entries.map((entry) => other.get(entryBase(entry)) ?? entry);
}

/** Returns the CNPJs in rendered lines, without the header. */
function cnpjsOf(lines: Buffer): readonly string[] {
  return lines.toString("latin1").split(/\r?\n/).filter(isStoredCnpj);
}

/**
 * Maps the first 12 characters of accounts with wrong check digits to their CNPJs. If another
 * account with the same 12 characters has correct check digits, the computed CNPJ is right and is
 * not in the map.
 */
function otherDigits(
  found: readonly string[],
  computed: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const right = new Set(found.filter((cnpj) => computed.has(cnpj)).map(entryBase));
  const others = found.filter((cnpj) => !right.has(entryBase(cnpj))).sort();
  return new Map(others.reverse().map((cnpj) => [entryBase(cnpj), cnpj]));
}
