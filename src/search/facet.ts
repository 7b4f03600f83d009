/**
 * How the matches of a query spread over the values of a field. What comes in: a segment, the
 * filters of a spec, names of facets. What goes out: for each the most frequent values with their
 * exact counts, how much the others hold, and how many matches have no value.
 * Invariant: counts, the others and the missing ones sum to the number of matches. More frequent
 * values come first, equal ones by value ascending.
 */
import { TABLES, type TableName } from "../../native-index/format/columns.ts";
import type { Clause, NativeFacet } from "../../native-index/napi/engine.ts";
import { CNAE_NOT_INFORMED, punctuateCnae, sectionOfCnae } from "../spec/catalog.ts";
import type { FacetName } from "../spec/facets.ts";
import { guarded, type Segment } from "./segment.ts";

/** Most values of a facet that are listed; the rest is counted as one. */
export const FACET_VALUES_MAX = 100;

/** One value: as the filter of the spec wants it, with its name where it has one. */
interface FacetValue {
  readonly value: string | number | boolean;
  readonly label?: string;
  readonly count: number;
}

/** The values of one facet. */
export interface Facet {
  readonly values: readonly FacetValue[];
  /** Values that are not listed: how many there are and what they hold. */
  readonly other: { readonly values: number; readonly count: number };
  /** Matches without a value. */
  readonly missing: number;
}

/** Facets by name. */
export type Facets = Readonly<Partial<Record<FacetName, Facet>>>;

/** First year of the codes of `started_year`. */
const FIRST_YEAR = 1800;

/** Names of the combinations of ways to reach an account, by code. */
const CONTACTS = ["none", "email", "phone", "email_and_phone"] as const;

/** The addon's facet behind a public one. */
const NATIVE: Readonly<Record<FacetName, NativeFacet>> = {
  uf: "uf",
  municipality: "municipality",
  cnae_section: "cnae",
  cnae_division: "cnae",
  cnae_group: "cnae",
  cnae_class: "cnae",
  cnae_subclass: "cnae",
  registration_status: "registration_status",
  company_size: "company_size",
  started_year: "started_year",
  legal_nature: "legal_nature",
  simples: "simples",
  mei: "mei",
  headquarters: "headquarters",
  contact: "contact",
};

/** Digits of a CNAE prefix by facet; the section is a letter and the subclass the whole code. */
const PREFIX_DIGITS = { cnae_division: 2, cnae_group: 3, cnae_class: 5 } as const;

/** Counts facets of the matches of clauses. */
export function facets(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): Facets {
  const wanted = nativeOf(names);
  const counted = guarded(() => segment.native.facets(clauses, wanted));
  return namedFacets(segment, names, counted);
}

/** As `facets`, counted off the main thread. */
export async function facetsAside(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): Promise<Facets> {
  return namedFacets(segment, names, await segment.native.facetsAside(clauses, nativeOf(names)));
}

/** The addon's facets behind public ones, each once. */
function nativeOf(names: readonly FacetName[]): NativeFacet[] {
  return [...new Set(names.map((name) => NATIVE[name]))];
}

function namedFacets(
  segment: Segment,
  names: readonly FacetName[],
  counted: readonly Uint32Array[],
): Facets {
  const native = nativeOf(names);
  return Object.fromEntries(
    names.map((name) => {
      const counts = counted[native.indexOf(NATIVE[name])] as Uint32Array;
      return [name, facetOf(segment, name, counts)];
    }),
  );
}

/** Turns counts by code into values; codes may fall together into one value, or into none. */
function facetOf(segment: Segment, name: FacetName, counts: Uint32Array): Facet {
  const valueAt = readerOf(segment, name);
  const byValue = new Map<FacetValue["value"], { count: number; label: string | undefined }>();
  let missing = counts[counts.length - 1] as number;
  for (let code = 0; code < counts.length - 1; code++) {
    const count = counts[code] as number;
    if (count === 0) continue;
    const read = valueAt(code);
    const known = read === null ? undefined : byValue.get(read.value);
    if (read === null) missing += count;
    else if (known === undefined) byValue.set(read.value, { count, label: read.label });
    else known.count += count;
  }
  const values = [...byValue].map(([value, { count, label }]) =>
    label === undefined ? { value, count } : { value, label, count },
  );
  values.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const rest = values.slice(FACET_VALUES_MAX);
  const count = rest.reduce((sum, value) => sum + value.count, 0);
  return {
    values: values.slice(0, FACET_VALUES_MAX),
    other: { values: rest.length, count },
    missing,
  };
}

type Read = { readonly value: FacetValue["value"]; readonly label?: string } | null;

/** How a code of a facet becomes a value. */
function readerOf(segment: Segment, name: FacetName): (code: number) => Read {
  const table = (of: TableName) => segment.native.table(TABLES.indexOf(of));
  switch (name) {
    case "registration_status":
      return (code) => ({ value: code });
    case "started_year":
      return (code) => ({ value: code + FIRST_YEAR });
    case "simples":
    case "mei":
    case "headquarters":
      return (code) => ({ value: code === 1 });
    case "contact":
      return (code) => ({ value: CONTACTS[code] as string });
    case "municipality":
      return municipalityReader(segment, table("municipality_ibge"));
    case "uf":
      return plain(table("uf"));
    case "company_size":
      return plain(table("company_size_code"));
    case "legal_nature":
      return plain(table("legal_nature"), table("legal_nature_description"));
    default:
      return cnaeReader(name, table("cnae_primary"), table("cnae_description"));
  }
}

function plain(values: readonly string[], labels: readonly string[] = []): (code: number) => Read {
  return (code) => labelled(values[code] as string, labels[code]);
}

/** An empty label means that the name is unknown. */
function labelled(value: string, label: string | undefined): Read {
  return label === undefined || label === "" ? { value } : { value, label };
}

/** "Not informed" is a subclass of its own but belongs to nothing above it. */
function cnaeReader(
  name: Exclude<FacetName, "uf" | "contact">,
  codes: readonly string[],
  descriptions: readonly string[],
): (code: number) => Read {
  return (code) => {
    const digits = codes[code] as string;
    if (name === "cnae_subclass") return labelled(punctuateCnae(digits), descriptions[code]);
    if (digits === CNAE_NOT_INFORMED) return null;
    if (name === "cnae_section") {
      const section = sectionOfCnae(digits);
      return section === null ? null : { value: section };
    }
    return { value: digits.slice(0, PREFIX_DIGITS[name as keyof typeof PREFIX_DIGITS]) };
  };
}

/** Municipalities are named by the dump, whose names are kept by TOM code. */
function municipalityReader(segment: Segment, codes: readonly string[]): (code: number) => Read {
  const names = new Map<string, string>();
  for (const { ibge, name, uf } of segment.catalog.municipalities) {
    if (ibge !== null) names.set(ibge, uf === null ? name : `${name}/${uf}`);
  }
  return (code) => labelled(codes[code] as string, names.get(codes[code] as string));
}
