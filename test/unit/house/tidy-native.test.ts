/**
 * Proves that the C++ sources are in order. Each is in the folder of its task. Includes go down
 * from the JavaScript layer to the file layer and, in a folder with subfolders, in the order below.
 * Every source states its invariant and is compiled or included, and a single layer uses N-API.
 * Does not prove: sizes, columns and opening comments, which tidy.test.ts proves of all code. Every
 * test prints all places that break its rule.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { filesMatching, ROOT, refuse, textOf } from "../../support/house/checkout.ts";

/** For each folder, the folders that its sources may include. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  format: ["format"],
  query: ["format", "query"],
  render: ["format", "query", "render"],
  builder: ["format", "builder"],
  scan: ["format", "builder", "scan"],
  join: ["format", "builder", "scan", "join"],
  napi: ["format", "query", "render", "builder", "scan", "join", "napi"],
  fuzz: ["format", "query", "render", "scan"],
};

/**
 * Order of the subfolders of a folder, lowest first. `.` is the folder itself. A file may include
 * files of the same or a lower subfolder.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  format: [".", "blocks", "region", "postings"],
  query: ["clauses", "parts", "segment", "kernel", "facets", "orders", "find", "changes"],
  builder: [".", "stages"],
  napi: ["values", "segment", "import", "threads", "."],
};

const SOURCES = filesMatching(/^native-index\/.*\.(cc|h)$/);

describe("native sources", () => {
  it("are in the folders of their tasks", () => {
    const tools = /^native-index\/(binding\.gyp|[\w-]+\.mjs)$/;
    const broken = filesMatching(/^native-index\//).filter(
      (file) => BELOW[folderOf(file)] === undefined && !tools.test(file),
    );
    refuse(broken, `the folders are ${Object.keys(BELOW).join(", ")}; flat lie only tools`);
  });

  it("include only folders below them, by folder and name", () => {
    const broken = SOURCES.flatMap((file) =>
      includesOf(file).flatMap(({ target, line }) => {
        const place = `${file}:${line} includes "${target}"`;
        if (!existsSync(path.join(ROOT, "native-index", target))) return [`${place}: no such file`];
        return mayInclude(file, `native-index/${target}`) ? [] : [place];
      }),
    );
    refuse(broken, "includes go down only");
  });

  it("are in subfolders that have a place in the order of their folder", () => {
    const broken = SOURCES.filter((file) => !roomsOf(file).includes(roomOf(file)));
    refuse(broken, "the rooms of a folder are listed here, lowest first");
  });

  it("use N-API in one folder, and its errors in one file", () => {
    const broken = SOURCES.flatMap((file) => {
      const text = textOf(file);
      if (folderOf(file) !== "napi") return /napi_\w+\(|node_api\.h/.test(text) ? [file] : [];
      const makes = /napi_(throw|create_error|create_type_error|create_range_error)/.test(text);
      return makes && path.posix.basename(file) !== "errors.cc" ? [file] : [];
    });
    refuse(broken, "napi/ is the one layer over N-API, napi/values/errors.cc makes its errors");
  });

  it("state their invariants", () => {
    const broken = SOURCES.filter((file) => {
      const opening = /^(?:\/\/.*\n)+/.exec(textOf(file))?.[0] ?? "";
      return !opening.replace(/\n\/\/ ?/g, " ").includes("Invariant:");
    });
    refuse(broken, "the opening comment names the invariant");
  });

  it("are all compiled or included", () => {
    // binding.gyp compiles every .cc of the folders that it names; fuzz/run.mjs gets the name of a
    // target and compiles `<name>_fuzz.cc`.
    const [, listed] = /(\['format'.*?\])\.flatMap/.exec(textOf("native-index/binding.gyp")) ?? [];
    const taken = (file: string): boolean => listed?.includes(`'${file.split("/")[1]}'`) ?? false;
    const build = filesMatching(/^native-index\/.*\.(gyp|gypi|mjs|sh)$|^build\.mjs$/).map(textOf);
    const includes = filesMatching(/^native-index\/.*\.(cc|h)$/).map(textOf);
    const dead = [
      ...filesMatching(/^native-index\/.*\.cc$/).filter(
        (file) => !taken(file) && !build.some((text) => text.includes(sourceName(file))),
      ),
      ...filesMatching(/^native-index\/.*\.h$/).filter((file) => {
        // Skips the precompiled header, which binding.gyp includes before every source.
        const name = `"${file.replace("native-index/", "")}"`;
        return ![...includes, ...build].some((text) => text.includes(name));
      }),
    ];
    refuse(dead, "no build file names these sources, no source includes these headers");
  });
});

interface Include {
  readonly target: string;
  readonly line: number;
}

function includesOf(file: string): Include[] {
  return textOf(file)
    .split("\n")
    .flatMap((text, index) => {
      const target = /^#include "([^"]+)"/.exec(text)?.[1];
      return target === undefined ? [] : [{ target, line: index + 1 }];
    });
}

/**
 * Returns true if a source may include another. The other one must be in a folder listed in
 * `BELOW`, or in the same or a lower subfolder of the same folder.
 */
function mayInclude(file: string, target: string): boolean {
  const folder = folderOf(file);
  if (folder !== folderOf(target)) return BELOW[folder]?.includes(folderOf(target)) ?? false;
  const rooms = roomsOf(file);
  return rooms.indexOf(roomOf(target)) <= rooms.indexOf(roomOf(file));
}

function roomsOf(file: string): readonly string[] {
  return ROOMS[folderOf(file)] ?? ["."];
}

/** Returns the path between the top folder and the file, or `.` if there is none. */
function roomOf(file: string): string {
  return file.split("/").slice(2, -1).join("/") || ".";
}

function folderOf(file: string): string {
  return file.split("/").length > 2 ? (file.split("/")[1] ?? "") : "";
}

function sourceName(file: string): string {
  return path.posix.basename(file).replace(/^\w+_fuzz\.cc$/, "_fuzz.cc");
}
