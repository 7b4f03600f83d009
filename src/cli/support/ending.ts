/**
 * Checks the name endings (".csv.gz") of the files that commands write.
 * Invariant: a file never gets the ending of another kind of file. An ending is refused if it is
 * unknown, or if it contradicts the requested format or compression.
 */
import { basename, extname } from "node:path";
import { CommandError } from "../../errors.ts";
import { COMPRESSED, extensionOf } from "../../export/formats/format.ts";
import type { ExportFormat } from "../../export/record.ts";
import {
  COMPRESSIONS,
  type Compression,
  EXPORT_FORMATS,
  type Packing,
  TEXT_FORMATS,
} from "../../spec/fields.ts";

const PACKINGS = Object.keys(COMPRESSED) as Compression[];

/** Name endings of a snapshot. They include `.arrow`, because a snapshot is also an Arrow file. */
const SNAPSHOT_ENDINGS = [".peneira", ".arrow"];

/** The format and the compression that flags request, or undefined if no flag does. */
interface WantedKind {
  readonly format?: ExportFormat | undefined;
  readonly compression?: Packing | undefined;
}

/**
 * Returns the format and the compression that a file name's ending denotes. If the name has no
 * ending, both are undefined unless a flag sets them, and the spec decides. @throws CommandError
 * (exit 2)
 */
export function kindOfName(name: string, wanted: WantedKind = {}): WantedKind {
  refuseBareEnding(name);
  const packed = packingOf(name);
  const rest = packed === undefined ? name : name.slice(0, -extname(name).length);
  const format = formatOfName(name, rest, wanted.format);
  refusePacked(name, format, packed);
  const hasEnding = packed !== undefined || !isPlain(rest);
  const compression = packed ?? (hasEnding ? "none" : wanted.compression);
  if (wanted.compression !== undefined && wanted.compression !== compression) {
    const isText = TEXT_FORMATS.includes(format ?? "csv");
    const right = endingOf(isText ? (format ?? "csv") : "csv", wanted.compression);
    throw new CommandError(
      `--out ${name} ends in ${extname(name)}, but --compression is ${wanted.compression}. ` +
        `Use the ending ${right}, or leave out --compression.`,
      2,
    );
  }
  return { format, compression };
}

/** Refuses a name that is only an ending, such as `.csv`. Systems hide such a file. */
function refuseBareEnding(name: string): void {
  const file = basename(name).toLowerCase();
  const bare = `x${file}`;
  const packed = packingOf(bare);
  const rest = packed === undefined ? bare : bare.slice(0, -extname(bare).length);
  const isEnding = rest === "x" || EXPORT_FORMATS.some((format) => rest === `x${endingOf(format)}`);
  if (!isEnding || file === "") return;
  throw new CommandError(
    `--out ${name} has an ending but no name before it. Use, for example, accounts${file}.`,
    2,
  );
}

/** Refuses a name such as `x.xlsx.gz`, because `xlsx` files are already compressed. */
function refusePacked(name: string, format?: ExportFormat, packed?: Compression): void {
  if (packed === undefined || format === undefined || TEXT_FORMATS.includes(format)) return;
  throw new CommandError(
    `--out ${name} ends in ${extname(name)}, but a file of the format ${format} is compressed ` +
      `inside. Use the ending ${endingOf(format)}.`,
    2,
  );
}

function formatOfName(name: string, rest: string, wanted?: ExportFormat): ExportFormat | undefined {
  const ending = extname(rest).toLowerCase();
  if (isPlain(rest)) return wanted;
  const named = EXPORT_FORMATS.find((format) => endingOf(format) === ending);
  if (named === undefined) {
    const known = EXPORT_FORMATS.map((format) => endingOf(format)).join(", ");
    throw new CommandError(
      `--out ${name} ends in ${ending}, which is not an export format. ` +
        `Use one of ${known}, or no ending.`,
      2,
    );
  }
  if (wanted === undefined || wanted === named) return named;
  throw new CommandError(
    `--out ${name} ends in ${ending}, but --format is ${wanted}. ` +
      `Use the ending ${endingOf(wanted)}, or leave out --format.`,
    2,
  );
}

function packingOf(name: string): Compression | undefined {
  const ending = extname(name).toLowerCase();
  return PACKINGS.find((one) => `.${COMPRESSED[one].extension}` === ending);
}

function isPlain(name: string): boolean {
  return ["", "."].includes(extname(name));
}

function endingOf(format: ExportFormat, packing: Packing = "none"): string {
  return `.${extensionOf({ format, compression: packing === "none" ? null : packing })}`;
}

/**
 * Returns a warning if the name's ending overrides the spec's format or compression. Returns null
 * if both agree, or if a flag decides. @throws CommandError (exit 2)
 */
export function otherKind(name: string, input: unknown, wanted: WantedKind = {}): string | null {
  const named = kindOfName(name, wanted);
  const { format, compression } = Object(Object(input).output) as Record<string, unknown>;
  const ending = extname(name);
  const specFormat = EXPORT_FORMATS.find((one) => one === format);
  if (isOther(named.format, specFormat, wanted.format)) {
    return (
      `--out ${name} ends in ${ending}, so ${named.format} is written; the spec's output.format ` +
      `is ${specFormat}. Use the ending ${endingOf(specFormat)}, or say --format ${named.format}.`
    );
  }
  const packing = COMPRESSIONS.find((one) => one === compression);
  if (isOther(named.compression, packing, wanted.compression)) {
    const right = endingOf(named.format ?? specFormat ?? "csv", packing);
    return (
      `--out ${name} ends in ${ending}, so its compression is ${named.compression}; the spec's ` +
      `output.compression is ${packing}. Use the ending ${right}, or say --compression ` +
      `${named.compression}.`
    );
  }
  return null;
}

/** True if the value in the name differs from that in the spec, and no flag sets the value. */
function isOther<Value>(
  named: Value | undefined,
  stated: Value | undefined,
  wanted: Value | undefined,
): stated is Value {
  return wanted === undefined && named !== undefined && stated !== undefined && stated !== named;
}

/** Refuses a snapshot name with another kind's ending. @throws CommandError (exit 2) */
export function refuseSnapshotName(name: string): void {
  const ending = extname(name).toLowerCase();
  if (ending === "" || ending === "." || SNAPSHOT_ENDINGS.includes(ending)) return;
  throw new CommandError(
    `--out ${name} ends in ${ending}, which is not a snapshot ending. ` +
      `Use one of ${SNAPSHOT_ENDINGS.join(", ")}, or no ending.`,
    2,
  );
}
