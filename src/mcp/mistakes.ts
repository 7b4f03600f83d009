/**
 * Mistakes in tool arguments. Input: the arguments, and the HTTP handler's errors about the
 * body that was built from them. Output: one error for a model, with every mistake at its argument.
 * Invariant: no argument is ignored; pointers refer to the arguments, never to the body.
 */

import { AppError, type Mistake } from "../errors.ts";
import { type JsonObject, pointerToken, shown } from "../spec/reader.ts";
import { wordFor } from "../text/amounts.ts";

/** Maximum length of an unknown argument's name in a pointer. */
const NAME_SHOWN_MAX = 64;
/** Maximum number of mistakes that are reported. Models do not fix more in one step. */
const SHOWN_MAX = 20;

/** Remedies for errors, in terms of tool calls. */
const FIXES: Readonly<Record<string, string>> = {
  cursor_mismatch:
    "The cursor belongs to another call. Repeat filters, sort, scoring and fields of the call " +
    "whose next_cursor it is, or begin again without a cursor.",
  invalid_cursor: "Send next_cursor of the last answer unchanged, or no cursor.",
  idempotency_key_reused:
    "The idempotency_key, or that of the same call before, belongs to an export that is another " +
    "one or was deleted. Send a new idempotency_key.",
  export_expired:
    "The time of this export is over and its file is gone. To have it made again, send an " +
    "idempotency_key of your own.",
};

/** Returns mistakes for unknown arguments. */
export function unknownArguments(sent: JsonObject, known: readonly string[]): Mistake[] {
  const unknown = Object.keys(sent).filter((name) => !known.includes(name));
  return unknown.map((name) => ({
    pointer: `/${pointerToken(name.slice(0, NAME_SHOWN_MAX))}`,
    code: "unknown_argument",
    detail: `There is no argument ${shown(name)}; known are ${known.join(", ")}.`,
  }));
}

/** Returns true if an argument is missing or an integer within bounds; else notes a mistake. */
export function isWhole(
  sent: JsonObject,
  name: string,
  [min, max]: readonly [min: number, max: number],
  mistakes: Mistake[],
): boolean {
  const value = sent[name];
  if (value === undefined) return true;
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return true;
  const detail = `Must be a whole number from ${min} to ${max}, not ${shown(value)}.`;
  mistakes.push({ pointer: `/${name}`, code: "out_of_range", detail });
  return false;
}

/**
 * Runs a handler. `own` are the mistakes found before. Throws one error with these and the mistakes
 * of the handler. If there are earlier mistakes, the result of `work` is discarded, so `work` must
 * change nothing.
 */
export async function withArgumentMistakes<Value>(
  own: readonly Mistake[],
  work: () => Value | Promise<Value>,
): Promise<Value> {
  let failure: AppError | null = null;
  try {
    const value = await work();
    if (own.length === 0) return value;
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 422) throw error;
    failure = error;
  }
  const found = (failure?.errors ?? []).map((one) => ({ ...one, pointer: placed(one.pointer) }));
  const code = own.length > 0 || failure === null ? "invalid_request" : failure.code;
  const detail = failure?.message ?? own[0]?.detail ?? "";
  const members = failure?.members ?? {};
  throw new AppError(code, detail, { errors: [...own, ...found], members });
}

/** Converts a pointer into a body to a pointer to the argument. */
function placed(pointer: string): string {
  const within = pointer.replace(/^\/(spec\/output|spec|output|path|query|header)(?=\/|$)/, "");
  return within.replace("idempotency-key", "idempotency_key");
}

/** Returns an error as text that helps a model correct it. */
export function failureText({ code, message, errors, members }: AppError): string {
  const remedy = FIXES[code];
  if (remedy !== undefined || errors.length === 0) return `${code}: ${remedy ?? message}`;
  const alternatives = errors.filter((one) => one.code === ALTERNATIVE).map(placeOf);
  const others = errors.filter((one) => one.code !== ALTERNATIVE);
  const lines = others.slice(0, SHOWN_MAX).map((one) => {
    return `- ${placeOf(one)} (${one.code}): ${one.detail}`;
  });
  const more = others.length - lines.length;
  if (more > 0) lines.push(`- and ${more} more`);
  if (alternatives.length > 0) {
    const matches =
      "matches" in members
        ? `; ${members.matches} ${wordFor(Number(members.matches), "account")} would match`
        : "";
    lines.push(
      "- the filters name no activity, no words of a name, no place, no phone and no e-mail" +
        `${matches}. Add one of ${alternatives.join(", ")}`,
    );
  }
  return `${code}: nothing was done. Mend the arguments and call again:\n${lines.join("\n")}`;
}

/** Code of mistakes of which only one must be fixed. */
const ALTERNATIVE = "missing_filter";

function placeOf({ pointer }: Mistake): string {
  return pointer || "arguments";
}
