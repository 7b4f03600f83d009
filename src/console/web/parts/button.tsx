/**
 * Buttons, in four looks.
 *
 * - Button: variant? = "secondary": "primary", "secondary", "quiet", "danger"; icon?: IconName;
 *   busy?: boolean; small?: boolean; children
 * - IconButton: icon: IconName; label: string (name and tooltip); pressed?: boolean; small?:
 *   boolean
 * - CopyButton: text: string or () => string; label: string; small?; iconOnly? (label: name and
 *   tooltip)
 *
 * Invariant: a busy button keeps its width and focus and ignores clicks. Every button has a name.
 */
import type { ButtonHTMLAttributes, VNode } from "preact";
import { words } from "../app/words.ts";
import { Icon, type IconName } from "./icon.tsx";
import { toast } from "./toast.tsx";

type Native = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "label">;

/** Props of a button. */
interface ButtonProps extends Native {
  variant?: "primary" | "secondary" | "quiet" | "danger";
  icon?: IconName | undefined;
  busy?: boolean | undefined;
  small?: boolean | undefined;
}

/** A button with a label. */
export function Button(props: ButtonProps): VNode {
  const { variant = "secondary", icon, busy, small, children, onClick, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${variant}${small ? " button-small" : ""} ${rest.class ?? ""}`}
      aria-busy={busy ? "true" : undefined}
      aria-disabled={busy ? "true" : rest["aria-disabled"]}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.call(event.currentTarget, event);
      }}
    >
      {icon && <Icon name={icon} />}
      <span class="button-label">{children}</span>
    </button>
  );
}

interface IconButtonProps extends Native {
  icon: IconName;
  label: string;
  pressed?: boolean | undefined;
  small?: boolean | undefined;
}

/** A button that is only an icon. */
export function IconButton({ icon, label, pressed, small, ...rest }: IconButtonProps): VNode {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      class={`button button-icon${small ? " button-small" : ""} ${rest.class ?? ""}`}
      aria-label={label}
      aria-pressed={pressed}
    >
      <Icon name={icon} />
    </button>
  );
}

interface CopyButtonProps {
  text: string | (() => string);
  label: string;
  small?: boolean;
  iconOnly?: boolean;
}

/** Copies with a toast. */
export function CopyButton({ text, label, small, iconOnly }: CopyButtonProps): VNode {
  const copy = () => void copyText(typeof text === "string" ? text : text());
  return iconOnly ? (
    <IconButton icon="copy" label={label} small={small} onClick={copy} />
  ) : (
    <Button icon="copy" small={small} onClick={copy}>
      {label}
    </Button>
  );
}

/** Copies text and notifies the user. Works without a clipboard object. */
export async function copyText(text: string): Promise<void> {
  const done = await clipboard(text);
  if (done) toast(words.value.shell.copied);
  else toast(words.value.shell.copyFailed, { kind: "error" });
}

/** Over plain HTTP there is no clipboard object, so a selection is copied instead. */
async function clipboard(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "visually-hidden";
  const before = document.activeElement;
  // While a dialog is open, only elements inside it can be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
