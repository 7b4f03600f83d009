/**
 * Writes the generated parts into the documents: `node --import tsx
 * test/support/documents/generate.ts`.
 * Invariant: only the text between the marks changes; a second run changes nothing.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, textOf } from "../house/checkout.ts";
import { generatedDocuments } from "./generated.ts";

/** Returns the documents that are out of date, each with the text that it should have. */
export function staleDocuments(): { readonly file: string; readonly text: string }[] {
  return generatedDocuments().filter(({ file, text }) => text !== textOf(file));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const { file, text } of staleDocuments()) {
    writeFileSync(path.join(ROOT, file), text);
    process.stdout.write(`${file}\n`);
  }
}
