/**
 * Encoder and decoder of Apache Thrift's compact protocol, as far as Parquet's metadata uses it.
 * Invariant: encoding a decoded struct preserves its meaning, including unknown fields. Types that
 * Parquet's metadata does not use cause an error.
 * Format: thrift-compact-protocol.md of the Apache Thrift specification.
 */

/** Wire types. For a boolean field, the type is its value. */
export const THRIFT = {
  true: 1,
  false: 2,
  i8: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  binary: 8,
  list: 9,
  struct: 12,
} as const;

/** A value; integers of every width are bigints. */
export type ThriftValue = boolean | bigint | Uint8Array | ThriftList | ThriftStruct;

/** A field with its wire type. */
export interface ThriftField {
  readonly type: number;
  readonly value: ThriftValue;
}

/** Fields by their number. */
export type ThriftStruct = Map<number, ThriftField>;

/** A list. If `element` is a struct, items may also be bytes of encoded structs. */
export interface ThriftList {
  readonly element: number;
  readonly items: readonly ThriftValue[];
}

/** Decodes the struct at the start of `bytes`. @throws RangeError if they are damaged. */
export function decodeStruct(bytes: Uint8Array): ThriftStruct {
  return new Decoder(bytes).struct();
}

/** Encodes a struct. Its fields are written in ascending order. */
export function encodeStruct(fields: ThriftStruct): Uint8Array {
  const out: Uint8Array[] = [];
  putStruct(out, fields);
  return Buffer.concat(out);
}

class Decoder {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  struct(): ThriftStruct {
    const fields: ThriftStruct = new Map();
    let number = 0;
    for (let head = this.byte(); head !== 0; head = this.byte()) {
      const type = head & 15;
      number = head >> 4 === 0 ? Number(this.zigzag()) : number + (head >> 4);
      fields.set(number, { type, value: this.value(type) });
    }
    return fields;
  }

  private value(type: number): ThriftValue {
    switch (type) {
      case THRIFT.true:
      case THRIFT.false:
        return type === THRIFT.true;
      case THRIFT.i8:
        return BigInt.asIntN(8, BigInt(this.byte()));
      case THRIFT.i16:
      case THRIFT.i32:
      case THRIFT.i64:
        return this.zigzag();
      case THRIFT.binary:
        return this.take(Number(this.varint()));
      case THRIFT.list:
        return this.list();
      case THRIFT.struct:
        return this.struct();
      default:
        throw new RangeError(`no field of Parquet's metadata has the Thrift type ${type}`);
    }
  }

  private list(): ThriftList {
    const head = this.byte();
    const element = head & 15;
    if (element === THRIFT.true || element === THRIFT.false) {
      throw new RangeError("no list of Parquet's metadata holds booleans");
    }
    const length = head >> 4 === 15 ? Number(this.varint()) : head >> 4;
    return { element, items: Array.from({ length }, () => this.value(element)) };
  }

  private zigzag(): bigint {
    const value = this.varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  private varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new RangeError("a Thrift integer has more than ten bytes");
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new RangeError("a Thrift struct ends too early");
    return byte;
  }

  private take(length: number): Uint8Array {
    const taken = new Uint8Array(this.bytes.subarray(this.at, this.at + length));
    if (taken.length < length) throw new RangeError("a Thrift text ends too early");
    this.at += length;
    return taken;
  }
}

function putStruct(out: Uint8Array[], fields: ThriftStruct): void {
  let last = 0;
  for (const [number, { type, value }] of [...fields].sort(([a], [b]) => a - b)) {
    const delta = number - last;
    if (delta <= 15) out.push(Uint8Array.of((delta << 4) | type));
    else out.push(Uint8Array.of(type), zigzag(BigInt(number)));
    putValue(out, type, value);
    last = number;
  }
  out.push(Uint8Array.of(0));
}

function putValue(out: Uint8Array[], type: number, value: ThriftValue): void {
  if (typeof value === "boolean") return;
  if (typeof value === "bigint") {
    out.push(type === THRIFT.i8 ? Uint8Array.of(Number(value & 255n)) : zigzag(value));
  } else if (value instanceof Uint8Array) {
    if (type === THRIFT.binary) out.push(varint(BigInt(value.length)));
    out.push(value);
  } else if (value instanceof Map) {
    putStruct(out, value);
  } else {
    putList(out, value);
  }
}

function putList(out: Uint8Array[], { element, items }: ThriftList): void {
  const isShort = items.length < 15;
  out.push(Uint8Array.of(((isShort ? items.length : 15) << 4) | element));
  if (!isShort) out.push(varint(BigInt(items.length)));
  for (const item of items) putValue(out, element, item);
}

function zigzag(value: bigint): Uint8Array {
  return varint(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
