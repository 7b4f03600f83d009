/**
 * Builds the product so that it records which of its functions run, in order, and how often its
 * loops iterate.
 * Invariant: nothing else changes. Each function, and each loop iteration, first reports the
 * function's number and then does the same as in the sources. Worker threads run the ordinary
 * bundle and record nothing.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bundleOptions } from "../../../src/executable/bundle.mjs";

const require = createRequire(import.meta.url);

/**
 * Names of the global functions that receive the number of a function: at its start (RECORD), and
 * at each iteration of its loops (RECORD_ROUND).
 */
const RECORD = "recordRoad";
const RECORD_ROUND = "recordRound";

/**
 * Builds the recording product into `folder`, inside the checkout. `product` is the folder of the
 * ordinary bundle, which has the addon and the worker files. Returns the path of the program, and
 * the functions by number as `file:name`.
 */
export async function buildRecorder({ root, folder, product }) {
  const functions = [];
  const record = {
    name: "record",
    setup(build) {
      build.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path: file }) => {
        const name = path.relative(root, file).split(path.sep).join("/");
        const text = recording(fs.readFileSync(file, "utf8"), (one) => {
          functions.push(`${name}:${one}`);
          return functions.length - 1;
        });
        const place = name === "src/location.ts" ? path.join(product, "location.mjs") : file;
        const url = JSON.stringify(pathToFileURL(place).href);
        return { contents: text.replaceAll("import.meta.url", url), loader: "ts" };
      });
    },
  };
  await require("esbuild").build({
    ...bundleOptions({ root, origin: { commit: "road", date: "" } }),
    // Minifying would remove empty functions together with their calls.
    minifySyntax: false,
    entryPoints: { recorder: path.join(root, "test/support/road/recorder.ts") },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    sourcemap: false,
    packages: "external",
    plugins: [record],
  });
  return { program: path.join(folder, "recorder.mjs"), functions };
}

/**
 * Returns the source with a call at the start of each function and of each loop round. `numbered`
 * returns the number of a name.
 */
function recording(text, numbered) {
  const ts = require("typescript");
  const tree = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true);
  const inserts = [];
  const visit = (node, within) => {
    let number = within;
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      number = numbered(nameOf(ts, node));
      const call = `globalThis.${RECORD}?.(${number})`;
      if (ts.isBlock(node.body)) inserts.push([node.body.getStart() + 1, `${call};`]);
      else inserts.push([node.body.getStart(), `(${call},`], [node.body.end, ")"]);
    } else if (ts.isIterationStatement(node, false) && number !== null) {
      const { statement } = node;
      const call = `globalThis.${RECORD_ROUND}?.(${number});`;
      if (ts.isBlock(statement)) inserts.push([statement.getStart() + 1, call]);
      else inserts.push([statement.getStart(), `{${call}`], [statement.end, "}"]);
    }
    ts.forEachChild(node, (child) => visit(child, number));
  };
  visit(tree, null);
  let out = "";
  let at = 0;
  // Sorting keeps the order of several calls at one offset, so that the call of the outer node
  // comes first.
  for (const [place, piece] of inserts.sort(([a], [b]) => a - b)) {
    out += text.slice(at, place) + piece;
    at = place;
  }
  return out + text.slice(at);
}

/** Returns the name of a function for readers. An anonymous one is named by its position. */
function nameOf(ts, node) {
  if (ts.isConstructorDeclaration(node)) return `new ${node.parent.name?.text ?? "class"}`;
  const own = node.name ?? node.parent.name;
  if (own !== undefined) return own.getText();
  for (let outer = node.parent; outer !== undefined; outer = outer.parent) {
    if (outer.name !== undefined) return `in ${outer.name.getText()}`;
  }
  return "at the top";
}
