/**
 * Names of exported files. Input: the spec of an export, or its record. Output: a slug that
 * describes the spec, and the file name of the download.
 * Invariant: slugs have only lower-case ASCII letters, digits, and hyphens. The same spec and
 * snapshot give the same name. Words that a client searched for are omitted, because they may be
 * names of people. A title is used as the whole name. Characters that file systems or headers do
 * not allow are replaced.
 */
import type { Segment } from "../../search/segment.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { type ExportKind, extensionOf } from "../formats/format.ts";
import { registryNames } from "../formats/names.ts";
import type { ExportRecord } from "../record.ts";

/** Longest slug, in characters. */
export const SLUG_LENGTH_MAX = 60;

/** Max length of a name from a title, in characters and UTF-8 bytes. File systems allow 255. */
const TITLED_LENGTH_MAX = 120;
const TITLED_BYTES_MAX = 200;

/** Max length of a name's middle part: a month and a slug, with some reserve. */
const NAME_LENGTH_MAX = 80;

/** Max length of the activity, to leave space for places. */
const ACTIVITY_LENGTH_MAX = 32;
/** If there are more states, the name only has their number. */
const STATES_NAMED_MAX = 3;
/** Slug of a spec that has neither an activity nor a place. */
const ALL = "empresas";

/**
 * Returns the slug: the title, or else activity, place, and layout. The layout distinguishes files
 * for different products.
 */
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
    // The name of a municipality already ends with its state.
    place === undefined ? statesOf(geo.uf_any_of) : "",
  ];
  const layout = output.preset === undefined ? "" : `-${folded(output.preset)}`;
  const what = cut(parts.filter((part) => part !== "").join("-"), SLUG_LENGTH_MAX - layout.length);
  return (what || ALL) + layout;
}

/** Returns the slug of changes: "changes" in the file's language, both months, the spec's slug. */
export function changesSlug(
  slug: string,
  { since, until, labels }: { since: string; until: string; labels?: LabelLanguage | undefined },
): string {
  const kind = labels === "pt" ? "mudancas" : "changes";
  return cut(folded(`${kind}-${since}-${until}-${slug}`), SLUG_LENGTH_MAX);
}

/**
 * Returns the header value that names a finished export's file. If the export has a title, the
 * header has two names: one in ASCII, and one as typed (RFC 6266). All current browsers prefer the
 * typed name.
 */
export function dispositionOf(record: NamedRecord): string {
  const name = fileNameOf(record);
  const typed = record.title === null ? "" : asFileName(record.title);
  const header = `attachment; filename="${name}"`;
  const full = `${typed}.${extensionOf(record)}`;
  return typed === "" || full === name ? header : `${header}; filename*=UTF-8''${encoded(full)}`;
}

/** Members of a record that determine its file's name. */
type NamedRecord = Pick<ExportRecord, "id" | "snapshot" | "since" | "slug" | "title"> & ExportKind;

/** Matches characters that Windows forbids in names, and invisible characters. */
const FORBIDDEN = /[\\/:*?"<>|\p{C}\p{Zl}\p{Zp}]+/gu;

/** Converts a title to a file name, or "" if nothing is left. */
function asFileName(title: string): string {
  const plain = title.replace(FORBIDDEN, "-").replace(/\s+/gu, " ");
  let name = plain.replace(/^[\s.-]+|[\s.-]+$/g, "");
  while (Buffer.byteLength(name) > TITLED_BYTES_MAX) name = [...name].slice(0, -1).join("").trim();
  return name;
}

/** Percent-encodes all characters except those that RFC 8187 allows. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/['()*!]/g, (one) => {
    return `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

/**
 * Returns the file name of a finished export: its title, or without one
 * `peneira-2026-10-<slug>-<first 8 hex of id>.<extension>`. For changes, the slug includes the
 * months. Accents and special characters are removed from the whole name again, because records of
 * earlier versions may hold labels and slugs that were never checked.
 */
export function fileNameOf(record: NamedRecord): string {
  const { snapshot, since, slug, id, title } = record;
  const titled = title === null ? "" : cut(folded(title), TITLED_LENGTH_MAX);
  if (titled !== "") return `${titled}.${extensionOf(record)}`;
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

/** Removes accents, converts to lower case, and replaces all other characters by single hyphens. */
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
