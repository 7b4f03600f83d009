/**
 * Finds which of a tenant's lists hold accounts, by themselves or through their company.
 * Invariant: the answer reflects each list's newest revision. A long list costs only the blocks
 * that may hold one of them; other requests run between two lists.
 */

import { readCnpjText } from "../spec/cnpj/cnpjspelling.ts";
import { EXPORTED } from "../spec/listids.ts";
import type { ListRow } from "../store/liststore.ts";
import { ENTRY_BYTES, EntryBuffer } from "./entries.ts";
import type { Lists } from "./lists.ts";

/** Lists per page. */
const PAGE = 100;
/** Max entries of a list that is read whole, a quarter of a megabyte. */
const WHOLE_MAX = 32_768;
/** Bits of an entry that identify a company's establishments; all zero is the company. */
const ORDER_BITS = 21n;

/** A list, and which of the accounts it holds. */
interface Held {
  readonly list: ListRow;
  readonly cnpjs: readonly string[];
}

interface Wanted {
  readonly cnpj: string;
  readonly entry: bigint;
  readonly company: bigint;
}

/** The lists that hold at least one CNPJ, newest first; awaits `turn` before each. */
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
        return now === undefined ? [] : heldBy(lists, now, wanted);
      });
      if (found.length > 0) held.push({ list, cnpjs: found });
    }
    if (rows.length < PAGE) return held;
    before = (rows.at(-1) as ListRow).sequence;
  }
}

/**
 * A text that is no CNPJ is in no list; check digits are ignored, as the registry has wrong ones.
 */
function entryOf(text: string): Wanted[] {
  const read = readCnpjText(text);
  if (read.kind !== "cnpj") return [];
  const entries = new EntryBuffer();
  entries.add({ root: read.cnpj.slice(0, 8), order: read.cnpj.slice(8, 12) });
  const entry = Buffer.concat(entries.blocks(false)).readBigInt64LE(0);
  return [{ cnpj: read.cnpj, entry, company: (entry >> ORDER_BITS) << ORDER_BITS }];
}

function heldBy(lists: Lists, list: ListRow, wanted: readonly Wanted[]): string[] {
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
