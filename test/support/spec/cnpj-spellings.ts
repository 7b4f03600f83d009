/**
 * Spellings of CNPJs, each with its expected result, for the readers of CNPJs in the product.
 * Invariant: the product computes nothing here. The results of random spellings follow from their
 * construction, and another library provides check digits and CPFs.
 */
import { isValidCNPJ, isValidCPF } from "@brazilian-utils/brazilian-utils";
import type { Rng } from "./random.ts";

/**
 * A text and its expected result: `cnpj …`, `mistyped …`, `root …`, `lost_zeros …`, or the reason
 * of a refusal.
 */
export type Spelling = readonly [text: string, reading: string];

const A = "11222333000181";
const READ = `cnpj ${A}`;
const LETTERS = "12ABC34501DE35";
/** Digits of a valid CNPJ that lost three leading zeros, and that are no CPF. */
const LOST = "10148000107";

/** Spellings written by hand. */
export const SPELLINGS: readonly Spelling[] = [
  ...spelled(READ, [
    ...["11.222.333/0001-81 - Padaria Inventada", "11222333000181 Padaria Inventada Ltda"],
    ...["Padaria Inventada - 11.222.333/0001-81", "11.222.333/0001-81 – Padaria Inventada"],
    ...[A, "11.222.333/0001-81", "11222333/0001-81", "11 222 333 0001 81", "112223330001-81"],
    ...["CNPJ: 11.222.333/0001-81", "CNPJ 11222333000181", "cnpj nº 11.222.333/0001-81"],
    ...["11.222.333/0001\u201181", "11.222.333/0001\u201381", "11.222.333/0001\u221281"],
    ...["11.222.333 / 0001 - 81", "\u00a011222333000181\u2007", "11222333\u200b000181"],
    ...["１１２２２３３３０００１８１", "１１．２２２．３３３／０００１－８１"],
    ...["'11222333000181", '"11222333000181"', "“11.222.333/0001-81”", '="11222333000181"'],
    ...["11222333000181;", "11.222.333/0001-81,", "11222333000181."],
    ...["11222333000181.0", "11222333000181.00", "11222333000181,0", "11222333000181.000"],
    ...["1.1222333000181e+13", "1.1222333000181E13", "1,1222333000181E+13"],
    ...["1.12223330001810e+13", "11222333000181E+0"],
    ...["CNPJ: 1.1222333000181e+13", "11.222.333.000.181", "11,222,333,000,181"],
    ...["11.222.333.000.181,00", "11 222 333 000 181"],
  ]),
  ...spelled(`cnpj ${LETTERS}`, [
    LETTERS,
    "12.abc.345/01de-35",
    "12ABC345/01DE-35",
    "12abc34501de35",
  ]),
  ...spelled("mistyped 11222333000182", [
    "11222333000182",
    "11.222.333/0001-82",
    "11222333000182.0",
  ]),
  ...spelled("root 11222333", ["11222333", "11.222.333", "11222333.0", "1.1222333e+7"]),
  ...spelled("root 12ABC345", ["12ABC345", "12.abc.345"]),
  ...spelled("lost_zeros 00010148000107", [
    LOST,
    `${LOST}.0`,
    "1.0148000107000e+10",
    "10.148.000.107",
  ]),
  ...spelled("lost_zeros 00000000000191", ["191", "191.0", "1.91e+2"]),
  ...spelled("rounded", ["1,12224E+13", "1.1222E13", "9.99383E+13", "99938300000000", "1.12E+10"]),
  ...spelled("too_long", ["112223330001811", "0011222333000181", "11222333000181000", "1E+20"]),
  ...spelled("too_long", ["1.12223330001812345e+17", "1e999999999", "12ABC34501DE355"]),
  ...spelled("too_short", ["1122233300018", "11.222.333/0001-8", "123456789", "12ABC34501DE3"]),
  ...spelled("all_zeros", ["00000000000000", "00.000.000/0000-00", "0", "000", "0.0"]),
  ...spelled("all_zeros", ["11222333000099", "11.222.333/0000-99", "00000000000000000"]),
  ...spelled("cpf", ["12345678909", "123.456.789-09", "123456789-09", "12345678909.0"]),
  ...spelled("cpf", ["1.2345678909e+10", "CPF 123.456.789-09", "Fulano 12345678909"]),
  ...spelled("not_a_cnpj", ["-11222333000181", "11222333000181.5", "1.5", "11222333 000181"]),
  // Dates, postal codes, and phones have the digits of a root, but other punctuation.
  ...spelled("not_a_cnpj", ["10.11.1974", "10-11-1974", "10111-974", "10.111-974"]),
  ...spelled("not_a_cnpj", ["1011-1974", "2010-11-19", "10 11 1974"]),
  ...spelled("not_a_number", ["padaria", "EMPREENDIMENTO12", "rua 15", "000000000001AA"]),
];

