/**
 * Placeholders while something loads: a spinner, gray bars, or a progress bar.
 *
 * - Busy: label? (default "Loading"), inline?
 * - Skeleton: lines? = 1; height? (px of a line, 16); width? (CSS width of the last line)
 * - Progress: value: 0..1 or null (not known); label
 *
 * Invariant: a placeholder is as large as its replacement, so that nothing shifts. It does not move
 * if the user prefers reduced motion.
 */
import type { VNode } from "preact";
import { words } from "../app/words.ts";

/** A spinner. Its label is hidden or next to it. */
export function Busy({ label, inline }: { label?: string; inline?: boolean }): VNode {
  return (
    <span class={`busy${inline ? " busy-inline" : ""}`} role="status">
      <span class="busy-ring" aria-hidden="true" />
      <span class={label === undefined ? "visually-hidden" : ""}>
        {label ?? words.value.shell.loading}
      </span>
    </span>
  );
}

interface SkeletonProps {
  lines?: number;
  height?: number;
  width?: string;
}

/** Gray bars instead of text. */
export function Skeleton({ lines = 1, height = 16, width = "100%" }: SkeletonProps): VNode {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={line}
          class="skeleton-line"
          style={{ height: `${height}px`, width: line === lines - 1 ? width : "100%" }}
        />
      ))}
    </div>
  );
}

/** A progress bar. */
export function Progress({ value, label }: { value: number | null; label: string }): VNode {
  return value === null ? (
    <progress class="progress" aria-label={label} />
  ) : (
    <progress class="progress" aria-label={label} value={value} max={1} />
  );
}
