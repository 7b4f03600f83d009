/**
 * `POST /v1/enrich/files`. Input: a CSV or XLSX file with a column of CNPJs; fields, labels, and
 * the column's name in the query. Output: 201 with an export of the kind "enrichment", queued or in
 * its current state.
 * Invariant: an unreadable file is refused with the reason before anything is queued. The same
 * file, query, and key return the same export. A plan with a quota reserves one row for each row of
 * the file. Only the accounts found stay charged. The file is written to disk while it is received.
 */
import { createHash } from "node:crypto";
import Type from "typebox";
import { includesExports } from "../../../access/plans.ts";
import { AppError, type Mistake } from "../../../errors.ts";
import {
  readLayout,
  SHEET_FORMATS,
  type SheetFormat,
} from "../../../export/enrichment/enrichment.ts";
import type { AcceptedExport, ReceivedFile, SentFile } from "../../../export/exporter.ts";
import { ColumnRefusal, UnknownColumn } from "../../../lists/column.ts";
import { XLSX_BYTES_MAX } from "../../../lists/upload.ts";
import { UnknownSheet, XlsxRefusal } from "../../../lists/xlsx/package.ts";
import { faultPoint } from "../../../process/fault.ts";
import { FairQueue } from "../../../scheduling/fairqueue.ts";
import { currentSegment, type Segment } from "../../../search/segment.ts";
import { LABEL_LANGUAGES } from "../../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { EXAMPLE_REQUEST, EXAMPLE_SOURCE } from "../../openapi/examples.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { queryMistake, refuseQueryMistakes } from "../../server/query.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { ChunkedBodyType } from "../../server/routetable.ts";
import type { KeyCall } from "../../server/service.ts";
import { createdJson, exportPath } from "../exports/export-record.ts";
import { type ExportContext, exportContextOf, replayed } from "../exports/newexport.ts";
import { readZeros } from "../lists/entryfiles.ts";
import { type ApiRoute, BODY_ERRORS, route, SNAPSHOT_ERRORS } from "../route.ts";
import { answer } from "../typed-answer.ts";
import { readOutput } from "./enrich.ts";

const CSV_BYTES_MAX = 512 * 1024 * 1024;
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Queue of files whose layout must be read, fair among senders. */
const layouts = new FairQueue({
  ...{ running: 2, runningOfOwner: 1, waiting: 128, waitingOfOwner: 16, what: "Files" },
});

/** A file on its way to the disk. */
class SentBody {
  readonly file: SentFile;

  constructor(file: SentFile) {
    this.file = file;
  }

  add(chunk: Uint8Array): void {
    this.file.add(chunk);
  }

  drop(): void {
    this.file.drop();
  }
}

/** The kinds of files that are received. */
export const SENT_FILES = [
  { type: "text/csv", bytesMax: CSV_BYTES_MAX, begin },
  { type: XLSX, bytesMax: XLSX_BYTES_MAX, begin },
] as const satisfies readonly ChunkedBodyType[];

function begin(
  _query: ReadonlyMap<string, string>,
  _sender: string,
  { exporter }: Parameters<ChunkedBodyType["begin"]>[2],
): SentBody {
  return new SentBody(exporter.receive());
}

type CreateCall = KeyCall<"exporter" | "retain" | "segment">;

/** Parameters of the query. */
export const FILE_QUERY = [
  ...["fields", "labels", "title", "format", "column", "sheet", "lost_zeros"],
];

/** Queues the enrichment of a file. If an equal earlier request created one, returns that one. */
export function enrichFile(call: CreateCall): Promise<ShapedAnswer<"CreatedEnrichment">> {
  return withSentFile(call, async (sent) => {
    const context = exportContextOf(call);
    const file = await sent.end();
    return accept(call, file, { ...context, bodyHash: hashOf(file, call.rawQuery) });
  });
}

/** Calls `use` with the sent file, then removes the file unless an export owns it. */
export async function withSentFile<Value>(
  { gathered, plan }: Pick<CreateCall, "gathered" | "plan">,
  use: (file: SentFile) => Promise<Value>,
): Promise<Value> {
  if (!(gathered instanceof SentBody)) {
    throw new AppError("unsupported_media_type", `Send a file as text/csv or as ${XLSX}.`);
  }
  try {
    if (!includesExports(plan)) {
      throw new AppError("plan_not_allowed", `The plan ${plan.name} does not include exports.`);
    }
    return await use(gathered.file);
  } finally {
    gathered.drop();
  }
}

/** Returns the hash of a request. It includes the query, which affects the resulting file. */
function hashOf({ sha256 }: ReceivedFile, query: string): string {
  return createHash("sha256").update(`${sha256} ${query}`).digest("hex");
}

