/**
 * A text box with a list of choices (ARIA 1.2 editable combobox with a listbox).
 *
 * - Combobox: label; options?: ComboOption[] (filtered here, ignoring case and accents) or
 *   search: (text, signal) => ComboOption[] or Promise; selected: ComboOption[];
 *   onSelect(option); onRemove(value); multiple? = true (false: a choice replaces the last, the
 *   box shows it).
 * - Options: placeholder?; hint?; hideLabel?; chips? = true (false: the caller shows chips);
 *   chipRole? (see Chip); empty? (text if nothing is found)
 *
 * Invariant: the focus stays in the text box. Arrows, Home/End, Enter, Escape, and Backspace work.
 * The number of choices is announced. An outdated answer never replaces a newer one.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { Field } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { Chip, type ChipProps } from "./pill.tsx";

/** A choice. */
export interface ComboOption {
  value: string;
  label: string;
  detail?: string;
  count?: string;
  depth?: number;
}

/** Props of a combobox. */
interface ComboboxProps {
  label: string;
  options?: readonly ComboOption[];
  search?: (text: string, signal: AbortSignal) => readonly ComboOption[] | Promise<ComboOption[]>;
  selected: readonly ComboOption[];
  onSelect: (option: ComboOption) => void;
  onRemove: (value: string) => void;
  multiple?: boolean;
  placeholder?: string;
  hint?: ComponentChildren;
  hideLabel?: boolean;
  chips?: boolean;
  chipRole?: NonNullable<ChipProps["role"]>;
  empty?: string;
}

/** Maximum choices; longer texts narrow them. */
const SHOWN_MAX = 100;

