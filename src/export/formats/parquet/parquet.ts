/**
 * An export as a Parquet file. What comes in: row ids in batches. What goes out: row groups of
 * equal size, then a footer with snapshot, provenance and spec.
 * Invariant: row groups do not depend on how rows came in batches; one of them is in memory at a
 * time; an error of the library is thrown, and no row is missing from a file that was finished.
 */

import { parquetLibrary } from "../../../../native-index/format/parquet.ts";
import type { FieldColumn } from "../../../../native-index/napi/engine.ts";
import { encodeFieldStream } from "../../../../native-index/render/field-stream.ts";
import { guarded } from "../../../search/segment.ts";
import { OUTPUT_FIELDS } from "../../../spec/fields.ts";
import { specText } from "../../../spec/identity.ts";
import { explainedColumns } from "../explainedcolumns.ts";
import type { OpenRenderer, RenderContext, Renderer, Slices } from "../renderer.ts";
import { RowSlices } from "../slices.ts";
import { toldLimit } from "../toldlimit.ts";
import { RowGroups } from "./rowgroups.ts";

/**
 * Rows of a row group; every one but the last has this many. Measured with every field: a process
 * takes 290 MB with these and 390 MB with twice as many, and is not faster.
 */
export const ROW_GROUP_ROWS = 65_536;

/**
 * Fields whose values hardly repeat: a dictionary of them costs time and is given up in the end.
 * Measured over 131,072 rows of ten fields: 133 ms without, 240 ms with, and 3 % larger.
 */
const WITHOUT_DICTIONARY = OUTPUT_FIELDS.filter(({ distinct }) => distinct === true);

/** Renders a Parquet file. */
export const openParquetRenderer: OpenRenderer = (context, write): Renderer => {
  const { segment, spec } = context;
  const slices = new RowSlices(ROW_GROUP_ROWS);
  const columnsOf = (rows: Uint32Array) => [
    ...guarded(() => segment.native.columnsOf(rows, spec.output.fields)),
    ...explainedColumns(segment, spec, rows),
  ];
  return parquetRenderer({ context, slices, columnsOf }, write);
};

/** What a Parquet file is made of, whatever its rows are. */
interface ColumnSource<Batch> {
  readonly context: RenderContext;
  /** Pieces of `ROW_GROUP_ROWS` rows. */
  readonly slices: Slices<Batch>;
  readonly columnsOf: (rows: Batch) => readonly FieldColumn[];
}

/** Renders a Parquet file of any rows. */
export function parquetRenderer<Batch extends { readonly length: number }>(
  { context, slices, columnsOf }: ColumnSource<Batch>,
  write: (bytes: Uint8Array) => void,
): Renderer<Batch> {
  const groups = new RowGroups(write);
  const add = (rows: Batch) => groups.add(encoded(columnsOf(rows), rows.length));
  return {
    // The schema is known without rows, so that a file without rows has one too.
    begin: () => add(slices.rest()),
    rows(batch) {
      for (const slice of slices.add(batch)) add(slice);
    },
    end() {
      if (slices.rest().length > 0) add(slices.rest());
      groups.finish(metadataOf(context));
    },
  };
}

/** A whole Parquet file of the rows. */
function encoded(columns: readonly FieldColumn[], rows: number): Uint8Array {
  const { Table, writeParquet } = parquetLibrary();
  return writeParquet(Table.fromIPCStream(encodeFieldStream(columns, rows)), properties());
}

/**
 * Snappy, which every reader knows: it takes half the time of zstd for files half as large again.
 * The page index is left out by `RowGroups`, so statistics of pages would be made for nobody.
 */
function properties() {
  const { Compression, EnabledStatistics, WriterPropertiesBuilder } = parquetLibrary();
  const builder = new WriterPropertiesBuilder()
    .setCompression(Compression.SNAPPY)
    .setStatisticsEnabled(EnabledStatistics.Chunk)
    .setMaxRowGroupSize(ROW_GROUP_ROWS);
  return WITHOUT_DICTIONARY.reduce(
    (built, { name }) => built.setColumnDictionaryEnabled(name, false),
    builder,
  ).build();
}

/** What the file says about itself; `explain` of a spec is not part of what was asked. */
function metadataOf(context: RenderContext): Record<string, string> {
  const { segment, spec, matches, changes } = context;
  return {
    "peneira.snapshot": segment.label,
    "peneira.snapshot_date": segment.snapshotDate,
    "peneira.provenance": JSON.stringify(segment.provenance),
    "peneira.spec": specText(spec, toldLimit(context)),
    "peneira.matches": String(matches),
    ...(changes === undefined
      ? {}
      : {
          "peneira.since": changes.older.label,
          "peneira.since_date": changes.older.snapshotDate,
          "peneira.kinds": changes.kinds.join(","),
          "peneira.watch": changes.watch.join(","),
        }),
  };
}
