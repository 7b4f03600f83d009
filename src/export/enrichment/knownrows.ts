/**
 * Looks up the plain CNPJs of a CSV file. Input: its CNPJs, as found by a first scan. Output: for
 * each record, its row in the snapshot.
 * Invariant: memory is bounded by the max rows of a file, four bytes each. Large batches are faster
 * than small ones, because each batch is one pass over the column of CNPJs.
 */
import { NO_ROW } from "../../../native-index/napi/engine.ts";
import type { Segment } from "../../search/segment.ts";

/** Records per look-up. */
const BATCH = 1 << 19;
/** Bytes of a CNPJ. */
const CNPJ_LENGTH = 14;

/** Row of a record that is not known yet. See native-index/render/enrichment.h. */
export const UNKNOWN_ROW = NO_ROW - 1;

const NOTHING = new Uint32Array(0);

/** Looks up the CNPJs of a file during its first scan. */
export class KnownRows {
  readonly #native: Segment["native"];
  readonly #spare: () => boolean;
  readonly #found: (Uint32Array | Promise<Uint32Array>)[] = [];
  /** Unused parts of this buffer take no physical memory. */
  #keys = new Uint8Array(CNPJ_LENGTH * BATCH);
  #length = 0;

  constructor({ native }: Segment, spare: () => boolean) {
    this.#native = native;
    this.#spare = spare;
  }

  /** Adds the CNPJs of the next records, 14 bytes each. */
  add(cnpjs: Uint8Array): void {
    for (let from = 0; from < cnpjs.length; ) {
      const end = Math.min(cnpjs.length, from + CNPJ_LENGTH * BATCH - this.#length);
      this.#keys.set(cnpjs.subarray(from, end), this.#length);
      this.#length += end - from;
      from = end;
      if (this.#length === CNPJ_LENGTH * BATCH) this.#lookUp();
    }
  }

  /** Waits for the rows of all added records. */
  async end(): Promise<void> {
    this.#lookUp();
    this.#keys = new Uint8Array(0);
    for (const [at, rows] of this.#found.entries()) this.#found[at] = await rows;
  }

  /** Fills `rows` with the snapshot rows of records, or `UNKNOWN_ROW` for records not added. */
  read(from: number, rows: Uint32Array): void {
    const count = rows.length;
    for (let at = 0; at < count; ) {
      const found = this.#found[Math.floor((from + at) / BATCH)];
      const begin = (from + at) % BATCH;
      const part =
        found instanceof Uint32Array ? found.subarray(begin, begin + count - at) : NOTHING;
      if (part.length === 0) {
        rows.fill(UNKNOWN_ROW, at);
        return;
      }
      rows.set(part, at);
      at += part.length;
    }
  }

  #lookUp(): void {
    if (this.#length === 0) return;
    const keys = this.#keys.subarray(0, this.#length);
    this.#length = 0;
    if (!this.#spare()) {
      this.#found.push(this.#native.lookUp(keys, null).rows);
      return;
    }
    const rows = this.#native.lookUpAsync(keys, null).then((found) => found.rows);
    // A rejection is thrown by `end`.
    rows.catch(() => {});
    this.#found.push(rows);
  }
}
