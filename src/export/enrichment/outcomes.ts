/**
 * Options of an enrichment, the outcome of each CNPJ, and its description.
 * Input: texts or bytes of cells. Output: status and reason of each, the snapshot's row if found,
 * and descriptions in both languages.
 * Invariant: CNPJs are parsed by src/spec/cnpj/cnpjspelling.ts. The CSV scanner
 * (native-index/render/records.h) accepts only spellings that it parses to the same CNPJ. An
 * account with wrong check digits is found if the registry has it. Descriptions never repeat the
 * input, which may be a person's number.
 */
import { NO_ROW } from "../../../native-index/napi/engine.ts";
import type { SeenNumber } from "../../lists/xlsx/sheet.ts";
import type { Segment } from "../../search/segment.ts";
import { cnpjCheckDigits } from "../../spec/cnpj/cnpj.ts";
import {
  CNPJ_REFUSALS,
  type CnpjRefusal,
  holdsSeveralCnpjs,
  type RefusedCnpj,
  readCnpjText,
} from "../../spec/cnpj/cnpjspelling.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { OutputField } from "../../spec/fields.ts";

/** Options of an enrichment. */
export interface EnrichmentOptions {
  readonly fields: readonly OutputField[];
  /** Language of headings and values, or null for names and values for programs. */
  readonly labels: LabelLanguage | null;
  /** Header or number of the column of CNPJs, or its letters in a sheet; detected if undefined. */
  readonly column: string | undefined;
  /** Name of the sheet of a workbook; the one with the most CNPJs if undefined. */
  readonly sheet?: string | undefined;
  /** True to restore leading zeros that numbers have lost. */
  readonly fillZeros: boolean;
}

/** A file to enrich, with its options and callbacks. */
export interface EnrichmentWork {
  readonly segment: Segment;
  readonly path: string;
  readonly options: EnrichmentOptions;
  /** Format of the new file. By default, it is that of the uploaded one. */
  readonly format?: "csv" | "xlsx" | undefined;
  /** Takes bytes of the new file, in order. The memory may be reused after the call. */
  readonly write: (bytes: Uint8Array) => void;
  /** Receives the number of rows written, and of all rows. */
  readonly onProgress: (written: number, rows: number) => void;
  /** Receives the snapshot row of each CNPJ, or `NO_ROW` if the CNPJ was not found. */
  readonly onFound: (rows: Uint32Array) => void;
  /** Throws if the work was canceled. */
  readonly checkCancelled: () => void;
  /** Returns true if other processors are idle, so that other threads may do a part of the work. */
  readonly spare: () => boolean;
}

/** Statuses of a result, as `POST /v1/enrich` names them. */
export const STATUSES = ["found", "head_office", "not_in_snapshot", "not_a_cnpj"] as const;

/** Status of a result. */
type EnrichmentStatus = (typeof STATUSES)[number];

/** Reasons why a text is not a CNPJ, with their names for programs. */
export const REASONS = {
  ...CNPJ_REFUSALS,
  wrong_check_digits: "Its last two digits do not belong to the others; one of them is mistyped.",
  several_cnpjs: "It holds several CNPJs. Put each of them in a text of its own.",
} as const;

/** Reasons in files: only a sheet has formulas. */
const FILE_REASONS = {
  ...REASONS,
  unsaved_formula:
    "A formula without a saved result. Open and save the file in the spreadsheet program.",
} as const;

/** Name of a reason for programs. */
type EnrichmentReason = keyof typeof FILE_REASONS;

/** Names of reasons, in a fixed order. */
const REASON_NAMES = Object.keys(FILE_REASONS) as readonly EnrichmentReason[];

/** Outcome of a text. `blank`: the cell is empty. */
export type CnpjOutcome = "blank" | Exclude<EnrichmentStatus, "not_a_cnpj"> | EnrichmentReason;

/** All outcomes. A batch stores indexes of this list. */
export const OUTCOMES: readonly CnpjOutcome[] = [
  ...["blank" as const, "found" as const, "head_office" as const, "not_in_snapshot" as const],
  ...REASON_NAMES,
];

const [BLANK, FOUND, HEAD_OFFICE, ABSENT] = [0, 1, 2, 3];
const CODES = new Map(OUTCOMES.map((outcome, at) => [outcome, at]));

/** Returns the status of an outcome, and the reason if it is not a CNPJ. */
export function statusOf(outcome: Exclude<CnpjOutcome, "blank">): {
  readonly status: EnrichmentStatus;
  readonly reason: EnrichmentReason | null;
} {
  const isRead = outcome === "found" || outcome === "head_office" || outcome === "not_in_snapshot";
  return isRead ? { status: outcome, reason: null } : { status: "not_a_cnpj", reason: outcome };
}

/** Headings of the status column: for programs, in Portuguese, in English. */
const HEADINGS = { none: "enrichment_status", pt: "Resultado da consulta", en: "Look-up" } as const;

