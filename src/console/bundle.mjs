/**
 * Bundles the browser's part of the console.
 * Output: files with hashes in their names, the page that references them, compressed forms of
 * each, and manifest.json, which lists all.
 * Invariant: the same sources give the same bytes; nothing of an older build is left. The folder is
 * complete or absent, so a starting server never mixes builds.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";
import { packagesOf } from "../executable/licenses.mjs";
import { wordKeys } from "./wordkeys.mjs";

/** The browser's part of the console, relative to the root. It is type-checked separately. */
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
    // Every module imports the entry point, so that code shared by several chunks is in one file.
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

/**
 * Loads packages when they are used, because this file is also imported before they are installed.
 */
const packageNamed = createRequire(import.meta.url);

/** Matches a call whose arguments are strings and calls. */
const CALL = /\w+\.\w+\((?:"(?:[^"\\]|\\.)*"|[^()"]|\((?:"[^"]*"|[^()"])*\))*\)/.source;

/**
 * Members of the field and filter tables that only the server reads: descriptions, columns,
 * headings, widths, reasons, and schemas. The console has its own words in both languages. esbuild
 * retains all members of a used table, so these patterns remove them.
 */
const UNREAD = [
  /,description:"(?:[^"\\]|\\.)*"/g,
  /(?<=stored:\{type:"\w+"),column:"\w+"(?:,table:"\w+")?/g,
  /(?<=shown:\{)heading:"[^"]*",/g,
  /,freeText:!0/g,
  /(?<=,width:\d+),sheet:\d+/g,
  /,(?:unwatched|written):"\w+"/g,
  new RegExp(`,(?:normal|input):\\w+=>${CALL}`, "g"),
  /,read:"\w+"/g,
  /,narrows:!0/g,
  /,needs:(?:"\w+"|\[[^\]]*\])/g,
  /(?<=part:"?\w+"?,unset:[^{}]*?),reason:(?:\{[^}]*\}|\w+)/g,
  /,what:"\w+"(?=\})/g,
  /,reveals:\[[^\]]*\]/g,
  /,reason:\{name:\w+\.part,shows:\w+\.shows\}/g,
  /,shows:"\w+"(?=[,}])/g,
  /,unset:void 0/g,
  /(?<=stored:\{type:"\w+"),counted:"\w+"/g,
  /(?<=shown:\{group:"\w+",width:\d+\}),contact:!0/g,
  /,kind:\w+\[\w+\.stored\.type\]/g,
];

/**
 * Terser must not rewrite plain ifs and calls. Its shorter forms take more bytes after compression.
 */
const COMPRESS = {
  ...{ ecma: 2020, passes: 3, keep_fargs: false },
  ...{ if_return: false, negate_iife: false },
};
const MINIFIED = { module: true, ecma: 2020, compress: COMPRESS };

function writeOutput({ path: file, contents, text }) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, file.endsWith(".js") ? smaller(withoutUnread(text)) : contents);
}

/** Terser makes esbuild's scripts another 4 % smaller, measured compressed. */
function smaller(text) {
  const format = { comments: /@license|@preserve|^!/ };
  const nameCache = { vars: { props: sharedNames(text) } };
  return packageNamed("terser").minify_sync(text, { ...MINIFIED, format, nameCache }).code;
}

/**
 * Returns new names for the variables that scripts import and export, in the format of terser's
 * name cache. Each variable takes the name under which it is exported, so that import and export
 * lists need no "a as b". If a variable is both imported and exported, it takes the name
 * under which this script exports it.
 */
function sharedNames(text) {
  const names = {};
  for (const [, list] of text.matchAll(/\bimport\{([^}]*)\}from/g)) {
    for (const [, exported, local] of list.matchAll(/([\w$]+) as ([\w$]+)/g)) {
      names[`$${local}`] = exported;
    }
  }
  for (const [, list] of text.matchAll(/\bexport\{([^}]*)\}/g)) {
    for (const [, local, exported] of list.matchAll(/([\w$]+) as ([\w$]+)/g)) {
      const taken = Object.keys(names).find((name) => names[name] === exported);
      if (taken !== undefined) delete names[taken];
      names[`$${local}`] = exported;
    }
  }
  return names;
}

function withoutUnread(text) {
  // A script without the table of fields is not changed, because its members of these names are
  // needed.
  if (!text.includes("stored:{type:")) return text;
  return UNREAD.reduce((left, unread) => left.replace(unread, ""), text);
}

/**
 * Writes the page, which names the files of this build, so that browsers never mix builds. Static
 * imports are preloaded, to save a round trip. Styles of the header are inline. Other style sheets
 * follow the header, because browsers paint nothing after a style sheet until it has loaded. The
 * font is not preloaded, because Chromium would delay the text for it.
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

/** Writes the manifest and compressed forms of files. Fonts are already compressed. */
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
