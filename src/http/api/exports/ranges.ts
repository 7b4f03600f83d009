/**
 * Conditions and ranges of a request for a file (RFC 9110, sections 13 and 14). What comes in: the
 * request's headers, the tag and size of the file. What goes out: what is to be sent.
 * Invariant: a header that cannot be understood is as if it were not there, so that the whole file
 * is sent; more than one range is answered by the whole file too, which is always right. Apart
 * because a standard is to be read beside its text.
 */
import { hasTag } from "../../server/respond.ts";

/** Bytes of a file: the first and how many. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** What a request is to be answered with. */
export type Wanted = ByteRange | "whole" | "unchanged" | "unsatisfiable";

/** The headers that decide; undefined where one was not sent. */
interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifRange: string | undefined;
  readonly range: string | undefined;
}

/** Decides what to send of a file with a strong tag. */
export function wantedOf({ ifNoneMatch, ifRange, range }: Conditions, file: File): Wanted {
  if (ifNoneMatch !== undefined && hasTag(ifNoneMatch, file.tag)) return "unchanged";
  if (range === undefined) return "whole";
  // A date, a weak tag or another one: the client's part may be of another file.
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
