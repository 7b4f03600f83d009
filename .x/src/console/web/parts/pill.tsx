/**
 * Small rounded labels, some with a remove button.
 *
 * - Pill: kind? = "plain": "plain", "good", "warn", "bad", "accent"; icon?; children
 * - Chip: label; onRemove?; onClick?; role?: part of the sentence ("activity", "place", "time",
 *   "company", "contact", "unmapped"); title?
 *
 * Invariant: a chip's remove button is at least 24 px and named after the chip.
 */
import type { ComponentChildren, VNode } from "preact";
import { words } from "../app/words.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Props of a label. */
export interface PillProps {
  kind?: "plain" | "good" | "warn" | "bad" | "accent";
  icon?: IconName;
  children?: ComponentChildren;
}

/** A state label. */
export function Pill({ kind = "plain", icon, children }: PillProps): VNode {
  return (
    <span class={`pill pill-${kind}`}>
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}

/** Props of a chip. */
export interface ChipProps {
  label: string;
  onRemove?: (() => void) | undefined;
  onClick?: (() => void) | undefined;
  role?: "activity" | "place" | "time" | "company" | "contact" | "unmapped";
  title?: string | undefined;
}

/** A chosen item that can be removed. */
export function Chip({ label, onRemove, onClick, role, title }: ChipProps): VNode {
  return (
    <span class={`chip${role ? ` chip-${role}` : ""}`} title={title ?? label}>
      {onClick ? (
        <button type="button" class="chip-label" onClick={onClick}>
          {label}
        </button>
      ) : (
        <span class="chip-label">{label}</span>
      )}
      {onRemove && (
        <button
          type="button"
          class="chip-remove"
          aria-label={words.value.shell.removeChip(label)}
          onClick={onRemove}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </span>
  );
}
