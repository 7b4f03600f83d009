/**
 * Reads entries of lists from text, and writes them as text. An entry takes eight bytes
 * (native-index/query/find/cnpj.h).
 * Invariant: nothing is guessed. A text is an account, a company, or refused with a reason. Zeros
 * that a spreadsheet removed are restored only if the sender allows it.
 */
import { cnpjCheckDigits, isPlainCnpj } from "../spec/cnpj/cnpj.ts";
import { CNPJ_REFUSALS, readCnpjCandidate } from "../spec/cnpj/cnpjspelling.ts";

/** Bytes of an entry. */
export const ENTRY_BYTES = 8;

const ORDER_BITS = 21;
const ORDERS = 2 ** ORDER_BITS;
/** The high 32 bits of an entry are its root divided by this number, rounded down. */
const LOW_ROOTS = 2 ** (32 - ORDER_BITS);
/** Characters of an account; a company has fewer. */
export const CNPJ_LENGTH = 14;
const BASE_LENGTH = 12;
const ROOT_LENGTH = 8;
/** The order (establishment number) of an entry for a whole company. No establishment has it. */
const COMPANY = "0000";

/** Reasons why a text is not an entry. */
export const REFUSALS = {
  ...CNPJ_REFUSALS,
  not_a_cnpj:
    "Neither a CNPJ of 14 characters nor, where the header says cnpj or root, a root of 8.",
  wrong_check_digits: "The last two digits do not belong to the others; one of them is mistyped.",
  lost_zeros:
    "A number that has lost its zeros in front; `offered` has them. Send lost_zeros=fill to " +
    "take all of these.",
  a_date: "The spreadsheet holds a date here. Format the cell as text and type the CNPJ again.",
  unsaved_formula:
    "A formula without a saved result. Open and save the file in the spreadsheet program.",
} as const;

/** Max refused lines that are reported. */
export const REFUSED_REPORTED_MAX = 100;

/** Code of a reason. */
type EntryRefusal = keyof typeof REFUSALS;

/** A text that is no entry. */
export interface RefusedEntry {
  readonly reason: EntryRefusal;
  /** The CNPJ with its lost zeros restored. */
  readonly offered?: string;
}

/** Parts of a CNPJ: its root and its order, which is `0000` for the whole company. */
export interface EntryParts {
  readonly root: string;
  readonly order: string;
}

/** Reads one text. If `fillZeros` is true, lost leading zeros are restored. */
export function readEntry(text: string, fillZeros: boolean): EntryParts | RefusedEntry {
  if (isPlainCnpj(text)) return entryParts(text);
  const reading = readCnpjCandidate(text);
  if (reading.kind === "root") return { root: reading.root, order: COMPANY };
  if (reading.kind === "cnpj") {
    return reading.checked ? entryParts(reading.cnpj) : { reason: "wrong_check_digits" };
  }
  const { reason, offered } = reading;
  if (offered === undefined) return { reason };
  return fillZeros ? entryParts(offered) : { reason, offered };
}

/** True if an entry is a whole company. */
export function isCompany({ order }: EntryParts): boolean {
  return order === COMPANY;
}

/** Splits a CNPJ of 14 characters into the parts of an entry. */
export function entryParts(cnpj: string): EntryParts {
  return { root: cnpj.slice(0, ROOT_LENGTH), order: cnpj.slice(ROOT_LENGTH, BASE_LENGTH) };
}

/** Returns the characters of a CNPJ that are in an entry: all but the check digits. */
export function entryBase(cnpj: string): string {
  return cnpj.slice(0, BASE_LENGTH);
}

/** Number of entries in a block: half a megabyte, which one call copies quickly. */
const BLOCK_ENTRIES = 65_536;

/** Collects entries in blocks, because a growing buffer would be copied repeatedly. */
export class EntryBuffer {
  readonly #full: Uint32Array[] = [];
  #words = new Uint32Array(1 << 10);
  /** Used words of the last block. */
  #used = 0;

  /** Number of entries, with repeats. */
  get count(): number {
    return this.#full.length * BLOCK_ENTRIES + this.#used / 2;
  }

  add({ root, order }: EntryParts): void {
    if (this.#used === this.#words.length) this.#grow();
    const number = Number.parseInt(root, 36);
    this.#words[this.#used] = (number % LOW_ROOTS) * ORDERS + Number.parseInt(order, 36);
    this.#words[this.#used + 1] = Math.floor(number / LOW_ROOTS);
    this.#used += 2;
  }

  #grow(): void {
    const before = this.#words;
    if (before.length === 2 * BLOCK_ENTRIES) {
      this.#full.push(before);
      this.#words = new Uint32Array(2 * BLOCK_ENTRIES);
      this.#used = 0;
    } else {
      this.#words = new Uint32Array(before.length * 2);
      this.#words.set(before);
    }
  }

  /** Returns the entries in order of arrival, those of their companies if `companies` is true. */
  blocks(companies: boolean): Uint8Array[] {
    const blocks = [...this.#full, this.#words.subarray(0, this.#used)];
    for (const words of companies ? blocks : []) {
      for (let at = 0; at < words.length; at += 2) {
        const low = words[at] as number;
        words[at] = low - (low % ORDERS);
      }
    }
    return blocks.map(({ buffer, byteLength }) => new Uint8Array(buffer, 0, byteLength));
  }
}

/**
 * Returns the text of an entry: a root of 8 characters, or a CNPJ of 14 with computed check digits.
 * Some accounts of the registry have other check digits, which `withAccountDigits` restores.
 */
export function entryText(entries: Uint8Array, at: number): string {
  const view = new DataView(entries.buffer, entries.byteOffset + at * ENTRY_BYTES, ENTRY_BYTES);
  const low = view.getUint32(0, true);
  const number = view.getUint32(4, true) * LOW_ROOTS + Math.floor(low / ORDERS);
  const root = number.toString(36).padStart(ROOT_LENGTH, "0").toUpperCase();
  const order = (low % ORDERS)
    .toString(36)
    .padStart(BASE_LENGTH - ROOT_LENGTH, "0")
    .toUpperCase();
  if (order === COMPANY) return root;
  return root + order + cnpjCheckDigits(root + order);
}
