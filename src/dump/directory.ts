/**
 * Locates the bytes of a release's file. Input: the path of a zip, or of an unzipped file. Output:
 * location, unpacked size, and checksum of its only member's packed bytes, as plain values for
 * worker threads.
 * Invariant: only zips that can be streamed safely are accepted: exactly one member, not encrypted,
 * no link, no zip bomb, data inside the file. ZIP64 is read like the older form. Entries that
 * operating systems add (folders, `__MACOSX/`, `.DS_Store`) are ignored.
 */
import { open } from "node:fs/promises";
import { basename } from "node:path";
import yauzl from "yauzl";
import { type KindId, kindOfFile, wrongKindText } from "../files/filekind.ts";
import type { FileType } from "./layout.ts";

/** Max ratio of unpacked to packed size. The registry reaches 13, and zip bombs exceed this. */
const RATIO_MAX = 200;
/** Min unpacked bytes for the ratio check: small, very regular tables may compress better. */
const RATIO_BYTES_MIN = 1 << 20;
const AGAIN = "Download it again.";
const STORED = 0;
const DEFLATED = 8;

/** A file's only member and the place of its bytes. */
export interface PackedFile {
  /** Absolute path of the zip, or of an unzipped member. */
  readonly file: string;
  readonly member: string;
  /** `plain` is an unzipped member. The others are the two methods of a zip. */
  readonly packing: "plain" | "stored" | "deflated";
  /** Offset of the packed bytes in `file`. */
  readonly offset: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Null for a plain file, which has none. */
  readonly crc: number | null;
}

/** A file of the release: location and type of its data. */
export interface DumpMember extends PackedFile {
  readonly type: FileType;
  /** 0 to 9; null for types with one file. */
  readonly part: number | null;
  readonly token: string | null;
}

/** Describes an unzipped file of so many bytes. */
export function readPlain(file: string, bytes: number): PackedFile {
  const member = basename(file);
  return { file, member, packing: "plain", offset: 0, packedBytes: bytes, bytes, crc: null };
}

/**
 * Reads a zip's central directory. `isMember` selects entries by name. By default, it selects all
 * entries except those that an operating system added.
 * @throws Error that names the fault of the zip.
 */
export async function readZip(file: string, isMember = isOwnEntry): Promise<PackedFile> {
  refuseOtherKinds(file);
  const { entries, fileBytes } = await readEntries(
    (use) => yauzl.open(file, OPTIONS, use),
    isMember,
  );
  if (entries.length === 0 && isMember !== isOwnEntry)
    throw new Error("the zip holds no CSV. Download it again.");
  return packedFile(file, onlyEntry(entries), fileBytes);
}

/** Like `readZip`, for a zip with several members. @throws Error that names the zip's fault */
export async function readZipMembers(
  file: string,
  isMember: (name: string) => boolean,
): Promise<PackedFile[]> {
  refuseOtherKinds(file);
  const { entries, fileBytes } = await readEntries(
    (use) => yauzl.open(file, OPTIONS, use),
    isMember,
    ENTRIES_MAX,
  );
  const packed: PackedFile[] = [];
  for (const entry of entries) {
    checkEntry(entry);
    packed.push(await packedFile(file, entry, fileBytes));
  }
  return packed;
}

async function packedFile(
  file: string,
  entry: yauzl.Entry,
  fileBytes: number,
): Promise<PackedFile> {
  const offset = await dataOffset(file, entry);
  if (offset + entry.compressedSize > fileBytes) {
    throw new Error("the packed data reach beyond the end of the file. Download it again.");
  }
  return {
    file,
    member: entry.fileName,
    packing: entry.compressionMethod === STORED ? "stored" : "deflated",
    offset,
    packedBytes: entry.compressedSize,
    bytes: entry.uncompressedSize,
    crc: entry.crc32 >>> 0,
  };
}

/** Reports the kind of a file that is no zip, before the library searches its directory. */
function refuseOtherKinds(file: string): void {
  const kind = kindOfFile(file);
  if (kind === null || ZIP_KINDS.has(kind.id)) return;
  const page = kind.id === "html" ? ": a server sent a page in place of the file" : "";
  throw new Error(`${wrongKindText(kind, "a zip")}${page}. Download it again.`);
}

/** Kinds of files that are zips. */
const ZIP_KINDS: ReadonlySet<string> = new Set<KindId>(["zip", "xlsx", "ods"]);

