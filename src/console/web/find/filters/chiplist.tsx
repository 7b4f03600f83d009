/**
 * What is chosen, as chips. What comes in: codes with their names. What goes out: chips that can
 * be taken away.
 * Invariant: of a long list the first are shown and all on demand; taking one away leaves the
 * focus in the list.
 */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { Chip, type ChipProps } from "../../parts/pill.tsx";

/** Chips shown before the rest is asked for. */
const SHOWN = 8;

/** What the list takes. */
interface ChipListProps {
  label: string;
  chips: readonly { code: string; label: string }[];
  onRemove: (code: string) => void;
  colour?: NonNullable<ChipProps["role"]>;
}

/** A list of chips; nothing where there are none. */
export function ChipList({ label, chips, onRemove, colour }: ChipListProps): VNode | null {
  const [all, setAll] = useState(false);
  const root = useRef<HTMLUListElement>(null);
  const { find } = words.value;
  if (chips.length === 0) return null;
  const shown = all ? chips : chips.slice(0, SHOWN);
  const remove = (code: string, at: number) => {
    onRemove(code);
    // The button that had the focus is gone: the one that took its place gets it.
    requestAnimationFrame(() => {
      const left = root.current?.querySelectorAll<HTMLElement>(".chip-remove");
      left?.[Math.min(at, left.length - 1)]?.focus();
    });
  };
  return (
    <div class="chip-list">
      <ul class="chips" aria-label={label} ref={root}>
        {shown.map((one, at) => (
          <li key={one.code}>
            <Chip
              label={one.label}
              {...(colour ? { role: colour } : {})}
              onRemove={() => remove(one.code, at)}
            />
          </li>
        ))}
      </ul>
      {chips.length > SHOWN && (
        <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? find.showFewer : find.showAll(chips.length)}
        </button>
      )}
    </div>
  );
}
