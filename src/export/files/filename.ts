/**
 * Names of exported files. What comes in: what an export asks for, or its record. What goes out:
 * a few words that tell it from others, and the name that a download gets.
 * Invariant: lower-case ASCII letters, digits and hyphens only; the same spec and snapshot give
 * the same name. Words that a client searched for are left out: they may be names of people; a
 * title is what the client wants the file to be called.
 */
import type { Segment } from "../../search/segment.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { extensionOf } from "../formats/format.ts";
import { registryNames } from "../formats/names.ts";
import type { ExportRecord } from "../record.ts";

/** Longest slug, in characters. */
export const SLUG_LENGTH_MAX = 60;

/** Longest middle of a name: a month and a slug, with room. */
const NAME_LENGTH_MAX = 80;

/** What leaves room for the places behind it. */
const ACTIVITY_LENGTH_MAX = 32;
/** More states than this are counted. */
const STATES_NAMED_MAX = 3;
/** The slug of a spec without activity and place. */
const ALL = "empresas";

/** What an export holds, by its title, else its first activity, first municipality and states. */
export function slugOf({ filters, output }: AccountQuerySpec, segment: Segment): string {
  const titled = output.title === undefined ? "" : cut(folded(output.title), SLUG_LENGTH_MAX);
  if (titled !== "") return titled;
  const { industry, geo } = filters;
  const names = registryNames(segment);
  const [activity, ...activities] = industry.cnae_any_of;
  const places = [...geo.municipality_ibge_any_of, ...geo.municipality_tom_any_of];
  const [place, ...otherPlaces] = places;
  const parts = [
    activity === undefined
      ? ""
      : withMore(
          cut(folded(names.activity(activity) ?? activity), ACTIVITY_LENGTH_MAX),
          activities,
        ),
    place === undefined ? "" : withMore(folded(names.municipality(place) ?? place), otherPlaces),
    // The name of a municipality ends on its state.
    place === undefined ? statesOf(geo.uf_any_of) : "",
  ];
  return cut(parts.filter((part) => part !== "").join("-"), SLUG_LENGTH_MAX) || ALL;
}

/**
 * The slug of a file of changes: that it is one, in the language of the file, both months, then
 * what the spec selects.
 */
export function changesSlug(
  slug: string,
  { since, until, labels }: { since: string; until: string; labels?: LabelLanguage | undefined },
): string {
  const kind = labels === "pt" ? "mudancas" : "changes";
  return cut(folded(`${kind}-${since}-${until}-${slug}`), SLUG_LENGTH_MAX);
}

/**
 * Name of a done export's file: `peneira-2026-10-<slug>-<first 8 hex of id>.<extension>`. That of
 * an export of changes has its months in the slug. All of it is folded here, whatever the record
 * says: it may be older than what checks labels and slugs now.
 */
export function fileNameOf(record: ExportRecord): string {
  const { snapshot, since, slug, id } = record;
  const hex = id.replace(/^exp_/, "").slice(0, 8);
  const what = cut(folded(since ? slug : `${snapshot}-${slug}`), NAME_LENGTH_MAX) || ALL;
  return `peneira-${what}-${folded(hex)}.${extensionOf(record)}`;
}

function withMore(part: string, others: readonly string[]): string {
  return others.length === 0 ? part : `${part}-e-mais-${others.length}`;
}

function statesOf(ufs: readonly string[]): string {
  return ufs.length > STATES_NAMED_MAX ? `${ufs.length}-estados` : folded(ufs.join("-"));
}

/** Letters without accents, digits, and single hyphens for the rest. */
function folded(text: string): string {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return letters.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

/** Cuts at the last hyphen that leaves it short enough. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const part = text.slice(0, length + 1);
  const end = part.lastIndexOf("-");
  return end > 0 ? part.slice(0, end) : text.slice(0, length);
}
