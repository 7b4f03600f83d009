/**
 * Converts usage to the layers of a stacked chart: senders in a fixed order, each with a color.
 * Invariant: for each day, the layers sum to the day's number. A sender keeps its color when others
 * are hidden. Senders beyond the available colors share one layer.
 */
import type { UsageAnswer } from "../app/answers.ts";

/** A daily count. */
export type Measure = "requests" | "accounts" | "export_rows";

/** All daily counts. */
export const MEASURES: readonly Measure[] = ["requests", "accounts", "export_rows"];

/** Number of colors of layers. The senders with the least use share the last color. */
export const COLOURS = 6;

/** A layer: a sender, or all small senders together. */
export interface Layer {
  readonly id: string;
  /** Senders of the layer: one, except in the layer of small senders. */
  readonly senders: UsageAnswer["senders"];
  /** From 1 on. */
  readonly colour: number;
}

/** Minimum number of days in a chart. */
const DAYS_MIN = 7;

/** Removes days before the first use, but leaves at least a week. */
export function sinceFirstUse(answer: UsageAnswer): UsageAnswer {
  const { days, senders } = answer;
  const used = days.findIndex((_, day) => senders.some(({ requests }) => requests[day] !== 0));
  const from = Math.max(0, Math.min(used, days.length - DAYS_MIN));
  const cut = senders.map((sender) => ({
    ...sender,
    requests: sender.requests.slice(from),
    accounts: sender.accounts.slice(from),
    export_rows: sender.export_rows.slice(from),
  }));
  return { ...answer, days: days.slice(from), senders: cut };
}

/** Returns a layer per sender, by requests, largest first. */
export function layersOf(senders: UsageAnswer["senders"], colours = COLOURS): Layer[] {
  const sorted = [...senders].sort(
    (a, b) => sum(b.requests) - sum(a.requests) || (a.id < b.id ? -1 : 1),
  );
  const own = sorted.length > colours ? colours - 1 : sorted.length;
  const layers: Layer[] = sorted
    .slice(0, own)
    .map((sender, at) => ({ id: sender.id, senders: [sender], colour: at + 1 }));
  const small = sorted.slice(own);
  if (small.length > 0) layers.push({ id: "others", senders: small, colour: colours });
  return layers;
}

/** Returns a layer's numbers, one per day. */
export function valuesOf(layer: Layer, measure: Measure): number[] {
  const days = layer.senders[0]?.[measure].length ?? 0;
  return Array.from({ length: days }, (_, day) =>
    layer.senders.reduce((total, sender) => total + (sender[measure][day] ?? 0), 0),
  );
}

/**
 * Returns the upper edges of the stacked layers, lowest layer first. A hidden layer has no height.
 */
export function stacked(values: readonly (readonly number[])[]): number[][] {
  const edges: number[][] = [];
  for (const layer of values) {
    const below = edges.at(-1);
    edges.push(layer.map((value, day) => value + (below?.[day] ?? 0)));
  }
  return edges;
}

/** Returns the days to label if a label needs `room` of `width` pixels, and the last day. */
export function labelledDays(days: number, width: number, room: number): number[] {
  const step = Math.max(1, Math.ceil((days * room) / Math.max(width, 1)));
  const labelled: number[] = [];
  for (let day = days - 1; day >= 0; day -= step) labelled.unshift(day);
  return labelled;
}

/** Sums numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}
