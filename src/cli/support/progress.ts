/**
 * Shows the progress of a long job on standard error, with rate and time left: a bar on a terminal,
 * plain lines elsewhere.
 * Invariant: at most ten redraws a second on a terminal and one line per ten seconds elsewhere,
 * regardless of how often `update` is called. The last line always has the total.
 */
import { stderr, visibleLine } from "../../process/terminal.ts";

const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const LINE_MS = 10_000;

/** Destination of progress: standard error, or a stand-in in tests. */
interface ProgressOutput {
  readonly isTTY: boolean;
  print(text: string): unknown;
  redraw(text: string): unknown;
}

/** A running display. */
export interface Progress {
  /** Reports that `done` units of the total are finished. Calls are cheap. */
  update(done: number): void;
  /** Ends the display with the total time and rate. */
  done(): void;
}

/** Formats a duration for people: `8 s`, `3 min 20 s`, `1 h 05 min`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = String(Math.floor((whole % 3600) / 60)).padStart(2, "0");
  return `${Math.floor(whole / 3600)} h ${minutes} min`;
}

/** Starts a display for a job of `total` rows, or of another `unit`. */
export function progress(
  label: string,
  total: number,
  output: ProgressOutput = stderr,
  unit = "rows",
): Progress {
  const name = visibleLine(label);
  const started = performance.now();
  let shown = started;
  let last = 0;
  const rateAt = (now: number): number => (last * 1000) / Math.max(now - started, 1);
  const show = (now: number): void => {
    shown = now;
    const share = total > 0 ? Math.min(last / total, 1) : 1;
    const rate = rateAt(now);
    const left = rate > 0 ? formatSeconds((total - last) / rate) : "unknown";
    const amount = `${count(last)} of ${count(total)} ${unit}`;
    const text = `${name} ${percent(share)} ${amount}, ${speed(rate, unit)}, ${left} left`;
    if (output.isTTY) output.redraw(`${bar(share)} ${text}`);
    else output.print(`${text}\n`);
  };
  return {
    update(done) {
      last = done;
      const now = performance.now();
      if (now - shown >= (output.isTTY ? REDRAW_MS : LINE_MS)) show(now);
    },
    done() {
      last = total;
      const now = performance.now();
      const time = formatSeconds((now - started) / 1000);
      const rate = speed(rateAt(now), unit);
      const line = `${name}: ${count(total)} ${unit} in ${time}, ${rate}\n`;
      if (output.isTTY) output.redraw(line);
      else output.print(line);
    },
  };
}

function bar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  return `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]`;
}

/** Formats a rate. Only units other than rows are named. */
function speed(perSecond: number, unit: string): string {
  return unit === "rows" ? `${count(perSecond)}/s` : `${count(perSecond)} ${unit}/s`;
}

function percent(share: number): string {
  return `${String(Math.floor(share * 100)).padStart(3)} %`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