/** Returns the heading of the status column. */
export function statusHeading(labels: LabelLanguage | null): string {
  return HEADINGS[labels ?? "none"];
}

/** Descriptions of outcomes, without characters that a format must quote. */
const WORDS: Readonly<Record<CnpjOutcome, readonly [pt: string, en: string]>> = {
  blank: ["Sem CNPJ", "No CNPJ"],
  found: ["Encontrado", "Found"],
  head_office: ["Matriz da raiz", "Head office of the root"],
  not_in_snapshot: ["Não consta na base", "Not in the snapshot"],
  wrong_check_digits: [
    "Não é CNPJ: dígitos verificadores errados",
    "Not a CNPJ: wrong check digits",
  ],
  several_cnpjs: ["Não é CNPJ: vários CNPJs na célula", "Not a CNPJ: several CNPJs in one cell"],
  unsaved_formula: [
    "Fórmula sem resultado salvo: abra e salve o arquivo no programa de planilhas",
    "Formula without a saved result: open and save the file in the spreadsheet program",
  ],
  not_a_cnpj: ["Não é CNPJ: outro número", "Not a CNPJ: another number"],
  not_a_number: ["Não é CNPJ: texto", "Not a CNPJ: words"],
  too_long: ["Não é CNPJ: mais de 14 caracteres", "Not a CNPJ: more than 14 characters"],
  too_short: ["Não é CNPJ: menos de 14 caracteres", "Not a CNPJ: fewer than 14 characters"],
  lost_zeros: ["Não é CNPJ: perdeu zeros à esquerda", "Not a CNPJ: lost its zeros in front"],
  rounded: ["Não é CNPJ: arredondado por um programa", "Not a CNPJ: rounded by a program"],
  all_zeros: ["Não é CNPJ: só zeros", "Not a CNPJ: all zeros"],
  cpf: ["Não é CNPJ: é um CPF", "Not a CNPJ: it is a CPF"],
};

/** Describes an outcome. Without labels, returns the names of the status and of any reason. */
export function outcomeWords(outcome: CnpjOutcome, labels: LabelLanguage | null): string {
  if (labels !== null) return WORDS[outcome][labels === "pt" ? 0 : 1];
  if (outcome === "blank") return "no_cnpj";
  const { status, reason } = statusOf(outcome);
  return reason === null || reason === status ? status : `${status}: ${reason}`;
}

/** Characters of a CNPJ. */
const LENGTH = 14;

/** How texts of a file or a request are parsed. */
interface ReadingRules {
  /** True if eight characters denote a company. */
  readonly takesRoots: boolean;
  /** True to restore leading zeros that numbers have lost. */
  readonly fillZeros: boolean;
}

/** A batch of CNPJs: first parsed, then looked up together. */
export class CnpjBatch {
  /** Index in `OUTCOMES`, for each text. */
  readonly outcomes: Uint8Array;
  /** Row of each text, or `NO_ROW`. */
  readonly rows: Uint32Array;
  readonly #rules: ReadingRules;
  readonly #keys: Buffer;
  /**
   * `#places` maps keys to texts, by index. `#keyOf` maps texts to keys, or to -1 without a key.
   */
  readonly #places: Uint32Array;
  readonly #keyOf: Int32Array;
  #count = 0;
  #keyCount = 0;

  constructor(capacity: number, rules: ReadingRules) {
    this.#rules = rules;
    this.outcomes = new Uint8Array(capacity);
    this.rows = new Uint32Array(capacity).fill(NO_ROW);
    this.#keys = Buffer.allocUnsafeSlow(capacity * LENGTH);
    this.#places = new Uint32Array(capacity);
    this.#keyOf = new Int32Array(capacity).fill(-1);
  }

  /** Number of texts that were added. */
  get count(): number {
    return this.#count;
  }

  /** Returns the keys for the native look-up: 14 bytes for each CNPJ or root. */
  get keys(): Uint8Array {
    return this.#keys.subarray(0, this.#keyCount * LENGTH);
  }

  /** Returns a text's key for the native look-up, or null if the text was refused. */
  key(at: number): Uint8Array | null {
    const key = this.#keyOf[at] as number;
    return key < 0 ? null : this.#keys.subarray(key * LENGTH, (key + 1) * LENGTH);
  }

