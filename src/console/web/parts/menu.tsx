/**
 * A button with a menu, following ARIA's menu-button pattern.
 *
 * - Menu: label (name of the button); items: {label, icon?, onSelect?, href?, download?, danger?,
 *   checked?, disabled?}[]; icon?: IconName (an icon button); children? (else the button's
 *   content); align? = "end"; small?; head? (text above the entries)
 *
 * Invariant: arrows, Home, End, and first characters move the focus. Escape and Tab close
 * the menu, and the focus returns to the button. Entries with `checked` are radio entries.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

/** An entry of a menu. */
export interface MenuItem {
  label: string;
  icon?: IconName;
  onSelect?: () => void;
  href?: string;
  download?: boolean;
  danger?: boolean;
  checked?: boolean;
  disabled?: boolean;
}

/** Props of a menu. */
interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  icon?: IconName;
  children?: ComponentChildren;
  align?: "start" | "end";
  small?: boolean;
  /** Content above the entries, such as the signed-in user. */
  head?: ComponentChildren;
  class?: string;
}

/** A button that opens a menu. */
export function Menu(props: MenuProps): VNode {
  const { label, items, icon, children, align = "end", small, head } = props;
  const [open, setOpen] = useState<"first" | "last" | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useOutside(root, open !== null, () => setOpen(null));
  const close = () => {
    setOpen(null);
    button.current?.focus();
  };
  const look = icon ? "button-icon" : "button-quiet";
  return (
    <div class={`menu ${props.class ?? ""}`} ref={root}>
      <button
        ref={button}
        type="button"
        class={`button ${look}${small ? " button-small" : ""}`}
        aria-haspopup="menu"
        aria-expanded={open !== null}
        aria-controls={open ? id : undefined}
        aria-label={label}
        title={icon ? label : undefined}
        onClick={() => setOpen(open ? null : "first")}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setOpen(event.key === "ArrowDown" ? "first" : "last");
        }}
      >
        {icon ? <Icon name={icon} /> : children}
      </button>
      {open && (
        <Entries
          id={id}
          label={label}
          items={items}
          align={align}
          begin={open}
          close={close}
          head={head}
        />
      )}
    </div>
  );
}

interface EntriesProps {
  id: string;
  label: string;
  items: readonly MenuItem[];
  align: "start" | "end";
  begin: "first" | "last";
  close: () => void;
  head: ComponentChildren;
}

function Entries({ id, label, items, align, begin, close, head }: EntriesProps): VNode {
  const list = useRef<HTMLDivElement>(null);
  const all = () => [
    ...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled])") ?? []),
  ];
  useLayoutEffect(() => {
    const entries = all();
    entries[begin === "first" ? 0 : entries.length - 1]?.focus();
    // The effect does not depend on the entries, because those of an open menu do not change.
  }, [begin]);
  return (
    <div
      ref={list}
      class={`menu-list menu-${align}`}
      role="menu"
      tabIndex={-1}
      id={id}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "Tab") return close();
        if (event.key === "Escape") close();
        else if (!moveFocus(event.key, all())) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {head && <div class="menu-head">{head}</div>}
      {items.map((item) => (
        <Entry key={item.label} item={item} close={close} />
      ))}
    </div>
  );
}

/** Moves the focus within the entries. Returns false if the key does not move it. */
function moveFocus(key: string, entries: HTMLElement[]): boolean {
  const at = entries.indexOf(document.activeElement as HTMLElement);
  const count = entries.length;
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % count,
    ArrowUp: (at - 1 + count) % count,
    Home: 0,
    End: count - 1,
  };
  const letter = key.length === 1 && key !== " " ? key.toLocaleLowerCase() : null;
  const ordered = [...entries.slice(at + 1), ...entries.slice(0, at + 1)];
  const found =
    letter === null
      ? entries[targets[key] ?? -1]
      : ordered.find((one) => one.textContent?.trim().toLocaleLowerCase().startsWith(letter));
  found?.focus();
  return found !== undefined;
}

function Entry({ item, close }: { item: MenuItem; close: () => void }): VNode {
  const role = item.checked === undefined ? "menuitem" : "menuitemradio";
  const shared = {
    class: `menu-item${item.danger ? " menu-danger" : ""}`,
    tabIndex: -1,
    role,
    "aria-checked": item.checked,
    "aria-disabled": item.disabled || undefined,
  } as const;
  const body = (
    <>
      <span class="menu-mark">
        {item.checked ? <Icon name="check" /> : item.icon && <Icon name={item.icon} />}
      </span>
      {item.label}
    </>
  );
  const select = () => {
    if (item.disabled) return;
    close();
    item.onSelect?.();
  };
  if (item.href !== undefined) {
    return (
      <a {...(shared as object)} href={item.href} download={item.download} onClick={select}>
        {body}
      </a>
    );
  }
  return (
    <button type="button" {...shared} onClick={select}>
      {body}
    </button>
  );
}

/** Calls `leave` when the user points or focuses outside. */
function useOutside(root: { current: HTMLElement | null }, on: boolean, leave: () => void): void {
  useEffect(() => {
    if (!on) return;
    const check = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) leave();
    };
    document.addEventListener("pointerdown", check);
    document.addEventListener("focusin", check);
    return () => {
      document.removeEventListener("pointerdown", check);
      document.removeEventListener("focusin", check);
    };
  });
}
