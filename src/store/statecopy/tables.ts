/**
 * The tables of a state as its schema describes them. Input: a state in SQLite, and a database on
 * PostgreSQL. Output: the tables in an order in which rows can be inserted; the differences.
 * Invariant: no table is named here, so a new one is copied as soon as a migration makes it. Tables
 * about running servers are left out. A table that exists only on PostgreSQL belongs to a shared
 * state.
 */
import { strict as assert } from "node:assert";
import { FLEET_TABLES } from "../fleet/members.ts";
import { SHARED_TABLES } from "../postgres/schema.ts";
import type { StateDatabase } from "../statedatabase.ts";

/** A table that both engines have. */
export interface StateTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** Tables that its rows refer to. */
  readonly references: readonly string[];
  /** Column whose numbers the engine assigns; null if the program assigns all keys. */
  readonly numbered: string | null;
  /** True if a number is never assigned again after its row is deleted. */
  readonly keepsCount: boolean;
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

/** Returns the tables of a state in SQLite; each comes after the tables that it refers to. */
export function stateTables(database: StateDatabase): StateTable[] {
  const found = database
    .prepare<[], { readonly name: string; readonly sql: string }>(
      `SELECT name, sql FROM sqlite_master
       WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all();
  const copied = found.filter(({ name }) => !FLEET_TABLES.includes(name));
  return inOrder(copied.map(({ name, sql }) => tableOf(database, name, sql)));
}

function tableOf(database: StateDatabase, name: string, sql: string): StateTable {
  const columns = database
    .prepare<[string], ColumnRow>("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid")
    .all(name);
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const [first] = key;
  assert(first !== undefined, `${name} has no primary key`);
  const references = database
    .prepare<[string], string>('SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)')
    .pluck()
    .all(name);
  return {
    name,
    columns: columns.map((column) => column.name),
    key: key.map((column) => column.name),
    references: references.filter((other) => other !== name),
    numbered: key.length === 1 && first.type === "INTEGER" ? first.name : null,
    keepsCount: /\bAUTOINCREMENT\b/.test(sql),
  };
}

/** Orders tables: each comes after the tables that it refers to. */
function inOrder(tables: readonly StateTable[]): StateTable[] {
  const ordered: StateTable[] = [];
  const isDone = (name: string) => ordered.some((table) => table.name === name);
  while (ordered.length < tables.length) {
    const next = tables.find((table) => !isDone(table.name) && table.references.every(isDone));
    assert(next !== undefined, "tables refer to each other in a circle");
    ordered.push(next);
  }
  return ordered;
}

/** Returns the tables and columns in which a state on PostgreSQL differs from the given tables. */
export function differences(postgres: StateDatabase, tables: readonly StateTable[]): string[] {
  const rows = postgres
    .prepare<[], { readonly place: string }>(
      `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
       WHERE table_schema = current_schema() ORDER BY 1`,
    )
    .all();
  const there = new Set(rows.map(({ place }) => place));
  const here = new Set(
    tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`)),
  );
  const left = [...SHARED_TABLES, ...FLEET_TABLES];
  const isLeft = (place: string) => left.includes(place.split(".")[0] as string);
  return [
    ...[...here].filter((place) => !there.has(place)).map((place) => `${place} is missing`),
    ...[...there]
      .filter((place) => !here.has(place) && !isLeft(place))
      .map((place) => `${place} is unknown`),
  ];
}
