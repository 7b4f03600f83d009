/**
 * Reads CNPJs from paths, queries, JSON, files, commands, the console, and agents. No other code
 * reads CNPJs. Returns a CNPJ, a root (its first eight characters), or the reason why a text is
 * neither.
 * Invariant: each spelling is read in the same way everywhere
 * (test/contract/spec/cnpjreaders.test.ts). Nothing is guessed. If a program dropped digits, they
 * are never invented. Lost leading zeros are offered as a suggestion, never assumed.
 */
import { type Cnpj, cnpjCheckDigits, isPlainCnpj, readCnpj, readRoot } from "./cnpj.ts";
import { cleaned, cnpjCandidates, LABEL, numberIn } from "./cnpjcandidates.ts";
import { holdsCpf, isCpf } from "./cpf.ts";

/** For each reason code, a sentence that says why a text is not a CNPJ. */
export const CNPJ_REFUSALS = {
  not_a_cnpj: "It is a number, but no CNPJ and no root of one.",
  not_a_number: "It holds words, and no CNPJ.",
  too_long: "It has more than 14 characters. Is one doubled, or a zero too many in front?",
  too_short: "It has fewer than 14 characters. Some of them are missing.",
  lost_zeros: "It has lost its zeros in front.",
  rounded:
    "A program has rounded this number, and its last digits are lost. Format the column as text " +
    "and export it again.",
  all_zeros: "Its digits, or those of its branch, are all zeros. No establishment has this CNPJ.",
  cpf:
    "It is a CPF, the number of a person, and was not looked up. If a CNPJ is meant, write all " +
    "of its 14 digits.",
} as const;

/** Code of a reason. */
export type CnpjRefusal = keyof typeof CNPJ_REFUSALS;

/** A text that is not a CNPJ, with the reason. */
export interface RefusedCnpj {
  readonly kind: "refused";
  readonly reason: CnpjRefusal;
  /** If the reason is `lost_zeros`, the CNPJ with its leading zeros restored. */
  readonly offered?: string;
}

/** Result of reading a text. `checked` is false if a CNPJ has wrong check digits. */
export type CnpjReading =
  | ({ readonly kind: "cnpj" } & Cnpj)
  | { readonly kind: "root"; readonly root: string }
  | RefusedCnpj;

const LENGTH = 14;
const ROOT_LENGTH = 8;
const BASE_LENGTH = 12;
/**
 * The root of Banco do Brasil, which consists of zeros. Only its CNPJs have three to six digits
 * after a program has dropped their leading zeros.
 */
const ZERO_ROOT = "0".repeat(ROOT_LENGTH);
/** The last six digits of a number that a program rounded. No CNPJ ends with them. */
const ROUNDED = "000000";
/** Punctuation of a CNPJ, and blanks. */
const SIGNS = /[\s./\\\u2010-\u2015\u2212-]+/g;

/** Reads a text that must contain exactly one CNPJ or root. */
export function readCnpjText(text: string): CnpjReading {
  const pieces = cnpjCandidates(text).filter(({ stray }) => !stray);
  const [only] = pieces;
  if (only === undefined || pieces.length > 1) {
    return refused(holdsCpf(text) ? "cpf" : isLettered(text) ? "not_a_number" : "not_a_cnpj");
  }
  return readCnpjCandidate(only.text);
}

/** True if a text contains several complete CNPJs, which `readCnpjText` refuses. */
export function holdsSeveralCnpjs(text: string): boolean {
  const isWhole = (piece: string) => readCnpjCandidate(piece).kind === "cnpj";
  const wholes = cnpjCandidates(text).filter((piece) => !piece.stray && isWhole(piece.text));
  return wholes.length > 1;
}

/** Matches a slash directly after a complete CNPJ. */
const GOES_ON = /(?:[0-9A-Z]{12}|\/[0-9A-Z]{4}-?)[0-9]{2}\//i;

/** Reads the end of a URL path like any other text, but refuses a CNPJ before a slash. */
export function readPathCnpj(text: string): CnpjReading {
  return GOES_ON.test(text) ? refused("not_a_cnpj") : readCnpjText(text);
}

/**
 * Reads a text that consists of a CNPJ or a root. Refuses a text with other words. Only the
 * console's search box needs this, because it also accepts sentences.
 */
export function readLoneCnpj(text: string): CnpjReading {
  const reading = readCnpjText(text);
  const length = { cnpj: LENGTH, root: ROOT_LENGTH, refused: 0 }[reading.kind];
  const bare = cleaned(text)
    .replace(/[;,]+$/, "")
    .replace(LABEL, "");
  const isAlone =
    length === 0 || numberIn(bare) !== null || bare.replace(SIGNS, "").length === length;
  return isAlone ? reading : refused("not_a_number");
}

/**
 * Reads a root in a URL path, where it may consist of letters only. Returns null for other text.
 */
export function readRootText(text: string): string | null {
  const reading = readCnpjText(text);
  return reading.kind === "root" ? reading.root : readRoot(cleaned(text));
}

