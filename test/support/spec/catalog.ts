/**
 * A small catalog and contexts of normalization, for the tests of specs.
 * Invariant: the catalog contains the cases that make normalization hard. These are codes with
 * leading zeros, a class with several subclasses, the code 8888888 next to a real division 88, and
 * a municipality without an IBGE code.
 */
import type { Catalog } from "../../../src/spec/catalog.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import type { NormalizeContext } from "../../../src/spec/normalize.ts";

/** A catalog with a few codes of each kind. */
export const SAMPLE_CATALOG: Catalog = {
  cnaeCodes: [
    ...["0111301", "0111302", "0112101", "1091101", "1091102", "4711301", "4711302", "4712100"],
    ...["4721102", "5611201", "5611203", "6201501", "6202300", "8800600", "8888888", "9602501"],
  ],
  municipalities: [
    { tom: "0001", ibge: "1100106", uf: "RO", name: "Guajará-Mirim" },
    { tom: "0427", ibge: "1501402", uf: "PA", name: "Belém" },
    { tom: "6001", ibge: "3304557", uf: "RJ", name: "Rio de Janeiro" },
    { tom: "7107", ibge: "3550308", uf: "SP", name: "São Paulo" },
    { tom: "6291", ibge: "3509502", uf: "SP", name: "Campinas" },
    { tom: "9701", ibge: "5300108", uf: "DF", name: "Brasília" },
    { tom: "9707", ibge: null, uf: "EX", name: "Exterior" },
  ],
  statusReasons: ["00", "01", "07", "14", "63", "71"],
  legalNatures: ["0000", "2011", "2054", "2062", "2135", "2305", "3999"],
};

/** Returns the context of a search on the largest plan, with some members changed. */
export function contextWith(changed: Partial<NormalizeContext> = {}): NormalizeContext {
  return {
    catalog: SAMPLE_CATALOG,
    limitDefault: 100,
    limitCap: 50_000,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "search",
    fullAllowed: false,
    ...changed,
  };
}

/** Returns the context of an export of up to a million rows that no plan restricts. */
export function exportContext(catalog: Catalog): NormalizeContext {
  const limit = { limitDefault: 1_000_000, limitCap: 1_000_000 };
  return contextWith({ catalog, ...limit, mode: "export", fullAllowed: true });
}
