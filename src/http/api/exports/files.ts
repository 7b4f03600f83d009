/**
 * `GET /files/{name}`: the file of an export, for the holder of its signed link. Input: a link, and
 * conditions or a range (RFC 9110, sections 13 and 14). Output: the file, a part, or an error.
 * Invariant: without a valid link, the response does not reveal whether an export exists. The state
 * is read on each request, so a link ends with its export. A file that differs from its record is
 * never sent. Headers that cannot be parsed are ignored. A request for several ranges gets the
 * whole file, which RFC 9110 always allows.
 */
import Type from "typebox";
import { AppError } from "../../../errors.ts";
import { FilesUnavailable, type OpenedFile } from "../../../export/files/exportfiles.ts";
import { dispositionOf } from "../../../export/files/filename.ts";
import { checkLink, filePathOf, LINK_SECONDS } from "../../../export/files/links.ts";
import { COMPRESSED, contentTypeOf, FORMATS } from "../../../export/formats/format.ts";
import { type ExportRecord, exportNotFound } from "../../../export/record.ts";
import { describeError } from "../../../process/log.ts";
import { EXPORT_FORMATS } from "../../../spec/fields.ts";
import { wordFor } from "../../../text/amounts.ts";
import { acquireStreamSlot } from "../../server/admission.ts";
import { type HttpAnswer, hasTag } from "../../server/respond.ts";
import type { Call } from "../../server/service.ts";
import type { FileSlice, RemoteSlice } from "../../server/transport/answer-body.ts";
import { type ApiRoute, IF_NONE_MATCH, route } from "../route.ts";
import { EXPORT_STATE_ERRORS, refuseExpired, refuseUnfinished } from "./export-record.ts";

/** Retry-After in seconds if the object store does not answer. */
const RETRY_SECONDS = 10;

/** `<export_id>.<extension>`, with an optional compression suffix. */
const FILE_NAME = /^(exp_[0-9a-f]{32})\.[a-z]+(?:\.[a-z]+)?$/;

/** Content policy of HTML files: no scripts, forms, or external content. */
const HTML_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

const NOT_STORED = { "Cache-Control": "private, no-store" };

type Finished = ExportRecord & { readonly sizeBytes: number; readonly sha256: string };

/** Media types of the files, without parameters. */
const FILE_TYPES = [
  ...EXPORT_FORMATS.map((format) => FORMATS[format]),
  ...Object.values(COMPRESSED),
].map(({ contentType }) => contentType.split(";")[0] ?? "");

