/**
 * The tool `create_export` of `peneira mcp`. Input: filters, format, fields, a name. Output: the
 * path of a new file in the folder chosen by the user, its number of rows, and its SHA-256.
 * Invariant: writes only into that folder and never overwrites a file. The bytes equal those of a
 * server's export. A file appears complete or not at all.
 */
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { AppError, type Mistake } from "../errors.ts";
import { slugOf } from "../export/files/filename.ts";
import { compressionOf } from "../export/formats/compressed.ts";
import { extensionOf } from "../export/formats/format.ts";
import type { ExportFormat } from "../export/record.ts";
import { type RenderedFile, renderExport } from "../export/render.ts";
import { boundExportSpec } from "../http/api/exports/newexport.ts";
import { SCHEMAS } from "../http/api/schemas.ts";
import type { QueryContext, QueryPart } from "../http/server/service.ts";
import type { Segment } from "../search/segment.ts";
import { currentSegment } from "../search/segment.ts";
import { canonicalBytes } from "../spec/normalize.ts";
import { type JsonObject, shown } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { wordFor } from "../text/amounts.ts";
import { withArgumentMistakes } from "./mistakes.ts";
import { EXPORT_ARGUMENTS, FORMAT, readExport } from "./selection.ts";
import {
  FILTERS_NOTE,
  objectSchema,
  SOURCE,
  SOURCE_NAMES,
  sentencesOf,
  sourceLine,
  sourceOf,
  type Tool,
  withBody,
} from "./tool.ts";

/** Shape of a name that every file system accepts and that is not a path. */
const NAME_SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const OWN_ARGUMENTS = {
  file_name: {
    type: "string",
    pattern: NAME_SHAPE.source,
    description: "Name of the new file without a folder; made from the filters if missing.",
  } as TSchema,
};

const { sha256 } = SCHEMAS.ExportRecord.properties;
const number = (description: string) =>
  ({ type: "integer", minimum: 0, description }) as unknown as TSchema;

const OUTPUT = {
  ...SOURCE,
  path: { type: "string", description: "The file." } as TSchema,
  format: FORMAT,
  row_count: number("Rows of the file."),
  size_bytes: number("Bytes of the file."),
  sha256,
  warnings: { type: "array", items: { type: "string" } } as unknown as TSchema,
};

/** Definition of the tool, for any folder. */
const DEFINITION = {
  name: "create_export",
  title: "Export companies to a file",
  description:
    "Writes a new file (csv, xlsx, html, parquet, jsonl) with all establishments that match " +
    "filters, or the first limit of them, into the folder that the user chose, and answers with " +
    "its path. Count first: a million rows take seconds and a few hundred megabytes. " +
    FILTERS_NOTE,
  inputSchema: objectSchema({ ...EXPORT_ARGUMENTS, ...OWN_ARGUMENTS }, ["filters"]),
  outputSchema: objectSchema(OUTPUT, [
    ...SOURCE_NAMES,
    ...Object.keys(OUTPUT).filter((name) => name !== "sha256" && !SOURCE_NAMES.includes(name)),
    "sha256",
  ]),
  annotations: {
    title: "Export companies to a file",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
};

/** Returns the tool for a folder, which must exist. */
export function fileExportTool(folder: string): Tool<QueryContext<QueryPart>> {
  // Names of files that are being written. A parallel call must choose another name.
  const taken = new Set<string>();
  return {
    definition: DEFINITION,
    async run(sent, context) {
      const request = readExport(sent, Object.keys(OWN_ARGUMENTS));
      const isFree = (name: string) => !taken.has(name) && !existsSync(join(folder, name));
      checkName(sent, isFree, request.mistakes);
      const segment = currentSegment(context.service);
      const spec = await withArgumentMistakes(request.mistakes, () =>
        boundExportSpec(withBody(context, request.body), segment),
      );
      const name = (sent.file_name as string | undefined) ?? nameOf(spec, segment, isFree);
      taken.add(name);
      try {
        const path = join(folder, name);
        const file = await withArgumentMistakes([], () => render({ segment, spec, path }, context));
        return answerOf(segment, spec, { path, ...file });
      } finally {
        taken.delete(name);
      }
    },
  };
}

function checkName(
  { file_name: name }: JsonObject,
  isFree: (name: string) => boolean,
  mistakes: Mistake[],
): void {
  if (name === undefined) return;
  const pointer = "/file_name";
  if (typeof name !== "string" || !NAME_SHAPE.test(name)) {
    const detail =
      "Must be a name without a folder: up to 100 letters, digits, dots, hyphens and " +
      `underscores, beginning with a letter or digit, not ${shown(name)}.`;
    mistakes.push({ pointer, code: "wrong_format", detail });
  } else if (!isFree(name)) {
    const detail = `There is a file ${shown(name)} already; choose another name.`;
    mistakes.push({ pointer, code: "exists", detail });
  }
}

/** Returns a descriptive file name, with a numeric suffix if it is taken. */
function nameOf(
  spec: AccountQuerySpec,
  segment: Segment,
  isFree: (name: string) => boolean,
): string {
  const hash = createHash("sha256").update(segment.snapshotId).update(canonicalBytes(spec));
  const hex = hash.digest("hex").slice(0, 8);
  const stem = `peneira-${segment.label}-${slugOf(spec, segment)}-${hex}`;
  const format = spec.output.format as ExportFormat;
  const extension = extensionOf({ format, compression: compressionOf(spec) });
  for (let number = 1; ; number++) {
    const name = `${stem}${number === 1 ? "" : `-${number}`}.${extension}`;
    if (isFree(name)) return name;
  }
}

type Job = Pick<Parameters<typeof renderExport>[0], "segment" | "spec" | "path">;

async function render(job: Job, context: QueryContext<QueryPart>): Promise<RenderedFile> {
  try {
    return await renderExport({ ...job, cancelled: () => context.gone() });
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    // The model can report a disk error, and the user can fix it.
    throw new AppError("EXPORT_FAILED", `The file could not be written: ${message}.`);
  }
}

function answerOf(
  segment: Segment,
  spec: AccountQuerySpec,
  file: RenderedFile & { readonly path: string },
) {
  const { label: snapshot, snapshotDate: snapshot_date, provenance } = segment;
  const source = { snapshot, snapshot_date, provenance };
  const { path, rowCount, sizeBytes, sha256: hash } = file;
  assert(spec.output.format !== "json", "an export has a format of its own");
  const warnings = sentencesOf(spec.explain.warnings);
  const lines = [
    `${path}: ${rowCount} ${wordFor(rowCount, "row")}, ${sizeBytes} bytes, SHA-256 ${hash}.`,
    sourceLine(source),
    ...warnings.map((warning) => `Note: ${warning}`),
  ];
  const facts = { path, format: spec.output.format, row_count: rowCount, size_bytes: sizeBytes };
  return {
    text: lines.join("\n"),
    structured: { ...sourceOf(source), ...facts, sha256: hash, warnings },
    accounts: 0,
  };
}
