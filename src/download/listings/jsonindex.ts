/**
 * Reads the list of a folder that a web server gives as JSON.
 * What comes in: the text that nginx (`autoindex_format json`) or Caddy sends, and the address of
 * the folder. What goes out: the names of what lies directly in it.
 * Invariant: as of a page, nothing is believed but names, and a name is one step below the folder.
 * Apart because it is the form of other servers than pages are.
 */
import type { PageEntry } from "./indexpage.ts";
import { nameIn } from "./place.ts";
import { ListingFault } from "./xml.ts";

const ENTRIES_MAX = 20_000;

/** The entries of a list; null where the text is none. @throws ListingFault */
export function parseJsonIndex(text: string, folder: URL): readonly PageEntry[] | null {
  if (!/^\s*\[\s*(\{|\])/.test(text.slice(0, 1_000))) return null;
  if (!/\]\s*$/.test(text.slice(-1_000))) throw new ListingFault("it ends in the middle");
  const listed = valuesOf(text);
  if (listed.length > ENTRIES_MAX) throw new ListingFault("it lists too many files");
  return listed.flatMap((value): PageEntry[] => {
    const {
      name: written,
      type,
      is_dir: isFolder,
    } = Object(value) as Readonly<Record<string, unknown>>;
    if (typeof written !== "string") return [];
    const name = nameIn(folder, `./${encodeURIComponent(written.replace(/\/$/, ""))}`);
    return name === null ? [] : [{ name, folder: type === "directory" || isFolder === true }];
  });
}

function valuesOf(text: string): readonly unknown[] {
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    throw new ListingFault("it is no right JSON");
  }
}
