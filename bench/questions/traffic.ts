/**
 * Questions as a person's traffic has them. What comes in: a snapshot and a seed. What goes out:
 * bodies of searches, no two of them alike.
 * Invariant: the same snapshot and seed give the same bodies. One or two activities or divisions
 * that occur often, a state and the active ones; each of the other filters in 35 of 100 questions.
 */
import { facets } from "../../src/search/searcher.ts";
import type { Segment } from "../../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, UFS } from "../../src/spec/fields.ts";
import { normalizeSpec } from "../../src/spec/normalize.ts";
import { randomFrom } from "../../test/support/translate/shapes.ts";

/** Those asked for have most accounts; a facet lists 100 activities. */
const OFTEN = { cnae_subclass: 100, cnae_division: 40 } as const;
/** How often a question has one of the filters that not every question has. */
const SHARE = 0.35;
/** Accounts of a page. */
const PAGE = 50;

/** Bodies of `count` different searches over a snapshot. */
export function trafficOf(segment: Segment, seed: number, count: number): string[] {
  const random = randomFrom(seed);
  const pick = <Value>(values: readonly Value[]) =>
    values[Math.floor(random() * values.length)] as Value;
  const often = oftenIn(segment);
  const states = UFS.filter((uf) => uf !== "EX");
  const sometimes = <Value extends object>(value: () => Value) => (random() < SHARE ? value() : {});
  const bodies = new Set<string>();
  while (bodies.size < count) {
    const activities = [pick(pick([often.subclasses, often.divisions]))];
    if (random() < 0.5) activities.push(pick(often.subclasses));
    const company = {
      registration_status_any_of: [2],
      ...sometimes(() => ({ company_size_code_any_of: [pick(["01", "03", "05"])] })),
      ...sometimes(() => ({ mei_opt_in: false })),
      ...sometimes(() => ({ started_after: `${2000 + Math.floor(random() * 24)}-01-01` })),
    };
    const filters = {
      industry: { cnae_any_of: activities },
      geo: { uf_any_of: [pick(states)] },
      company,
      ...sometimes(() => ({ contact: { require_email: true } })),
    };
    bodies.add(JSON.stringify({ spec: { filters }, limit: PAGE }));
  }
  return [...bodies];
}

function oftenIn(segment: Segment): { subclasses: string[]; divisions: string[] } {
  const context = {
    ...{ catalog: segment.catalog, mode: "search" as const, fullAllowed: false },
    ...{ limitDefault: 1, limitCap: 1 },
    ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: DEFAULT_FIELDS },
  };
  const { spec } = normalizeSpec({ filters: {} }, context);
  const found = facets(segment, spec, ["cnae_subclass", "cnae_division"]);
  const most = (name: keyof typeof OFTEN) =>
    (found[name]?.values ?? []).slice(0, OFTEN[name]).map(({ value }) => String(value));
  return { subclasses: most("cnae_subclass"), divisions: most("cnae_division") };
}
