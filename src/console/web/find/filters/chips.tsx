/**
 * A list of removable chips, and a text box that adds values as chips.
 * Invariant: a long list first shows only some chips, and a button shows all. After a chip is
 * removed, the focus stays in the list. Enter, a comma, pasting a list, and leaving the box add the
 * valid values. Invalid values stay in the box with a message. They do not affect the query and
 * disappear when the address changes.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { IconButton } from "../../parts/button.tsx";
import { TextInput } from "../../parts/field.tsx";
import { Chip, type ChipProps } from "../../parts/pill.tsx";

/** Chips shown before expanding. */
const SHOWN = 8;

interface ChipListProps {
  label: string;
  chips: readonly { code: string; label: string }[];
  onRemove: (code: string) => void;
  colour?: NonNullable<ChipProps["role"]>;
}

/** Shows a list of chips. Renders nothing if the list is empty. */
export function ChipList({ label, chips, onRemove, colour }: ChipListProps): VNode | null {
  const [all, setAll] = useState(false);
  const root = useRef<HTMLUListElement>(null);
  const { find } = words.value;
  if (chips.length === 0) return null;
  const shown = all ? chips : chips.slice(0, SHOWN);
  const remove = (code: string, at: number) => {
    onRemove(code);
    // The focused button is gone, so the next one gets the focus.
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

interface TagFieldProps {
  label: string;
  hint: ComponentChildren;
  values: readonly string[];
  onValues: (values: string[]) => void;
  /** Returns the value to store, or an error. */
  read: (text: string) => { value: string } | { wrong: string };
  /** The server's error for all values together. */
  error?: string | null;
  inputMode?: "numeric" | "text";
  colour?: NonNullable<ChipProps["role"]>;
}

/** A text box to add values, with chips to remove them. */
export function TagField(props: TagFieldProps): VNode {
  const { label, hint, values, onValues, read, error, inputMode = "text", colour } = props;
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    const forget = () => {
      setText("");
      setWrong(null);
    };
    addEventListener("popstate", forget);
    return () => removeEventListener("popstate", forget);
  }, []);
  const add = (typed: string) => {
    const parts = typed
      .split(/[,;\n]/)
      .map((part) => part.trim())
      .filter(Boolean);
    const results = parts.map(read);
    const failed = results.findIndex((one) => "wrong" in one);
    const first = results[failed];
    setWrong(first !== undefined && "wrong" in first ? first.wrong : null);
    if (failed >= 0 || parts.length === 0) return;
    setText("");
    onValues([...values, ...results.flatMap((one) => ("value" in one ? [one.value] : []))]);
  };
  return (
    <div class="picker">
      <TextInput
        label={label}
        hint={hint}
        error={wrong ?? error}
        value={text}
        inputMode={inputMode}
        autocomplete="off"
        onValue={(typed) => {
          setText(typed);
          setWrong(null);
          if (/[,;\n]\s*$/.test(typed)) add(typed);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          add(text);
        }}
        onBlur={() => add(text)}
        suffix={
          <IconButton
            icon="plus"
            label={`${words.value.find.add}: ${label}`}
            onClick={() => add(text)}
          />
        }
      />
      <ChipList
        label={label}
        chips={values.map((code) => ({ code, label: code }))}
        {...(colour ? { colour } : {})}
        onRemove={(code) => onValues(values.filter((one) => one !== code))}
      />
    </div>
  );
}
