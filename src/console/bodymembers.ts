/**
 * Reads request bodies of changes in the console, member by member.
 * Invariant: all mistakes of a body are reported together, each with its pointer. A value is
 * accepted as it is or refused, never cut or completed.
 */
import { AppError } from "../errors.ts";
import { type BodyObject, readBody } from "../http/server/body.ts";
import type { Call } from "../http/server/service.ts";
import { shown } from "../spec/reader.ts";
import { readGivenName } from "../text/givenname.ts";

/** Maximum length of any name, in code points, as for keys and tenants. */
const NAME_MAX = 100;

/** Reads the body and its allowed members; an empty body is accepted if none are allowed. */
export function membersOf({ body }: Call, known: readonly string[]): BodyObject {
  if (known.length === 0 && body.byteLength === 0) return { members: {}, mistakes: [] };
  return readBody(body, known);
}

/** Notes a mistake at a member. */
export function refuse(body: BodyObject, member: string, detail: string): void {
  const code = body.members[member] === undefined ? "missing" : "invalid_value";
  body.mistakes.push({ pointer: `/${member}`, code, detail });
}

/** Reads a name of 1 to 100 visible characters, trimmed of spaces. */
export function readName(body: BodyObject, member: string): string {
  const value = body.members[member];
  const read = readGivenName(typeof value === "string" ? value : "", member, NAME_MAX);
  if ("name" in read) return read.name;
  refuse(body, member, read.detail);
  return "";
}

/** Reads a whole number from `min` to `max`; null if it is missing or null. */
export function readWhole(
  body: BodyObject,
  member: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | null {
  const value = body.members[member];
  if (value === undefined || value === null) return null;
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) {
    return value as number;
  }
  const bounds = `from ${min} to ${max}`;
  refuse(body, member, `${member} must be a whole number ${bounds}, not ${shown(value)}.`);
  return null;
}

/** Reads a non-empty text. Messages about mistakes never repeat it, because it may be a secret. */
export function readText(body: BodyObject, member: string, lengthMax: number): string {
  const value = body.members[member];
  if (typeof value === "string" && value !== "" && value.length <= lengthMax) return value;
  refuse(body, member, `${member} must be a text of 1 to ${lengthMax} characters.`);
  return "";
}

/** Reads one of some words; null if missing. */
export function readChoice<Word extends string>(
  body: BodyObject,
  member: string,
  words: readonly Word[],
): Word | null {
  const value = body.members[member];
  if (value === undefined) return null;
  const word = words.find((one) => one === value);
  if (word !== undefined) return word;
  refuse(body, member, `${member} must be ${words.join(" or ")}, not ${shown(value)}.`);
  return null;
}

/** Throws `invalid_request` with all mistakes, if there are any. */
export function refuseMistakes({ mistakes }: BodyObject): void {
  const [first] = mistakes;
  if (first === undefined) return;
  const rest = mistakes.length > 1 ? ` There are ${mistakes.length} mistakes; see errors.` : "";
  throw new AppError("invalid_request", `${first.detail}${rest}`, { errors: mistakes });
}
