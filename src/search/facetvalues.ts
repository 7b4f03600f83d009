/**
 * The values of facets by their codes. What comes in: a segment and the name of a facet. What goes
 * out: what its codes stand for.
 * Invariant: made once for a segment and a facet, of the tables of the snapshot alone; values are
 * distinct and ascending.
 */
import { TABLES, type TableName } from "../../native-index/format/columns.ts";
import { CNAE_NOT_INFORMED, punctuateCnae, sectionOfCnae } from "../spec/catalog.ts";
import type { FacetName } from "../spec/facets.ts";
import type { Segment } from "./segment.ts";

/** One value: as the filter of the spec wants it, with its name where it has one. */
export interface FacetValue {
  readonly value: string | number | boolean;
  readonly label?: string;
}

/** The values of a facet. */
interface FacetValues {
  /** Ascending. */
  readonly values: readonly FacetValue[];
  /** By code the place of its value, or -1 where it stands for none. */
  readonly places: Int32Array;
}

/** First year of the codes of `started_year`. */
const FIRST_YEAR = 1800;

/** Names of the combinations of ways to reach an account, by code. */
const CONTACTS = ["none", "email", "phone", "email_and_phone"] as const;

/** Digits of a CNAE prefix by facet; the section is a letter and the subclass the whole code. */
const PREFIX_DIGITS = { cnae_division: 2, cnae_group: 3, cnae_class: 5 } as const;

const known = new WeakMap<Segment, Map<FacetName, FacetValues>>();

/** The values of a facet with so many codes, made at its first use. */
export function valuesOfFacet(segment: Segment, name: FacetName, codes: number): FacetValues {
  const facets = known.get(segment) ?? new Map<FacetName, FacetValues>();
  known.set(segment, facets);
  let values = facets.get(name);
  if (values === undefined) {
    const read = readerOf(segment, name);
    values = inOrder(Array.from({ length: codes }, (_, code) => read(code)));
    facets.set(name, values);
  }
  return values;
}

/** Sorts the values of codes, of which several may have the same one. */
function inOrder(codes: readonly Read[]): FacetValues {
  const distinct = new Map<FacetValue["value"], FacetValue>();
  for (const read of codes) if (read !== null) distinct.set(read.value, read);
  const values = [...distinct.values()].sort((a, b) => (a.value < b.value ? -1 : 1));
  const placeOf = new Map(values.map(({ value }, place) => [value, place]));
  const places = codes.map((read) => (read === null ? -1 : (placeOf.get(read.value) as number)));
  return { values, places: Int32Array.from(places) };
}

/** What a code stands for; null where it is none of the values. */
type Read = FacetValue | null;

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
