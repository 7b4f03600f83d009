/**
 * Who has a phone or an e-mail. Input: values in the normal form of a spec. Output: their rows.
 * Invariant: exact: the rows are those whose phones or e-mail, in lower case, are among the values.
 */
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import { keptRows } from "./keptrows.ts";
import type { Segment } from "./segment.ts";

/** Returns the rows one of whose phones is among these, such as +5511987654321. */
export function phoneRows(segment: Segment, phones: readonly string[]): NativeRowList {
  return keptRows(segment, `phones ${phones.join()}`, () =>
    segment.native.phoneRows(Float64Array.from(phones, (phone) => Number(phone.slice(1)))),
  );
}

/** Returns the rows whose e-mail is among these. */
export function emailRows(segment: Segment, emails: readonly string[]): NativeRowList {
  return keptRows(segment, `emails ${emails.join(" ")}`, () => segment.native.emailRows(emails));
}
