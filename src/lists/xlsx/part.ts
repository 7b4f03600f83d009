/**
 * Reads one part of a workbook.
 * Invariant: a part that is not XML is refused by its place; prefixes do not count, because
 * programs choose them freely.
 */
import { localName, type XmlAttributes, XmlFault, XmlReader } from "../../text/xmlreader.ts";
import { XlsxRefusal } from "./refusal.ts";

/** Receives what a part holds; names of elements are without their prefixes. */
export interface PartTaker {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text(text: string): void;
}

/** Parses one part. */
export class PartReader {
  readonly #place: string;
  readonly #reader: XmlReader;

  /** `place` is named where something is wrong. */
  constructor(place: string, taker: PartTaker) {
    this.#place = place;
    this.#reader = new XmlReader({
      open: (name, attributes) => taker.open(localName(name), attributes),
      close: (name) => taker.close(localName(name)),
      text: (text) => taker.text(text),
    });
  }

  /** Parses a chunk. Throws `XlsxRefusal`. */
  add(chunk: Buffer): void {
    this.#refusing(() => this.#reader.add(chunk));
  }

  /** Ends the part. Throws `XlsxRefusal` if something is left open. */
  end(): void {
    this.#refusing(() => this.#reader.end());
  }

  #refusing(parse: () => void): void {
    try {
      parse();
    } catch (error) {
      throw error instanceof XmlFault ? new XlsxRefusal(this.#place, error.message) : error;
    }
  }
}

/** The value of an attribute, whatever its prefix. */
export function attributeOf(attributes: XmlAttributes, name: string): string | undefined {
  const value = attributes[name];
  if (value !== undefined) return value;
  const prefixed = Object.keys(attributes).find((one) => localName(one) === name);
  return prefixed === undefined ? undefined : attributes[prefixed];
}

/** Replaces what Excel writes as `_x000D_` by the character that it stands for. */
export function textOf(written: string): string {
  if (!written.includes("_x")) return written;
  return written.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
