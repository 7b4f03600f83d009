/**
 * Short messages at the edge of the screen, in a live region.
 *
 * - toast(text, options?): options: kind? = "done" or "error"; action?: {label, onClick}
 * - Toasts: none; placed once by the shell
 *
 * Invariant: screen readers announce each message once. A message vanishes after six seconds, but
 * not while it is pointed at or focused. Failures stay until they are closed.
 */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { Icon } from "./icon.tsx";

/** Options of a message. */
interface ToastOptions {
  kind?: "done" | "error";
  action?: { label: string; onClick: () => void };
}

interface ToastEntry extends ToastOptions {
  id: number;
  text: string;
}

const SHOWN_MS = 6_000;
const SHOWN_MAX = 3;
const entries = signal<ToastEntry[]>([]);
let nextId = 1;

/** Shows a message. */
export function toast(text: string, options: ToastOptions = {}): void {
  const others = entries.value.filter((one) => one.text !== text);
  entries.value = [...others.slice(1 - SHOWN_MAX), { ...options, text, id: nextId++ }];
}

function dismiss(id: number): void {
  entries.value = entries.value.filter((one) => one.id !== id);
}

/** Always draws the region, because screen readers miss messages in a new region. */
export function Toasts(): VNode {
  return (
    <div class="toasts" role="status" aria-live="polite" aria-relevant="additions">
      {entries.value.map((entry) => (
        <ToastItem key={entry.id} entry={entry} />
      ))}
    </div>
  );
}

function ToastItem({ entry }: { entry: ToastEntry }): VNode {
  const [held, retain] = useState(false);
  const { id, kind = "done", text, action } = entry;
  useEffect(() => {
    if (held || kind === "error") return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, id, kind]);
  return (
    <div
      class={`toast toast-${kind}`}
      onPointerEnter={() => retain(true)}
      onPointerLeave={() => retain(false)}
      onFocusIn={() => retain(true)}
      onFocusOut={() => retain(false)}
    >
      <Icon name={kind === "error" ? "error" : "check"} />
      <span class="toast-text">{text}</span>
      {action && (
        <button
          type="button"
          class="toast-action"
          onClick={() => {
            dismiss(id);
            action.onClick();
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        class="toast-close"
        aria-label={words.value.shell.close}
        onClick={() => dismiss(id)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
