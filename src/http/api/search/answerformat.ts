/**
 * The format of an answer that may be a file: what `Accept` prefers.
 * Invariant: JSON, unless a file's own type is named with a greater weight, so that clients that
 * accept anything get JSON.
 */
import { AppError } from "../../../errors.ts";
import { FORMATS } from "../../../export/formats/format.ts";

/** Formats of a file. */
export type FileFormat = "csv" | "xlsx";

/** Media types with their parameters. */
export const CONTENT_TYPES = {
  csv: FORMATS.csv.contentType,
  xlsx: FORMATS.xlsx.contentType,
} as const;

/** Media types of answers as files, without parameters. */
export const FILE_TYPES = Object.values(CONTENT_TYPES).map((type) => type.split(";")[0] as string);

/** Returns the format that a client prefers. Agents and the console have no headers. */
export function wantedFormat(call: object): FileFormat | "json" {
  const request = call as Partial<{ header(name: "accept"): string | undefined }>;
  const accept = request.header?.("accept") ?? "";
  let best: FileFormat | "json" = "json";
  let weight = 0;
  for (const range of accept.toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((one) => one.startsWith("q="))?.slice(2);
    const own = quality === undefined ? 1 : Number(quality);
    const format = formatOf(type);
    if (format === null || !(own > weight)) continue;
    [best, weight] = [format, own];
  }
  return best;
}

function formatOf(type: string): FileFormat | "json" | null {
  if (type === FILE_TYPES[0]) return "csv";
  if (type === FILE_TYPES[1]) return "xlsx";
  return ["application/json", "application/*", "*/*"].includes(type) ? "json" : null;
}

/** Returns the error for a member that only files have. */
export function notOfJson(member: "labels" | "layout"): AppError {
  const detail = `${member} needs a file: send Accept: ${FILE_TYPES.join(" or ")}.`;
  const errors = [{ pointer: `/${member}`, code: "not_with_json", detail }];
  return new AppError("invalid_request", detail, { errors });
}
