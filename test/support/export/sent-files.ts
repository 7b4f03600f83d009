/**
 * Makes CSV files of CNPJs as clients upload them, and reads them slowly.
 * Input: a seeded random source, and the accounts of a snapshot. Output: a CSV file in any
 * encoding, delimiter, and line end, with a header, blank lines, and rows of any length, and the
 * expected result of each row. The reader returns the records of a CSV text.
 * Invariant: nothing of the product is used. The reader processes single characters.
 */
import type { Rng } from "../spec/random.ts";

/** An account of the snapshot with all of its fields that the suite uses. */
export type KnownAccount = Readonly<Record<string, unknown>> & { readonly cnpj: string };

/** The expected result of a line in the enriched file. */
export type Expected =
  | { readonly kind: "untouched" }
  | { readonly kind: "heading" }
  | { readonly kind: "empty" }
  | { readonly kind: "row"; readonly outcome: string; readonly account: KnownAccount | null };

/** An uploaded file and the expected result of each of its lines. */
export interface SentFile {
  readonly bytes: Buffer;
  readonly encoding: "utf8" | "latin1" | "utf16le" | "utf16be";
  readonly mark: Buffer;
  readonly delimiter: string;
  readonly expected: readonly Expected[];
}

/** One record of a CSV text. */
export interface SlowRecord {
  /** The text of the record without its line end. `end` is that line end. */
  readonly raw: string;
  readonly end: string;
  readonly cells: readonly string[];
}

/** Parses the records of a CSV text, character by character. */
export function slowRecords(text: string, delimiter: string): SlowRecord[] {
  const records: SlowRecord[] = [];
  let [raw, cell, quoted] = ["", "", false];
  let cells: string[] = [];
  const close = (end: string) => {
    records.push({ raw, end, cells: [...cells, cell] });
    [raw, cell, cells] = ["", "", []];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (!quoted && (sign === "\r" || sign === "\n")) {
      const end = sign === "\r" && text[at + 1] === "\n" ? "\r\n" : sign;
      at += end.length - 1;
      close(end);
      continue;
    }
    raw += sign;
    if (sign === '"' && quoted && text[at + 1] === '"') {
      raw += text[++at];
      cell += '"';
    } else if (sign === '"') quoted = !quoted;
    else if (sign === delimiter && !quoted) {
      cells.push(cell);
      cell = "";
    } else cell += sign;
  }
  if (raw !== "") close("");
  return records;
}

const WORDS = [
  "Padaria",
  "São João",
  "Ação & Cia",
  "x",
  "",
  "12/03/2024",
  "(11) 98888-7777",
  " b ",
];