/** Reads one of the pieces that cnpjcandidates.ts finds. */
export function readCnpjCandidate(text: string): CnpjReading {
  if (isPlainCnpj(text)) return { kind: "cnpj", cnpj: text, checked: true };
  const whole = readCnpj(text);
  if (whole !== null) return readWhole(whole);
  const root = readRoot(text);
  if (root !== null && /[0-9]/.test(root)) return { kind: "root", root };
  const number = numberIn(text);
  if (number !== null) return readNumber(number);
  if (/^[0-9]{3}\.[0-9]{3}\.[0-9]{3}[-/][0-9]{2}$/.test(text)) return refused("cpf");
  const bare = text.replace(SIGNS, "");
  const isSigned = !/^[0-9A-Z]/i.test(text);
  if (/^[0-9]+$/.test(bare)) return isSigned ? refused("not_a_cnpj") : readDigits(text, bare);
  if (holdsCpf(text)) return refused("cpf");
  return isSigned ? refused(isLettered(text) ? "not_a_number" : "not_a_cnpj") : readLettered(bare);
}

function refused(reason: CnpjRefusal): RefusedCnpj {
  return { kind: "refused", reason };
}

/** Reads 14 characters. Refuses a CNPJ with the branch number 0000, and a long word. */
function readWhole(read: Cnpj): CnpjReading {
  const { cnpj, checked } = read;
  if (cnpj.slice(ROOT_LENGTH, BASE_LENGTH) === "0000") {
    const isRounded = cnpj.endsWith(ROUNDED) && !cnpj.startsWith(ZERO_ROOT);
    return refused(isRounded ? "rounded" : "all_zeros");
  }
  if (!checked && !/[0-9]/.test(cnpj.slice(0, BASE_LENGTH))) return refused("not_a_number");
  return { kind: "cnpj", ...read };
}

/** Reads a number in a notation that programs use, such as one with an exponent. */
function readNumber({ digits, lost, isWhole }: NonNullable<ReturnType<typeof numberIn>>) {
  if (!isWhole) return refused("not_a_cnpj");
  if (digits.length > LENGTH) return refused("too_long");
  if (lost === 0) return readPlainDigits(digits);
  // If at most the two check digits are missing, they can be computed, and they then confirm the
  // other digits.
  const isConfirmed = lost <= LENGTH - BASE_LENGTH && isRight(digits.padStart(LENGTH, "0"));
  return isConfirmed ? readPlainDigits(digits) : refused("rounded");
}

/** Reads digits that are not punctuated as a complete CNPJ or root. */
function readDigits(text: string, digits: string): CnpjReading {
  // Such texts are dates with or without times, postal codes, phones, two numbers, or fractions.
  const isWhole = digits.length === LENGTH || digits.length === ROOT_LENGTH;
  const isOther = isWhole || /^[0-9]*[.][0-9]+$/.test(text);
  return isOther && digits !== text ? refused("not_a_cnpj") : readPlainDigits(digits);
}

/** Reads digits without punctuation, of any length. */
function readPlainDigits(digits: string): CnpjReading {
  const { length } = digits;
  if (length === LENGTH) {
    return readWhole({ cnpj: digits, checked: digits.endsWith(cnpjCheckDigits(digits)) });
  }
  if (length === ROOT_LENGTH) return { kind: "root", root: digits };
  if (/^0*$/.test(digits)) return refused("all_zeros");
  if (length > LENGTH) return refused("too_long");
  if (isCpf(digits)) return refused("cpf");
  const offered = digits.padStart(LENGTH, "0");
  const isOfZeros = length > 2 && offered.startsWith(ZERO_ROOT);
  const isLikely = !digits.startsWith("0") && (length > ROOT_LENGTH || isOfZeros);
  if (isLikely && isRight(offered)) return { kind: "refused", reason: "lost_zeros", offered };
  return refused(length > ROOT_LENGTH && digits.endsWith(ROUNDED) ? "rounded" : "too_short");
}

/** True for fourteen digits with a branch number other than 0000 and correct check digits. */
function isRight(digits: string): boolean {
  return (
    digits.endsWith(cnpjCheckDigits(digits)) && digits.slice(ROOT_LENGTH, BASE_LENGTH) !== "0000"
  );
}

/** Returns why a text is no CNPJ. Digits with a few letters may be a CNPJ of a wrong length. */
function readLettered(bare: string): CnpjReading {
  const digits = bare.replace(/[^0-9]/g, "").length;
  if (!/^[0-9A-Z]+$/i.test(bare) || 2 * digits <= bare.length || bare.length === LENGTH) {
    return refused(isLettered(bare) ? "not_a_number" : "not_a_cnpj");
  }
  return refused(bare.length > LENGTH ? "too_long" : "too_short");
}

function isLettered(text: string): boolean {
  return /\p{L}/u.test(text.replace(LABEL, ""));
}
