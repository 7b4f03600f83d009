/**
 * What a thread is told of an export beside its file. What comes in: an export in the database.
 * What goes out: the parts of its order that say what is rendered.
 * Invariant: the revisions of lists are those of the pins, whatever the lists are now. Apart
 * because the queue decides when, not what.
 */
import type { ChangeKind } from "../../changes/kinds.ts";
import { boundSpec, pinName } from "../../lists/listed.ts";
import type { OutputField } from "../../spec/fields.ts";
import { EXPORTED } from "../../spec/listids.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { ExportRow, ExportStore } from "../../store/exportstore.ts";
import type { ListPin } from "../../store/listpins.ts";
import { namesIn } from "../record.ts";
import type { Pins } from "./pins.ts";
import type { RenderTask } from "./rendertask.ts";

/** What places of snapshots and lists of changes are asked of. */
export interface OrderParts {
  readonly pins: Pins;
  /** Where the list of changes between two snapshots is, or will be. */
  readonly listPath: (olderId: string, newerId: string) => string;
}

/** The spec of an export, bound to the lists that it is pinned to, and what these hold. */
export function listedSpec(store: ExportStore, id: string): Pick<RenderTask, "spec" | "lists"> {
  const spec = JSON.parse(store.specOf(id) as string) as AccountQuerySpec;
  const pins = store.lists.pinsOf(id);
  const lists = pins.map((pin): [string, Uint8Array | ListPin] => {
    if (pin.id === EXPORTED) return [pinName(pin), pin];
    const blocks = Array.from(store.lists.blocks(pin), ({ entries }) => entries);
    return [pinName(pin), Buffer.concat(blocks)];
  });
  return { spec: boundSpec(spec, pins), lists: new Map(lists) };
}

/** What an order says more where changes are exported. */
export function changesOf(
  row: ExportRow,
  { pins, listPath }: OrderParts,
): Pick<RenderTask, "changes"> {
  const { sinceId, sincePath, snapshotId } = row;
  if (sinceId === null) return {};
  const changes = {
    places: pins.places(sinceId, sincePath ?? ""),
    snapshotId: sinceId,
    listPath: listPath(sinceId, snapshotId),
    kinds: namesIn(row.kinds) as readonly ChangeKind[],
    watch: namesIn(row.watch) as readonly OutputField[],
  };
  return { changes };
}
