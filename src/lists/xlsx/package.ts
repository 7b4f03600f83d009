/**
 * The package of a workbook: a zip with XML parts. Input: its bytes. Output: its parts by path,
 * unpacked in chunks and parsed; or a refusal with the place, the fault, and the fix.
 * Invariant: reading any bytes ends with texts or with `XlsxRefusal`. The number of parts, their
 * unpacked bytes (each and in total), and processor time are bounded, regardless of the sizes that
 * the package declares. A part whose size or checksum differs from the declared one is refused.
 * Nothing is written to the disk. XML prefixes are ignored, because programs choose them freely.
 */
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import yauzl from "yauzl";
import { crc32 } from "../../dump/crc32.ts";
import {
  EncodingFault,
  localName,
  type XmlAttributes,
  XmlFault,
  XmlReader,
} from "../../text/xmlreader.ts";
import { isText, isZip, otherFile } from "../otherfiles.ts";

/** Max parts of a package; real ones have dozens. */
const PARTS_MAX = 4_096;
/** Max unpacked bytes of all parts that are read. */
const BYTES_MAX = 512 * 1024 * 1024;

/** Maximum processor ms for a package: three times what a slow processor needs at most. */
const WORK_MS_MAX = 30_000;

const PASSWORD = "Save it as XLSX (Excel workbook) without a password, or as CSV, and send that.";
const AGAIN =
  "Send the whole file again; where that does not help, open it in a spreadsheet program and " +
  "save it anew as XLSX.";
const AS_CSV = "Send it as what it is: with the Content-Type text/csv, or under another name.";

/** Starts a measurement; the returned function returns the milliseconds since then. */
type Measure = () => () => number;

/** A part that was not unpacked. */
interface PackedPart {
  readonly packed: Buffer;
  /** False for a part that is stored uncompressed. */
  readonly isPacked: boolean;
  /** Declared number of unpacked bytes, and declared checksum. */
  readonly bytes: number;
  readonly crc: number;
}

/** Compression method of packed parts. */
const DEFLATE = 8;

/** A workbook's package. */
export class XlsxPackage {
  readonly #zip: yauzl.ZipFile;
  readonly #parts: ReadonlyMap<string, yauzl.Entry>;
  readonly #measure: Measure;
  #left = BYTES_MAX;
  #workMs = 0;

  private constructor(
    zip: yauzl.ZipFile,
    parts: ReadonlyMap<string, yauzl.Entry>,
    measure: Measure,
  ) {
    this.#zip = zip;
    this.#parts = parts;
    this.#measure = measure;
  }

  /** Reads the directory of a package. Throws `XlsxRefusal`. */
  static async open(bytes: Buffer, measure = processorTime): Promise<XlsxPackage> {
    refuseOthers(bytes);
    const zip = await damaged("The file", () => open(bytes, { lazyEntries: true }));
    return new XlsxPackage(zip, await damaged("The file", () => partsOf(zip)), measure);
  }

