/**
 * Fills documents with measured figures from `bench/measurements.json`, the only file that holds
 * them.
 * Input: a document in which a comment after a number names its measurement, `392<!--
 * =import.72m.seconds -->`, or, with `~3` for three significant digits, `16,400<!-- =http.1m.same
 * ~3 -->`.
 * Output: the same text with the numbers of the file.
 * Invariant: a measurement has the same number in every document and language.
 */
import assert from "node:assert/strict";
import measurements from "../../../bench/measurements.json" with { type: "json" };
import { table } from "./tables.ts";

/** Matches the paths of documents for users. Tests run the examples in these documents. */
export const DOCUMENTS = /^README(\.[\w-]+)?\.md$|^docs\/(pt-BR\/)?[^/]+\.md$/;

/** The language of a document. It decides how thousands and decimals are separated. */
export type Language = "en" | "pt";

/** A measured value. */
interface Figure {
  readonly value: number;
}

const FIGURES: Readonly<Record<string, Figure>> = measurements.figures;
const MARK = /(\d[\d.,]*)<!-- =([\w.]+)(?: ~(\d))? -->/g;

/** Returns the language of a document, which its file name shows. */
export function languageOf(file: string): Language {
  return /\.pt-BR\.md$|^docs\/pt-BR\//.test(file) ? "pt" : "en";
}

/** Names the measurements that a text shows. */
export function figuresIn(text: string): string[] {
  return [...text.matchAll(MARK)].map(([, , name = ""]) => name);
}

/** Names all measurements. */
export function knownFigures(): string[] {
  return Object.keys(FIGURES);
}

/**
 * Returns the document with the current number of every measurement that it names. Throws if a
 * measurement is unknown.
 */
export function fillFigures(file: string, text: string): string {
  return text.replace(MARK, (mark, number: string, name: string, digits?: string) => {
    const figure = FIGURES[name];
    assert(figure, `${file}: bench/measurements.json has no figure "${name}"`);
    return numberText(figure.value, languageOf(file), digits) + mark.slice(number.length);
  });
}

/** Returns a table of measurements with numbers in the form of the language. */
export function measuredTable(name: keyof typeof measurements.tables, language: Language): string {
  const { columns, rows } = measurements.tables[name];
  const written = rows.map((row) =>
    row.map((cell, at) => (at > 0 && language === "pt" ? cell.replace(/[.,]/g, swapped) : cell)),
  );
  return table(columns, written, "numbers");
}

const swapped = (mark: string) => (mark === "." ? "," : ".");

function numberText(value: number, language: Language, digits?: string): string {
  const options =
    digits === undefined ? {} : ({ maximumSignificantDigits: Number(digits) } as const);
  return value.toLocaleString(language === "pt" ? "pt-BR" : "en", {
    maximumFractionDigits: 3,
    ...options,
  });
}