/** The file route. */
export const FILE_ROUTES: readonly ApiRoute[] = [
  route({
    method: "GET",
    path: "/files/{name}",
    access: "open",
    query: "any",
    id: "readFile",
    tag: "exports",
    summary: "Read the file of an export",
    description: "Needs a signed link and no key. Understands Range, If-Range and If-None-Match.",
    parameters: [
      {
        name: "name",
        in: "path",
        required: true,
        description: "Name of the file.",
        schema: Type.String(),
      },
      {
        name: "expires",
        in: "query",
        required: true,
        description: "Seconds since 1970; comes first.",
        schema: Type.Integer(),
      },
      {
        name: "signature",
        in: "query",
        required: true,
        description: "Comes second.",
        schema: Type.String(),
      },
      {
        name: "Range",
        in: "header",
        required: false,
        description: "One range of bytes; with several the whole file is sent.",
        schema: Type.String(),
      },
      {
        name: "If-Range",
        in: "header",
        required: false,
        description: "ETag of an earlier answer; the whole file is sent when it has changed.",
        schema: Type.String(),
      },
      IF_NONE_MATCH,
    ],
    answers: {
      200: {
        description: "The file.",
        schema: null,
        types: FILE_TYPES,
        headers: ["ETag", "Accept-Ranges", "Content-Disposition"],
      },
      206: {
        description: "The wanted bytes of it.",
        schema: null,
        types: FILE_TYPES,
        headers: ["ETag", "Accept-Ranges", "Content-Range", "Content-Disposition"],
      },
      307: {
        description: "The file is on a store. The address reads it for five minutes at most.",
        schema: null,
        types: [],
        headers: ["Location"],
      },
      304: { description: "The file is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: [
      "link_invalid",
      "link_expired",
      "authentication_disabled",
      "range_not_satisfiable",
      "rate_limited",
      "files_unavailable",
      ...EXPORT_STATE_ERRORS,
    ],
    handle: downloadFile,
  }),
];

function downloadFile(
  call: Call<"clock" | "exporter" | "keyring" | "log" | "secrets" | "streams">,
): HttpAnswer | Promise<HttpAnswer> {
  const { clock, secrets } = call.service;
  checkLink(call.path, call.rawQuery, { nowMs: clock.nowMs(), secrets: secrets.link });
  const record = finished(call);
  const wanted = wantedIn(call, record);
  const shared = { ETag: tagOf(record), ...NOT_STORED };
  if (wanted === "unchanged") return { status: 304, type: "", body: "", headers: shared };
  if (wanted === "unsatisfiable") throw outside(record);
  return openFile(call, record, wanted).then((opened) => {
    if (call.method === "GET") call.service.exporter.claim(record);
    if (typeof opened === "string") {
      return { status: 307, type: "", body: "", headers: { ...NOT_STORED, Location: opened } };
    }
    const headers = { ...shared, ...headersFor(record, wanted) };
    const status = wanted === "whole" ? 200 : 206;
    return { status, type: contentTypeOf(record), headers, body: opened };
  });
}

/** Returns the export of a valid link. Throws if its file is not available. */
function finished(call: Call<"exporter" | "keyring">): Finished {
  const [, id] = FILE_NAME.exec(call.params.name ?? "") ?? [];
  const record = id === undefined ? undefined : call.service.exporter.find(id);
  if (record === undefined || filePathOf(record) !== call.path) throw exportNotFound();
  if (!call.service.keyring.tenantWorks(record.tenantId)) {
    const detail = "The tenant of this export was disabled.";
    throw new AppError("authentication_disabled", detail);
  }
  refuseExpired(record);
  refuseUnfinished(record);
  const { sizeBytes, sha256 } = record;
  if (sizeBytes === null || sha256 === null) throw new Error("a done export has size and hash");
  return { ...record, sizeBytes, sha256 };
}

function tagOf({ sha256 }: Finished): string {
  return `"${sha256}"`;
}

/** Ranges are defined for GET only (RFC 9110, section 14.2). */
function wantedIn(call: Call, record: Finished): Wanted {
  const conditions = {
    ifNoneMatch: call.header("if-none-match"),
    ifRange: call.header("if-range"),
    range: call.method === "GET" ? call.header("range") : undefined,
  };
  return wantedOf(conditions, { tag: tagOf(record), size: record.sizeBytes });
}

function headersFor(record: Finished, wanted: ByteRange | "whole"): Record<string, string> {
  const headers: Record<string, string> = {
    "Accept-Ranges": "bytes",
    "Content-Disposition": dispositionOf(record),
  };
  if (wanted !== "whole") {
    const last = wanted.offset + wanted.length - 1;
    headers["Content-Range"] = `bytes ${wanted.offset}-${last}/${record.sizeBytes}`;
  }
  if (record.format === "html" && record.compression === null)
    headers["Content-Security-Policy"] = HTML_POLICY;
  return headers;
}

function outside({ sizeBytes }: Finished): AppError {
  return new AppError(
    "range_not_satisfiable",
    `The file has ${sizeBytes} ${wordFor(sizeBytes, "byte")}.`,
    {
      headers: { "Accept-Ranges": "bytes", "Content-Range": `bytes */${sizeBytes}` },
    },
  );
}

type FileCall = Call<"clock" | "exporter" | "keyring" | "log" | "streams">;

/** Opens the requested bytes, or returns the address at the object store for a redirect. */
async function openFile(
  call: FileCall,
  record: Finished,
  wanted: ByteRange | "whole",
): Promise<FileSlice | RemoteSlice | string> {
  const { log, streams } = call.service;
  const range = wanted === "whole" ? { offset: 0, length: record.sizeBytes } : wanted;
  const done = acquireStreamSlot(streams, record.tenantId);
  const opened = await openRecorded(call, record, range).catch((error) => {
    done();
    throw error;
  });
  const details = { request_id: call.requestId, export_id: record.id };
  log.info({ ...details, tenant_id: record.tenantId, ...range }, "download begun");
  const failed = (error: Error) => {
    log.error({ ...details, ...describeError(error) }, "download cut: its file cannot be read");
  };
  if (opened.kind === "disk") return { descriptor: opened.descriptor, ...range, failed, done };
  if (opened.kind === "stream") {
    return { bytes: opened.bytes, length: range.length, failed, done };
  }
  done();
  return opened.address;
}

/** Opens the file. Throws if it is not available. */
async function openRecorded(
  call: FileCall,
  record: Finished,
  range: ByteRange,
): Promise<OpenedFile> {
  const { exporter, clock } = call.service;
  const disposition = dispositionOf(record);
  const method = call.method === "HEAD" ? "HEAD" : "GET";
  const type = contentTypeOf(record);
  const seconds = secondsLeft(record, clock.nowMs());
  try {
    return await exporter.openFile(record, { method, ...range, type, disposition, seconds });
  } catch (error) {
    // Throws the specific error if the export has expired or was deleted in the meantime.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") finished(call);
    if (!(error instanceof FilesUnavailable)) throw error;
    const detail = "The store of the files does not answer. The file is not lost: try again later.";
    const headers = { "Retry-After": String(RETRY_SECONDS) };
    throw new AppError("files_unavailable", detail, { headers, cause: error });
  }
}

/**
 * Returns the seconds for which an address at the object store is valid. It is valid until the
 * export expires, but no longer than a signed link of this server.
 */
function secondsLeft({ expiresAtMs }: Finished, nowMs: number): number {
  const leftMs = expiresAtMs === null ? Number.POSITIVE_INFINITY : expiresAtMs - nowMs;
  return Math.max(1, Math.min(LINK_SECONDS, Math.floor(leftMs / 1_000)));
}

interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Decision about the response. */
type Wanted = ByteRange | "whole" | "unchanged" | "unsatisfiable";

/** Headers that determine which part is sent. Undefined if the client did not send them. */
interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifRange: string | undefined;
  readonly range: string | undefined;
}

/** Decides which part of a file with a strong tag to send. */
function wantedOf({ ifNoneMatch, ifRange, range }: Conditions, file: File): Wanted {
  if (ifNoneMatch !== undefined && hasTag(ifNoneMatch, file.tag)) return "unchanged";
  if (range === undefined) return "whole";
  // If-Range has a date, a weak tag, or another tag. The part that the client already has may
  // belong to another file, so the whole file is sent.
  if (ifRange !== undefined && ifRange.trim() !== file.tag) return "whole";
  return rangeOf(range, file.size);
}

interface File {
  /** Strong entity tag with its quotes. */
  readonly tag: string;
  /** In bytes. */
  readonly size: number;
}

/** Reads `bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-COUNT`. */
function rangeOf(header: string, size: number): ByteRange | "whole" | "unsatisfiable" {
  const [, first, last] = /^\s*bytes=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return "whole";
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  const end = last === "" ? Number.POSITIVE_INFINITY : Number(last);
  if (end < offset) return "whole";
  if (offset >= size) return "unsatisfiable";
  return { offset, length: Math.min(end, size - 1) - offset + 1 };
}
