/**
 * Fetches all values of facets as a file, parses them into lines of cells, and copies or saves the
 * lines. Input: a spec and names of facets. Output: lines with the server's counts, and with words
 * in the language of the screen.
 * Invariant: no value is omitted. The lines of a facet sum to its first line, the total.
 */
import { ApiError, postForFile } from "../../app/api.ts";
import { errorText } from "../../app/errortext.ts";
import { language } from "../../app/language.ts";
import { lazyWords } from "../../app/lazywords.ts";
import { status } from "../../app/status.ts";
import { words } from "../../app/words.ts";
import { summaryOf } from "../../exports/summary.ts";
import { copyText } from "../../parts/button.tsx";
import { toast } from "../../parts/toast.tsx";
import { catalog } from "../catalog.ts";
import { exploration } from "../query.ts";
import type { SentSpec } from "../question.ts";
import { csvOf, type Lines, type NumbersQuestion, parseCsv, tabbed } from "./lines.ts";

/** Formats of a file, with their media types. */
const TYPES = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

/** Format of a file. */
type NumbersFormat = keyof typeof TYPES;

/** Fetches a file of all values. */
function fetchNumbers(
  { spec, facets }: NumbersQuestion,
  format: NumbersFormat,
  signal?: AbortSignal,
): Promise<Blob> {
  const body = { spec, facets, labels: language.peek() };
  return postForFile("/accounts/count", body, { accept: TYPES[format], signal });
}

/** Fetches all values as lines. */
export async function fetchLines(question: NumbersQuestion, signal?: AbortSignal): Promise<Lines> {
  return readLines(await fetchNumbers(question, "csv", signal));
}

async function readLines(csv: Blob): Promise<Lines> {
  const [head = [], ...body] = parseCsv(await csv.text(), language.peek() === "pt" ? ";" : ",");
  return { head, body };
}

/** Copies all values. */
export async function copyNumbers(question: NumbersQuestion): Promise<void> {
  const lines = await reported(() => fetchLines(question));
  if (lines !== null) await copyText(tabbed(lines));
}

/** Saves all values as a file. */
export function saveNumbers(question: NumbersQuestion, format: NumbersFormat): Promise<void> {
  return saveAnswer(() => fetchNumbers(question, format), fileName(question.title, format));
}

/** A comparison to save: the names of its groups, and the lines below a CSV file. */
interface SavedComparison {
  readonly title: string;
  readonly body: object;
  readonly groups: readonly string[];
  readonly facts: readonly (readonly string[])[];
}

/** Saves every value of a comparison. A CSV file names the groups in its headings. */
export function saveComparison(
  { title, body, groups, facts }: SavedComparison,
  format: NumbersFormat,
): Promise<void> {
  const asked = { ...body, labels: language.peek() };
  const fetch = async () => {
    const file = await postForFile("/accounts/compare", asked, { accept: TYPES[format] });
    if (format === "xlsx") return file;
    const { head, body: lines } = await readLines(file);
    const named = head.map((name) => name.replace(/\((\d)\)$/, (_, at) => `(${groups[at - 1]})`));
    return csvOf({ head: named, body: lines }, facts);
  };
  return saveAnswer(fetch, fileName(title, format));
}

/** Saves a table that the screen computed as a workbook. */
export function saveWorkbook(title: string, table: WorkbookTable): Promise<void> {
  const body = { ...table, labels: language.peek() };
  const fetch = () => postForFile("/workbook", body, { accept: TYPES.xlsx });
  return saveAnswer(fetch, fileName(title, "xlsx"));
}

/** A table with the facts below it. */
interface WorkbookTable {
  readonly head: readonly string[];
  readonly lines: readonly (readonly (string | number)[])[];
  readonly facts: readonly (readonly string[])[];
}

async function saveAnswer(fetch: () => Promise<Blob>, name: string): Promise<void> {
  const file = await reported(fetch);
  if (file !== null) saveFile(file, name);
}

/** Returns a file's name, from its title and month. */
export function fileName(title: string, format: string): string {
  const month = countedMonth();
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase();
  return `${name}${month === null ? "" : `-${month}`}.${format}`;
}

function countedMonth(): string | null {
  return exploration.peek().answer?.snapshot ?? status.peek()?.snapshot ?? null;
}

/** Returns the lines below the table of a file: its title, filters, and month. */
export function factsOf(title: string, ...specs: readonly SentSpec[]): string[][] {
  const { printed } = words.peek().table;
  const month = countedMonth();
  return [
    [title],
    ...specs.map((spec) => [printed.filters, summaryOf(spec, catalog.peek())]),
    ...(month === null ? [] : [[printed.data, month]]),
  ];
}

/** Lets the browser save a file. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Revokes the address after the download has begun.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Runs a task. If it fails, reports the failure to the user and returns null. */
async function reported<T>(task: () => Promise<T>): Promise<T | null> {
  try {
    return await task();
  } catch (error) {
    const text = error instanceof ApiError ? errorText(error) : lazyWords.peek().numbers.failed;
    toast(text, { kind: "error" });
    return null;
  }
}
