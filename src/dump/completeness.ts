/**
 * Checks whether the members found in a folder are a complete month. Missing, duplicate, or empty
 * files and different dates become problems or warnings.
 * Invariant: an incomplete month is never treated as complete. A gap is a problem, or, if it was
 * allowed, a warning in the import's report.
 */
import { basename } from "node:path";
import type { DumpMember } from "./directory.ts";
import { FILE_TYPES, type FileType, LAYOUTS, PARTS, readToken } from "./layout.ts";

/** All findings in a folder, before the checks. */
export interface Findings {
  readonly members: DumpMember[];
  /** Types and parts of unreadable files, which do not count as missing. */
  readonly damaged: { readonly type: FileType; readonly part: number | null }[];
  readonly problems: string[];
  readonly warnings: string[];
}

/** The user's permissions, and replacements for the folder's data. */
export interface DumpAllowance {
  /** Accepts a month with missing parts, or parts without rows. */
  readonly partial?: boolean;
  /** The reference date, `YYYY-MM-DD`; replaces the date in the members' names. */
  readonly date?: string;
}

/** Advice if `--partial` would help. */
const FIX =
  `The registry publishes ${PARTS} parts of Empresas and of Estabelecimentos, each with rows; ` +
  "download what is missing, or import what is there with --partial.";

/** Reports missing, duplicate, and empty files. Returns true if `partial` allows the gaps found. */
export function checkComplete(found: Findings, partial: boolean): boolean {
  const lacking: string[] = [];
  for (const type of FILE_TYPES) {
    if (type !== "socios") checkType(found, type, lacking);
  }
  if (partial) found.warnings.push(...lacking.map((text) => `${text} Imported with --partial.`));
  else if (lacking.length > 0) found.problems.push(...lacking, FIX);
  checkCounts(found);
  checkSizes(found);
  return partial && lacking.length > 0;
}

/** `lacking` collects faults that `--partial` allows. */
function checkType(found: Findings, type: FileType, lacking: string[]): void {
  const { zip, parts: hasParts } = LAYOUTS[type];
  const members = found.members.filter((member) => member.type === type);
  const damaged = found.damaged.filter((file) => file.type === type);
  const there = [...members, ...damaged].map(({ part }) => part ?? 0);
  if (there.length === 0) {
    const first = hasParts ? `${zip}0.zip` : `${zip}.zip`;
    found.problems.push(`${first} is missing (no ${type} file at all).`);
    return;
  }
  const seen = members.map(({ part }) => part ?? 0).sort((a, b) => a - b);
  for (const part of new Set(seen.filter((part, index) => seen[index - 1] === part))) {
    const files = members.filter((m) => (m.part ?? 0) === part).map((m) => basename(m.file));
    found.problems.push(`${type} part ${part} is there more than once: ${files.join(", ")}.`);
  }
  const end = hasParts ? Math.max(PARTS, ...there) : 0;
  for (let part = 0; part < end; part++) {
    if (!there.includes(part)) lacking.push(`${zip}${part}.zip is missing.`);
  }
  for (const { file, bytes } of members) {
    if (bytes === 0) lacking.push(withoutRows(file));
  }
}

/** Returns the message for a file without rows. */
function withoutRows(file: string): string {
  return `${basename(file)} holds no rows.`;
}

/**
 * Returns problems for files without usable rows, or warnings if `partial` allows such files.
 * (`checkComplete` reports files without bytes.)
 */
export function checkRows(files: readonly string[], partial: boolean): readonly string[] {
  const lacking = files.map(withoutRows);
  return partial ? lacking.map((text) => `${text} Imported with --partial.`) : [...lacking, FIX];
}

/**
 * Warns of parts that are much smaller than the usual part of their type. No other check
 * detects that a part was truncated and zipped again. Nine of the ten parts have about equal sizes,
 * and part 0 is about six times as large. So the median is the usual size.
 */
function checkSizes({ members, warnings }: Findings): void {
  for (const type of ["empresas", "estabelecimentos"] as const) {
    const parts = members.filter((member) => member.type === type && member.bytes > 0);
    const sizes = parts.map(({ bytes }) => bytes).sort((a, b) => a - b);
    const usual = sizes[sizes.length >> 1] ?? 0;
    if (parts.length < PARTS || usual < COMPARED_BYTES_MIN) continue;
    for (const { file, bytes } of parts) {
      if (bytes * SIZES_APART >= usual) continue;
      const [size, others] = [bytes, usual].map((count) => count.toLocaleString("en-US"));
      warnings.push(
        `${basename(file)} holds ${size} bytes, and the other ${LAYOUTS[type].zip} files about ` +
          `${others}. Was it cut?`,
      );
    }
  }
}

/** Min bytes of compared parts. In smaller parts, a few rows make a large difference. */
const COMPARED_BYTES_MIN = 8_192;
const SIZES_APART = 4;

function checkCounts({ members, warnings }: Findings): void {
  const [companies, establishments] = (["empresas", "estabelecimentos"] as const).map(
    (type) => members.filter((member) => member.type === type).length,
  );
  if (companies === establishments) return;
  warnings.push(
    `There are ${companies} Empresas and ${establishments} Estabelecimentos files; ` +
      "the registry publishes ten of each.",
  );
}

/** Returns the token common to all members, or null. Reports the files if tokens differ. */
export function checkTokens(found: Findings): string | null {
  const byToken = new Map<string, string[]>();
  for (const { token, file } of found.members) {
    if (token !== null) byToken.set(token, [...(byToken.get(token) ?? []), basename(file)]);
  }
  if (byToken.size > 1) {
    const groups = [...byToken].map(([token, files]) => `${token} (${files.join(", ")})`);
    found.problems.push(
      `files of different releases are mixed: ${groups.join("; ")}. Download all of one month.`,
    );
  }
  return [...byToken.keys()][0] ?? null;
}

/**
 * Returns the release date. A token more than a month away from the label is a fault. If the user
 * gave a date, the label is compared with that date instead.
 */
export function checkDate(
  found: Findings,
  label: string | null,
  token: string | null,
  given: string | undefined,
): string | null {
  if (label === null) return null;
  const date = token === null ? null : readToken(token, label);
  const saying = `members' names say ${token} (${date ?? "no date of the calendar"})`;
  if (given !== undefined) {
    if (token !== null && given !== date) {
      found.warnings.push(`The ${saying}; ${given} was given.`);
    }
    if (monthsApart(label, given) > 1) {
      found.warnings.push(
        `The month is ${label}, but --date says ${given}: more than a month apart.`,
      );
    }
    return date;
  }
  if (token === null) return null;
  const differing = `The month is ${label}, but the ${saying}`;
  const apart = date === null ? 0 : monthsApart(label, date);
  if (date === null) found.problems.push(`${differing}. Say the date of the data with --date.`);
  else if (apart === 1) found.warnings.push(`${differing}.`);
  else if (apart > 1)
    found.problems.push(`${differing}: more than a month apart. ${remedyOf(date)}`);
  return date;
}

function remedyOf(date: string): string {
  return (
    `If their names are right, import them with --label ${date.slice(0, 7)}; if the month is, ` +
    "say the date of the data with --date."
  );
}

/** Returns the months between two dates or `YYYY-MM` values. */
export function monthsApart(one: string, other: string): number {
  const monthOf = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
  return Math.abs(monthOf(one) - monthOf(other));
}
