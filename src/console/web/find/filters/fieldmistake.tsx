/**
 * A mistake below controls that have no place for it. What comes in: a text or null. What goes
 * out: the message, announced, or nothing.
 * Invariant: looks like the mistake of a single field.
 */
import type { VNode } from "preact";
import { Icon } from "../../parts/icon.tsx";

/** The message. */
export function FieldMistake({ text }: { text: string | null }): VNode | null {
  if (text === null) return null;
  return (
    <p class="field-error" role="alert">
      <Icon name="error" />
      {text}
    </p>
  );
}