/** False for an entry that an operating system added to the zip. */
export function isOwnEntry(name: string): boolean {
  if (name.endsWith("/") || /(?:^|\/)__MACOSX\//.test(name)) return false;
  const last = name.slice(name.lastIndexOf("/") + 1);
  return !last.startsWith("._") && !/^(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(last);
}

/** A zip's only member, as described in the directory. */
export type ZipMember = Pick<PackedFile, "member" | "packedBytes" | "bytes" | "crc">;

/** Reads bytes of a remote file. Rejects unless it reads all of them. */
type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

/** Reads the central directory of a remote zip. @throws Error like `readZip`. */
export async function readZipElsewhere(fileBytes: number, readAt: ReadAt): Promise<ZipMember> {
  const { entries } = await readEntries((use) => {
    yauzl.fromRandomAccessReader(new Elsewhere(readAt), fileBytes, OPTIONS, use);
  });
  const entry = onlyEntry(entries);
  const { fileName: member, compressedSize: packedBytes, uncompressedSize: bytes } = entry;
  return { member, packedBytes, bytes, crc: entry.crc32 >>> 0 };
}

/** Passes remote bytes to yauzl. */
class Elsewhere extends yauzl.RandomAccessReader {
  readonly #readAt: ReadAt;

  constructor(readAt: ReadAt) {
    super();
    this.#readAt = readAt;
  }

  override read(...[buffer, at, length, position, done]: ReadCall): void {
    this.#readAt(position, length).then((bytes) => {
      buffer.set(bytes, at);
      done(null);
    }, done);
  }
}

type ReadCall = Parameters<yauzl.RandomAccessReader["read"]>;

const OPTIONS = { lazyEntries: true, autoClose: false } as const;

interface ZipEntries {
  readonly entries: yauzl.Entry[];
  readonly fileBytes: number;
}

/** Max number of entries before a zip is refused. */
const ENTRIES_MAX = 1_000;

/** Reads up to `most` members: by default two, because a second member is refused. */
function readEntries(
  start: (use: (error: Error | null, zip: yauzl.ZipFile) => void) => void,
  isMember: (name: string) => boolean = isOwnEntry,
  most = 2,
): Promise<ZipEntries> {
  return new Promise((settle, fail) => {
    start((error, zip) => {
      // System errors, such as a missing read permission, are reported unchanged, because a new
      // download does not fix them.
      if (error && "syscall" in error) return fail(error);
      if (error) return fail(new Error(directoryWords(error), { cause: error }));
      const entries: yauzl.Entry[] = [];
      let read = 0;
      const finish = (): void => {
        zip.close();
        settle({ entries, fileBytes: zip.fileSize });
      };
      zip.on("error", (reason: Error) => {
        zip.close();
        fail(new Error(directoryWords(reason), { cause: reason }));
      });
      zip.on("end", finish);
      zip.on("entry", (entry: yauzl.Entry) => {
        if (isMember(entry.fileName)) entries.push(entry);
        read++;
        if (read > ENTRIES_MAX) {
          zip.close();
          fail(
            new Error(
              `it has more than ${ENTRIES_MAX} entries; this is not a registry file. ${AGAIN}`,
            ),
          );
        } else if (entries.length >= most) finish();
        else zip.readEntry();
      });
      zip.readEntry();
    });
  });
}

/** Rephrases the library's error about a missing directory. */
function directoryWords({ message }: Error): string {
  const words = message.startsWith("End of central directory")
    ? "it is not a zip, or it is truncated: it has no directory at its end."
    : message;
  return `${words} Download it again.`;
}

function onlyEntry(entries: readonly yauzl.Entry[]): yauzl.Entry {
  const entry = entries[0];
  if (entry === undefined || entries.length > 1) {
    const names = entries.map(({ fileName }) => JSON.stringify(fileName)).join(" and ");
    const count = entry === undefined ? "none" : `more: ${names}`;
    throw new Error(
      `a zip must hold exactly one member, this one holds ${count}. Download it again.`,
    );
  }
  checkEntry(entry);
  return entry;
}

function checkEntry(entry: yauzl.Entry): void {
  const { compressedSize, uncompressedSize, compressionMethod } = entry;
  if ((entry.generalPurposeBitFlag & 1) !== 0)
    throw new Error("the member is encrypted. Download it again.");
  const isUnix = entry.versionMadeBy >> 8 === 3;
  if (isUnix && ((entry.externalFileAttributes >>> 16) & 0xf000) === 0xa000) {
    throw new Error("the member is a symbolic link. Download it again.");
  }
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) {
    throw new Error(
      `packing method ${compressionMethod} is not supported; unzip it into the folder`,
    );
  }
  if (compressionMethod === STORED && compressedSize !== uncompressedSize) {
    throw new Error("the member is stored, yet its two sizes differ. Download it again.");
  }
  if (uncompressedSize > RATIO_BYTES_MIN && uncompressedSize > RATIO_MAX * compressedSize) {
    throw new Error(
      `the member would grow more than ${RATIO_MAX}-fold; this is not a registry file. ${AGAIN}`,
    );
  }
}

/** Returns the offset of the packed bytes, which depends on the length of the local header. */
async function dataOffset(file: string, entry: yauzl.Entry): Promise<number> {
  const handle = await open(file, "r");
  try {
    const header = Buffer.alloc(30);
    const { bytesRead } = await handle.read(header, 0, 30, entry.relativeOffsetOfLocalHeader);
    if (bytesRead < 30 || header.readUInt32LE(0) !== 0x04034b50) {
      throw new Error("the member's header is damaged. Download it again.");
    }
    return (
      entry.relativeOffsetOfLocalHeader + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    );
  } finally {
    await handle.close();
  }
}
