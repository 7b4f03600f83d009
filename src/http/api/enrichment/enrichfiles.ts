/**
 * `POST /v1/enrich/files`. Input: a CSV or XLSX file with a column of CNPJs; in the query fields,
 * labels, the column. Output: 201 with an export of the kind "enrichment", queued or in its current
 * state.
 * Invariant: a file that cannot be read is refused with the reason before anything is queued. The
 * same file, query, and key give the same export. A plan with a quota reserves a row for each row
 * of the file; only accounts that are found stay charged. The file is written to disk while it is
 * received.
 */
import { createHash } from "node:crypto";
import Type from "typebox";
import { includesExports } from "../../../access/plans.ts";
import { AppError, type Mistake } from "../../../errors.ts";
import { readLayout } from "../../../export/enrichment/enrichment.ts";
import type { ReceivedFile, SentFile } from "../../../export/exporter.ts";
import { ColumnRefusal } from "../../../lists/column.ts";
import { XLSX_BYTES_MAX } from "../../../lists/upload.ts";
import { XlsxRefusal } from "../../../lists/xlsx/package.ts";
import { FairQueue } from "../../../scheduling/fairqueue.ts";
import { currentSegment } from "../../../search/segment.ts";
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

/** Bytes of a CSV file. */
const CSV_BYTES_MAX = 512 * 1024 * 1024;
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Files whose layout is read, queued fairly among senders. */
const layouts = new FairQueue({
  ...{ running: 2, runningOfOwner: 1, waiting: 128, waitingOfOwner: 16, what: "Files" },
});

/** A file that is being written to disk. */
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

const FILES = [
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

/** Queues the enrichment of a file, or returns the export that an equal earlier request created. */
async function enrichFile(call: CreateCall): Promise<ShapedAnswer<"CreatedEnrichment">> {
  const { gathered, plan } = call;
  if (!(gathered instanceof SentBody)) {
    throw new AppError("unsupported_media_type", `Send a file as text/csv or as ${XLSX}.`);
  }
  try {
    if (!includesExports(plan)) {
      throw new AppError("plan_not_allowed", `The plan ${plan.name} does not include exports.`);
    }
    const asked = exportContextOf(call);
    const file = await gathered.file.end();
    return await accept(call, file, { ...asked, bodyHash: hashOf(file, call.rawQuery) });
  } finally {
    gathered.drop();
  }
}

/** The query is part of the request, because it changes the file. */
function hashOf({ sha256 }: ReceivedFile, query: string): string {
  return createHash("sha256").update(`${sha256} ${query}`).digest("hex");
}

async function accept(
  call: CreateCall,
  file: ReceivedFile,
  asked: ExportContext,
): Promise<ShapedAnswer<"CreatedEnrichment">> {
  const { query, service, plan } = call;
  const wish = { column: query.get("column"), fillZeros: readZeros(query) };
  const segment = currentSegment(service);
  const release = service.retain(segment);
  try {
    const output = outputOf(call, segment);
    const layout = await readable(() =>
      layouts.run(asked.tenantId, 1, () => readLayout(file.path, wish)),
    );
    refuseOtherFormat(query.get("format"), layout.format);
    refuseTooMany(layout.rows, plan.limits.export_rows, plan.name);
    const spec = specOf(output, layout.format);
    const enrichment = { file, ...wish };
    const accepted =
      replayed(call, asked) ??
      service.exporter.create({ ...asked, segment, spec, rows: layout.rows, enrichment });
    const { record } = accepted;
    const body = {
      request_id: call.requestId,
      snapshot: record.snapshot,
      snapshot_date: record.snapshotDate,
      ...{ column: layout.column, sheet: layout.sheet, rows: layout.rows },
      export: createdJson(record),
    };
    const replay = accepted.replayed ? { "Idempotent-Replayed": "true" } : {};
    const headers = { Location: exportPath(record), ...replay };
    return answer("CreatedEnrichment", body, { status: 201, headers });
  } finally {
    release();
  }
}

/** The spec of the output. It has no filters, because it selects no accounts. */
function specOf(spec: AccountQuerySpec, format: "csv" | "xlsx"): AccountQuerySpec {
  const { fields, labels } = spec.output;
  const people = labels === undefined ? {} : { labels };
  return { ...spec, output: { format, include_explain: false, fields, ...people } };
}

function outputOf(call: CreateCall, segment: ReturnType<typeof currentSegment>): AccountQuerySpec {
  const { query, plan } = call;
  const fields = query.get("fields");
  const labels = query.get("labels");
  const output = {
    ...(fields === undefined ? {} : { fields: fields.split(",") }),
    ...(labels === undefined ? {} : { labels }),
  };
  return readOutput({ members: {}, mistakes: [] }, segment, { plan }, { output, at: "/query" });
}

function refuseOtherFormat(wanted: string | undefined, format: string): void {
  if (wanted === undefined || wanted === format) return;
  const detail = `The file is ${format}, and stays ${format}. Leave format out.`;
  refuseQueryMistakes([queryMistake("format", "unknown_value", detail)]);
}

function refuseTooMany(rows: number, most: number, plan: string): void {
  if (rows <= most) return;
  throw new AppError(
    "plan_not_allowed",
    `The plan ${plan} allows ${most} rows a file, and this one has ${rows}. Split it.`,
  );
}

/** Turns a file that cannot be read into a refusal of the request. */
async function readable<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ColumnRefusal) && !(error instanceof XlsxRefusal)) throw error;
    const detail = error.message;
    const mistake: Mistake = { pointer: "", code: "unreadable_file", detail };
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

/** The route of files. */
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
    "CNPJs is found by its name or content. The export is read, downloaded, and deleted as any " +
    "other. Accounts that are found are charged against the quota of export rows. CSV up to 512 " +
    "MiB, XLSX up to 32 MiB, and 2,000,000 rows. The sent file counts towards export_bytes " +
    "until the export expires or is deleted.",
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
    inQuery("format", "That of the sent file; another one is refused.", Type.Enum(["csv", "xlsx"])),
    inQuery("column", "Header or number of the column, of XLSX its letters too.", Type.String()),
    inQuery(
      "lost_zeros",
      "fill puts back the zeros that numbers have lost in front; refuse reports them.",
      Type.Enum(["fill", "refuse"]),
    ),
  ],
  body: { schema: null, orTypes: { "text/csv": "text", [XLSX]: "bytes" } },
  pieces: FILES,
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
