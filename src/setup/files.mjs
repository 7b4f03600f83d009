/**
 * The files of a checkout. What comes in: its root. What goes out: what finds files in its folders.
 * Invariant: paths are relative to the root and come in a fixed order; a missing folder is empty.
 * Apart because it knows nothing of steps and commands.
 */
import fs from "node:fs";
import path from "node:path";

/** Makes `filesIn(dir, pattern, skip)`: files whose name fits, without folders named by `skip`. */
export function filesBelow(root) {
  const filesIn = (dir, pattern, skip = /^$/) => {
    const full = path.join(root, dir);
    if (!fs.existsSync(full)) return [];
    return fs
      .readdirSync(full, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const child = path.posix.join(dir, entry.name);
        if (entry.isDirectory()) return skip.test(entry.name) ? [] : filesIn(child, pattern, skip);
        return pattern.test(entry.name) ? [child] : [];
      });
  };
  return filesIn;
}
