/**
 * Counts of odd values per rule, with a few examples.
 * What comes in: rules broken while rows are read and joined.
 * What goes out: a plain value that workers send back and that is merged in task order.
 * Invariant: an example never holds personal data: rules marked `count` give only the place.
 */

import { printable } from "../../native-index/format/printable.ts";
import type { ScanFindings } from "../../native-index/napi/import-handles.ts";
import type { DumpRecord } from "../dump/records.ts";
import { type Charset, decodeText, type TextSink } from "../dump/registrytext.ts";
import { RULE_NAMES, RULES, type Rule, ruleOf } from "../dump/rules.ts";
import { fieldText } from "../dump/values.ts";

/** Examples kept per rule. */
const EXAMPLES_MAX = 3;

/** Longest value shown, in characters. */
const VALUE_MAX = 60;

/** Where a rule was broken, and by which value where that is no personal matter. */
export interface Example {
  /** File and line, or what else tells the place; absent for rows after the join. */
  readonly place?: string;
  readonly value?: string;
}

/** Counts by rule number, and examples; a plain value. */
export interface TallyResult {
  readonly counts: Float64Array;
  readonly examples: Readonly<Partial<Record<Rule, readonly Example[]>>>;
}

/** Collects the counts of one task. */
export class Tally {
  private readonly counts = new Float64Array(RULE_NAMES.length);
  private readonly examples: Partial<Record<Rule, Example[]>> = {};
  /** What names the file in examples; empty after the join. */
  readonly place: string;

  /** `place` names the file in examples; empty for none. */
  constructor(place: string) {
    this.place = place;
  }

  /** Counts an odd answer of a cleaner for a column; ABSENT and values are not odd. */
  odd(answer: number, record: DumpRecord, column: number): void {
    const rule = ruleOf(answer);
    if (rule !== null) this.add(rule, record.line, () => fieldText(record, column));
  }

  /** Counts a rule, `times` over; `value` is only asked for while examples are wanted. */
  add(rule: Rule, line: number, value?: () => string, times = 1): void {
    const index = RULE_NAMES.indexOf(rule);
    this.counts[index] = (this.counts[index] as number) + times;
    this.examples[rule] ??= [];
    const list = this.examples[rule];
    if (list.length >= EXAMPLES_MAX) return;
    const shown = RULES[rule].example === "value" && value !== undefined;
    list.push({
      ...(this.place === "" ? {} : { place: `${this.place}, line ${line}` }),
      ...(shown ? { value: shortened(value()) } : {}),
    });
  }

  /** Counts what the texts of a row held, after the last of them was taken. */
  texts({ windows, controls }: Readonly<TextSink>, line: number): void {
    if (windows > 0) this.add("text_windows", line, undefined, windows);
    if (controls > 0) this.add("text_control", line, undefined, controls);
  }

  /** The counts so far. */
  result(): TallyResult {
    return { counts: this.counts, examples: this.examples };
  }
}

/**
 * The tally of a native scan of the file that `place` names, whose fields are of a charset, or of
 * a native join, for which `place` is empty.
 */
export function tallyOf(
  place: string,
  { counts, examples }: Pick<ScanFindings<string>, "counts" | "examples">,
  charset: Charset = "windows-1252",
): TallyResult {
  const shown: Partial<Record<Rule, Example[]>> = {};
  for (const { rule: number, line, fields } of examples) {
    const rule = RULE_NAMES[number] as Rule;
    const value = fields.map((field) => decodeText(field, charset).trim()).join("/");
    const list = shown[rule] ?? [];
    shown[rule] = list;
    list.push({
      ...(place === "" ? {} : { place: `${place}, line ${line}` }),
      ...(RULES[rule].example === "value" ? { value: shortened(value) } : {}),
    });
  }
  return { counts, examples: shown };
}

/** A value as a report shows it: one printable line that is not too long. */
function shortened(value: string): string {
  return printable(value).slice(0, VALUE_MAX);
}

/** Sums tallies; the examples of the earlier ones stay. */
export function mergeTallies(tallies: readonly TallyResult[]): TallyResult {
  const counts = new Float64Array(RULE_NAMES.length);
  const examples: Partial<Record<Rule, Example[]>> = {};
  for (const tally of tallies) {
    tally.counts.forEach((count, i) => {
      counts[i] = (counts[i] as number) + count;
    });
    for (const rule of RULE_NAMES) {
      const found = tally.examples[rule];
      if (found === undefined) continue;
      examples[rule] = [...(examples[rule] ?? []), ...found].slice(0, EXAMPLES_MAX);
    }
  }
  return { counts, examples };
}
