/**
 * What backups and data directories hold, as tests compare it. What comes in: paths. What goes
 * out: bytes by name, rows by table, and what a work that was given up has left beside.
 * Invariant: only looks; a database is opened without this program's checks and upgrades.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { contentOf } from "./formats/state-rows.ts";

/** Every file below a folder with its bytes in base64. */
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
export function contentAt(path: string): ReturnType<typeof contentOf> {
  const database = new Database(path);
  try {
    return contentOf(database);
  } finally {
    database.close();
  }
}

/** What lies hidden beside backups and data directories; nothing when nothing is left behind. */
export function leftIn(path: string): string[] {
  return readdirSync(path).filter((name) => name.startsWith("."));
}
