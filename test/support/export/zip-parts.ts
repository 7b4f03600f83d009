/**
 * Reads the parts of a zip package and the cells of a sheet, for suites of workbooks. Input: the
 * bytes of a zip, and the XML of a sheet. Output: the zip's parts by path, and the sheet's cells by
 * reference, such as B7, each with its kind and text.
 * Invariant: nothing of the product is used, and only the syntax that tests write is understood.
 */
import { inflateRawSync } from "node:zlib";

/** Maps the path of each part in a package to its content. */
export function zipParts(zip: Buffer): Map<string, string> {
  const parts = new Map<string, string>();
  let at = zip.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  at = zip.readUInt32LE(at + 16);
  while (zip.toString("latin1", at, at + 4) === "PK\u0001\u0002") {
    const [method, packed, nameLength] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
    ];
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(begin, begin + packed);
    parts.set(name, (method === 8 ? inflateRawSync(bytes) : bytes).toString());
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return parts;
}

/** The content of a cell. */
export interface ReadCell {
  readonly kind: "text" | "number";
  readonly text: string;
  readonly style: number;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** Maps the reference of each cell in a sheet, such as B7, to its content. */
export function cellsIn(sheet: string): Map<string, ReadCell> {
  const cells = new Map<string, ReadCell>();
  for (const [, place = "", attributes = "", inner = ""] of sheet.matchAll(
    /<c r="([A-Z]+\d+)"([^>]*)>(.*?)<\/c>/gs,
  )) {
    const style = Number(/ s="(\d+)"/.exec(attributes)?.[1] ?? 0);
    const number = /<v>(.*?)<\/v>/s.exec(inner)?.[1];
    const written = /<t[^>]*>(.*?)<\/t>/s.exec(inner)?.[1] ?? "";
    const text = written
      .replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
      .replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? "");
    cells.set(
      place,
      number === undefined
        ? { kind: "text", text, style }
        : { kind: "number", text: number, style },
    );
  }
  return cells;
}
