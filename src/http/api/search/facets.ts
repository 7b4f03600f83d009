/**
 * The member `facets` of a request body. What comes in: a body. What goes out: the facets it asks
 * for, or null; every mistake is added to those of the body.
 * Invariant: a name that is unknown or there twice is a mistake, never left out.
 */
import { FACETS, type FacetName } from "../../../spec/facets.ts";
import { shown } from "../../../spec/reader.ts";
import type { BodyObject } from "../../server/body.ts";

/** Reads the facets that a body asks for; null where it asks for none. */
export function readFacets({ members, mistakes }: BodyObject): readonly FacetName[] | null {
  const { facets } = members;
  if (facets === undefined) return null;
  if (!Array.isArray(facets)) {
    const detail = `facets must be an array of names, not ${shown(facets)}.`;
    mistakes.push({ pointer: "/facets", code: "wrong_type", detail });
    return null;
  }
  const names: FacetName[] = [];
  for (const [at, name] of facets.entries()) {
    const pointer = `/facets/${at}`;
    const known = FACETS.find((facet) => facet === name);
    if (known === undefined) {
      const detail = `${shown(name)} is no facet; known are ${FACETS.join(", ")}.`;
      mistakes.push({ pointer, code: "unknown_value", detail });
      // A list of thousands of wrong names is one mistake too many already.
      if (at > FACETS.length) break;
    } else if (names.includes(known)) {
      mistakes.push({ pointer, code: "duplicate", detail: `${known} is there twice.` });
    } else {
      names.push(known);
    }
  }
  return names.length === 0 ? null : names;
}