/** Removes case and accents. */
function foldText(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** A text box with choices. */
export function Combobox(props: ComboboxProps): VNode {
  const { label, selected, onRemove, multiple = true, chips = true, hint, hideLabel } = props;
  const state = useCombo(props);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  const active = state.open ? state.found[state.at] : undefined;
  const shown = multiple ? state.text : state.open ? state.text : (selected[0]?.label ?? "");
  return (
    <div
      class="combo"
      ref={root}
      onFocusOut={(event) => {
        if (!root.current?.contains(event.relatedTarget as Node | null)) state.close();
      }}
    >
      <Field label={label} hint={hint} hideLabel={hideLabel}>
        {(control) => (
          <div class="input input-suffixed">
            <input
              {...control}
              type="text"
              role="combobox"
              autocomplete="off"
              spellcheck={false}
              aria-autocomplete="list"
              aria-expanded={state.open}
              aria-controls={id}
              aria-activedescendant={active ? `${id}-${state.at}` : undefined}
              placeholder={props.placeholder}
              value={shown}
              onInput={(event) => state.type(event.currentTarget.value)}
              onClick={() => state.show()}
              onKeyDown={(event) => {
                if (state.key(event.key, event.altKey)) event.preventDefault();
              }}
            />
            <span class="combo-mark">
              <Icon name="chevronDown" />
            </span>
            <List id={id} label={label} state={state} selected={selected} empty={props.empty} />
          </div>
        )}
      </Field>
      {multiple && chips && selected.length > 0 && (
        <ul class="chips" aria-label={label}>
          {selected.map((one) => (
            <li key={one.value}>
              <Chip
                label={one.label}
                {...(props.chipRole ? { role: props.chipRole } : {})}
                onRemove={() => onRemove(one.value)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ListProps {
  id: string;
  label: string;
  state: ComboState;
  selected: readonly ComboOption[];
  empty: string | undefined;
}

function List({ id, label, state, selected, empty }: ListProps): VNode {
  const { found, at, open, busy, choose } = state;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open) list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at, open]);
  const chosen = new Set(selected.map((one) => one.value));
  const { shell } = words.value;
  const nothing = open && !busy && found.length === 0;
  return (
    <div class="combo-pop" hidden={!open}>
      <div class="combo-list" role="listbox" id={id} aria-label={label} ref={list} tabIndex={-1}>
        {open &&
          found.map((one, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the text box has the focus and the keys
            <div
              key={one.value}
              id={`${id}-${index}`}
              class={`combo-option${index === at ? " combo-active" : ""}`}
              role="option"
              tabIndex={-1}
              aria-selected={chosen.has(one.value)}
              data-depth={one.depth}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(one)}
            >
              <span class="combo-check">{chosen.has(one.value) && <Icon name="check" />}</span>
              <span class="combo-label">
                {one.label}
                {one.detail && <span class="combo-detail">{one.detail}</span>}
              </span>
              {one.count && <span class="combo-count">{one.count}</span>}
            </div>
          ))}
      </div>
      <p class={nothing ? "combo-nothing" : "visually-hidden"} role="status">
        {open && (busy ? shell.loading : nothing ? (empty ?? shell.nothingFound) : "")}
        {open && !busy && !nothing && shell.choices(found.length)}
      </p>
    </div>
  );
}

interface ComboState {
  text: string;
  found: readonly ComboOption[];
  at: number;
  open: boolean;
  busy: boolean;
  type: (text: string) => void;
  show: () => void;
  close: () => void;
  choose: (option: ComboOption) => void;
  key: (key: string, alt: boolean) => boolean;
}

function useCombo(props: ComboboxProps): ComboState {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const { found, busy } = useFound(props, text, open);
  const { selected, onSelect, onRemove, multiple = true } = props;
  const close = () => {
    setOpen(false);
    setAt(-1);
    if (!multiple) setText("");
  };
  const choose = (option: ComboOption) => {
    if (selected.some((one) => one.value === option.value)) onRemove(option.value);
    else onSelect(option);
    if (multiple && text === "") return;
    setText("");
    if (multiple) setAt(-1);
    else close();
  };
  const show = () => setOpen(true);
  const type = (wanted: string) => {
    setText(wanted);
    setAt(wanted === "" ? -1 : 0);
    setOpen(true);
  };
  const key = (name: string, alt: boolean): boolean => {
    if (name === "Backspace" && text === "" && multiple && selected.length > 0) {
      onRemove(selected[selected.length - 1]?.value ?? "");
      return true;
    }
    if (!open) {
      if (name === "ArrowDown" || name === "ArrowUp") show();
      return name === "ArrowDown" || name === "ArrowUp";
    }
    if (name === "Escape" || (name === "ArrowUp" && alt)) {
      close();
      setText("");
      return true;
    }
    const option = found[at];
    if (name === "Enter") {
      if (option) choose(option);
      return true;
    }
    const next = moved(name, at, found.length);
    if (next === null) return false;
    setAt(next);
    return true;
  };
  return {
    text,
    found,
    at: Math.min(at, found.length - 1),
    open,
    busy,
    type,
    show,
    close,
    choose,
    key,
  };
}

function moved(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return at <= 0 ? count - 1 : at - 1;
  if (key === "PageDown") return Math.min(at + 8, count - 1);
  if (key === "PageUp") return Math.max(at - 8, 0);
  return null;
}

/** Returns the choices for a text. Drops outdated answers. */
function useFound(
  { options, search }: ComboboxProps,
  text: string,
  open: boolean,
): { found: readonly ComboOption[]; busy: boolean } {
  const [late, setLate] = useState<readonly ComboOption[] | null>([]);
  const now = open && search === undefined ? filtered(options ?? [], text) : null;
  useEffect(() => {
    if (!open || search === undefined) return;
    const abort = new AbortController();
    const answer = search(text, abort.signal);
    if (!(answer instanceof Promise)) {
      setLate(answer.slice(0, SHOWN_MAX));
      return;
    }
    const timer = setTimeout(() => setLate(null), 150);
    answer
      .catch(() => [])
      .then((list) => {
        clearTimeout(timer);
        if (!abort.signal.aborted) setLate(list.slice(0, SHOWN_MAX));
      });
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, open, search]);
  return now ? { found: now, busy: false } : { found: late ?? [], busy: late === null };
}

/** Filters options: each word of the text must be a prefix of a word in label, detail, or value. */
function filtered(options: readonly ComboOption[], text: string): readonly ComboOption[] {
  const wanted = foldText(text).split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return options.slice(0, SHOWN_MAX);
  const found: ComboOption[] = [];
  for (const one of options) {
    const haystack = ` ${foldText(`${one.label} ${one.detail ?? ""} ${one.value}`)}`;
    if (wanted.every((word) => haystack.includes(` ${word}`) || haystack.includes(`-${word}`))) {
      found.push(one);
      if (found.length === SHOWN_MAX) break;
    }
  }
  return found;
}
