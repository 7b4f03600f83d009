/**
 * Dialogs, sheets, and drawers over the view, as native dialogs.
 *
 * - Dialog: open; title; onClose(); children; footer?: buttons; size? = "medium": "small",
 *   "medium", "large"; locked? (closes only by its own buttons)
 * - Sheet: as Dialog: from the left edge (filters), over the whole height
 * - Drawer: as Dialog: from the right edge; modal? = true (false leaves the view usable)
 * - ConfirmDialog: open; title; children; confirm: label; danger?; onConfirm(): Promise or void;
 *   onClose()
 *
 * Invariant: a closed dialog is not in the document. Escape, the close button, and a click outside
 * call onClose. The focus is trapped inside and then restored. A confirmation that fails stays open
 * and shows the error.
 */
import type { ComponentChildren, RefObject, VNode } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { Button, IconButton } from "./button.tsx";
import { ErrorNotice } from "./notice.tsx";

/** Props of a dialog. */
interface DialogProps {
  open: boolean;
  title: ComponentChildren;
  onClose: () => void;
  children?: ComponentChildren;
  footer?: ComponentChildren;
  size?: "small" | "medium" | "large";
  locked?: boolean;
  class?: string;
}

/** A dialog in the middle of the screen, or on phones at its lower edge. */
export function Dialog(props: DialogProps): VNode | null {
  return props.open ? <Surface {...props} kind="dialog" modal /> : null;
}

/** A panel from the left. */
export function Sheet(props: DialogProps): VNode | null {
  return props.open ? <Surface {...props} kind="sheet" modal /> : null;
}

/** A panel from the right. */
export function Drawer({
  modal = true,
  ...props
}: DialogProps & { modal?: boolean }): VNode | null {
  return props.open ? <Surface {...props} kind="drawer" modal={modal} /> : null;
}

type SurfaceProps = DialogProps & { kind: "dialog" | "sheet" | "drawer"; modal: boolean };

function Surface(props: SurfaceProps): VNode {
  const { title, onClose, children, footer, size = "medium", locked, kind, modal } = props;
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useOpened(element, modal);
  const close = () => {
    if (!locked) onClose();
  };
  return (
    <dialog
      ref={element}
      class={`surface ${kind} ${kind}-${size} ${props.class ?? ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        // The cancel event of a file chooser inside the dialog bubbles up to the dialog.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
      onPointerDown={(event) => {
        if (modal && event.target === event.currentTarget && isOutside(event)) close();
      }}
    >
      <div class="surface-head">
        <h2 class="surface-title" id={id}>
          {title}
        </h2>
        {!locked && <IconButton icon="close" label={words.value.shell.close} onClick={close} />}
      </div>
      <div class="surface-body">{children}</div>
      {footer && <div class="surface-foot">{footer}</div>}
    </dialog>
  );
}

/** Opens the element on mount. Closes it before unmount, which restores the focus. */
function useOpened(element: RefObject<HTMLDialogElement | null>, modal: boolean): void {
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    const before = document.activeElement;
    if (modal) dialog.showModal();
    else dialog.show();
    const first = dialog.querySelector<HTMLElement>("[autofocus], [data-autofocus]");
    first?.focus();
    // Typing replaces a suggested text.
    if (first instanceof HTMLInputElement && first.type === "text") first.select();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      // The element that opened the dialog may be removed together with the deleted item, in the
      // same turn or the next.
      requestAnimationFrame(() => setTimeout(focusView));
    };
  }, [element, modal]);
}

/** If no element has the focus, focuses the view's heading, so that Tab continues there. */
function focusView(): void {
  if (document.activeElement !== document.body) return;
  const heading = document.querySelector<HTMLElement>("#main h1");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * True if a click is on the backdrop. The backdrop belongs to the dialog element, so only a click's
 * coordinates show whether it is outside the dialog's box.
 */
function isOutside(event: {
  currentTarget: HTMLElement;
  clientX: number;
  clientY: number;
}): boolean {
  const box = event.currentTarget.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}

interface ConfirmProps {
  open: boolean;
  title: string;
  children?: ComponentChildren;
  confirm: string;
  danger?: boolean;
  onConfirm: () => Promise<unknown> | unknown;
  onClose: () => void;
}

/** A dialog that confirms an action and awaits it. */
export function ConfirmDialog(props: ConfirmProps): VNode | null {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { open, title, children, confirm, danger, onConfirm, onClose } = props;
  const close = () => {
    setError(null);
    onClose();
  };
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={close}>{words.value.shell.cancel}</Button>
      <Button
        variant={danger ? "danger" : "primary"}
        busy={busy}
        data-autofocus
        onClick={() => void run()}
      >
        {confirm}
      </Button>
    </>
  );
  return (
    <Dialog open={open} title={title} size="small" onClose={close} footer={footer}>
      {children}
      {error !== null && <ErrorNotice error={error} />}
    </Dialog>
  );
}
