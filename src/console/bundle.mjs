/**
 * Bundles the browser's part of the console.
 * Output: files with their hashes in their names, the page that names them, compressed forms of
 * each, and manifest.json, which lists all.
 * Invariant: the same sources give the same bytes; nothing of an older build is left. The folder is
 * complete or absent, so a server that starts meanwhile reads one build.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";
import { packagesOf } from "../executable/licenses.mjs";
import { wordKeys } from "./wordkeys.mjs";

/** The browser's part of the console, relative to the root; it has its own types. */
export const WEB = "src/console/web";

/** Rebuilds the folder from the sources below `root`. */
export function bundleConsole(root, folder) {
  const fresh = `${folder}.${process.pid}`;
  fs.rmSync(fresh, { recursive: true, force: true });
  writeBundle(root, fresh);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.renameSync(fresh, folder);
}

function writeBundle(root, folder) {
  const { metafile, outputFiles } = packageNamed("esbuild").buildSync({
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
    loader: { ".woff2": "file", ".svg": "copy", ".webp": "file", ".json": "file" },
    bundle: true,
    splitting: true,
    minify: true,
    mangleProps: new RegExp(`^(?:${wordKeys(root).join("|")})$`),
    // Every module imports the entry point, so that all that several chunks share is in one file.
    inject: [`${WEB}/main.tsx`],
    // Unescaped Portuguese is shorter.
    charset: "utf8",
    format: "esm",
    // The colors use light-dark().
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

/** Packages are loaded on use, because this file is read before they are installed. */
const packageNamed = createRequire(import.meta.url);

/** A call whose arguments are texts and calls. */
const CALL = /\w+\.\w+\((?:"(?:[^"\\]|\\.)*"|[^()"]|\((?:"[^"]*"|[^()"])*\))*\)/.source;

/**
 * Members of the tables of fields and filters that only the server reads: descriptions, columns of
 * the snapshot, headings and widths in files, reasons, and schemas. The console has its own words
 * in both languages. esbuild keeps every member of a table if one is read, so they go here.
 */
const UNREAD = [
  /,description:"(?:[^"\\]|\\.)*"/g,
  /(?<=stored:\{type:"\w+"),column:"\w+"(?:,table:"\w+")?/g,
  /(?<=shown:\{)heading:"[^"]*",/g,
  /(?<=,width:\d+),sheet:\d+/g,
  /,(?:unwatched|written):"\w+"/g,
  new RegExp(`,(?:normal|input):\\w+=>${CALL}`, "g"),
  /,read:"\w+"/g,
  /,narrows:!0/g,
  /,needs:(?:"\w+"|\[[^\]]*\])/g,
  /(?<=part:"?\w+"?,unset:[^{}]*?),reason:(?:\{[^}]*\}|\w+)/g,
];

const MINIFIED = { module: true, ecma: 2020, compress: { ecma: 2020, passes: 2 } };

function writeOutput({ path: file, contents, text }) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, file.endsWith(".js") ? smaller(withoutUnread(text)) : contents);
}

/** Scripts of esbuild are 4 % smaller, compressed, after a second program has read them. */
function smaller(text) {
  const format = { comments: /@license|@preserve|^!/ };
  return packageNamed("terser").minify_sync(text, { ...MINIFIED, format }).code;
}

function withoutUnread(text) {
  // Other files have members of these names that are read.
  if (!text.includes("stored:{type:")) return text;
  return UNREAD.reduce((left, unread) => left.replace(unread, ""), text);
}

/**
 * Writes the page, which names the files of this build, so that browsers never mix two. Static
 * imports of the script are preloaded, to save a round trip. Styles of the header are inline. The
 * others are named after the header, because browsers paint nothing after a style sheet until it
 * has loaded. The font is not named: Chromium would wait for it, though the text can use another
 * until then.
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

/** Returns the header's styles for the page and removes their file. */
function takeStart(file) {
  const text = fs.readFileSync(file, "utf8").trim();
  fs.rmSync(file);
  return text.replaceAll("url(./", "url(/app/assets/").replaceAll('url("./', 'url("/app/assets/');
}

/** Fonts are already compressed; the server sends the smallest accepted form of other files. */
function writeManifest(folder, packages) {
  const params = { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY };
  const files = {};
  for (const name of fs.readdirSync(folder).sort()) {
    const bytes = fs.readFileSync(path.join(folder, name));
    const encodings = /\.(js|css|html|svg|json)$/.test(name) ? ["br", "gzip"] : [];
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
