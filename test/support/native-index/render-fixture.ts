/**
 * Data for tests of renderers: a segment of accounts whose invented names try to break every
 * format, and the context of their export. Also returns the bytes of a renderer, and the accounts
 * as a search returns them.
 * Invariant: the segment is a real file opened by the real addon. Only its label and provenance are
 * invented. Dates reach back to 1800.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NativeSegment, openSegment } from "../../../native-index/napi/engine.ts";
import { explainColumns } from "../../../src/export/formats/explained.ts";
import type { OpenRenderer, RenderContext } from "../../../src/export/formats/renderer.ts";
import { explainRows } from "../../../src/search/project.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { exportContext } from "../spec/catalog.ts";
import { FIXTURE_TABLES, type FixtureRow, randomRows } from "./fixture-rows.ts";
import { writeFixture } from "./region-fixture.ts";

/** Texts that a format could misinterpret. */
export const HOSTILE_TEXTS: readonly string[] = [
  "=1+1",
  "+SUM(A1:A9)",
  "-2+3",
  "@SUM(1)",
  "\t=1",
  "\r=1",
  "\n=1",
  " \u00a0=1",
  "\u00ad=1+1",
  "\u0085@SUM(1)",
  "\ufeff\u200b\u2060-1",
  "＝1+1",
  '=HYPERLINK("http://example.com";"x")',
  "<script>alert(1)</script>",
  "]]> &amp; <!-- <?xml <t>",
  '</th></td></table></style></title><script>document.title="run"</script>',
  "<img src=x onerror=document.title='run'><svg/onload=document.title='run'>",
  '" onmouseover="document.title=\'run\'" style="color:red',
  "\"quoted\" ''; , \\ \\n",
  "zero\u0000 one\u0001 bell\u0007 esc\u001b unit\u001f delete\u007f next\u0085",
  "line\nbreak\r\nand\rreturn",
  "  spaces around  ",
  "_x0041_ _x005F_x0041_ _X0041_ _x41_ x0041_",
  "\u202eright to left\u202c \u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd",
  "\u{1d4b3} \u{1f600} \u{20000} \u{10ffff}",
  "\ufeffmark \ufffe \uffff \ufffd",
  "e\u0301 \ufb01 \u00a0\u2028\u2029",
  "00012345678901",
  "1E10",
  "0x1F",
  "1/2",
  "2024-01-01",
  "TRUE",
  "#N/A",
  "'apostrophe",
  "null",
  "X".repeat(2_000),
];

/** Numbers that a format could round or display differently. */
const CAPITALS = [0n, 1n, 99n, 100n, 123_456_789_012_345n, 900_000_000_000_001n];
/** Days since 1970: 1800-01-01, around the missing leap day of 1900, and later. */
const DAYS = [-62_091, -25_569, -25_568, -25_567, -25_510, -25_509, -25_508, -1, 0, 20_000];

/** Accounts of every kind, with hostile texts in every column of text. */
export function hostileRows(): FixtureRow[] {
  const of = <Value>(values: readonly Value[], i: number) => values[i % values.length] as Value;
  return randomRows(77, 400).map((row, i) => ({
    ...row,
    legal_name: of(HOSTILE_TEXTS, i),
    trade_name: i % 3 === 0 ? null : of(HOSTILE_TEXTS, i + 7),
    district: of(HOSTILE_TEXTS, i + 13),
    street: of(HOSTILE_TEXTS, i + 17),
    street_number: i % 5 === 0 ? null : of(HOSTILE_TEXTS, i + 19),
    email: i % 4 === 0 ? of(HOSTILE_TEXTS, i) : row.email,
    share_capital_cents: i % 7 === 0 ? null : of(CAPITALS, i),
    started_on: i % 11 === 0 ? null : of(DAYS, i),
  }));
}

/** An opened segment of hostile rows. */
export interface RenderFixture {
  readonly segment: Segment;
  /** Every row id. */
  readonly rows: Uint32Array;
  dispose(): void;
}

