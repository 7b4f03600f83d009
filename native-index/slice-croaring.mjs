/**
 * What comes in: node_modules/roaring/roaring-node.cpp, the one-file source of the `roaring`
 * package, in which CRoaring stands between `#line … "submodules/CRoaring/…"` markers.
 * What goes out: native-index/croaring/croaring.h and croaring.cc, CRoaring alone, for the addon.
 * Invariant: the posting lists written by the `roaring` package and those read by the addon come
 * from one and the same CRoaring version; any other version, and any text of the package that got
 * into a slice, is refused. Run it by hand with `node native-index/slice-croaring.mjs`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The CRoaring release that the addon is written against. */
export const CROARING_VERSION = "4.5.0";

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const SOURCE = path.join(FOLDER, "..", "node_modules", "roaring", "roaring-node.cpp");
const TARGET = path.join(FOLDER, "croaring");

/**
 * Writes the two slices where they are missing or differ; returns whether anything was written.
 * Files that are already right keep their time stamps, so that make does not compile them again.
 */
export function sliceCroaring(source = SOURCE, target = TARGET) {
  const { header, code } = slice(readFileSync(source, "utf8"));
  mkdirSync(target, { recursive: true });
  const headerWritten = writeIfDifferent(path.join(target, "croaring.h"), header);
  const codeWritten = writeIfDifferent(path.join(target, "croaring.cc"), code);
  return headerWritten || codeWritten;
}

/** Cuts the text of roaring-node.cpp into the header and the code of CRoaring. */
function slice(text) {
  const version = /#define ROARING_VERSION "([^"]+)"/.exec(text)?.[1];
  if (version !== CROARING_VERSION) {
    throw new Error(
      `the package "roaring" carries CRoaring ${version ?? "of unknown version"}, the addon ` +
        `needs ${CROARING_VERSION}: pin "roaring" to 2.7.0 in package.json`,
    );
  }
  const { include, src } = regions(text);
  if (/\bv8::|\bnode::/.test(include + src)) {
    throw new Error("the slices of roaring-node.cpp refer to v8: its layout has changed");
  }
  const warnings = ["unused-function", "unused-variable", "unused-parameter", "sign-compare"];
  const pragma = (rest) => `#pragma GCC diagnostic ${rest}\n`;
  const ignored = warnings.map((name) => pragma(`ignored "-W${name}"`)).join("");
  const push = `#if defined(__GNUC__)\n${pragma("push")}${ignored}#endif\n`;
  const pop = `#if defined(__GNUC__)\n${pragma("pop")}#endif\n`;
  const quiet = (body) => `${push}${body}${pop}`;
  const origin = `// CRoaring ${version} (Apache-2.0 or MIT), cut by slice-croaring.mjs\n`;
  return {
    header: `${origin}#pragma once\n${quiet(include)}`,
    code: `${origin}#include "croaring.h"\n${quiet(src)}`,
  };
}

/**
 * Walks over the `#line` markers. A marker that names a file of CRoaring opens or continues a
 * region, a marker that names any other file ends it; a region of `include/` files is the header,
 * a region of `src/` files is the code. There is exactly one of each.
 */
function regions(text) {
  const found = { include: [], src: [] };
  let current;
  for (const line of text.split("\n")) {
    const marker = /^#line \d+ "([^"]+)"/.exec(line)?.[1];
    if (marker !== undefined) {
      const kind = /^submodules\/CRoaring\/(include|src)\//.exec(marker)?.[1];
      if (kind === undefined) current = undefined;
      else if (current?.kind !== kind) {
        current = { kind, lines: [] };
        found[kind].push(current);
      }
    }
    current?.lines.push(line);
  }
  if (found.include.length !== 1 || found.src.length !== 1) {
    throw new Error(
      `roaring-node.cpp has ${found.include.length} header and ${found.src.length} source ` +
        "regions of CRoaring, one of each is expected: its layout has changed",
    );
  }
  const [include, src] = [found.include[0], found.src[0]];
  return { include: `${include.lines.join("\n")}\n`, src: `${src.lines.join("\n")}\n` };
}

function writeIfDifferent(file, content) {
  if (existsSync(file) && readFileSync(file, "utf8") === content) return false;
  writeFileSync(`${file}.tmp`, content);
  renameSync(`${file}.tmp`, file);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.stdout.write(sliceCroaring() ? "croaring/ written\n" : "croaring/ is up to date\n");
}
