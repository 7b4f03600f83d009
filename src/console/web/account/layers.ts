/**
 * Usage as stacked layers. What comes in: numbers per sender and day, and which senders are hidden.
 * What goes out: senders in a fixed order with a colour each, and the layers of a stacked chart.
 * Invariant: the layers of all senders sum to the day's number; a sender keeps its colour when
 * others are hidden, and small senders beyond the colours there are become one layer.
 */
import type { UsageAnswer } from "../app/answers.ts";

/** What is counted per day. */
export type Measure = "requests" | "accounts" | "export_rows";

/** All that is counted per day. */
export const MEASURES: readonly Measure[] = ["requests", "accounts", "export_rows"];

/** Colours of layers; what is smaller than the first ones shares the last. */
export const COLOURS = 6;

/** One layer: a sender, or all the small ones together. */
export interface Layer {
  readonly id: string;
  /** Senders in this layer; one unless it is that of the small ones. */
  readonly senders: UsageAnswer["senders"];
  /** From 1 on. */
  readonly colour: number;
}

/** Fewest days that charts show: fewer make no line. */
const DAYS_MIN = 7;

/** The answer from the first day with any use on, of at least a week. */
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

/** One layer per sender by the number of its requests, the largest first. */
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

/** A layer's numbers, one per day. */
export function valuesOf(layer: Layer, measure: Measure): number[] {
  const days = layer.senders[0]?.[measure].length ?? 0;
  return Array.from({ length: days }, (_, day) =>
    layer.senders.reduce((total, sender) => total + (sender[measure][day] ?? 0), 0),
  );
}

/** Upper edges of stacked layers, the lowest first; a hidden layer has no height. */
export function stacked(values: readonly (readonly number[])[]): number[][] {
  const edges: number[][] = [];
  for (const layer of values) {
    const below = edges.at(-1);
    edges.push(layer.map((value, day) => value + (below?.[day] ?? 0)));
  }
  return edges;
}

/** Days that get a label where every label needs `room` of `width` pixels; the last always does. */
export function labelledDays(days: number, width: number, room: number): number[] {
  const step = Math.max(1, Math.ceil((days * room) / Math.max(width, 1)));
  const labelled: number[] = [];
  for (let day = days - 1; day >= 0; day -= step) labelled.unshift(day);
  return labelled;
}

/** The sum of numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}
