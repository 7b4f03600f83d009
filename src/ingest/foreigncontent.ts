/**
 * Refuses files whose content does not match their names.
 * Invariant: single irregular values never stop an import. A file is refused if nearly all of its
 * rows break the same rule, and a table if it lacks nearly all codes in use. Without this check, a
 * wrong Simples file would produce a snapshot without MEI (micro-entrepreneurs).
 */
import { basename } from "node:path";
import type { FileType, LookupType } from "../dump/layout.ts";
import type { Lookups } from "../dump/lookups.ts";
import { RULE_NAMES, RULES, type Rule } from "../dump/rules.ts";
import { CommandError } from "../errors.ts";
import type { CodeKind, KnownCodes } from "./dictionaries.ts";
import type { ScanResult } from "./scan/scan.ts";

/**
 * A file is refused if at least this share of its rows breaks one rule. A table is refused if it
 * lacks the codes of at least this share of all uses.
 */
const SHARE = 0.9;
/** Files with fewer rows, or tables with fewer uses of their codes, are not checked. */
const LEAST = 100;

/** For each type of file, the rules that the rows of another file would break. */
const INDICATIVE: Readonly<Partial<Record<FileType, readonly Rule[]>>> = {
  empresas: ["nature_invalid", "size_invalid", "capital_invalid"],
  simples: ["flag_invalid"],
  estabelecimentos: ["status_invalid", "uf_invalid", "cnae_invalid", "municipality_invalid"],
};

/** For each kind of code, the table of the release that lists its codes. */
const TABLES = {
  cnae: "cnaes",
  nature: "naturezas",
  reason: "motivos",
  country: "paises",
  tom: "municipios",
} as const satisfies Partial<Record<CodeKind, LookupType>>;

interface ScannedFile extends Pick<ScanResult, "rowsIn" | "tally" | "codes"> {
  readonly member: { readonly type: FileType; readonly file: string };
}

/** Throws a `CommandError` that lists all files whose content does not match their names. */
export function refuseForeignContent(
  folder: string,
  scans: readonly ScannedFile[],
  { lookups, known }: { readonly lookups: Lookups; readonly known: KnownCodes },
): void {
  const kinds = Object.entries(TABLES) as [keyof typeof TABLES, LookupType][];
  const found = [
    ...scans.flatMap(brokenRule),
    ...kinds.flatMap(([kind, table]) => {
      const files = lookups[table].files.map((file) => basename(file)).join(", ");
      return unknownCodes(files, known[kind], scans, kind);
    }),
  ];
  if (found.length === 0) return;
  throw new CommandError(
    `The dump in ${folder} cannot be imported:\n- ${found.join("\n- ")}\nDownload these files ` +
      "again, under their own names; --partial imports them as they are.",
  );
}

/** Returns a sentence in a list if nearly all rows of a file break one rule; else an empty list. */
function brokenRule({ member, rowsIn, tally }: ScannedFile): string[] {
  if (rowsIn < LEAST) return [];
  for (const rule of INDICATIVE[member.type] ?? []) {
    const count = Math.min(rowsIn, tally.counts[RULE_NAMES.indexOf(rule)] ?? 0);
    if (count < SHARE * rowsIn) continue;
    return [
      `${basename(member.file)}: ${numberOf(count)} of ${numberOf(rowsIn)} rows break one rule ` +
        `(${RULES[rule].text.replace(/[;.].*$/, "")}): it holds something else than its name says.`,
    ];
  }
  return [];
}

/**
 * Returns a list with one sentence if a table lacks nearly all codes that rows contain; else an
 * empty list. Skips empty tables.
 */
function unknownCodes(
  files: string,
  table: ReadonlyMap<string, string>,
  scans: readonly ScannedFile[],
  kind: CodeKind,
): string[] {
  if (table.size === 0) return [];
  const numbers = new Set([...table.keys()].map(Number));
  let uses = 0;
  let unknown = 0;
  for (const scan of scans) {
    const { codes, counts } = scan.codes[kind];
    codes.forEach((code, i) => {
      const count = counts[i] as number;
      uses += count;
      if (!numbers.has(code)) unknown += count;
    });
  }
  if (uses < LEAST || unknown < SHARE * uses) return [];
  return [
    `${files}: it has ${numberOf(table.size)} codes, and ${numberOf(unknown)} of ` +
      `${numberOf(uses)} codes in the rows are none of them: it holds something else than its ` +
      "name says, or only a part of it.",
  ];
}

function numberOf(count: number): string {
  return count.toLocaleString("en-US");
}
