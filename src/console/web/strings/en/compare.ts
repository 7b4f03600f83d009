/**
 * English words of the dialog of all numbers, of the comparison of two groups, of cross tables, and
 * of plans.
 * Invariant: the Portuguese tables have the same keys.
 */
import { number } from "../../app/format.ts";

/** Words of the dialog of all numbers. */
export const numbers = {
  failed: "The numbers could not be counted.",
  copy: "Copy as table",
  search: "Search in the values",
  lines: (lines: number) => (lines === 1 ? "1 line" : `${number(lines)} lines`),
  more: (lines: number) => `Show ${number(lines)} more`,
  event: "What",
  events: { opened: "Openings", closed: "Closings" },
  period: "By",
  periods: { year: "Year", quarter: "Quarter", month: "Month" },
};
