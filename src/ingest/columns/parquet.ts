/**
 * Reads Parquet files: the metadata, and the rows as column batches.
 * Invariant: a small file is read whole, and a large file one row group at a time. So the 4 GiB of
 * WebAssembly never hold more than one row group of a large file.
 */
import { closeSync, openAsBlob, openSync, readFileSync, readSync, statSync } from "node:fs";
import {
  type ColumnBatch,
  readArrowStream,
  viewDictionaries,
} from "../../../native-index/format/arrow/arrow-reader.ts";
import { parquetLibrary } from "../../../native-index/format/arrow/parquet.ts";
import { printable } from "../../../native-index/format/printable.ts";
import { CommandError } from "../../errors.ts";

/**
 * Files up to this many bytes are read in one call, which reports all damage. Larger files are read
 * by row groups, and that reader loses errors inside WebAssembly.
 */
const UNSTREAMED_BYTES_MAX = 128 * 2 ** 20;

/** A Parquet file's own key-value metadata and its batches. */
interface ParquetSource {
  readonly metadata: ReadonlyMap<string, string>;
  readonly batches: () => AsyncGenerator<ColumnBatch>;
}

/**
 * Opens a Parquet file. Only tests pass `wholeBytesMax`, the size up to which a file is read in one
 * call.
 * @throws CommandError if the file is not Parquet, is damaged, or has unsupported columns.
 */
export async function openParquet(
  path: string,
  wholeBytesMax = UNSTREAMED_BYTES_MAX,
): Promise<ParquetSource> {
  const { ParquetFile, readParquet } = parquetLibrary();
  const refuse = (error: unknown): never => {
    if (error instanceof CommandError) throw error;
    // The library's messages quote file contents, so they are made printable.
    const reason = printable(error instanceof Error ? error.message : String(error));
    throw new CommandError(`${path} cannot be read as Parquet: ${reason}`, 1, error);
  };
  checkEnds(path);
  const file = await openAsBlob(path)
    .then((blob) => ParquetFile.fromFile(blob))
    .catch(refuse);
  const metadata = file.metadata();
  const pairs = metadata.fileMetadata().keyValueMetadata() as Map<string, string>;
  try {
    checkSchema(path, pairs.get("ARROW:schema"));
  } catch (error) {
    refuse(error);
  }
  async function* batches(): AsyncGenerator<ColumnBatch> {
    try {
      if (statSync(path).size <= wholeBytesMax) {
        yield* readArrowStream(readParquet(new Uint8Array(readFileSync(path))).intoIPCStream());
        return;
      }
      for (let group = 0; group < metadata.numRowGroups(); group++) {
        const table = await file.read({ rowGroups: [group] });
        yield* readArrowStream(table.intoIPCStream());
      }
    } catch (error) {
      refuse(error);
    }
  }
  return { metadata: pairs, batches };
}

/** Checks for Parquet's magic bytes at both ends; a truncated file lacks those at its end. */
function checkEnds(path: string): void {
  const { size } = statSync(path);
  const end = Buffer.alloc(4);
  const fd = openSync(path, "r");
  readSync(fd, end, 0, 4, Math.max(0, size - 4));
  closeSync(fd);
  if (size < 12 || end.toString("latin1") !== "PAR1") {
    throw new CommandError(`${path} does not end as a Parquet file does; it was cut off`);
  }
}

function checkSchema(path: string, schema: string | undefined): void {
  if (schema === undefined) return;
  const columns = viewDictionaries(Buffer.from(schema, "base64"));
  if (columns.length === 0) return;
  throw new CommandError(
    `${path} has categorical columns of string views (${printable(columns.join(", "))}), which ` +
      "cannot be read from Parquet; write them as text",
  );
}
