/**
 * Writes the generated parts into the documents: `node --import tsx test/documents-generate.ts`.
 * What comes in: the documents and the tables of the product. What goes out: changed documents.
 * Invariant: only what stands between the marks changes; a second run changes nothing.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT, textOf } from "./checkout.ts";
import { generatedDocuments } from "./documents-generated.ts";

for (const { file, text } of generatedDocuments()) {
  if (text === textOf(file)) continue;
  writeFileSync(path.join(ROOT, file), text);
  process.stdout.write(`${file}\n`);
}
