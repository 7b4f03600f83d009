/**
 * Copies the rows of a snapshot into a DuckDB and a SQLite database, through an Arrow export.
 * Invariant: the layouts help the other engines. Rows are stored in rank order in narrow typed
 * columns. SQLite has `rank` as its rowid, composite indexes, and a full-text index with its best
 * plan.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import polars from "nodejs-polars";
import type { Corpus } from "../questions/corpus.ts";
import type { Question } from "../questions/questions.ts";

const SNAPSHOT_COLUMNS = [
  "cnpj",
  "legal_name",
  "trade_name",
  "cnae_primary",
  "uf",
  "municipality_ibge",
  "registration_status",
  "company_size_code",
  "mei_opt_in",
  "email",
  "started_on",
  "share_capital_cents",
];

const CREATE = `
  CREATE TABLE accounts AS SELECT
    (row_number() OVER ()) - 1 AS rank, cnpj::VARCHAR AS cnpj, legal_name,
    cnae_primary::VARCHAR::INTEGER AS cnae, uf::VARCHAR AS uf,
    municipality_ibge::VARCHAR::INTEGER AS municipality,
    registration_status::TINYINT AS status, company_size_code::VARCHAR::TINYINT AS size,
    mei_opt_in AS mei, email IS NOT NULL AS has_email, started_on,
    share_capital_cents AS capital,
    ' ' || regexp_replace(lower(strip_accents(concat_ws(' ', legal_name, trade_name))),
      '[^a-z0-9]+', ' ', 'g') || ' ' AS names
  FROM read_parquet($1)`;

const SQLITE_TABLE = `
  CREATE TABLE accounts (rank INTEGER PRIMARY KEY, cnpj TEXT, legal_name TEXT, cnae INTEGER,
    uf TEXT, municipality INTEGER, status INTEGER, size INTEGER, mei INTEGER, has_email INTEGER,
    started_on TEXT, capital INTEGER);
  CREATE VIRTUAL TABLE words USING fts5(names, content='', detail=none)`;

const SQLITE_INDEXES = `
  CREATE INDEX by_activity ON accounts (cnae, uf, status, has_email, started_on, mei);
  CREATE INDEX by_city ON accounts (municipality, cnae, status);
  CREATE INDEX by_state ON accounts (uf, status, has_email, mei, started_on);
  ANALYZE`;

/** Columns of a page that are compared, with the same names in both databases. */
const PAGE_FIELDS = "cnpj, legal_name, uf, municipality, cnae";

/** The engine, which determines the dialect of the SQL. */
export type RivalName = "duck" | "sqlite" | "postgres";

/** The two databases of a corpus. */
export interface Rivals {
  readonly duck: DuckDBConnection;
  readonly sqlite: Database.Database;
}

/** Opens the databases of a corpus, and creates those that are missing. */
export async function openRivals(corpus: Corpus): Promise<Rivals> {
  const duckPath = join(corpus.folder, "rival.duckdb");
  const sqlitePath = join(corpus.folder, "rival.sqlite");
  if (!existsSync(duckPath)) await makeDuck(corpus, duckPath);
  const duck = await (await DuckDBInstance.create(duckPath, { threads: "2" })).connect();
  if (!existsSync(sqlitePath)) await makeSqlite(duck, sqlitePath);
  const sqlite = new Database(sqlitePath, { readonly: true });
  sqlite.pragma("mmap_size = 17179869184");
  sqlite.pragma("cache_size = -1000000");
  return { duck, sqlite };
}

async function makeDuck(corpus: Corpus, path: string): Promise<void> {
  process.stderr.write("making the DuckDB database\n");
  const parquet = join(corpus.folder, "rival.parquet");
  const rows = polars
    .scanIPC(corpus.snapshot)
    .select(...SNAPSHOT_COLUMNS)
    .collectSync();
  rows.writeParquet(parquet);
  const temporary = `${path}.tmp`;
  rmSync(temporary, { force: true });
  const instance = await DuckDBInstance.create(temporary);
  const connection = await instance.connect();
  await connection.run(CREATE.replace("$1", `'${parquet}'`));
  await connection.run("CHECKPOINT");
  connection.closeSync();
  instance.closeSync();
  rmSync(parquet);
  renameSync(temporary, path);
}

async function makeSqlite(duck: DuckDBConnection, path: string): Promise<void> {
  process.stderr.write("making the SQLite database\n");
  const temporary = `${path}.tmp`;
  rmSync(temporary, { force: true });
  const database = new Database(temporary);
  database.pragma("journal_mode = OFF");
  database.pragma("synchronous = OFF");
  database.exec(SQLITE_TABLE);
  await copyRows(duck, database);
  database.exec(SQLITE_INDEXES);
  database.close();
  renameSync(temporary, path);
}

async function copyRows(duck: DuckDBConnection, database: Database.Database): Promise<void> {
  const row = database.prepare(`INSERT INTO accounts VALUES (${"?,".repeat(11)}?)`);
  const word = database.prepare("INSERT INTO words (rowid, names) VALUES (?, ?)");
  const result = await duck.stream(
    `SELECT rank::DOUBLE, cnpj, legal_name, cnae, uf, municipality, status, size, mei::TINYINT,
      has_email::TINYINT, started_on::VARCHAR, capital::DOUBLE, names FROM accounts ORDER BY rank`,
  );
  database.exec("BEGIN");
  for await (const rows of result.yieldRows()) {
    for (const values of rows) {
      const names = values.pop();
      row.run(...values);
      word.run(values[0], names);
    }
  }
  database.exec("COMMIT");
}

/**
 * Returns the SQL for a page after a rank (-1 for the first page). DuckDB is faster without ORDER
 * BY and nearly always returns rows in the stored order. (A list of twenty values once did not.)
 * Time DuckDB with `sorted` false, and compare its rows with `sorted` true.
 */
export function pageSql(
  question: Question,
  rival: RivalName,
  { after = -1, sorted = rival !== "duck" }: { after?: number; sorted?: boolean } = {},
): string {
  const where = [whereOf(question, rival)];
  if (after >= 0) where.push(`rank > ${after}`);
  const order = question.orderBy ?? (sorted ? "rank" : undefined);
  const sort = order === undefined ? "" : ` ORDER BY ${order}`;
  return `SELECT ${PAGE_FIELDS} FROM accounts WHERE ${where.join(" AND ")}${sort} LIMIT 50`;
}

/** Returns the SQL for the exact total in another engine. */
export function totalSql(question: Question, rival: RivalName): string {
  const count = rival === "duck" ? "count(*)::DOUBLE" : "count(*)";
  return `SELECT ${count} AS n FROM accounts WHERE ${whereOf(question, rival)}`;
}

function whereOf(question: Question, rival: RivalName): string {
  if (rival === "duck") return question.where;
  if (rival === "postgres") return question.postgresWhere ?? question.where;
  const where = question.sqliteWhere ?? question.where;
  return where.replaceAll("DATE '", "'");
}