  /** Sum of the declared unpacked bytes of all parts. No part may unpack to more. */
  get unpackedBytes(): number {
    let bytes = 0;
    for (const { uncompressedSize } of this.#parts.values()) bytes += uncompressedSize;
    return bytes;
  }

  /** True if a part exists. */
  has(path: string): boolean {
    return this.#parts.has(path.toLowerCase());
  }

  /** Paths of all parts in their original case, in package order. */
  get paths(): readonly string[] {
    return [...this.#parts.values()].map(({ fileName }) => fileName);
  }

  /** Returns a part without unpacking it. Throws `XlsxRefusal`. */
  async packed(path: string): Promise<PackedPart> {
    const entry = this.#parts.get(path.toLowerCase()) as yauzl.Entry;
    const { crc32: crc, uncompressedSize: bytes, compressionMethod } = entry;
    if (entry.isEncrypted()) throw new XlsxRefusal(path, "it has a password", PASSWORD);
    const isPacked = compressionMethod === DEFLATE;
    if (!isPacked && compressionMethod !== 0) {
      throw new XlsxRefusal(path, "it is packed in a way that no spreadsheet program writes");
    }
    const stream = await damaged(path, () => streamOf(this.#zip, entry, !isPacked));
    const packed = await damaged(path, async () => Buffer.concat(await stream.toArray()));
    return { packed, isPacked, bytes, crc: crc >>> 0 };
  }

  /** Unpacks a part. Throws `XlsxRefusal`. */
  async *pieces(path: string): AsyncGenerator<Buffer> {
    const entry = this.#parts.get(path.toLowerCase());
    if (entry === undefined) throw new XlsxRefusal(path, "it is missing");
    const { crc32: wanted, uncompressedSize } = entry;
    if (entry.isEncrypted()) throw new XlsxRefusal(path, "it has a password", PASSWORD);
    if (uncompressedSize > this.#left) this.#refuseSize(path);
    const stream = await damaged(path, () => streamOf(this.#zip, entry));
    const pieces: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
    let crc = 0;
    try {
      for (;;) {
        const { value, done } = await damaged(path, () => pieces.next());
        if (done === true) break;
        this.#left -= value.length;
        if (this.#left < 0) this.#refuseSize(path);
        crc = crc32(value, crc);
        const workMs = this.#measure();
        yield value;
        // The next chunk is unpacked only after this one has been parsed.
        this.#workMs += workMs();
        if (this.#workMs > WORK_MS_MAX) refuseWork();
      }
    } finally {
      stream.destroy();
    }
    if (crc !== wanted >>> 0) throw new XlsxRefusal(path, "it is damaged");
  }

  #refuseSize(path: string): never {
    const wrong = `unpacked, the workbook has more than ${BYTES_MAX / 1024 ** 2} MiB`;
    throw new XlsxRefusal(path, wrong, SAVE_LESS);
  }
}

function refuseWork(): never {
  const wrong = `to read it takes more than ${WORK_MS_MAX / 1_000} seconds of processor time`;
  throw new XlsxRefusal("The workbook", wrong, SAVE_LESS);
}

/** Measures processor time, which includes other threads, but at most the elapsed time. */
function processorTime(): () => number {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return Math.min((user + system) / 1_000, performance.now() - begun);
  };
}

const open = promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer);

/** Opens a part; unpacks a packed part unless `unpacks` is false. */
function streamOf(zip: yauzl.ZipFile, entry: yauzl.Entry, unpacks = true): Promise<Readable> {
  return new Promise((settle, fail) => {
    const options = { decompress: unpacks ? null : false } as yauzl.ZipFileOptions;
    zip.openReadStream(entry, options, (error, stream) => (error ? fail(error) : settle(stream)));
  });
}

/** Refuses a file that is not a zip. */
function refuseOthers(bytes: Buffer): void {
  const refuse = (what: string, remedy?: string): never => {
    throw new XlsxRefusal("The file", `it is no XLSX workbook, but ${what}`, remedy);
  };
  const other = otherFile(bytes);
  if (other !== null) refuse(other.name, other.fix);
  if (bytes.length === 0) refuse("empty", "Send the file again.");
  if (!isZip(bytes) && isText(bytes)) refuse("text, as CSV is", AS_CSV);
}

/** Returns the parts by path, in lower case. */
function partsOf(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  return new Promise((settle, fail) => {
    const parts = new Map<string, yauzl.Entry>();
    const refuse = (wrong: string) => fail(new XlsxRefusal("The file", wrong));
    zip.on("error", fail);
    zip.on("end", () => settle(parts));
    zip.on("entry", (entry: yauzl.Entry) => {
      const path = entry.fileName.toLowerCase();
      if (parts.has(path)) return refuse(`it has ${path} twice`);
      if (parts.size >= PARTS_MAX) return refuse("it has too many parts");
      parts.set(path, entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
}

/** Converts errors of yauzl to refusals, because other code here throws no errors. */
async function damaged<Value>(place: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof XlsxRefusal) throw error;
    const why = String(Object(error).message ?? error).replace(/\.$/, "");
    const wrong = `it is no XLSX workbook, or one that is damaged or cut off (${why})`;
    throw new XlsxRefusal(place, wrong, AGAIN);
  }
}

/** Receives the contents of a part; element names have no prefixes. */
export interface PartTaker {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text(text: string): void;
  /** Returns the place in the part that was reached, such as "row 7", if it is known. */
  reached?(): string;
}

/** Parses one part. */
export class PartReader {
  readonly #place: string;
  readonly #taker: PartTaker;
  readonly #reader: XmlReader;

  /** `place` is the name of the part in error messages. */
  constructor(place: string, taker: PartTaker) {
    this.#place = place;
    this.#taker = taker;
    this.#reader = new XmlReader({
      open: (name, attributes) => taker.open(localName(name), attributes),
      close: (name) => taker.close(localName(name)),
      text: (text) => taker.text(text),
    });
  }

  /** Parses a chunk. Throws `XlsxRefusal`. */
  add(chunk: Buffer): void {
    this.#refusing(() => this.#reader.add(chunk));
  }

  /** Ends the part. Throws `XlsxRefusal` if an element is open. */
  end(): void {
    this.#refusing(() => this.#reader.end());
  }

  #refusing(parse: () => void): void {
    try {
      parse();
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error;
      const reached = error instanceof EncodingFault ? this.#taker.reached?.() : undefined;
      const place = reached === undefined ? this.#place : `${this.#place}, ${reached}`;
      throw new XlsxRefusal(place, error.message);
    }
  }
}

/** Returns the value of an attribute with any prefix. */
export function attributeOf(attributes: XmlAttributes, name: string): string | undefined {
  const value = attributes[name];
  if (value !== undefined) return value;
  const prefixed = Object.keys(attributes).find((one) => localName(one) === name);
  return prefixed === undefined ? undefined : attributes[prefixed];
}

/** Decodes characters that Excel writes as `_x000D_`. */
export function textOf(written: string): string {
  if (!written.includes("_x")) return written;
  return written.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Fix for a malformed workbook. */
const SAVE_AGAIN = "Open it in a spreadsheet program and save it again as XLSX.";

/** Fix for a workbook that is too large. */
export const SAVE_LESS = "Keep only the column of CNPJs, or save the sheet as CSV, and send that.";

/** A workbook that cannot be read. */
export class XlsxRefusal extends Error {
  /** `place` is the part, the sheet, or the cell; the default fix is to save it again. */
  constructor(place: string, wrong: string, remedy = SAVE_AGAIN) {
    super(`${place}: ${wrong}. ${remedy}`);
  }
}

/** Error: the file lacks the sheet that the sender named, or hides it. */
export class UnknownSheet extends XlsxRefusal {}