interface FileOptions {
  readonly fields?: readonly string[] | undefined;
  readonly labels?: string | undefined;
  /** Name of the file for its sender. */
  readonly title?: string | undefined;
  readonly format?: SheetFormat | undefined;
  readonly column?: string | undefined;
  readonly sheet?: string | undefined;
  readonly fillZeros: boolean;
}

function optionsOf(query: ReadonlyMap<string, string>): FileOptions {
  return {
    fields: fieldsIn(query.get("fields")),
    labels: query.get("labels"),
    title: query.get("title"),
    format: formatOf(query.get("format")),
    column: query.get("column"),
    sheet: query.get("sheet"),
    fillZeros: readZeros(query),
  };
}

/** Splits names at commas, trims them, and drops empty ones. */
function fieldsIn(names: string | undefined): readonly string[] | undefined {
  return names
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

async function accept(
  call: CreateCall,
  file: ReceivedFile,
  context: ExportContext,
): Promise<ShapedAnswer<"CreatedEnrichment">> {
  const { accepted, layout } = await acceptFile(call, file, {
    context,
    options: optionsOf(call.query),
  });
  const { record } = accepted;
  const body = {
    request_id: call.requestId,
    snapshot: record.snapshot,
    snapshot_date: record.snapshotDate,
    ...{ column: layout.column, sheet: layout.source.sheet, rows: layout.rows },
    ...(layout.equals.length === 0 ? {} : { equal_columns: layout.equals }),
    ...otherSheets(layout.source),
    export: createdJson(record),
  };
  faultPoint("create.before_reply");
  const replay = accepted.replayed ? { "Idempotent-Replayed": "true" } : {};
  const headers = { Location: exportPath(record), ...replay };
  return answer("CreatedEnrichment", body, { status: 201, headers });
}

/** Returns the sheets of a workbook that are not read, and why this one was chosen. */
function otherSheets({ others, hidden, reason }: SentLayout["source"]) {
  return {
    ...(others + hidden === 0 || reason === null ? {} : { sheet_reason: reason }),
    ...(others === 0 ? {} : { other_sheets: others }),
    ...(hidden === 0 ? {} : { hidden_sheets: hidden }),
  };
}

type SentLayout = Awaited<ReturnType<typeof readLayout>>;

interface FileRequest {
  readonly context: ExportContext;
  readonly options: FileOptions;
}

/** Queues the enrichment of a received file, or returns the one of an equal earlier request. */
export async function acceptFile(
  call: CreateCall,
  file: ReceivedFile,
  { context, options }: FileRequest,
): Promise<{
  readonly accepted: AcceptedExport;
  readonly layout: SentLayout;
}> {
  const { service, plan } = call;
  const { column, sheet, fillZeros, format } = options;
  const segment = currentSegment(service);
  const release = service.retain(segment);
  try {
    const output = outputOf(call, segment, options);
    const { fields } = output.output;
    const layout = await readInTurn(context.tenantId, () =>
      readLayout(file.path, { column, sheet, fields }, format),
    );
    refuseTooMany(layout.rows, plan.limits.export_rows, plan.name);
    const spec = specOf(output, format ?? layout.format);
    const { text, equals, source } = layout;
    const { sheet_reason: reason = null } = otherSheets(source);
    const read = { column: layout.column, equals, sheet: source.sheet, reason };
    const enrichment = { file, column, sheet, fillZeros, text, read };
    const accepted =
      replayed(call, context) ??
      service.exporter.create({ ...context, segment, spec, rows: layout.rows, enrichment });
    await service.exporter.share(accepted.record.id, file);
    return { accepted, layout };
  } finally {
    release();
  }
}

/** Returns the whole spec of the output, whose filters are never used. */
function specOf(spec: AccountQuerySpec, format: SheetFormat): AccountQuerySpec {
  const { fields, labels, title } = spec.output;
  const people = {
    ...(labels === undefined ? {} : { labels }),
    ...(title === undefined ? {} : { title }),
  };
  return { ...spec, output: { format, include_explain: false, fields, ...people } };
}

function outputOf(
  { plan }: Pick<CreateCall, "plan">,
  segment: Segment,
  { fields, labels, title }: FileOptions,
): AccountQuerySpec {
  const output = {
    ...(fields === undefined ? {} : { fields }),
    ...(labels === undefined ? {} : { labels }),
    ...(title === undefined ? {} : { title }),
  };
  return readOutput({ members: {}, mistakes: [] }, segment, { plan }, { output, at: "/query" });
}

/** Returns the format of the new file; undefined means that of the sent file. */
function formatOf(wanted: string | undefined): SheetFormat | undefined {
  const format = SHEET_FORMATS.find((one) => one === wanted);
  if (wanted !== undefined && format === undefined) {
    const detail = "format must be csv or xlsx. Leave it out for that of the file.";
    refuseQueryMistakes([queryMistake("format", "unknown_value", detail)]);
  }
  return format;
}

function refuseTooMany(rows: number, most: number, plan: string): void {
  if (rows <= most) return;
  throw new AppError(
    "plan_not_allowed",
    `The plan ${plan} allows ${most} rows a file, and this one has ${rows}. Split it.`,
  );
}

/** Reads a file, queued fairly among tenants. Converts a refusal to a request error. */
export async function readInTurn<Value>(
  tenantId: string,
  read: () => Promise<Value>,
): Promise<Value> {
  try {
    return await layouts.run(tenantId, 1, read);
  } catch (error) {
    if (!(error instanceof ColumnRefusal) && !(error instanceof XlsxRefusal)) throw error;
    const detail = error.message;
    const isSheet = error instanceof UnknownSheet;
    const pointer =
      error instanceof UnknownColumn ? "/query/column" : isSheet ? "/query/sheet" : "";
    const mistake: Mistake = { pointer, code: "unreadable_file", detail };
    throw new AppError("invalid_request", detail, { errors: [mistake], cause: error });
  }
}

const EXPORT_ID = "exp_0123456789abcdef0123456789abcdef";

const created = () => ({
  ...{ ...EXAMPLE_REQUEST, ...EXAMPLE_SOURCE, column: "CNPJ", sheet: null, rows: 3_000 },
  export: {
    ...{ export_id: EXPORT_ID, status: "queued", format: "csv", kind: "enrichment" },
    ...EXAMPLE_SOURCE,
    ...{ row_count: null, size_bytes: null, object_key: null, expires_at: null },
    download_url: null,
  },
});

const inQuery = (name: string, description: string, schema: Parameter["schema"]): Parameter => ({
  ...{ name, in: "query", required: false, description, schema },
});

const SHEET_FORMAT = Type.Enum([...SHEET_FORMATS]);

/** The route that enriches an uploaded file. */
export const ENRICH_FILE_ROUTE: ApiRoute = route({
  method: "POST",
  path: "/v1/enrich/files",
  access: "key",
  sheds: "first",
  id: "enrichFile",
  tag: "exports",
  summary: "Enrich a file",
  description:
    "Queues a copy of a CSV or XLSX file with a status and fields of the registry behind each " +
    "row. Columns, rows, cell types, encoding, and titles above the header stay. The column of " +
    "CNPJs is found by its name or content. With format, CSV becomes XLSX, and XLSX becomes CSV. " +
    "The export is read, downloaded, and deleted as any other. Accounts that are found are " +
    "charged against the quota of export rows. CSV up to 512 MiB, XLSX up to 32 MiB, and " +
    "2,000,000 rows. " +
    "The sent file counts towards export_bytes until the export expires or is deleted.",
  parameters: [
    {
      name: "Idempotency-Key",
      in: "header",
      required: true,
      description: "1 to 255 visible ASCII characters of your choice; kept for 24 hours.",
      schema: Type.String({ minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" }),
      example: "suppliers-2026-10",
    },
    inQuery("fields", "Output fields between commas; the default set if missing.", Type.String()),
    inQuery("labels", "Headings and values as people write them.", Type.Enum([...LABEL_LANGUAGES])),
    inQuery("title", "Your name of the file, for the list of exports.", Type.String()),
    inQuery("format", "Kind of the new file; that of the sent one if missing.", SHEET_FORMAT),
    inQuery("column", "Header or number of the column, of XLSX its letters too.", Type.String()),
    inQuery(
      "sheet",
      "The sheet of a workbook; that with the most CNPJs if missing.",
      Type.String(),
    ),
    inQuery(
      "lost_zeros",
      "fill puts back the zeros that numbers have lost in front; refuse reports them.",
      Type.Enum(["fill", "refuse"]),
    ),
  ],
  body: { schema: null, orTypes: { "text/csv": "text", [XLSX]: "bytes" } },
  pieces: SENT_FILES,
  filesOnly: true,
  answers: {
    201: {
      description: "The export is queued, or is what this key had brought about before.",
      schema: "CreatedEnrichment",
      example: created,
      headers: ["Location"],
      sometimes: ["Idempotent-Replayed"],
    },
  },
  errors: [
    ...BODY_ERRORS,
    ...(["invalid_request", "invalid_spec", "field_not_allowed"] as const),
    ...(["idempotency_key_required", "idempotency_key_reused"] as const),
    ...(["plan_not_allowed", "quota_exceeded", "storage_full"] as const),
    ...SNAPSHOT_ERRORS,
  ],
  handle: enrichFile,
});
