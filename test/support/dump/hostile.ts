/**
 * Makes hostile dump files: random content for a file type, most of it nearly valid, some damaged.
 * Invariant: the same random numbers yield the same bytes. A few dozen files contain every
 * irregular value that a rule handles, every way of writing a field, and every reason for a
 * rejection.
 */
import { type FileType, LAYOUTS } from "../../../src/dump/layout.ts";

type Random = () => number;

/** Values that are normal in one column and irregular in all others. */
const VALUES = [
  ...["", "", " ", "0", "00", "1", "2", "01", "03", "05", "08", "9", "999", "0000", "7107", "2135"],
  ...[
    "20240229",
    "20230229",
    "00000000",
    "17991231",
    "20990101",
    "2021221",
    "20261301",
    " 20200101",
  ],
  ...["87654321", "33334444", "3333444", "0", "011", "11", "9", "100", "1234567890123456789012"],
  ...["01310100", "1310100", "4721102", "4721102,0111301,x,,123, 8888888 ", "SP", "sp", "ZZ", "EX"],
  ...[
    "1.234,56",
    "1234",
    "1,2,3",
    ",5",
    "90071992547409,92",
    "90071992547409,91",
    "1.23,4",
    "5,001",
  ],
  ...[
    "S",
    "n",
    "X",
    "SS",
    "A@B.COM",
    "a@b",
    "a@b.c1",
    " Ana@Exemplo.com.br ",
    'x"y@z.com',
    "a@@b.co",
  ],
  ...[
    "RUA  DAS   FLORES",
    " A ",
    "\u00a0",
    "S\u00c3O JO\u00c3O",
    "A\tB\r\nC",
    '"',
    'X "Y" Z',
    ";",
    "A\u0085",
  ],
  ...["ANA 12345678901", "ANA 123.456.789-01", "1.12345678901", "12345678901", "ANA - 12345678901"],
  // CPFs that are valid but belong to no person: 123.456.789-09 comes from textbooks.
  ...["BAR 12345678909", "123.456.789-09", "12345678909", "9 12345678909", "11111111111"],
  ...["BAR 12345678909 12345678909", "BAR (12345678909) ME.", "BAR (ZE 12345678909)"],
  ...["CPF: 123 456 789-09", "ANA 12345678901 12345678901 -", "ANA 12345678909MEI"],
  // Bytes of UTF-8 text: letters, blanks, long characters, a truncated character, an overlong one,
  // and a surrogate.
  ...["S\u00c3\u0083O JO\u00c3\u0083O", "\u00c2\u00a0A\u00c2\u00a0 \u00c2\u00a0B\u00c2\u00a0"],
  ...["\u00e2\u0082\u00ac", "\u00f0\u009f\u008f\u00aa\u00c3", "\u00e2\u0082X", "\u00c0\u00afY"],
  ...["\u00ed\u00a0\u0080", "\u00f4\u0090\u0080\u0080", "\u00ef\u00bb\u00bfZ"],
];

/** Root, branch, and check digits of CNPJs. Some have letters, and some are invalid. */
const CNPJS = [
  ["11222333", "0001", "81"],
  ["11222333", "0002", "62"],
  ["00000000", "0001", "91"],
  ["12ABC345", "01DE", "35"],
  ["12abc345", "01de", "35"],
  ["11222333", "0001", "99"],
  ["1122233", "0001", "81"],
  ["11222333", "1", "8x"],
];

/** Bytes of a file of `type` with up to `rows` rows. */
export function hostileFile(random: Random, type: FileType, rows: number): Buffer {
  const isDamaged = random() < 0.4;
  const lines = Array.from({ length: below(random, rows + 1) }, () => hostileLine(random, type));
  if (isDamaged) lines.splice(below(random, lines.length + 1), 0, damagedLine(random, type));
  const text = lines.join("");
  const cut = random() < 0.1 ? text.slice(0, below(random, text.length + 1)) : text;
  return Buffer.from(random() < 0.1 ? cut.replace(/[\r\n]+$/, "") : cut, "latin1");
}

function hostileLine(random: Random, type: FileType): string {
  const cells = LAYOUTS[type].columns.map(() => value(random));
  const cnpj =
    random() < 0.95 ? pick(random, CNPJS) : [value(random), value(random), value(random)];
  const known = type === "estabelecimentos" ? 3 : 1;
  cells.splice(0, known, ...(cnpj.slice(0, known) as string[]));
  const end = pick(random, ["\n", "\n", "\n", "\r\n", "\n\n", "\r\n\r\n"]);
  return cells.map((cell) => field(random, cell)).join(";") + end;
}

function value(random: Random): string {
  const known = pick(random, VALUES);
  if (random() < 0.9) return known;
  const noise = Array.from({ length: below(random, 40) }, () => String.fromCharCode(byte(random)));
  return random() < 0.5 ? known + noise.join("") : noise.join("");
}

/** Returns a random byte. Bytes that a scanner treats specially are frequent. */
function byte(random: Random): number {
  return random() < 0.3
    ? pick(random, [0, 9, 10, 13, 32, 34, 44, 46, 59, 64, 160])
    : below(random, 256);
}

function field(random: Random, text: string): string {
  const isBare = !/[";\n\r]/.test(text) && random() < 0.1;
  const written = isBare ? text : `"${text.replaceAll('"', '""')}"`;
  if (random() > 0.02) return written;
  const at = below(random, written.length + 1);
  return `${written.slice(0, at)}\0${written.slice(at)}`;
}

function damagedLine(random: Random, type: FileType): string {
  const good = hostileLine(random, type);
  return pick(random, [
    () => `${good.trimEnd()};"more"\n`,
    () => '"one";"two"\n',
    () => good.replace('";"', '"x;"'),
    () => good.replace("\n", '\r"'),
    () => good.replace('"', ""),
    () => good.replace('";"', `";"${"a".repeat(59_990 + below(random, 20))}";"`),
    () => good.replace('";"', `${"\u00e3".repeat(32_760 + below(random, 20))}";"`),
    () => `${good}\ufeff`.replace(/\ufeff/, '"never closed'),
    () => "\u00ff\u00fe\n",
  ])();
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[below(random, list.length)] as T;
}
