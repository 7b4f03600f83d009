/**
 * Names of the public lists, of their settings, and of their files in a folder.
 * Invariant: a file belongs to a list only if it has the name that the publisher gave it, which
 * contains a date.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The lists that are downloaded. */
export const PUBLIC_LISTS = ["ceis", "cnep", "cepim", "pgfn"] as const;

/** Name of a list. */
export type PublicList = (typeof PUBLIC_LISTS)[number];

/** Returns the setting with a list's address. */
export function settingOf(list: PublicList): string {
  return list === "pgfn" ? "download.debts_url" : "download.sanctions_url";
}

/** Returns the newest downloaded lists in a folder, as options of an import. */
export function listsIn(folder: string): Partial<Record<PublicList, string>> {
  const found: Partial<Record<PublicList, string>> = {};
  for (const name of readdirSync(folder).sort()) {
    const list = listOfName(name);
    if (list !== null) found[list] = join(folder, name);
  }
  return found;
}

/** Returns the list that a name belongs to, or null for other names. */
export function listOfName(name: string): PublicList | null {
  if (/^20\d\d_trimestre_0[1-4]$/.test(name)) return "pgfn";
  const title = /^20\d{6}_([A-Z]+)\.(?:zip|csv)$/.exec(name)?.[1]?.toLowerCase();
  return PUBLIC_LISTS.find((list) => list === title) ?? null;
}
