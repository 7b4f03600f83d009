/**
 * `peneira inspect`: prints a snapshot's label, dates, columns, dictionaries, and sections.
 * Invariant: the command reads only footer, directory, and metadata, and verifies their checksums.
 * `peneira verify` verifies the other blocks.
 */
import type { Command } from "commander";
import { COLUMNS, ORDERS, TABLES } from "../../../native-index/format/columns.ts";
import type {
  OddSnapshotMunicipality,
  SnapshotMeta,
  SnapshotOrigin,
} from "../../../native-index/format/snapshot/meta.ts";
import type {
  SnapshotPart,
  SnapshotSection,
} from "../../../native-index/format/snapshot/region.ts";
import type { OpenedSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { stdout, visibleLine } from "../../process/terminal.ts";
import { wordFor } from "../../text/amounts.ts";

/** Output of `peneira inspect --json`. */
export interface Inspection {
  readonly path: string;
  readonly bytes: number;
  readonly format: number;
  readonly label: string;
  readonly snapshot_date: string;
  readonly provenance: Readonly<Record<string, string>>;
  /** Host of the imported files, missing parts, and skipped rows. Null if unknown. */
  readonly origin: SnapshotOrigin | null;
  /** Number of municipalities with imported statistical regions or seat, or null if none. */
  readonly places: number | null;
  /**
   * Municipalities of the registry whose name alone did not lead to an IBGE code. Each has its TOM
   * code (of the tax authority), its name, and its IBGE code or null.
   */
  readonly odd_municipalities: readonly OddSnapshotMunicipality[];
  readonly accounts: number;
  readonly score_version: number;
  readonly created_by: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Number of entries by dictionary. */
  readonly dictionaries: Readonly<Record<string, number>>;
  readonly sections: readonly {
    readonly name: string;
    readonly offset: number;
    readonly bytes: number;
  }[];
  /**
   * State of the checksums of footer, directory, and metadata. It is always "ok", because a file
   * with a bad checksum there does not open.
   */
  readonly directory: "ok";
}

/** Names of section kinds, by their number in `format.h`. */
const SECTION_NAMES = [
  "",
  "META",
  "COLUMNS",
  "TABLE",
  "POSTINGS",
  "CHUNKS",
  "ORDER",
  "NAME_RANK",
  "TERMS",
  "TERM_INDEX",
  "TERM_POSTINGS",
  "CUBE",
  "BLOCKS",
];

const EXAMPLES = `
Only the headers are read; \`peneira verify\` reads every byte.

Examples:
  $ peneira inspect 2026-10.peneira
  $ peneira inspect 2026-10.peneira --json`;

/** Adds `peneira inspect` to the program. */
export function registerInspect(program: Command): void {
  program
    .command("inspect")
    .summary("show the contents of a snapshot")
    .description("Shows the month, counts, columns, sections, and provenance of a snapshot.")
    .argument("<file>", "the snapshot")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, options: { json?: true }) => {
      const { openSnapshot } = await import("../../../native-index/format/snapshot/snapshot.ts");
      const { CheckedFile } = await import("../../../native-index/format/snapshot/checked-file.ts");
      const { readParts } = await import("../../../native-index/format/snapshot/region.ts");
      const snapshot = await openSnapshot(path);
      const inspection = inspectionOf(
        snapshot,
        readParts(new CheckedFile(path), snapshot.sections),
      );
      if (options.json) stdout.data(`${JSON.stringify(inspection)}\n`);
      else stdout.print(inspectionText(inspection, snapshot.meta));
    });
}

/** Returns the name of a section, with its table or order: `TABLE uf`. */
export function sectionName({ kind, argument }: SnapshotSection): string {
  const name = SECTION_NAMES[kind] ?? `kind ${kind}`;
  const detail = name === "TABLE" ? TABLES[argument] : name === "ORDER" ? ORDERS[argument] : null;
  return detail === null ? name : `${name} ${detail ?? argument}`;
}

/** Collects the output of `peneira inspect`. */
export function inspectionOf(snapshot: OpenedSnapshot, parts: readonly SnapshotPart[]): Inspection {
  const { meta } = snapshot;
  const dictionaries = Object.entries(meta.dictionaries).map(([name, codes]) => {
    return [name, codes.length];
  });
  return {
    path: snapshot.path,
    bytes: snapshot.bytes,
    format: meta.format,
    label: meta.label,
    snapshot_date: meta.snapshot_date,
    provenance: { ...meta.provenance },
    origin: meta.origin ?? null,
    places: meta.places?.municipalities.length ?? null,
    odd_municipalities: meta.odd_municipalities ?? [],
    accounts: snapshot.rowCount,
    score_version: meta.score_version,
    created_by: meta.created_by,
    columns: COLUMNS.map(({ name, type }) => ({ name, type })),
    dictionaries: Object.fromEntries(dictionaries),
    sections: sectionsOf(snapshot.sections, parts),
    directory: "ok",
  };
}

