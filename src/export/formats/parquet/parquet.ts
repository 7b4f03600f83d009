/**
 * An export as a Parquet file. What comes in: row ids in batches. What goes out: row groups of
 * equal size, then a footer with snapshot, provenance and spec.
 * Invariant: row groups do not depend on how rows came in batches, nor on who made them; a bounded
 * number of them is in memory. The addon writes them (native-index/render/parquet.h).
 */

import type { FieldColumn } from "../../../../native-index/napi/engine.ts";
import { guarded, type Segment } from "../../../search/segment.ts";
import { specText } from "../../../spec/normalize.ts";
import { explainedColumns } from "../explained.ts";
import {
  type OpenRenderer,
  type RenderContext,
  type Renderer,
  RowSlices,
  type Slices,
  WrittenInTurn,
} from "../renderer.ts";
import { toldLimit } from "../source.ts";
import { RowGroups } from "./rowgroups.ts";

/**
 * Rows of a row group; every one but the last has this many. Measured with every field: a process
 * takes 290 MB with these and 390 MB with twice as many, and is not faster.
 */
export const ROW_GROUP_ROWS = 65_536;

/** Renders a Parquet file. */
export const openParquetRenderer: OpenRenderer = (context, write): Renderer => {
  const { segment, spec } = context;
  const { native } = segment;
  const { fields } = spec.output;
  const extraOf = (rows: Uint32Array) => explainedColumns(segment, spec, rows);
  const source = {
    context,
    slices: new RowSlices(ROW_GROUP_ROWS),
    fileOf: (rows: Uint32Array) => guarded(() => native.parquetOf(rows, fields, extraOf(rows))),
    fileAside: (rows: Uint32Array) => native.parquetOfAside(rows, fields, extraOf(rows)),
  };
  return parquetRenderer(source, write);
};

/** What a Parquet file is made of, whatever its rows are. */
interface GroupSource<Batch> {
  readonly context: RenderContext;
  /** Pieces of `ROW_GROUP_ROWS` rows. */
  readonly slices: Slices<Batch>;
  /** A file of one row group of these rows. */
  readonly fileOf: (rows: Batch) => Uint8Array;
  /** The same, made by another processor; never asked for where not given. */
  readonly fileAside?: (rows: Batch) => Promise<Uint8Array>;
}

/** Renders a Parquet file of any rows. */
export function parquetRenderer<Batch extends { readonly length: number }>(
  { context, slices, fileOf, fileAside }: GroupSource<Batch>,
  write: (bytes: Uint8Array) => void,
): Renderer<Batch> {
  const groups = new RowGroups(write);
  const written = new WrittenInTurn((file) => groups.add(file));
  const add = (rows: Batch): void | Promise<void> => {
    if (fileAside !== undefined && context.spare?.() === true) {
      return written.later(fileAside(rows));
    }
    return written.now(() => fileOf(rows));
  };
  return {
    // The schema is known without rows, so that a file without rows has one too.
    begin: () => add(slices.rest()),
    async rows(batch) {
      for (const slice of slices.add(batch)) await add(slice);
    },
    async end() {
      if (slices.rest().length > 0) await add(slices.rest());
      await written.rest();
      groups.finish(metadataOf(context));
    },
  };
}

/** A file of one row group of columns that were made here. */
export function columnsFile({ native }: Segment, columns: readonly FieldColumn[]): Uint8Array {
  return guarded(() => native.parquetOf(new Uint32Array(), [], columns));
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
