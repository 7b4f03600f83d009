/**
 * Reads Parquet files, one row group at a time; the only importer of parquet-wasm.
 * What comes in: a path. What goes out: the file's metadata and its rows as column batches.
 * Invariant: one row group is in memory at a time, inside the 4 GiB of WebAssembly.
 */
import { openAsBlob, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initSync, ParquetFile } from "parquet-wasm/esm";
import { type ColumnBatch, readArrowStream } from "../../native-index/arrow-reader.ts";
import { CommandError } from "../errors.ts";

let isReady = false;

function prepare(): void {
  if (isReady) return;
  const wasm = createRequire(import.meta.url).resolve("parquet-wasm/esm/parquet_wasm_bg.wasm");
  initSync({ module: readFileSync(wasm) });
  isReady = true;
}

/** A Parquet file's own key-value metadata and its batches. */
export interface ParquetSource {
  readonly metadata: ReadonlyMap<string, string>;
  readonly batches: () => AsyncGenerator<ColumnBatch>;
}

/** Opens a Parquet file. @throws CommandError when it is none or damaged. */
export async function openParquet(path: string): Promise<ParquetSource> {
  prepare();
  const refuse = (error: unknown): never => {
    throw new CommandError(`${path} cannot be read as Parquet: ${String(error)}`, 1, error);
  };
  const file = await openAsBlob(path)
    .then((blob) => ParquetFile.fromFile(blob))
    .catch(refuse);
  const metadata = file.metadata();
  const groups = metadata.numRowGroups();
  const pairs = metadata.fileMetadata().keyValueMetadata() as Map<string, string>;
  return {
    metadata: pairs,
    async *batches() {
      for (let group = 0; group < groups; group++) {
        const table = await file.read({ rowGroups: [group] }).catch(refuse);
        yield* readArrowStream(table.intoIPCStream());
      }
      file.free();
    },
  };
}
