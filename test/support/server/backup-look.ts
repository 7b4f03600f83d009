/**
 * Reads backups and data directories in a form that tests can compare: file content by name, rows
 * by table, and leftovers of aborted work.
 * Invariant: only reads. A database is opened without the checks and upgrades of the product.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { SCHEMA_VERSION } from "../../../src/store/database.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { contentOf } from "../formats/state-rows.ts";

type Content = ReturnType<typeof contentOf>;

/** Every file below a folder, in base64. */
export function filesIn(path: string): Record<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(path.length + 1), readFileSync(file).toString("base64")]),
  );
}

/** Every row of a database file. */
export function contentAt(path: string): Content {
  const database = new Database(path);
  try {
    return contentOf(database as unknown as SqliteDatabase);
  } finally {
    database.close();
  }
}

/**
 * Returns the rows of a restored database as they were in the backup. @throws if the last line of
 * its audit trail does not record the restore.
 */
export function beforeRestore({ audit = [], ...rest }: Content): Content {
  const last = audit.at(-1);
  assert.equal(last?.action, "state.restore", JSON.stringify(audit));
  assert.equal(last?.actor, "command");
  return { ...rest, audit: audit.slice(0, -1) };
}

/**
 * Returns the rows of an upgraded database without the audit line that records the upgrade. Throws
 * if the last line of the audit trail does not record an upgrade from the schema `from`.
 */
export function beforeUpgrade({ audit = [], ...rest }: Content, from: number): Content {
  const { sequence: _, at, ...last } = audit.at(-1) ?? {};
  assert.ok(Math.abs(Number(at) - Date.now()) < 600_000);
  assert.deepEqual(last, {
    ...{ actor: "command", action: "state.upgrade", tenant_id: null, subject: null },
    facts: JSON.stringify({ schema: { from, to: SCHEMA_VERSION } }),
  });
  // An upgrade adds a list of exported accounts to each tenant of an earlier schema. Its number is
  // negative.
  const lists = (rest.lists ?? []).filter(({ sequence }) => Number(sequence) > 0);
  return {
    ...rest,
    ...(from < EXPORTED_SINCE ? { lists } : {}),
    ...(from < APART_SINCE ? { list_blocks: joined(rest) } : {}),
    audit: audit.slice(0, -1),
  };
}

/** Returns the blocks of lists in the earlier form, each with its bytes in the same row. */
function joined({ list_blocks: blocks = [], list_entries: bytes = [] }: Content): Content[string] {
  const byId = new Map(bytes.map(({ id, entries }) => [id, entries]));
  return blocks.map((block) => ({ ...block, entries: byId.get(block.id) ?? null }));
}

/** First schema version that stores the bytes of blocks in a separate table. */
const APART_SINCE = 11;

/** First schema that has lists of exported accounts. */
const EXPORTED_SINCE = 9;

/**
 * Returns the hidden entries in a folder with backups and data directories. The result is empty if
 * no leftovers exist.
 */
export function leftIn(path: string): string[] {
  return readdirSync(path).filter((name) => name.startsWith("."));
}
