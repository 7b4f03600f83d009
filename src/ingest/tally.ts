/**
 * Counts how often each rule is broken, and keeps a few examples. Workers return tallies as plain
 * values, which are merged in task order.
 * Invariant: examples contain no personal data. For rules marked `count`, an example only says
 * where the value is.
 */

import { printable } from "../../native-index/format/printable.ts";
import type { ScanFindings } from "../../native-index/napi/import-handles.ts";
import type { DumpRecord } from "../dump/records.ts";
import { type Charset, decodeText, type TextSink } from "../dump/registrytext.ts";
import { RULE_NAMES, RULES, type Rule, ruleOf } from "../dump/rules.ts";
import { fieldText } from "../dump/values.ts";

/** Max examples per rule. */
const EXAMPLES_MAX = 3;

/** Max characters of a value in an example. */
const VALUE_MAX = 60;

/** Place where a rule was broken, with the value if it is not personal. */
export interface Example {
  /** File and line, or another place. Absent if the row was checked after the join. */
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
  /** Name of the file in examples; empty after the join. */
  readonly place: string;

  constructor(place: string) {
    this.place = place;
  }

  /**
   * Counts a column's value if it broke a rule. `answer` is the result of cleaning the value. A
   * valid value and ABSENT are not counted.
   */
  odd(answer: number, record: DumpRecord, column: number): void {
    const rule = ruleOf(answer);
    if (rule !== null) this.add(rule, record.line, () => fieldText(record, column));
  }

  /** Adds `times` to a rule's count. Calls `value` only while more examples are needed. */
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

  /**
   * Counts the irregular characters found while the texts of a row were decoded. Call after the
   * row's last text.
   */
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
 * Returns the tally of a scan or join in the addon. `place`: file and charset; empty for a join.
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

function shortened(value: string): string {
  return printable(value).slice(0, VALUE_MAX);
}

/** Sums tallies; earlier examples take precedence. */
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
