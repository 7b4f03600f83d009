/**
 * `peneira districts`: lists the districts of a municipality, without a server.
 * Invariant: the districts, their order, and counts equal the answer of GET /v1/districts. An
 * ambiguous municipality name is refused.
 */
import { type Command, Option } from "commander";
import { AppError, CommandError } from "../../errors.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { DISTRICT_LIMITS, type DistrictList, districtsOf } from "../../search/districts.ts";
import type { Segment } from "../../search/segment.ts";
import { catalogLookup, notCounted } from "../../spec/catalog.ts";
import { shown } from "../../spec/reader.ts";
import { wordFor } from "../../text/amounts.ts";
import { nameOf, readPlaces } from "../../translate/leads/leadplaces.ts";
import { LeadReader } from "../../translate/leads/leadreader.ts";
import { Notes } from "../../translate/notes.ts";
import type { City } from "../../translate/places/placenames.ts";
import { positive } from "../support/inputfiles.ts";
import { printJsonLines, printTable } from "../support/print.ts";

const FORMATS = ["table", "json", "jsonl"] as const;

interface DistrictOptions {
  readonly snapshot: string;
  readonly limit: number;
  readonly format: (typeof FORMATS)[number];
}

const FIELDS = ["name", "accounts"];

const EXAMPLES = `
Examples:
  $ peneira districts --snapshot 2026-10.peneira "Belo Horizonte"
  $ peneira districts --snapshot 2026-10.peneira "Bom Jesus/PI" cen
  $ peneira districts --snapshot 2026-10.peneira 3550308 vila m --limit 100 --format json`;

/** Adds `peneira districts` to the program. */
export function registerDistricts(program: Command): void {
  program
    .command("districts")
    .summary("list the districts of a municipality")
    .description(
      "Lists the districts (bairros) of a municipality as its accounts spell them. A spec's " +
        "district_any_of and a lead query's districts take these names. Names that begin with " +
        "the text come first, then those with more accounts. Accents and case do not count.",
    )
    .argument("<city>", "its name, with the state if several cities have it, or its IBGE code")
    .argument("[text...]", "words of a name, or their beginnings, such as vila m")
    .requiredOption("--snapshot <file>", "the snapshot to look in (required)")
    .addOption(
      new Option("--limit <n>", `maximum number of districts, at most ${DISTRICT_LIMITS.limit}`)
        .argParser(positive)
        .default(DISTRICT_LIMITS.limitDefault),
    )
    .addOption(new Option("--format <format>", "how to print").choices(FORMATS).default("table"))
    .addHelpText("after", EXAMPLES)
    .action(run);
}

async function run(
  name: string,
  words: readonly string[],
  { snapshot, limit, format }: DistrictOptions,
): Promise<void> {
  if (limit > DISTRICT_LIMITS.limit) {
    throw new CommandError(`--limit can be at most ${DISTRICT_LIMITS.limit}.`, 2);
  }
  const segment = await openAnySegment(snapshot);
  try {
    if (catalogLookup(segment.catalog).lacks("districts")) {
      throw new CommandError(notCounted("this list of districts"));
    }
    const city = cityOf(name, segment);
    const found = districtsOf(segment, { ibge: city.ibge, typed: words.join(" "), limit });
    stdout.data(printed(found, city, { segment, format }));
    const { districts, total } = found;
    const fit = wordFor(total, "district fits", "districts fit");
    const here = districts.length < total ? `, ${districts.length} of them here` : "";
    stderr.print(`${total} ${fit} in ${nameOf(city)}${here}, snapshot ${segment.label}\n`);
  } finally {
    segment.close();
  }
}

function cityOf(name: string, segment: Segment): City {
  const reader = new LeadReader();
  const sent = { cities: name, states: undefined, regions: undefined };
  const context = { segment, notes: new Notes("en") };
  const { cities } = readPlaces(sent, "", reader, context);
  try {
    reader.refuse();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new CommandError(error.errors[0]?.detail ?? error.message, 2);
  }
  const [city, ...others] = cities.values();
  if (city === undefined) {
    throw new CommandError(`${shown(name)} has no IBGE code, and so no list of districts.`, 2);
  }
  if (others.length === 0) return city;
  const all = [city, ...others].map(nameOf).join(", ");
  throw new CommandError(`Several municipalities are called ${shown(name)}; name one: ${all}.`, 2);
}

function printed(
  { districts, total }: DistrictList,
  { ibge, name, uf }: City,
  { segment, format }: { readonly segment: Segment; readonly format: DistrictOptions["format"] },
): string {
  const rows = districts.map((district) => ({ ...district }));
  if (format === "table") return printTable(rows, FIELDS);
  if (format === "jsonl") return printJsonLines(rows);
  const municipality = { municipality_ibge: ibge, municipality_name: name, uf };
  const answer = { snapshot: segment.label, ...municipality, districts: rows, total };
  return `${JSON.stringify(answer, null, 2)}\n`;
}
