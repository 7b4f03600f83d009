/**
 * What a file for people is called. What comes in: the context of an export. What goes out: the
 * title that was asked for, else the first activity and place of its search.
 * Apart because a workbook says it too.
 * Invariant: one line; the same spec and snapshot give the same title.
 */
import type { Segment } from "../../search/segment.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { registryNames, stateName } from "./names.ts";

/** More states than this are counted. */
const STATES_NAMED_MAX = 3;

/** The title of a file of these accounts. */
export function titleOf({ filters, output }: AccountQuerySpec, segment: Segment): string {
  if (output.title !== undefined) return output.title;
  const pt = output.labels === "pt";
  const names = registryNames(segment);
  const { industry, geo } = filters;
  const withMore = (name: string, count: number) =>
    count === 1 ? name : pt ? `${name} e mais ${count - 1}` : `${name} and ${count - 1} more`;
  const [activity] = industry.cnae_any_of;
  const places = [...geo.municipality_ibge_any_of, ...geo.municipality_tom_any_of];
  const [place] = places;
  const parts = [
    ...(activity === undefined
      ? []
      : [withMore(names.activity(activity) ?? activity, industry.cnae_any_of.length)]),
    ...(place === undefined
      ? statesOf(geo.uf_any_of, pt)
      : [withMore(names.municipality(place) ?? place, places.length)]),
  ];
  if (parts.length > 0) return parts.join(", ");
  return pt ? "Estabelecimentos" : "Establishments";
}

function statesOf(ufs: readonly string[], pt: boolean): string[] {
  if (ufs.length === 0) return [];
  if (ufs.length > STATES_NAMED_MAX) return [`${ufs.length} ${pt ? "estados" : "states"}`];
  return [ufs.map((uf) => (uf === "EX" && pt ? "exterior" : (stateName(uf) ?? uf))).join(", ")];
}
