/**
 * XML documents of an S3-compatible store. Input: bytes of an answer. Output: rows of a listing, or
 * the code of an error.
 * Invariant: the documents are untrusted. A document that is not well-formed throws `XmlFault`. A
 * row without a required member is skipped.
 * Separate because the client should not depend on parsing.
 */
import { localName, XmlFault, XmlReader } from "../../text/xmlreader.ts";

/** Child elements of one repeated element, by name. */
export type XmlRow = Readonly<Record<string, string>>;

/** A document whose root has plain children, and repeated elements with plain children. */
export interface XmlDocument {
  /** Texts of the root's children. */
  readonly members: XmlRow;
  /** Rows of the repeated element. */
  readonly rows: readonly XmlRow[];
}

/** Reads a document; `repeated` is the name of its repeated element. Throws `XmlFault`. */
export function readStoreXml(bytes: Buffer, repeated = ""): XmlDocument {
  const members: Record<string, string> = {};
  const rows: Record<string, string>[] = [];
  const path: string[] = [];
  let text = "";
  const reader = new XmlReader({
    open: (name) => {
      path.push(localName(name));
      text = "";
      if (path.length === 2 && path[1] === repeated) rows.push({});
    },
    text: (more) => {
      text += more;
    },
    close: () => {
      const [, parent, name] = path;
      if (path.length === 2 && parent !== undefined) members[parent] = text;
      const row = rows.at(-1);
      if (path.length === 3 && parent === repeated && name !== undefined && row !== undefined) {
        row[name] = text;
      }
      path.pop();
      text = "";
    },
  });
  reader.add(bytes);
  reader.end();
  return { members, rows };
}

/** Returns the code of an error document, or "" if the bytes are not one. */
export function errorCodeIn(bytes: Buffer): string {
  try {
    return readStoreXml(bytes).members.Code ?? "";
  } catch (error) {
    if (error instanceof XmlFault) return "";
    throw error;
  }
}
