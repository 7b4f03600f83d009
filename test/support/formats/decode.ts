/**
 * Decodes every account of a snapshot into plain values, in file order. apache-arrow serves as an
 * independent reader, and the rows are input for the reference implementation of searches
 * (twin.ts).
 * Invariant: shares no code with the engine or the renderer, so that it can verify both.
 */
import { readFileSync } from "node:fs";
import { tableFromIPC, type Vector } from "apache-arrow";
import type { SnapshotMeta } from "../../../native-index/format/snapshot/meta.ts";
import { kindOfPhone, type TwinRow, type TwinValue, whatsappOf } from "../twin.ts";

const DAY_MS = 86_400_000;

/** Decodes all rows of a small snapshot; keeps the whole file in memory. */
export function decodeSnapshot(path: string): { meta: SnapshotMeta; rows: TwinRow[] } {
  const table = tableFromIPC(readFileSync(path));
  const meta = JSON.parse(table.schema.metadata.get("peneira.meta") as string) as SnapshotMeta;
  const columns = new Map(
    table.schema.fields.map((field) => [field.name, table.getChild(field.name) as Vector]),
  );
  const read = (name: string, row: number): unknown => columns.get(name)?.get(row) ?? null;
  const names = new Names(meta);
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    decodeRow((name) => read(name, row), names),
  );
  return { meta, rows };
}

/** Descriptions by code, from the metadata. */
class Names {
  readonly cnae: Map<string, string>;
  readonly nature: Map<string, string>;
  readonly city: Map<string, string>;
  readonly population: Map<string, number>;

  constructor(meta: SnapshotMeta) {
    const { cnaes, legal_natures, municipalities } = meta.lookups;
    this.cnae = new Map(cnaes);
    this.nature = new Map(legal_natures);
    this.city = new Map(municipalities.map(([tom, name]) => [tom, name]));
    this.population = new Map(
      municipalities.flatMap(([, , ibge, , count]) =>
        ibge === null || count === null ? [] : [[ibge, count] as const],
      ),
    );
  }
}

function decodeRow(read: (name: string) => unknown, names: Names): TwinRow {
  const text = (name: string) => read(name) as string | null;
  const date = (name: string) => isoDate(read(name));
  const phone = (name: string) => (read(name) === null ? null : `+${read(name)}`);
  const cents = read("share_capital_cents");
  const debt = read("federal_debt_cents");
  const postal = read("postal_code");
  const secondary = read("cnae_secondary") as Iterable<string> | null;
  const values: Record<string, TwinValue> = {
    cnpj_root: (text("cnpj") as string).slice(0, 8),
    registration_status_date: date("registration_status_date"),
    started_on: date("started_on"),
    simples_excluded_on: date("simples_excluded_on"),
    mei_excluded_on: date("mei_excluded_on"),
    federal_debt_total: debt === null ? null : Number(debt) / 100,
    cnae_primary_description: names.cnae.get(text("cnae_primary") ?? "") ?? null,
    legal_nature_description: names.nature.get(text("legal_nature") ?? "") ?? null,
    municipality_name: names.city.get(text("municipality_tom") ?? "") ?? null,
    municipality_population: names.population.get(text("municipality_ibge") ?? "") ?? null,
    cnae_secondary: secondary === null ? [] : [...secondary],
    share_capital: cents === null ? null : Number(cents) / 100,
    postal_code: postal === null ? null : String(postal).padStart(8, "0"),
    phone_1: phone("phone_1"),
    phone_2: phone("phone_2"),
    phone_1_kind: kindOfPhone(phone("phone_1")),
    phone_2_kind: kindOfPhone(phone("phone_2")),
    whatsapp: whatsappOf(phone("phone_1"), phone("phone_2")),
    // These two fields are computed from ownership, not stored as columns (see `withPartnerships`
    // in twin.ts).
    ...{ owned_companies: null, owner_companies: null },
  };
  for (const name of PLAIN) values[name] = read(name) as TwinValue;
  return values as unknown as TwinRow;
}

/** Columns whose decoded value needs no conversion to be the value of the field. */
const PLAIN = [
  "cnpj",
  "legal_name",
  "trade_name",
  "headquarters",
  "registration_status",
  "registration_status_reason",
  "cnae_primary",
  "legal_nature",
  "company_size_code",
  "simples_opt_in",
  "mei_opt_in",
  "uf",
  "municipality_ibge",
  "municipality_tom",
  "district",
  "street",
  "street_number",
  "address_complement",
  "country_code",
  "foreign_city",
  "email",
  "sanctioned",
  "score",
  "score_contactable",
  "score_newest",
  "score_established",
  "email_shared",
  "phone_1_shared",
  "phone_2_shared",
  "establishments",
  "email_own_domain",
  "in_cnep",
  "in_cepim",
  "federal_debt",
  "federal_debt_fgts",
  "federal_debt_social_security",
  "federal_debt_other",
] as const;

/** The version of apache-arrow determines whether date32 values are milliseconds or days. */
function isoDate(value: unknown): string | null {
  if (value === null) return null;
  const millis = value instanceof Date ? value.getTime() : Number(value);
  const scale = Math.abs(millis) < 1_000_000 ? DAY_MS : 1;
  return new Date(millis * scale).toISOString().slice(0, 10);
}
