/**
 * Compares the answer that a document shows with a command's real output. Output: the differences
 * as text.
 * Invariant: everything shown is compared. Values that differ in every run (ids, keys, times,
 * durations, cursors, signatures) are masked on both sides. Inside a line or a string, `…` stands
 * for any characters. As a whole line it stands for any lines, and as the last element of a list
 * for more elements.
 */

/** Patterns for values that differ between runs, each with the mask that replaces the value. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b(req|exp)_[0-9a-f]+/g, "$1_…"],
  [/\bpnr_[0-9a-f]+(_[0-9a-f]+)?/g, "pnr_…"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "…T…Z"],
  [/\b(signature|expires)=[\w-]+/g, "$1=…"],
  [/"(took_ms|progress)": ?[\d.]+/g, '"$1":0'],
  [/(?<![\d.,])\d[\d.,]* (ms|µs|s)\b/g, "… $1"],
  [/(?<![\d.,])\d[\d.,]*( [kMG]?B)?(\/s| establishments\/s)/g, "…$2"],
];

/** Members whose values differ in every run. */
const VARYING = new Set(["took_ms", "progress", "next_cursor", "key_id", "time"]);

/** Returns the differences between a document's answer and the real output, or an empty list. */
export function differences(language: string, shown: string, real: string, part: boolean) {
  if (language === "json") return jsonDifferences(shown, real, part);
  if (language === "http") return httpDifferences(shown, real, part);
  return linesDifferences(linesOf(shown), linesOf(real));
}

function jsonDifferences(shown: string, real: string, part: boolean): string[] {
  const [wanted, got] = [readJson(shown), readJson(real)];
  if (wanted === undefined) return ["what is shown is no JSON"];
  if (got === undefined) return [`what was printed is no JSON: ${real.slice(0, 500)}`];
  return valueDifferences({ shown: wanted.value, real: got.value, part, at: "" });
}

/**
 * Compares the first line, the shown headers, and the body. The shown headers may be in any order,
 * and the real answer may have more headers.
 */
function httpDifferences(shown: string, real: string, part: boolean): string[] {
  const [wantedHead = "", ...wantedBody] = shown.split(/\r?\n\r?\n/);
  const [head = "", ...body] = real.split(/\r?\n\r?\n/);
  const headers = linesOf(head);
  const missing = linesOf(wantedHead).filter(
    (line) => line !== "…" && !headers.some((one) => fits(lowerName(line), lowerName(one))),
  );
  const lost = missing.map((line) => `the answer has no line ${line}, but: ${headers.join(" | ")}`);
  if (wantedBody.length === 0) return lost;
  return [...lost, ...jsonDifferences(wantedBody.join("\n\n"), body.join("\n\n"), part)];
}

function lowerName(header: string): string {
  return header.replace(/^[\w-]+:/, (name) => name.toLowerCase());
}

interface Pair {
  readonly shown: unknown;
  readonly real: unknown;
  readonly part: boolean;
  readonly at: string;
}

function valueDifferences({ shown, real, part, at }: Pair): string[] {
  if (Array.isArray(shown) && Array.isArray(real))
    return listDifferences({ shown, real, part, at });
  if (isObject(shown) && isObject(real)) {
    const names = Object.keys(part ? shown : { ...shown, ...real });
    return names.flatMap((name) => {
      const below = `${at}/${name}`;
      if (!(name in real)) return [`${below}: the real answer has no such member`];
      if (!(name in shown)) return [`${below}: not shown (mark the block as part)`];
      if (VARYING.has(name) && typeof shown[name] === typeof real[name]) return [];
      return valueDifferences({ shown: shown[name], real: real[name], part, at: below });
    });
  }
  const same =
    typeof shown === "string" && typeof real === "string" ? fits(shown, real) : shown === real;
  return same ? [] : [`${at || "/"}: shown ${brief(shown)}, real ${brief(real)}`];
}

function listDifferences({ shown, real, part, at }: Pair & { shown: unknown[]; real: unknown[] }) {
  const more = shown.at(-1) === "…";
  const listed = more ? shown.slice(0, -1) : shown;
  if (more ? real.length <= listed.length : real.length !== listed.length) {
    return [`${at}: shown ${listed.length}${more ? " and more" : ""}, real ${real.length}`];
  }
  return listed.flatMap((one, i) =>
    valueDifferences({ shown: one, real: real[i], part, at: `${at}/${i}` }),
  );
}

/** Compares lines in order; a line `…` skips as few real lines as it can. */
function linesDifferences(shown: readonly string[], real: readonly string[]): string[] {
  let next = 0;
  let skips = false;
  for (const line of shown) {
    if (line.trim() === "…") {
      skips = true;
      continue;
    }
    const found = real.findIndex((one, at) => at >= next && fits(line, one));
    if (found < 0 || (found > next && !skips)) {
      return [`shown "${line}", real "${real[next] ?? "(the end)"}"\n${real.join("\n")}`];
    }
    next = found + 1;
    skips = false;
  }
  if (next < real.length && !skips) return [`not shown: "${real[next]}"`];
  return [];
}

/** True if the real text matches the shown one, in which `…` stands for any characters. */
function fits(shown: string, real: string): boolean {
  const pieces = masked(shown).split("…").map(escapeRegExp);
  return new RegExp(`^${pieces.join(".*")}$`, "s").test(masked(real));
}

function masked(text: string): string {
  return MASKS.reduce((now, [pattern, instead]) => now.replace(pattern, instead), text);
}

function linesOf(text: string): string[] {
  return text
    .replace(/\s+$/, "")
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function brief(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
