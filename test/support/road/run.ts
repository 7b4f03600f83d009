/**
 * `npm run road -- [NAME…]` prints the path of each named request, which is the sequence of files
 * and functions that run for it. Without a name, it prints the length of all paths.
 * Input: names of WALKS. Output: the files in order, each with the functions that ran.
 */
import { type Road, WALKS, type WalkName, walkRoads } from "./walks.ts";

const known = Object.keys(WALKS) as WalkName[];
const requested = process.argv.slice(2);
const strange = requested.filter((name) => !(known as string[]).includes(name));
if (strange.length > 0) {
  process.stderr.write(`road: unknown: ${strange.join(", ")}. Use one of ${known.join(", ")}.\n`);
  process.exit(2);
}
const names = requested.length > 0 ? (requested as WalkName[]) : known;
for (const [name, road] of await walkRoads(names)) {
  if (requested.length > 0) print(road);
  process.stdout.write(`${name}: ${lengthOf(road)}\n`);
}

function print({ files }: Road): void {
  for (const [file, functions] of files) {
    process.stdout.write(`${file}\n  ${functions.join(", ")}\n`);
  }
}

function lengthOf({ files, calls }: Road): string {
  const functions = [...files.values()].flat().length;
  return `${files.size} files, ${functions} functions, ${calls} calls`;
}
