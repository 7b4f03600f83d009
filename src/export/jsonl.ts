/**
 * An export as JSON lines. What comes in: row ids in batches. What goes out: for each row the
 * object that a search shows, on a line of its own.
 * Invariant: no line is split or empty; an explanation is the same object as in a search.
 */
import type { RenderContext, Renderer } from "./renderer.ts";
import { renderFramed } from "./rowtext.ts";

/** Renders JSON lines. */
export const openJsonlRenderer = (
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
): Renderer => renderFramed(context, { format: "jsonl", head: "", tail: "" }, write);
