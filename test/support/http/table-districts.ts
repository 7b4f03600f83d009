/**
 * The scenarios of districts: rows of the table in table.ts.
 * Invariant: that of the table. The accounts of the simulated engine have no districts;
 * contract/http/api/districts.test.ts tests real snapshots.
 * Separate from the table because the table's file has reached the size limit.
 */
import type { Scenario } from "./table.ts";

const MOEMA = { municipality_ibge: "355030", name: "  MOEMA  " };
const normalizing = { path: "/v1/spec/normalize" };

/** Every scenario of districts. */
export const DISTRICT_SCENARIOS: readonly Scenario[] = [
  {
    name: "the districts of a municipality that has none",
    method: "GET",
    path: "/v1/districts?municipality_ibge=355030&q=moema",
    status: 200,
    contains: [
      '"snapshot":"2026-10"',
      '"municipality_ibge":"3550308"',
      '"municipality_name":"SAO PAULO"',
      '"uf":"SP"',
      '"districts":[]',
      '"total":0',
    ],
  },
  {
    name: "districts of no municipality",
    method: "GET",
    path: "/v1/districts?limit=101",
    status: 422,
    contains: [
      '"pointer":"/query/municipality_ibge","code":"missing"',
      '"pointer":"/query/limit","code":"out_of_range"',
    ],
  },
  {
    ...normalizing,
    name: "districts fold, and are sorted by municipality and name",
    body: {
      spec: {
        filters: {
          geo: {
            district_any_of: [
              { municipality_ibge: "3550308", name: "Jardim  São Luís" },
              { municipality_ibge: "3304557", name: "Urca" },
              { municipality_ibge: "3550308", name: "JARDIM SAO LUIS" },
            ],
          },
        },
      },
    },
    status: 200,
    contains: [
      '"district_any_of":[{"municipality_ibge":"3304557","name":"urca"},' +
        '{"municipality_ibge":"3550308","name":"jardim sao luis"}]',
    ],
  },
  {
    ...normalizing,
    name: "every mistake of districts",
    body: {
      spec: {
        filters: {
          geo: {
            district_any_of: [
              "Moema",
              { municipality_ibge: "9999999", name: " " },
              { municipality_ibge: "3550308", name: "Moema", uf: "SP" },
            ],
          },
        },
      },
    },
    status: 422,
    contains: [
      '"pointer":"/spec/filters/geo/district_any_of/0","code":"wrong_type"',
      '"pointer":"/spec/filters/geo/district_any_of/1/municipality_ibge","code":"unknown_munici',
      '"pointer":"/spec/filters/geo/district_any_of/1/name","code":"no_word"',
      '"pointer":"/spec/filters/geo/district_any_of/2/uf","code":"unknown_member"',
    ],
  },
  {
    ...normalizing,
    name: "a lead query takes districts, and its city only says where they are",
    body: { spec: { kind: "lead_query", cities: ["São Paulo/SP"], districts: [MOEMA] } },
    status: 200,
    contains: [
      '"cities":[],"states":[],"regions":[],' +
        '"districts":[{"municipality_ibge":"3550308","name":"moema"}]',
      '"municipality_ibge_any_of":[]',
      '"district_any_of":[{"municipality_ibge":"3550308","name":"moema"}]',
      '"code":"place_of_districts"',
    ],
  },
  {
    ...normalizing,
    name: "every mistake of the districts of a lead query",
    body: { spec: { kind: "lead_query", districts: ["Moema", "Moema, São Paulo", {}, " ", 7] } },
    status: 422,
    contains: [
      '"pointer":"/spec/districts/0","code":"needs_city"',
      '"pointer":"/spec/districts/1","code":"unknown_district"',
      '"pointer":"/spec/districts/2/municipality_ibge","code":"wrong_type"',
      '"pointer":"/spec/districts/3","code":"no_word"',
      '"pointer":"/spec/districts/4","code":"wrong_type"',
    ],
  },
];
