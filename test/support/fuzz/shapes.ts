/**
 * Makes JSON values for the fuzzer: values that fit a schema of the OpenAPI document, and
 * texts that are close to valid.
 * Invariant: the same choices produce the same values. A value of `shaped` fits its schema, and a
 * changed or corrupted one need not.
 */
import fc from "fast-check";
import { DOCUMENT } from "../http/documented.ts";
import type { Draw } from "../spec/random.ts";

/** The JSON Schema parts that the document uses. */
export interface Shape {
  readonly $ref?: string;
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
}

/** Texts that replace valid ones: ids, names, and parts of paths. */
export const JUNK = [
  ...["", "x", "%2f", "%00", "..", "%zz", "%C3%A7", "a".repeat(500), "exp_", "'--", "{id}"],
];

const texts = new Map<string, readonly string[]>();

/** Returns texts that match a pattern. They are cached, because generating them is slow. */
function textsOf(pattern: string): readonly string[] {
  const known = texts.get(pattern);
  if (known !== undefined) return known;
  const made = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: 1, numRuns: 40 });
  texts.set(pattern, made);
  return made;
}

/** A value that fits a schema. */
export function shaped(draw: Draw, shape: Shape): unknown {
  if (shape.$ref !== undefined) return shaped(draw, resolved(shape.$ref));
  if (shape.anyOf !== undefined) return shaped(draw, draw.of(shape.anyOf));
  if (shape.enum !== undefined) return draw.of(shape.enum);
  if (shape.const !== undefined) return shape.const;
  if (shape.type === "object") return shapedObject(draw, shape);
  if (shape.type === "array") {
    const length = Math.min(draw.below(4), shape.maxItems ?? 3);
    return Array.from({ length }, () => shaped(draw, shape.items ?? {}));
  }
  return shapedScalar(draw, shape);
}

function shapedObject(draw: Draw, { properties = {}, required = [] }: Shape): object {
  const names = Object.keys(properties).filter((name) => {
    return required.includes(name) || draw.chance(0.3);
  });
  return Object.fromEntries(names.map((name) => [name, shaped(draw, properties[name] as Shape)]));
}

function shapedScalar(draw: Draw, { type, pattern, minimum = 0, maximum = 1e6 }: Shape): unknown {
  if (type === "null") return null;
  if (type === "boolean") return draw.chance(0.5);
  if (type === "integer") return draw.of([minimum, maximum, minimum + draw.below(50)]);
  if (type === "number") return draw.of([minimum, maximum, minimum + draw.below(100) / 4]);
  if (type === "string" && pattern !== undefined) return draw.of(textsOf(pattern));
  return draw.of([
    "SP",
    "MG",
    "5611-2/01",
    "47",
    "padaria do ze",
    "3550308",
    "",
    "\u00e9\u{1f35e}",
  ]);
}

function resolved(reference: string): Shape {
  let value: unknown = DOCUMENT;
  for (const name of reference.slice(2).split("/"))
    value = (value as Record<string, unknown>)[name];
  return value as Shape;
}

const ODD: readonly unknown[] = [
  ...[null, true, false, 0, -1, 0.5, 1e308, -1e-7, 2 ** 53, "", "x", [], {}, [null], [[]]],
  ...["0", "=1+1", "SP\u0000", "\ud800", "\u202e", "x".repeat(300), "constructor", "XX"],
  ...[{ $ref: "#" }, { length: 1 }, ["SP", "SP"], Array(50).fill("SP"), Array(20).fill(7)],
];

/** Changes one place of a value, or adds a member. */
export function changed(draw: Draw, value: unknown): unknown {
  if (typeof value !== "object" || value === null || draw.chance(0.15)) return draw.of(ODD);
  const names = Object.keys(value);
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const name = names.length === 0 || draw.chance(0.15) ? draw.of(MEMBERS) : draw.of(names);
  if (Array.isArray(value)) (copy as unknown as unknown[]).push(draw.of(ODD));
  else if (draw.chance(0.1)) delete copy[name];
  else copy[name] = changed(draw, copy[name]);
  return copy;
}

const MEMBERS = [
  "nope",
  "limit",
  "spec",
  "cursor",
  "output",
  "toString",
  "facets",
  "x".repeat(400),
];

/** Functions that corrupt a JSON text. Each returns the bytes to send. */
const CORRUPTIONS: readonly ((draw: Draw, text: string) => string | Buffer)[] = [
  (draw, text) => text.slice(0, draw.below(text.length)),
  (draw, text) => text + draw.of([" ", "\n\n", "x", "{}", ",", "\u0000", "}"]),
  (_, text) => text.replace("{", '{"spec":{},'),
  (_, text) => text.replace("{", '{"__proto__":{"a":1},'),
  (_, text) => text.replace("{", '{"a":1,"\\u0061":2,'),
  (draw, text) => text.replace(/\d+/, draw.of(["1e999", "-0", "01", "1.", "+1", "0x1", "NaN"])),
  (draw, text) => text.replace(/\d+/, "9".repeat(1 + draw.below(400))),
  (draw, text) => text.replace(/"[^"]*"/, draw.of(['"\\ud800"', '"\\x"', '"\t"', "'a'", '"a'])),
  (draw, text) => text.replace(/\[/, "[".repeat(1 + draw.below(60))),
  (draw, text) => `${'{"spec":'.repeat(draw.below(80))}${text}`,
  (_, text) => Buffer.from(`\ufeff${text}`),
  (_, text) => Buffer.from(text, "utf16le"),
  (_, text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])]),
  (_, text) => Buffer.from(text.replace(/"[^"]*"/, '"\u00e9"'), "latin1"),
  (draw, text) => {
    const bytes = Buffer.from(text);
    const at = draw.below(bytes.length);
    bytes.writeUInt8(draw.below(256), at);
    return bytes;
  },
];

/** Returns the JSON text of a value, corrupted in one way. */
export function corrupted(draw: Draw, value: unknown): Buffer {
  const text = JSON.stringify(value) ?? "{}";
  return Buffer.from(draw.of(CORRUPTIONS)(draw, text === "" ? " " : text));
}
