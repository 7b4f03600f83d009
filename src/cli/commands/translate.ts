/**
 * `peneira translate`: prints the parts of a sentence with their filters and assumptions, or the
 * whole translation as JSON.
 * Invariant: the spec equals the answer of `POST /v1/leads/translate`. No search runs.
 */

import type { Command } from "commander";
import { readActivityTexts } from "../../dump/activities.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stderr, stdout, visibleLine } from "../../process/terminal.ts";
import { countMatches } from "../../search/searcher.ts";
import type { Segment } from "../../search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../spec/fields.ts";
import { normalizeSpec } from "../../spec/normalize.ts";
import { useDescriptors } from "../../translate/activities/officialtexts.ts";
import { isUncertain } from "../../translate/confidence.ts";
import type { Note } from "../../translate/notes.ts";
import {
  type CountedDoubt,
  doubtsOf,
  type Suggestion,
  suggestionsOf,
} from "../../translate/suggestions.ts";
import { type Translation, translate } from "../../translate/translate.ts";
import { refuseText } from "../support/inputfiles.ts";

interface TranslateOptions {
  readonly snapshot: string;
  readonly json?: true;
  readonly descriptors?: string;
}

/** Page size if the sentence states no number. */
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 50_000;

const EXAMPLES = `
Examples:
  $ peneira translate --snapshot 2026-10.peneira "padarias em MG abertas desde 2020, exceto MEI"
  $ peneira translate --snapshot 2026-10.peneira --json "dentistas em Recife com telefone"`;

/** Adds `peneira translate` to the program. */
export function registerTranslate(program: Command): void {
  program
    .command("translate <sentence>")
    .summary("translate a sentence into filters")
    .description(
      "Translates a Portuguese, English, or Spanish sentence into a spec, without searching.",
    )
    .requiredOption("--snapshot <file>", "snapshot with the known places and activities (required)")
    .option("--json", "print one JSON document")
    .option("--descriptors <file>", "IBGE's descriptions of activities, for higher recall")
    .addHelpText("after", EXAMPLES)
    .action(run);
}

async function run(text: string, options: TranslateOptions): Promise<void> {
  refuseText(text);
  if (options.descriptors !== undefined) useDescriptors(readActivityTexts(options.descriptors));
  const segment = await openAnySegment(options.snapshot);
  try {
    const translation = translate(text, segment);
    const spec = normalized(segment, translation);
    const matches = countMatches(segment, spec);
    const suggestions = suggestionsOf(segment, translation, spec);
    const other = (sentence: string) => normalized(segment, translate(sentence, segment));
    const doubts = doubtsOf(segment, translation, spec, other);
    warnUncertain(spec.explain.confidence);
    if (options.json) {
      const { parts } = translation;
      const document = { spec, explain: spec.explain, parts, matches, suggestions, doubts };
      stdout.data(`${JSON.stringify(document)}\n`);
    } else {
      stdout.print(report(translation, { suggestions, doubts, matches }));
    }
  } finally {
    segment.close();
  }
}

function warnUncertain(confidence: number): void {
  if (!isUncertain(confidence)) return;
  stderr.print(
    `warning: too little was understood with certainty (confidence ${confidence}); ` +
      "check the filters before searching\n",
  );
}

function normalized(segment: Segment, { spec }: Translation) {
  return normalizeSpec(spec, {
    catalog: segment.catalog,
    limitDefault: LIMIT_DEFAULT,
    limitCap: LIMIT_MAX,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "search",
    fullAllowed: false,
  }).spec;
}

interface Counted {
  readonly suggestions: readonly Suggestion[];
  readonly doubts: readonly CountedDoubt[];
  readonly matches: number;
}

function report(translation: Translation, { suggestions, doubts, matches }: Counted) {
  const { explain } = translation.spec;
  const notes = (title: string, list: readonly Note[] = []) =>
    list.map(
      ({ words, detail }) => `${title} ${words === undefined ? "" : `"${words}": `}${detail}`,
    );
  const codes = suggestions.flatMap(({ words, activities }) =>
    activities.map(
      ({ code, description, matches: count }) =>
        `may mean     "${words}": ${code} ${description} (${count})`,
    ),
  );
  const lines = [
    ...translation.parts.map(({ words, role }) => `${role.padEnd(12)} ${words}`),
    ...codes,
    ...doubts.map((one) => `doubtful     ${one.detail} "${one.query_text}" (${one.matches})`),
    ...notes("assumed     ", explain.assumptions),
    ...notes("warning     ", explain.warnings),
    ...notes("not mapped  ", explain.unmapped_constraints),
    `confidence   ${explain.confidence}`,
    `matches      ${matches}`,
  ];
  return `${lines.map(visibleLine).join("\n")}\n`;
}
