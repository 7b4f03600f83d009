/**
 * Municipalities whose names a release spells otherwise. Input: the unknown names, and the
 * municipalities that no other code of the release has. Output: those that each name may mean.
 * Invariant: a municipality is given to one name at most, and to none if two names are equally near
 * to it; of a state at most one is given to a name, and none if two are equally near. Apart because
 * it knows nothing of codes.
 */

import { distance } from "fastest-levenshtein";
import { UFS } from "../../spec/fields.ts";

/** A municipality of the IBGE. */
export interface IbgePlace {
  readonly uf: string;
  readonly ibge: string;
  readonly name: string;
  /** Its name as names are compared. */
  readonly folded: string;
}

/** Edits that a spelling may differ by: one for each so many characters. */
const CHARACTERS_PER_EDIT = 5;

/** Places by code; `unknown` has codes with their folded names. */
export function spelledPlaces(
  unknown: readonly (readonly [tom: string, name: string])[],
  free: readonly IbgePlace[],
): ReadonlyMap<string, readonly IbgePlace[]> {
  const best = new Map<IbgePlace, { readonly toms: readonly string[]; readonly edits: number }>();
  for (const [tom, name] of unknown) {
    for (const { place, edits } of nearest(name, free)) {
      const known = best.get(place);
      if (known !== undefined && known.edits < edits) continue;
      best.set(place, { toms: known?.edits === edits ? [...known.toms, tom] : [tom], edits });
    }
  }
  const spelled = new Map<string, IbgePlace[]>();
  for (const [place, { toms }] of best) {
    const [tom, second] = toms;
    if (tom === undefined || second !== undefined) continue;
    spelled.set(tom, [...(spelled.get(tom) ?? []), place]);
  }
  return spelled;
}

/** In each state the free place whose name is nearest, if only one is. */
function nearest(name: string, free: readonly IbgePlace[]) {
  const most = Math.floor(name.length / CHARACTERS_PER_EDIT);
  if (most === 0) return [];
  return UFS.flatMap((uf) => {
    const near = free
      .filter((place) => place.uf === uf)
      .map((place) => ({ place, edits: distance(name, place.folded) }))
      .sort((a, b) => a.edits - b.edits);
    const [first, second] = near;
    if (first === undefined || first.edits > most) return [];
    return second?.edits === first.edits ? [] : [first];
  });
}
