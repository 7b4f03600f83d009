/**
 * Reads the XML listings of shares.
 * Invariant: what is not well-formed, has a document type, or nests deeper than a listing does is
 * refused as `ListingFault`, never guessed.
 */
import { XmlFault, type XmlHandler, XmlReader } from "../../text/xmlreader.ts";

/** Why a text is no listing. */
export class ListingFault extends Error {}

/** Parses a listing nested at most `depthMax` deep. @throws ListingFault naming what is wrong. */
export function scanXml(text: string, handler: XmlHandler, depthMax: number): void {
  const reader = new XmlReader(handler, depthMax);
  try {
    // Some servers begin with an empty line, which XML does not allow.
    reader.add(Buffer.from(text.trimStart()));
    reader.end();
  } catch (error) {
    throw error instanceof XmlFault ? new ListingFault(error.message) : error;
  }
}
