/**
 * Parses query strings. Input: the raw text and the parameters of a route. Output: their values, or
 * one error with every mistake.
 * Invariant: each known parameter occurs at most once. Unknown parameters are mistakes, never
 * ignored.
 */
import { AppError, type Mistake } from "../../errors.ts";
import { pointerToken, shown } from "../../spec/reader.ts";

/** Maximum length of a parameter's name in a pointer. */
const NAME_SHOWN_MAX = 256;

/** Returns a mistake at a query parameter. Its pointer is `/query/<name>`. */
export function queryMistake(name: string, code: string, detail: string): Mistake {
  return { pointer: `/query/${pointerToken(name.slice(0, NAME_SHOWN_MAX))}`, code, detail };
}

/** Returns a mistake at a header. Its pointer is `/header/<name>`, in lower case. */
export function headerMistake(name: string, code: string, detail: string): Mistake {
  return { pointer: `/header/${name}`, code, detail };
}

/** Throws `invalid_request` if there are mistakes at query parameters. */
export function refuseQueryMistakes(errors: readonly Mistake[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const rest = errors.length > 1 ? ` There are ${errors.length} mistakes; see errors.` : "";
  throw new AppError("invalid_request", `${first.detail}${rest}`, { errors });
}

/** Parses an integer in canonical form. Returns undefined if it is missing or invalid. */
export function readWhole(
  query: ReadonlyMap<string, string>,
  name: string,
  [min, max]: readonly [min: number, max: number],
  mistakes: Mistake[],
): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const value = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const detail = `The query parameter ${name} must be a whole number from ${min} to ${max}.`;
  mistakes.push(queryMistake(name, "out_of_range", detail));
  return undefined;
}

/**
 * Returns percent-decoded values by name, where `+` is literal. Throws `invalid_request` for
 * unknown, repeated, or undecodable parameters.
 */
export function readQuery(raw: string, known: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  if (raw === "") return values;
  const mistakes: Mistake[] = [];
  for (const part of raw.split("&")) {
    const equals = part.indexOf("=");
    const name = decoded(equals < 0 ? part : part.slice(0, equals));
    const value = decoded(equals < 0 ? "" : part.slice(equals + 1));
    if (name === null || value === null) {
      const detail = "The query of the address is not percent-encoded UTF-8.";
      mistakes.push(queryMistake(name ?? "", "wrong_encoding", detail));
    } else if (!known.includes(name)) {
      mistakes.push(queryMistake(name, "unknown_parameter", unknown(name, known)));
    } else if (values.has(name)) {
      const detail = `The query parameter ${name} is there twice. Send it once.`;
      mistakes.push(queryMistake(name, "duplicate", detail));
    } else {
      values.set(name, value);
    }
  }
  refuseQueryMistakes(mistakes);
  return values;
}

function unknown(name: string, known: readonly string[]): string {
  return known.length === 0
    ? `Leave out the query parameter ${shown(name)}: this address knows no query parameters.`
    : `There is no query parameter ${shown(name)} here; known are ${known.join(", ")}.`;
}

/** Percent-decodes; returns null on failure. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
