/**
 * Takes a file that is dropped anywhere in the console and opens it to be filled in.
 * Invariant: file inputs and open dialogs handle their own drops; a dropped file never replaces the
 * page. A dragged text or image has no effect.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { Icon } from "../parts/icon.tsx";
import { giveFile } from "./sent.ts";

/** Covers the page with an overlay while a file is dragged over it. */
export function DropAnywhere(): VNode | null {
  const [isOver, setOver] = useState(false);
  useEffect(() => listen(setOver), []);
  if (!isOver) return null;
  return (
    <div class="drop-anywhere" aria-hidden="true">
      <p>
        <Icon name="table" size={28} />
        {words.value.shell.dropHere}
      </p>
    </div>
  );
}

/** Tracks files dragged over the page. Returns a function that stops tracking. */
function listen(setOver: (isOver: boolean) => void): () => void {
  const over = (event: DragEvent) => {
    if (!hasFile(event) || isInput(event)) return;
    event.preventDefault();
    setOver(!isBlocked());
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null) setOver(false);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file === undefined || isInput(event)) return;
    event.preventDefault();
    if (!isBlocked()) void giveFile(file);
  };
  addEventListener("dragover", over);
  addEventListener("dragleave", leave);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("dragleave", leave);
    removeEventListener("drop", drop);
  };
}

function hasFile(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") === true;
}

function isInput({ target }: DragEvent): boolean {
  return target instanceof Element && target.closest("input[type=file]") !== null;
}

/** True while a dialog takes all input. */
function isBlocked(): boolean {
  return document.querySelector("dialog:modal") !== null;
}