/** Writes and opens a segment of hostile rows. */
export async function openRenderFixture(): Promise<RenderFixture> {
  const folder = mkdtempSync(join(tmpdir(), "peneira-render-"));
  const fixture = await writeFixture(join(folder, "hostile.arrow"), hostileRows());
  const native = openSegment(fixture.path, fixture.directory);
  return {
    segment: segmentOf(native),
    rows: Uint32Array.from(fixture.rows.keys()),
    dispose() {
      native.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function segmentOf(native: NativeSegment): Segment {
  return {
    native,
    label: "2026-10",
    snapshotDate: "2026-10-10",
    snapshotId: "feedfacecafebeef",
    path: "/nowhere/snapshot.peneira",
    provenance: {
      rfb_snapshot: "2026-10",
      ibge_population_year: "2025",
      ceis_as_of_date: "not_available",
    },
    accounts: native.rowCount,
    catalog: { cnaeCodes: FIXTURE_TABLES.cnae_primary, legalNatures: [], municipalities: [] },
    codeOf: () => -1,
    close: () => native.close(),
  };
}

/** Options of an export. */
export interface ExportOptions {
  readonly format: string;
  readonly fields?: readonly string[];
  readonly explain?: boolean;
  /** Wanted activities. */
  readonly cnae?: readonly string[];
  /** Wanted words. */
  readonly hints?: readonly string[];
  readonly rowCount: number;
  /** Options of a file that is formatted for people. */
  readonly people?: { readonly labels?: "pt" | "en"; readonly title?: string };
}

/** Context of an export of some rows of a segment. */
export function contextOf(segment: Segment, options: ExportOptions): RenderContext {
  const {
    format,
    fields = OUTPUT_FIELD_NAMES,
    explain = false,
    cnae = [],
    hints = [],
    rowCount,
    people = {},
  } = options;
  const input = {
    filters: {
      geo: { uf_any_of: ["SP", "RJ"] },
      industry: { cnae_any_of: cnae, text_hints: hints },
    },
    output: { format, fields, include_explain: explain, ...people },
  };
  const { spec } = normalizeSpec(input, exportContext(segment.catalog));
  return { segment, spec, rowCount, matches: rowCount + 7 };
}

/** Renders rows that arrive in batches, and returns the bytes. */
export async function renderedBytes(
  open: OpenRenderer,
  context: RenderContext,
  batches: Iterable<Uint32Array>,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const renderer = open(context, (bytes) => pieces.push(Buffer.from(bytes)));
  await renderer.begin();
  for (const batch of batches) await renderer.rows(batch);
  await renderer.end();
  return Buffer.concat(pieces);
}

/** Splits rows into batches. */
export function* batchesOf(rows: Uint32Array, size: number): Generator<Uint32Array> {
  for (let from = 0; from < rows.length; from += size) yield rows.subarray(from, from + size);
}

/** Returns the columns that `include_explain` adds, computed from a search's explanations. */
export function searchedExplained(
  { segment, spec }: RenderContext,
  rows: Uint32Array,
): Record<string, unknown>[] {
  return explainRows(segment, spec, rows).map(({ score, parts, matched }) => {
    const cnae = matched.cnae as { code: string | null; as: string } | undefined;
    return {
      explain_score: score,
      ...Object.fromEntries(
        explainColumns(spec)
          .map(({ name }) => name.replace("explain_", ""))
          .filter((name) => name in parts)
          .map((name) => [`explain_${name}`, parts[name as keyof typeof parts]]),
      ),
      explain_matched: cnae?.code ?? null,
      explain_matched_as: cnae?.as ?? null,
    };
  });
}

/** Returns the accounts of rows as a search returns them. */
export function searched(
  segment: Segment,
  rows: Uint32Array,
  fields: readonly string[],
): Record<string, unknown>[] {
  return JSON.parse(Buffer.from(segment.native.renderJson(rows, fields)).toString());
}
