/**
 * Loads a corpus into a PostgreSQL table with the indexes that a careful user would create for
 * these queries, and measures the load.
 * Invariant: rows are in rank order; only PostgreSQL's own work is timed, not the writing of its
 * input file.
 */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import polars from "nodejs-polars";
import type { Client } from "pg";
import type { Corpus } from "../questions/corpus.ts";

/** The ten columns of an export, with the same names in both engines. */
export const EXPORT_FIELDS = [
  ...["cnpj", "legal_name", "trade_name", "uf", "municipality_ibge", "cnae_primary"],
  ...["started_on", "email", "phone_1", "share_capital"],
] as const;

/** Milliseconds of each part of a load. */
export interface Load {
  readonly rowsMs: number;
  readonly indexesMs: number;
  readonly analyzeMs: number;
}

const SNAPSHOT_COLUMNS = [
  ...["cnpj", "legal_name", "trade_name", "cnae_primary", "uf", "municipality_ibge"],
  ...["registration_status", "company_size_code", "mei_opt_in", "email"],
  ...["phone_1", "started_on", "share_capital_cents"],
];

/**
 * Selects the rows of PostgreSQL's input file. Codes are stored as narrow integers, and names
 * without case and accents as in Peneira.
 */
const ROWS = `
  SELECT (row_number() OVER ()) - 1, cnpj::VARCHAR, legal_name, trade_name,
    cnae_primary::VARCHAR::INTEGER, cnae_primary::VARCHAR, uf::VARCHAR,
    municipality_ibge::VARCHAR::INTEGER, municipality_ibge::VARCHAR, registration_status::TINYINT,
    company_size_code::VARCHAR::TINYINT, mei_opt_in, email, email IS NOT NULL, phone_1, started_on,
    share_capital_cents, share_capital_cents / 100.0,
    regexp_replace(lower(strip_accents(concat_ws(' ', legal_name, trade_name))),
      '[^a-z0-9]+', ' ', 'g')
  FROM read_parquet($1)`;

const TABLE = `
  CREATE TABLE accounts (rank integer, cnpj text, legal_name text, trade_name text, cnae integer,
    cnae_primary text, uf text, municipality integer, municipality_ibge text, status smallint,
    size smallint, mei boolean, email text, has_email boolean, phone_1 text, started_on date,
    capital bigint, share_capital numeric, names text,
    words tsvector GENERATED ALWAYS AS (to_tsvector('simple', names)) STORED)`;

const INDEXES = [
  "CREATE UNIQUE INDEX by_rank ON accounts (rank)",
  "CREATE UNIQUE INDEX by_cnpj ON accounts (cnpj)",
  "CREATE INDEX by_activity ON accounts (cnae, uf, status, rank)",
  "CREATE INDEX by_city ON accounts (municipality, cnae, status, rank)",
  "CREATE INDEX by_state ON accounts (uf, status, rank)",
  "CREATE INDEX by_start ON accounts (uf, status, started_on DESC NULLS LAST, cnpj)",
  "CREATE INDEX by_capital ON accounts (uf, status, capital DESC NULLS LAST, cnpj)",
  "CREATE INDEX by_name ON accounts (uf, status, legal_name, cnpj)",
  "CREATE INDEX by_word ON accounts USING gin (words)",
];

/** Loads the table unless an earlier run did; saves the load times next to the corpus. */
export async function loadPostgres(client: Client, corpus: Corpus, folder: string): Promise<Load> {
  const retained = join(corpus.folder, "postgres-load.json");
  const { rows } = await client.query("SELECT to_regclass('accounts') AS found");
  if (rows[0].found !== null && existsSync(retained)) {
    return JSON.parse(readFileSync(retained, "utf8")) as Load;
  }
  const file = join(folder, "rows.csv");
  await writeRows(corpus, file);
  process.stderr.write("loading PostgreSQL\n");
  await client.query("DROP TABLE IF EXISTS accounts");
  const rowsMs = await timed(async () => {
    // A table created in the same transaction needs no log of its rows (wal_level minimal).
    await client.query(`BEGIN; ${TABLE}; COPY accounts (${COLUMNS}) FROM '${file}' CSV; COMMIT`);
  });
  const indexesMs = await timed(async () => {
    for (const index of INDEXES) await client.query(index);
  });
  const analyzeMs = await timed(() => client.query("VACUUM ANALYZE accounts"));
  await client.query("CHECKPOINT");
  rmSync(file);
  const load = { rowsMs, indexesMs, analyzeMs };
  writeFileSync(retained, JSON.stringify(load));
  return load;
}

const COLUMNS = [
  ...["rank", "cnpj", "legal_name", "trade_name", "cnae", "cnae_primary", "uf", "municipality"],
  ...["municipality_ibge", "status", "size", "mei", "email", "has_email", "phone_1", "started_on"],
  ...["capital", "share_capital", "names"],
].join(", ");

async function writeRows(corpus: Corpus, file: string): Promise<void> {
  process.stderr.write("writing the rows for PostgreSQL\n");
  const parquet = join(corpus.folder, "postgres.parquet");
  const rows = polars
    .scanIPC(corpus.snapshot)
    .select(...SNAPSHOT_COLUMNS)
    .collectSync();
  rows.writeParquet(parquet);
  const instance = await DuckDBInstance.create();
  const duck = await instance.connect();
  await duck.run(
    `COPY (${ROWS.replace("$1", `'${parquet}'`)}) TO '${file}' (FORMAT csv, HEADER false)`,
  );
  duck.closeSync();
  instance.closeSync();
  rmSync(parquet);
  // The server may run as another user, which must be able to read the file.
  chmodSync(file, 0o644);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Bytes of the tables and indexes in a cluster's folder, without its write-ahead log. */
export function diskBytes(folder: string): number {
  const base = join(folder, "data", "base");
  const files = readdirSync(base, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}
