/**
 * Compressed files. Input: the bytes of a file of text, in pieces of any size. Output: the same
 * file compressed, in order.
 * Invariant: the compressed bytes depend on the text alone. It is cut into blocks of one size, for
 * pieces of any size and any thread that packs a block. The header holds no time, no name and no
 * system. A file is one gzip member, because some readers stop after the first.
 */
import { deflate, deflateAside } from "../../../native-index/napi/engine.ts";
import { crc32 } from "../../dump/crc32.ts";
import type { Compression } from "../../spec/fields.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { RenderContext, Renderer } from "./renderer.ts";

/** The compression of a file; null for none. */
export function compressionOf({ output }: AccountQuerySpec): Compression | null {
  const { compression = "none" } = output;
  return compression === "none" ? null : compression;
}

/**
 * Bytes of a block. A repetition is not looked for across its border: with 256 KiB a CSV file is
 * 1 % larger than with 1 MiB.
 */
const BLOCK_BYTES = 1 << 18;

/**
 * Blocks that may be packed on other threads while the next rows are rendered. Rows of one batch
 * fill about two blocks, so that fewer than four would leave a processor idle at times.
 */
const AHEAD = 4;

/** ID1, ID2, deflate; no flags and no time; the fastest algorithm; an unknown system (RFC 1952). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);

/** Compresses what a renderer writes. */
export class GzipWriter {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #spare: () => boolean;
  readonly #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  /** Blocks that are packed or being packed, in order. */
  readonly #blocks: Promise<Uint8Array>[] = [];
  #held = 0;
  #crc = 0;
  #bytes = 0;
  #isBegun = false;

  constructor(write: (bytes: Uint8Array) => void, spare: () => boolean = () => false) {
    this.#write = write;
    this.#spare = spare;
  }

  /** Takes bytes, which may be changed afterwards. */
  write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.byteLength; ) {
      const part = bytes.subarray(from, from + BLOCK_BYTES - this.#held);
      this.#block.set(part, this.#held);
      this.#held += part.byteLength;
      from += part.byteLength;
      if (this.#held === BLOCK_BYTES) this.#pack(false);
    }
  }

  /** Waits for the oldest blocks if many are being packed. Rejects if one cannot be. */
  async drain(most = AHEAD): Promise<void> {
    while (this.#blocks.length > most) this.#put((await this.#blocks.shift()) as Uint8Array);
  }

  /** Writes what is left. */
  async end(): Promise<void> {
    this.#pack(true);
    await this.drain(0);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc, 0);
    trailer.writeUInt32LE(this.#bytes % 2 ** 32, 4);
    this.#write(trailer);
  }

  #pack(isLast: boolean): void {
    const block = this.#block.subarray(0, this.#held);
    this.#crc = crc32(block, this.#crc);
    this.#bytes += this.#held;
    this.#held = 0;
    const isAside = !isLast && this.#spare();
    if (!isAside && this.#blocks.length === 0) {
      this.#put(deflate(block, isLast));
      return;
    }
    const packed = isAside ? deflateAside(block, isLast) : Promise.resolve(deflate(block, isLast));
    // `drain` reports a failure; without this, one that comes before would end the process.
    packed.catch(() => {});
    this.#blocks.push(packed);
  }

  #put(packed: Uint8Array): void {
    if (!this.#isBegun) this.#write(GZIP_HEADER);
    this.#isBegun = true;
    this.#write(packed);
  }
}

/**
 * Opens a renderer whose file is compressed if its spec says so. Its rows are then rendered on this
 * thread: packing takes longer, so that it keeps the other processors busy.
 */
export function openCompressed<Batch>(
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
  open: (context: RenderContext, write: (bytes: Uint8Array) => void) => Renderer<Batch>,
): Renderer<Batch> {
  if (compressionOf(context.spec) === null) return open(context, write);
  const packer = new GzipWriter(write, context.spare);
  // Not a copy: `matches` is counted when it is read.
  const alone: RenderContext = Object.create(context, { spare: { value: undefined } });
  const renderer = open(alone, (bytes) => packer.write(bytes));
  return {
    begin: () => renderer.begin(),
    async rows(batch) {
      await renderer.rows(batch);
      await packer.drain();
    },
    async end() {
      await renderer.end();
      await packer.end();
    },
    abort: () => renderer.abort?.(),
  };
}
