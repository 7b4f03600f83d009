/**
 * The Parquet library with its WebAssembly. No other file imports it.
 * Invariant: the library is loaded once per thread, on first use, because it takes 5 MB and about
 * 20 ms.
 * Separate from the reader of the import because tests write Parquet files with the same library.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as library from "parquet-wasm/esm";
import { IS_EXECUTABLE, partBytes } from "../../../src/executable/parts.ts";

let isReady = false;

/** Returns the initialized library. */
export function parquetLibrary(): typeof library {
  if (!isReady) {
    library.initSync({ module: IS_EXECUTABLE ? partBytes("parquet.wasm") : readWasm() });
    isReady = true;
  }
  return library;
}

function readWasm(): Uint8Array {
  const file = createRequire(import.meta.url).resolve("parquet-wasm/esm/parquet_wasm_bg.wasm");
  return readFileSync(file);
}