/** Makes a file. Over many files, every known outcome occurs. */
export function randomCsv(rng: Rng, accounts: readonly KnownAccount[]): SentFile {
  const pick = <Value>(values: readonly Value[]) =>
    values[Math.floor(rng() * values.length)] as Value;
  const delimiter = pick([";", ",", "\t", "|"]);
  const end = pick(["\r\n", "\n", "\r"]);
  const width = 2 + Math.floor(rng() * 4);
  const column = Math.floor(rng() * width);
  const hasHeader = rng() < 0.8;
  const written = (text: string) =>
    /["\r\n]/.test(text) || text.includes(delimiter) || rng() < 0.1
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  const other = () =>
    rng() < 0.05 ? `a${delimiter}b` : rng() < 0.05 ? `linha 1${end}linha "2"` : pick(WORDS);
  const lines: string[] = [];
  const expected: Expected[] = [];
  const put = (line: string, what: Expected) => {
    lines.push(line);
    expected.push(what);
  };
  if (hasHeader && rng() < 0.3) {
    put("Relatório de clientes", { kind: "untouched" });
    put("", { kind: "untouched" });
  }
  if (hasHeader) {
    const names = Array.from({ length: width }, (_, at) =>
      at === column ? "CNPJ" : `Coluna ${at}`,
    );
    put(names.map(written).join(delimiter), { kind: "heading" });
  }
  const rows = 1 + Math.floor(rng() * 60);
  for (let row = 0; row < rows; row++) {
    const first = row === 0;
    const dice = first ? 1 : rng();
    if (dice < 0.05) put("", { kind: "untouched" });
    else if (dice < 0.1) put(delimiter.repeat(width - 1), { kind: "empty" });
    else {
      const { text, outcome, account } = first ? found(pick(accounts)) : randomCell(rng, accounts);
      const length = !first && rng() < 0.1 ? Math.max(column + 1, 2) : width;
      const cells = Array.from({ length }, (_, at) => (at === column ? text : other()));
      // A row of blanks has nothing to look up.
      const blank = cells.every((cell) => cell.trim() === "");
      const what: Expected = blank ? { kind: "empty" } : { kind: "row", outcome, account };
      put(cells.map(written).join(delimiter), what);
    }
  }
  const text = lines.join(end) + (rng() < 0.7 ? end : "");
  return {
    ...encoded(text, rng),
    delimiter,
    expected: withoutLastBlank(expected, lines, text, end),
  };
}

/** Removes the expectation for an empty last line, because without a line end it is no record. */
function withoutLastBlank(
  expected: readonly Expected[],
  lines: readonly string[],
  text: string,
  end: string,
): readonly Expected[] {
  const isOpen = lines.at(-1) === "" && text.endsWith(end) && lines.join(end) === text;
  return isOpen ? expected.slice(0, -1) : expected;
}

/** The text of a random cell, and the expected result of its look-up. */
interface RandomCell {
  readonly text: string;
  readonly outcome: string;
  readonly account: KnownAccount | null;
}

function found(account: KnownAccount): RandomCell {
  return { text: account.cnpj, outcome: "found", account };
}

/** Cells that are no CNPJ, with their reasons. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["123.456.789-09", "cpf"],
  ["12345678909", "cpf"],
  ["11222333000182", "wrong_check_digits"],
  ["112223330001811", "too_long"],
  ["123456789", "too_short"],
  ["00.000.000/0000-00", "all_zeros"],
  ["1,12224E+13", "rounded"],
  ["sem cadastro", "not_a_number"],
  ["191", "lost_zeros"],
];

/** Draws a cell. */
export function randomCell(rng: Rng, accounts: readonly KnownAccount[]): RandomCell {
  const account = accounts[Math.floor(rng() * accounts.length)] as KnownAccount;
  const { cnpj } = account;
  const dice = rng();
  if (dice < 0.3) return found(account);
  if (dice < 0.5) return { ...found(account), text: masked(cnpj) };
  if (dice < 0.55) return { ...found(account), text: ` ${cnpj}.0 ` };
  if (dice < 0.6) return { ...found(account), text: `CNPJ: ${masked(cnpj)}` };
  if (dice < 0.7) return { text: "11222333000181", outcome: "not_in_snapshot", account: null };
  if (dice < 0.75) return { text: "", outcome: "blank", account: null };
  const [text, outcome] = REFUSED[Math.floor(rng() * REFUSED.length)] as readonly [string, string];
  return { text, outcome, account: null };
}

function masked(cnpj: string): string {
  return cnpj.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
}

function encoded(text: string, rng: Rng): Pick<SentFile, "bytes" | "encoding" | "mark"> {
  const dice = rng();
  const [encoding, mark] =
    dice < 0.3
      ? (["utf8", ""] as const)
      : dice < 0.5
        ? (["utf8", "efbbbf"] as const)
        : dice < 0.7
          ? (["latin1", ""] as const)
          : dice < 0.85
            ? (["utf16le", "fffe"] as const)
            : (["utf16be", "feff"] as const);
  const body = bytesOf(text, encoding);
  return {
    bytes: Buffer.concat([Buffer.from(mark, "hex"), body]),
    encoding,
    mark: Buffer.from(mark, "hex"),
  };
}

/** Encodes a text. */
export function bytesOf(text: string, encoding: SentFile["encoding"]): Buffer {
  if (encoding === "utf16be") return Buffer.from(text, "utf16le").swap16();
  return Buffer.from(text, encoding);
}

/** Decodes bytes and removes the byte order mark. */
export function textOf({ mark, encoding }: Pick<SentFile, "mark" | "encoding">, bytes: Buffer) {
  const body = Buffer.from(bytes.subarray(mark.length));
  if (encoding === "utf16be") return body.swap16().toString("utf16le");
  return body.toString(encoding);
}
