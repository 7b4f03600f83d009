/**
 * How far what is served is behind what is published. What comes in: the folder of the snapshots,
 * in which `peneira update` leaves what the share had, and the month that is served. What goes out:
 * numbers for the metrics; null where nobody knows.
 * Invariant: a server never asks the share; it reads a small file whenever the metrics are read.
 * Apart because it reads files, and its user puts a server together.
 */
import { dirname } from "node:path";
import { type LastLook, monthsFrom, readLook } from "../update/lastlook.ts";

/** Numbers for the metrics. */
export interface Freshness {
  readonly monthsBehind: () => number | null;
  readonly askedMs: () => number | null;
}

/** What is known beside a snapshot: `folder` where one is served, else the folder of the file. */
export function freshnessOf(
  { folder, file }: { readonly folder: string | null; readonly file: string | null },
  served: () => string | null,
): Freshness {
  const place = folder ?? (file === null ? null : dirname(file));
  const look = (): Partial<LastLook> => (place === null ? {} : readLook(place));
  return {
    monthsBehind() {
      const { published = null } = look();
      const label = served();
      return published === null || label === null ? null : monthsFrom(label, published);
    },
    askedMs() {
      const { asked_at: asked = null } = look();
      return asked === null ? null : Date.parse(asked);
    },
  };
}