/**
 * Returns the sections in directory order. The optional parts of the file are listed before the
 * section BLOCKS (the checksums of blocks).
 */
function sectionsOf(
  listed: readonly SnapshotSection[],
  parts: readonly SnapshotPart[],
): Inspection["sections"] {
  const rows = listed.map((section) => ({
    ...{ name: sectionName(section), offset: section.offset, bytes: section.length },
  }));
  const optional = parts.map(({ name, offset, length }) => ({ name, offset, bytes: length }));
  rows.splice(
    rows.findIndex(({ name }) => name === "BLOCKS"),
    0,
    ...optional,
  );
  return rows;
}

/** Returns a line with the optional lists that were imported, and their dates. */
function laterSources(provenance: Inspection["provenance"]): string[] {
  const named = [
    ["CNEP", provenance.cnep_as_of_date],
    ["CEPIM", provenance.cepim_as_of_date],
    ["PGFN", provenance.pgfn_as_of_month],
    ["corporate partners", provenance.partners_snapshot],
  ] as const;
  const known = named.filter(([, date]) => date !== undefined && date !== "not_available");
  return known.length === 0 ? [] : [`  ${known.map((pair) => pair.join(" ")).join(", ")}`];
}

function inspectionText(inspection: Inspection, meta: SnapshotMeta): string {
  const { provenance } = inspection;
  const lines = [
    `${inspection.path}: ${count(inspection.bytes)} bytes, format ${inspection.format}`,
    `  release ${inspection.label} of ${inspection.snapshot_date}`,
    `  ${count(inspection.accounts)} ${wordFor(inspection.accounts, "account")}`,
    `  population ${provenance.ibge_population_year}, sanctions ${provenance.ceis_as_of_date}`,
    ...laterSources(provenance),
    `  scores version ${inspection.score_version}, made by ${inspection.created_by}`,
    ...(inspection.places === null
      ? []
      : [`  places of ${count(inspection.places)} municipalities`]),
    ...originLines(inspection.origin),
    ...oddLines(inspection.odd_municipalities, meta),
    "Columns",
    ...inspection.columns.map(({ name, type }) => {
      const entries = inspection.dictionaries[name];
      const codes = entries === undefined ? "" : `, ${count(entries)} ${wordFor(entries, "code")}`;
      return `  ${name.padEnd(28)} ${type}${codes}`;
    }),
    "Index",
    ...inspection.sections.map(
      ({ name, bytes }) => `  ${name.padEnd(34)} ${count(bytes).padStart(16)} bytes`,
    ),
    "Checksums of footer, directory and metadata are right; `peneira verify` checks all blocks.",
  ];
  return `${lines.map(visibleLine).join("\n")}\n`;
}

function originLines(origin: SnapshotOrigin | null): string[] {
  if (origin === null) return [];
  const { host, partial, rows_left_out: rows } = origin;
  const gaps = [
    ...(partial ? ["parts were missing or empty (--partial)"] : []),
    ...(rows > 0 ? [`${count(rows)} malformed ${wordFor(rows, "row")} left out`] : []),
  ];
  return [
    ...(host === null ? [] : [`  files from ${host}`]),
    ...(gaps.length === 0 ? [] : [`  not whole: ${gaps.join(", ")}`]),
  ];
}

/** Returns a line for each municipality whose name alone did not lead to an IBGE code. */
function oddLines(odd: readonly OddSnapshotMunicipality[], { lookups }: SnapshotMeta): string[] {
  if (odd.length === 0) return [];
  const places = new Map(lookups.municipalities.map(([tom, name, , uf]) => [tom, `${name}/${uf}`]));
  const what = wordFor(odd.length, "municipality", "municipalities");
  return [
    `  ${count(odd.length)} ${what} not joined by name alone:`,
    ...odd.map(([tom, name, ibge]) => {
      const given = name === "" ? "without a name" : JSON.stringify(name);
      const taken = ibge === null ? "no municipality_ibge" : `${ibge} ${places.get(tom)}`;
      return `    ${tom} ${given}: ${taken}`;
    }),
  ];
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
