/**
 * Lists of chips. Input: codes with their names, or values and what makes a text one of them.
 * Output: chips that can be removed, and a box that adds what is typed.
 * Invariant: of a long list the first are shown and all on demand; removing one leaves the focus
 * in the list. Enter, a comma, a pasted list and leaving the box add what is valid; what is not
 * stays in the box with a message, and nothing changes, until the address changes.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { IconButton } from "../../parts/button.tsx";
import { TextInput } from "../../parts/field.tsx";
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

/** What a typed list takes. */
interface TagFieldProps {
  label: string;
  hint: ComponentChildren;
  values: readonly string[];
  onValues: (values: string[]) => void;
  /** A value as it is kept, or what is wrong with the text. */
  read: (text: string) => { value: string } | { wrong: string };
  /** What is wrong with the values as a whole, as the server sees it. */
  error?: string | null;
  inputMode?: "numeric" | "text";
  colour?: NonNullable<ChipProps["role"]>;
}

/** A text box that adds, and chips that take away. */
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
