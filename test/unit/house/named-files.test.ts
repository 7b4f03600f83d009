/**
 * Proves that every file that a comment names with its folder exists, because renames pass comments
 * by. Does not prove that the comment says something true about the file.
 */
import { it } from "node:test";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";

const FILES = filesMatching(/./);
const SOURCES = filesMatching(/^(src|native-index|test|bench)\/.*\.(tsx?|mjs|cc|h)$/);
/** Matches a path with at least one folder; built files and a system's headers are not in it. */
const NAMED = /(?<![\w/.-])(?!dist\/|linux\/)((?:[a-z][\w-]*\/)+[\w.-]+\.(?:tsx?|cc|h|mjs))\b/g;
const COMMENT = /^\s*(?:\/\/|\/?\*)(.*)$/;

it("files that comments name exist", () => {
  const known = new Set(FILES);
  const isKnown = (name: string) =>
    known.has(name) || FILES.some((file) => file.endsWith(`/${name}`));
  const broken = SOURCES.flatMap((file) =>
    textOf(file)
      .split("\n")
      .flatMap((line, at) => {
        const text = COMMENT.exec(line)?.[1] ?? "";
        const names = [...text.matchAll(NAMED)].map(([, name]) => name as string);
        return names.filter((name) => !isKnown(name)).map((name) => `${file}:${at + 1} ${name}`);
      }),
  );
  refuse(broken, "the file was renamed or deleted; name the one that has its content now");
});
