/**
 * Compressed files. Input: the bytes of a text file, in chunks of any size. Output: the same file
 * compressed, in order.
 * Invariant: the compressed bytes depend only on the text. It is cut into blocks of one size,
 * regardless of chunks and threads. The header has no time, no name, and no system. A file is one
 * gzip member or one zstd frame, because some readers stop after the first, and ends with a
 * checksum of the text.
 */
import { deflate, deflateAsync } from "../../../native-index/napi/engine.ts";
import { crc32 } from "../../dump/crc32.ts";
import { loadZstd } from "../../location.ts";
import type { Compression } from "../../spec/fields.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { RenderContext, Renderer } from "./renderer.ts";

/** Returns the compression of a file, or null if it has none. */
export function compressionOf({ output }: AccountQuerySpec): Compression | null {
  const { compression = "none" } = output;
  return compression === "none" ? null : compression;
}

/**
 * Bytes of a block. In gzip, references do not cross blocks: a CSV file is 1% larger with blocks of
 * 256 KiB than with blocks of 1 MiB. In zstd, references may cross blocks.
 */
const BLOCK_BYTES = 1 << 18;

/** Cuts text into blocks of one size; buffers less than a block. */
class Blocks {
  readonly #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  readonly #take: (block: Uint8Array) => void;
  #held = 0;

  constructor(take: (block: Uint8Array) => void) {
    this.#take = take;
  }

  /** Copies bytes, and passes full blocks to `take`. A block is valid until `take` returns. */
  add(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.byteLength; ) {
      const part = bytes.subarray(from, from + BLOCK_BYTES - this.#held);
      this.#block.set(part, this.#held);
      this.#held += part.byteLength;
      from += part.byteLength;
      if (this.#held < BLOCK_BYTES) return;
      this.#held = 0;
      this.#take(this.#block);
    }
  }

  /** Returns the last block, which is shorter and may be empty. */
  rest(): Uint8Array {
    return this.#block.subarray(0, this.#held);
  }
}

interface Packer {
  /** Adds bytes, which the caller may change afterwards. */
  write(bytes: Uint8Array): void;
  /** Waits for the oldest blocks if many are being compressed. Rejects if compression fails. */
  drain(): void | Promise<void>;
  end(): void | Promise<void>;
}

/**
 * Number of blocks that may be compressed on other threads while the next rows are rendered. A
 * batch of rows fills about two blocks, so fewer than four would leave a processor idle at times.
 */
const AHEAD = 4;

/** ID1, ID2, deflate, no flags, no time, fastest algorithm, unknown system (RFC 1952). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);

/** Writes a gzip file. Blocks are compressed independently, also on idle processors. */
export class GzipWriter implements Packer {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #spare: () => boolean;
  readonly #text = new Blocks((block) => this.#pack(block, false));
  /** Blocks that are compressed or being compressed, in order. */
  readonly #blocks: Promise<Uint8Array>[] = [];
  #crc = 0;
  #bytes = 0;
  #isBegun = false;

  constructor(write: (bytes: Uint8Array) => void, spare: () => boolean = () => false) {
    this.#write = write;
    this.#spare = spare;
  }

  write(bytes: Uint8Array): void {
    this.#text.add(bytes);
  }

  async drain(most = AHEAD): Promise<void> {
    while (this.#blocks.length > most) this.#put((await this.#blocks.shift()) as Uint8Array);
  }

  async end(): Promise<void> {
    this.#pack(this.#text.rest(), true);
    await this.drain(0);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc, 0);
    trailer.writeUInt32LE(this.#bytes % 2 ** 32, 4);
    this.#write(trailer);
  }

  #pack(block: Uint8Array, isLast: boolean): void {
    this.#crc = crc32(block, this.#crc);
    this.#bytes += block.byteLength;
    const isOnThread = !isLast && this.#spare();
    if (!isOnThread && this.#blocks.length === 0) {
      this.#put(deflate(block, isLast));
      return;
    }
    const packed = isOnThread
      ? deflateAsync(block, isLast)
      : Promise.resolve(deflate(block, isLast));
    // Prevents an unhandled rejection, which would end the process before `drain` rejects.
    packed.catch(() => {});
    this.#blocks.push(packed);
  }

  #put(packed: Uint8Array): void {
    if (!this.#isBegun) this.#write(GZIP_HEADER);
    this.#isBegun = true;
    this.#write(packed);
  }
}

/** Level of zstd; docs/benchmarks.md has the figures. */
const ZSTD_LEVEL = 2;

/** Writes a zstd file. Blocks reference earlier blocks, so this thread compresses all of them. */
export class ZstdWriter implements Packer {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #zstd = loadZstd();
  readonly #context = new this.#zstd.CCtx();
  readonly #packed = Buffer.allocUnsafeSlow(this.#zstd.compressBound(BLOCK_BYTES));
  readonly #text = new Blocks((block) => this.#pack(block, false));

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
    const { compressionLevel, checksumFlag } = this.#zstd.CParameter;
    this.#context.setParameter(compressionLevel, ZSTD_LEVEL);
    this.#context.setParameter(checksumFlag, 1);
  }

  write(bytes: Uint8Array): void {
    this.#text.add(bytes);
  }

  drain(): void {}

  end(): void {
    this.#pack(this.#text.rest(), true);
  }

  #pack(block: Uint8Array, isLast: boolean): void {
    const { end, continue: more } = this.#zstd.EndDirective;
    let rest = block;
    let left: number;
    do {
      const done = this.#context.compressStream2(this.#packed, rest, isLast ? end : more);
      left = done[0];
      if (done[1] > 0) this.#write(this.#packed.subarray(0, done[1]));
      rest = rest.subarray(done[2]);
    } while (rest.byteLength > 0 || (isLast && left > 0));
  }
}

/** Opens a compressor, and returns it with the context that the renderer must use. */
type OpenPacker = (
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
) => { readonly packer: Packer; readonly given: RenderContext };

/**
 * Functions that open the packer of each compression. They also decide how idle processors are
 * used. Gzip takes longer than rendering, so other processors compress blocks while this thread
 * renders. For zstd, other processors render while this thread compresses.
 */
const PACKERS: Readonly<Record<Compression, OpenPacker>> = {
  gzip: (context, write) => ({
    packer: new GzipWriter(write, context.spare),
    // This object inherits from the context. Copying the context would read its getter
    // `matches`, which runs a count.
    given: Object.create(context, { spare: { value: undefined } }),
  }),
  zstd: (context, write) => ({ packer: new ZstdWriter(write), given: context }),
};

/** Opens a renderer; compresses the file if its spec requests it. */
export function openCompressed<Batch>(
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
  open: (context: RenderContext, write: (bytes: Uint8Array) => void) => Renderer<Batch>,
): Renderer<Batch> {
  const compression = compressionOf(context.spec);
  if (compression === null) return open(context, write);
  const { packer, given } = PACKERS[compression](context, write);
  const renderer = open(given, (bytes) => packer.write(bytes));
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
