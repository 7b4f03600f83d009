/**
 * Where an entry of a listing lies.
 * What comes in: the folder that was listed, and an address that its listing gives.
 * What goes out: the entry's name in the folder.
 * Invariant: a name is one step down, never none, up or several; nothing that a listing says leads
 * anywhere else.
 */

/** The name of what lies directly in a folder; null for the folder itself and what lies apart. */
export function nameIn(folder: URL, href: string): string | null {
  if (!URL.canParse(href, folder.href)) return null;
  try {
    const path = decodeURIComponent(new URL(href, folder).pathname).replace(/\/$/, "");
    const base = decodeURIComponent(folder.pathname);
    const name = path.startsWith(base) ? path.slice(base.length) : "";
    return /^\.{0,2}$/.test(name) || /[/\\\0]/.test(name) ? null : name;
  } catch {
    return null;
  }
}
