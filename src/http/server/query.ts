/**
 * The query of an address. What comes in: its raw text and the parameters that a route knows. What
 * goes out: their values, or one error with every mistake.
 * Invariant: nothing in a query is ignored: each known parameter stands there at most once, each
 * other one is a mistake that names what is known.
 */
import { AppError, type Mistake } from "../../errors.ts";
import { pointerToken, shown } from "../../spec/reader.ts";

/** Longest part of a parameter's name that a pointer repeats. */
const NAME_SHOWN_MAX = 256;

/** A mistake at a query parameter; its pointer is `/query/<name>`. */
export function queryMistake(name: string, code: string, detail: string): Mistake {
  return { pointer: `/query/${pointerToken(name.slice(0, NAME_SHOWN_MAX))}`, code, detail };
}

/** A mistake at a header; its pointer is `/header/<name>`, the name in lower case. */
export function headerMistake(name: string, code: string, detail: string): Mistake {
  return { pointer: `/header/${name}`, code, detail };
}

/** Throws `invalid_request` with mistakes at query parameters, unless there are none. */
export function refuseQueryMistakes(errors: readonly Mistake[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const rest = errors.length > 1 ? ` There are ${errors.length} mistakes; see errors.` : "";
  throw new AppError("invalid_request", `${first.detail}${rest}`, { errors });
}

/** Reads a whole number in its one usual spelling; undefined where it is missing or wrong. */
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
 * Percent-decoded values by name; `+` stands for itself. Throws `invalid_request` for what is
 * unknown, repeated or cannot be decoded.
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

/** Percent-decodes; null where that is not possible. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
