/**
 * Endings of the files that commands write.
 * Invariant: a file never gets the name of another kind of file. An unknown ending is refused, and
 * so is one that contradicts the format that the user asked for.
 */
import { extname } from "node:path";
import { CommandError } from "../../errors.ts";
import { FORMATS } from "../../export/formats/format.ts";
import type { ExportFormat } from "../../export/record.ts";
import { EXPORT_FORMATS } from "../../spec/fields.ts";

/** Endings of a snapshot, which is an Arrow file too. */
const SNAPSHOT_ENDINGS = [".peneira", ".arrow"];

/**
 * Returns the format that the name stands for; undefined if the name has no ending, so that the
 * spec decides. @throws CommandError (exit 2)
 */
export function formatOfName(name: string, wanted?: ExportFormat): ExportFormat | undefined {
  const ending = extname(name).toLowerCase();
  if (ending === "" || ending === ".") return wanted;
  const named = EXPORT_FORMATS.find((format) => `.${FORMATS[format].extension}` === ending);
  if (named === undefined) {
    const known = EXPORT_FORMATS.map((format) => `.${FORMATS[format].extension}`).join(", ");
    throw new CommandError(
      `--out ${name} ends in ${ending}, which no export is. Use one of ${known}, or no ending.`,
      2,
    );
  }
  if (wanted === undefined || wanted === named) return named;
  const right = `.${FORMATS[wanted].extension}`;
  throw new CommandError(
    `--out ${name} ends in ${ending}, but --format is ${wanted}. ` +
      `Use the ending ${right}, or leave out --format.`,
    2,
  );
}

/**
 * Returns a sentence if the ending of the name decides against the format that the spec itself
 * names, as the help says; null if both agree, or if --format decides.
 * @throws CommandError (exit 2)
 */
export function otherFormat(name: string, input: unknown, wanted?: ExportFormat): string | null {
  const named = formatOfName(name, wanted);
  const { format } = Object(Object(input).output) as { readonly format?: unknown };
  const said = EXPORT_FORMATS.find((one) => one === format);
  if (wanted !== undefined || named === undefined || said === undefined || said === named) {
    return null;
  }
  return (
    `--out ${name} ends in ${extname(name)}, so ${named} is written; the spec's output.format is ` +
    `${said}. Use the ending .${FORMATS[said].extension}, or say --format ${named}.`
  );
}

/** Refuses the name of another kind of file for a snapshot. @throws CommandError (exit 2) */
export function refuseSnapshotName(name: string): void {
  const ending = extname(name).toLowerCase();
  if (ending === "" || ending === "." || SNAPSHOT_ENDINGS.includes(ending)) return;
  throw new CommandError(
    `--out ${name} ends in ${ending}, which no snapshot is. ` +
      `Use one of ${SNAPSHOT_ENDINGS.join(", ")}, or no ending.`,
    2,
  );
}