  /** Parses and adds a text. If its CNPJ lost leading zeros, returns it with these zeros. */
  add(text: string): string | undefined {
    const at = this.#count++;
    if (text.trim() === "") {
      this.outcomes[at] = BLANK;
      return undefined;
    }
    const reading = readCnpjText(text);
    if (reading.kind === "cnpj") this.#key(at, reading.cnpj, FOUND);
    else if (reading.kind === "root") {
      if (this.#rules.takesRoots) this.#key(at, reading.root.padEnd(LENGTH, "\0"), HEAD_OFFICE);
      else this.#refuse(at, "not_a_cnpj");
    } else if (reading.offered !== undefined && this.#rules.fillZeros) {
      this.#key(at, reading.offered, FOUND);
    } else this.#refuse(at, reasonOf(text, reading));
    return reading.kind === "refused" ? reading.offered : undefined;
  }

  /** Adds a cell of a sheet. The digits of a date are not a CNPJ. Returns the same as `add`. */
  addCell({ text, isDate, kind }: SeenNumber): string | undefined {
    if (!isDate && kind !== "formula") return this.add(text);
    this.#refuse(this.#count++, isDate ? "not_a_cnpj" : "unsaved_formula");
    return undefined;
  }

  /** Stores the rows found for the keys. */
  settle(rows: Uint32Array): void {
    for (let key = 0; key < this.#keyCount; key++) {
      const at = this.#places[key] as number;
      const row = rows[key] as number;
      this.rows[at] = row;
      if (row !== NO_ROW) continue;
      const isRoot = this.outcomes[at] === HEAD_OFFICE;
      this.outcomes[at] = isRoot || this.#isRight(key) ? ABSENT : codeOf("wrong_check_digits");
    }
  }

  /** Returns the outcome of a text. Call `settle` first. */
  outcome(at: number): CnpjOutcome {
    return OUTCOMES[this.outcomes[at] as number] as CnpjOutcome;
  }

  /** Returns the CNPJ in a text, even if it has no account, or null for roots and refused texts. */
  cnpj(at: number): string | null {
    const key = this.#keyOf[at] as number;
    const text = key < 0 ? "" : this.#text(key);
    return text.endsWith("\0") || text === "" ? null : text;
  }

  #key(at: number, key: string, outcome: number): void {
    this.#keys.write(key, this.#keyCount * LENGTH, "latin1");
    this.#own(at, outcome);
  }

  /** Assigns the last written key to a text. */
  #own(at: number, outcome: number): void {
    this.#keyOf[at] = this.#keyCount;
    this.#places[this.#keyCount++] = at;
    this.outcomes[at] = outcome;
  }

  #refuse(at: number, reason: EnrichmentReason): void {
    this.outcomes[at] = codeOf(reason);
  }

  #isRight(key: number): boolean {
    const text = this.#text(key);
    return text.endsWith(cnpjCheckDigits(text));
  }

  #text(key: number): string {
    return this.#keys.toString("latin1", key * LENGTH, (key + 1) * LENGTH);
  }
}

/** Returns why a text is refused. A text with several CNPJs differs from one without any. */
function reasonOf(text: string, { reason }: RefusedCnpj): EnrichmentReason {
  return VAGUE.includes(reason) && holdsSeveralCnpjs(text) ? "several_cnpjs" : reason;
}

/** Reasons for which the only reader refuses a text with several CNPJs. */
const VAGUE: readonly CnpjRefusal[] = ["not_a_cnpj", "not_a_number"];

function codeOf(outcome: CnpjOutcome): number {
  return CODES.get(outcome) as number;
}

/** Numbers of rows by outcome. Outcomes that do not occur are missing. */
export type OutcomeCounts = Readonly<Partial<Record<CnpjOutcome, number>>>;

/** Rows by status, and those without a CNPJ by reason. */
interface StatusCounts extends Readonly<Record<EnrichmentStatus | "no_cnpj", number>> {
  /** Rows that are `not_a_cnpj`, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

const NO_CNPJ = { status: "no_cnpj", reason: null } as const;

/** Sums outcomes by status, with the names that files and `POST /v1/enrich` use. */
export function statusCounts(outcomes: OutcomeCounts): StatusCounts {
  const sums = { found: 0, head_office: 0, not_in_snapshot: 0, not_a_cnpj: 0, no_cnpj: 0 };
  const reasons: Record<string, number> = {};
  for (const outcome of OUTCOMES) {
    const count = outcomes[outcome] ?? 0;
    const { status, reason } = outcome === "blank" ? NO_CNPJ : statusOf(outcome);
    sums[status] += count;
    if (reason !== null && count > 0) reasons[reason] = count;
  }
  return { ...sums, reasons };
}

/** Counts of every outcome. */
export class OutcomeTally {
  readonly #counts = new Uint32Array(OUTCOMES.length);

  /** Counts an outcome by its index in `OUTCOMES`. */
  count(code: number, times = 1): void {
    this.#counts[code] = (this.#counts[code] as number) + times;
  }

  /** Returns the number of texts with an outcome. */
  of(outcome: CnpjOutcome): number {
    return this.#counts[codeOf(outcome)] as number;
  }

  /** Returns the outcomes that occur. */
  counts(): OutcomeCounts {
    const counts = OUTCOMES.map((outcome) => [outcome, this.of(outcome)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** Number of rows whose CNPJ has an account. The tenant is charged for these rows. */
  get found(): number {
    return this.of("found") + this.of("head_office");
  }
}