function spelled(reading: string, texts: readonly string[]): Spelling[] {
  return texts.map((text) => [text, reading]);
}

/** A random spelling. */
export function randomSpelling(rng: Rng): Spelling {
  const below = (count: number) => Math.floor(rng() * count);
  const pick = <Value>(values: readonly Value[]) => values[below(values.length)] as Value;
  const digits = Array.from({ length: 12 }, () => String(below(10))).join("");
  const zeros = pick([0, 0, 1, 2, 3]);
  const base = `${"0".repeat(zeros)}${1 + below(9)}${digits.slice(zeros + 1, 8)}000${1 + below(9)}`;
  const cnpj = rightOf(base);
  const kind = below(7);
  if (kind === 0) return [notation(cnpj.replace(/^0+/, ""), pick), lost(cnpj)];
  if (kind === 1) return [notation(`${1 + below(9)}${cnpj}`, pick), "too_long"];
  if (kind === 2)
    return [notation(cpfOf(base.slice(zeros, zeros + 9).padEnd(9, "7")), pick), "cpf"];
  if (kind === 3) {
    const float = `${cnpj[0]}.${cnpj.slice(1, 3 + below(6))}E+13`;
    return zeros === 0 ? [float, "rounded"] : [cnpj, `cnpj ${cnpj}`];
  }
  const hyphen = pick(["-", "\u2010", "\u2013", "\u2212", " - "]);
  const mask = `$1.$2.$3${pick(["/", " / ", "\\"])}$4${hyphen}$5`;
  const masked = cnpj.replace(/^(..)(...)(...)(....)(..)$/, mask);
  return [
    pick(["", "CNPJ: ", "'", "\u00a0"]) + masked + pick(["", ";", " ", "\u2007"]),
    `cnpj ${cnpj}`,
  ];
}

/** Adds the two check digits of a CPF to nine digits. They are found by trying all. */
function cpfOf(base: string): string {
  for (let check = 0; check < 100; check++) {
    const cpf = base + String(check).padStart(2, "0");
    if (isValidCPF(cpf)) return cpf;
  }
  throw new Error(`no check digits fit ${base}`);
}

/** Writes the digits in one of the number formats of programs, without losing any digit. */
function notation(digits: string, pick: <Value>(values: readonly Value[]) => Value): string {
  const power = digits.length - 1;
  const mantissa = (sign: string) => `${digits[0]}${sign}${digits.slice(1)}`;
  return pick([
    digits,
    `${digits}.0`,
    `${mantissa(".")}e+${power}`,
    `${mantissa(".")}00E${power}`,
    `${mantissa(",")}E+${power}`,
  ]);
}

/** Returns the expected result for the digits of a CNPJ without its leading zeros. */
function lost(cnpj: string): string {
  const digits = cnpj.replace(/^0+/, "");
  if (digits.length === 14) return `cnpj ${cnpj}`;
  return isValidCPF(digits) && digits.length === 11 ? "cpf" : `lost_zeros ${cnpj}`;
}

/** Adds the two check digits of a CNPJ to twelve digits. They are found by trying all. */
function rightOf(base: string): string {
  for (let check = 0; check < 100; check++) {
    const cnpj = base + String(check).padStart(2, "0");
    if (isValidCNPJ(cnpj)) return cnpj;
  }
  throw new Error(`no check digits fit ${base}`);
}
