/**
 * Names of exported files. Input: the spec of an export, or its record. Output: a slug that
 * describes the spec, and the file name of the download.
 * Invariant: only lower-case ASCII letters, digits, and hyphens; the same spec and snapshot give
 * the same name. Words that a client searched for are left out, because they may be names of
 * people. A title is included, because the client chose it as a name.
 */
import type { Segment } from "../../search/segment.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { extensionOf } from "../formats/format.ts";
import { registryNames } from "../formats/names.ts";
import type { ExportRecord } from "../record.ts";

/** Longest slug, in characters. */
export const SLUG_LENGTH_MAX = 60;

/** Max length of a name's middle part: a month and a slug, with some reserve. */
const NAME_LENGTH_MAX = 80;

/** Max length of the activity, so that places fit after it. */
const ACTIVITY_LENGTH_MAX = 32;
/** If there are more states, the name has their number. */
const STATES_NAMED_MAX = 3;
/** Slug of a spec without activity and place. */
const ALL = "empresas";

/** Returns the slug: the title, else the first activity, first municipality, and states. */
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
    // The name of a municipality ends with its state.
    place === undefined ? statesOf(geo.uf_any_of) : "",
  ];
  return cut(parts.filter((part) => part !== "").join("-"), SLUG_LENGTH_MAX) || ALL;
}

/**
 * Returns the slug of a file of changes: the word "changes" in the file's language, both months,
 * then the slug of the spec.
 */
export function changesSlug(
  slug: string,
  { since, until, labels }: { since: string; until: string; labels?: LabelLanguage | undefined },
): string {
  const kind = labels === "pt" ? "mudancas" : "changes";
  return cut(folded(`${kind}-${since}-${until}-${slug}`), SLUG_LENGTH_MAX);
}

/**
 * File name of a finished export: `peneira-2026-10-<slug>-<first 8 hex of id>.<extension>`. For
 * changes the slug has the months. All of it is folded again, because an old record may predate the
 * checks of labels and slugs.
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

/** Removes accents, lower-cases, and replaces everything else by single hyphens. */
function folded(text: string): string {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return letters.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

/** Cuts a text at the last hyphen within `length`. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const part = text.slice(0, length + 1);
  const end = part.lastIndexOf("-");
  return end > 0 ? part.slice(0, end) : text.slice(0, length);
}
