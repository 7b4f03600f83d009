/**
 * What comes in: the browser's part of the console.
 * What goes out: its files with their hashes in their names, the page that names them, each also
 * in the smaller forms that browsers take, and manifest.json that lists them all.
 * Invariant: the same sources give the same bytes; nothing of an older build is left. The folder
 * is there whole or not at all, so that a server that starts meanwhile reads one build.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";
import { packagesOf } from "../executable/licenses.mjs";

/** The part of the console that runs in the browser, relative to the root; it has its own types. */
export const WEB = "src/console/web";

/** Makes the folder anew from the sources below `root`. */
export function bundleConsole(root, folder) {
  const fresh = `${folder}.${process.pid}`;
  fs.rmSync(fresh, { recursive: true, force: true });
  writeBundle(root, fresh);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.renameSync(fresh, folder);
}

function writeBundle(root, folder) {
  // Loaded here, because this file is read before the packages are installed.
  const { metafile, outputFiles } = createRequire(import.meta.url)("esbuild").buildSync({
    absWorkingDir: root,
    entryPoints: [
      `${WEB}/main.tsx`,
      `${WEB}/style/start.css`,
      `${WEB}/style/style.css`,
      `${WEB}/favicon.svg`,
    ],
    outdir: folder,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file", ".svg": "copy", ".webp": "file" },
    bundle: true,
    splitting: true,
    minify: true,
    // Portuguese as it is written is shorter than its escapes.
    charset: "utf8",
    format: "esm",
    // The colours are light-dark().
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "eof",
    logLevel: "warning",
    metafile: true,
    write: false,
  });
  for (const file of outputFiles) writeOutput(file);
  writePage({ root, folder }, metafile.outputs);
  writeManifest(folder, [...new Set(packagesOf(metafile))].sort());
}

/**
 * Matches the descriptions of fields, which only documents show; the console has its own words in
 * both languages. esbuild keeps every member of a table if one is read, so they are removed here.
 */
const DESCRIPTION = /,description:"(?:[^"\\]|\\.)*"/g;

function writeOutput({ path: file, contents, text }) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, file.endsWith(".js") ? text.replace(DESCRIPTION, "") : contents);
}

/**
 * The page names the files of this build, so that a browser never mixes two of them; what the
 * script imports at once is named as well, so that it is not found out about one step later. The
 * styles that the header needs are in the page itself; the others are named behind the header, as
 * a browser paints nothing that stands behind a style sheet before it has come. The font is not
 * named: Chromium would wait for it, though the text stands in another until it is there.
 */
function writePage({ root, folder }, outputs) {
  const files = Object.keys(outputs);
  const find = (pattern) => files.find((file) => pattern.test(file)) ?? missing(pattern);
  const named = (pattern) => path.basename(find(pattern));
  const script = find(/\/main-\w+\.js$/);
  const preloads = outputs[script].imports
    .filter((one) => one.kind === "import-statement")
    .map((one) => `<link rel="modulepreload" href="/app/assets/${path.basename(one.path)}">`);
  const page = fs.readFileSync(path.join(root, WEB, "page.html"), "utf8");
  const text = page
    .replace("{script}", path.basename(script))
    .replace("{preloads}", preloads.join("\n"))
    .replace("{start}", () => takeStart(path.join(root, find(/\/start-\w+\.css$/))))
    .replace("{style}", named(/\/style-\w+\.css$/))
    .replace("{icon}", named(/\/favicon-\w+\.svg$/));
  fs.writeFileSync(path.join(folder, "page.html"), text);
}

/** The styles of the header as the page holds them; they are no file of their own any more. */
function takeStart(file) {
  const text = fs.readFileSync(file, "utf8").trim();
  fs.rmSync(file);
  return text.replaceAll("url(./", "url(/app/assets/").replaceAll('url("./', 'url("/app/assets/');
}

/** Fonts are compressed already; of everything else the server sends the smallest form it may. */
function writeManifest(folder, packages) {
  const params = { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY };
  const files = {};
  for (const name of fs.readdirSync(folder).sort()) {
    const bytes = fs.readFileSync(path.join(folder, name));
    const encodings = /\.(js|css|html|svg)$/.test(name) ? ["br", "gzip"] : [];
    if (encodings.length > 0) {
      fs.writeFileSync(path.join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
      fs.writeFileSync(path.join(folder, `${name}.gzip`), gzipSync(bytes, { level: 9 }));
    }
    files[name] = { bytes: bytes.length, encodings };
  }
  fs.writeFileSync(
    path.join(folder, "manifest.json"),
    `${JSON.stringify({ files, packages }, null, 1)}\n`,
  );
}

function missing(pattern) {
  throw new Error(`the bundle of the console has no ${pattern}`);
}
