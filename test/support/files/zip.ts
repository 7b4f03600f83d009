/**
 * Makes a small zip from contents by entry name, in the given order. A name that ends in `/` is a
 * folder.
 * Invariant: entries are deflated. The checksums in the directory are right, except those that the
 * test gives.
 */
import { deflateRawSync } from "node:zlib";
import { crc32 } from "../../../src/dump/crc32.ts";

/** Returns the bytes of a zip. `checksums` replace the computed ones. */
export function zipOf(
  contents: Readonly<Record<string, string | Uint8Array>>,
  checksums: Readonly<Record<string, number>> = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(contents)) {
    const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content;
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(checksums[name] ?? crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, Buffer.from(name)]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const made = Buffer.from([20, 0]);
    const sign = Buffer.from("PK\x01\x02", "latin1");
    directory.push(Buffer.concat([sign, made, fields, rest, Buffer.from(name)]));
    locals.push(local, packed);
    offset += local.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listed, end]);
}
