/**
 * Bundles test files to plain JavaScript, because Node needs three times as long if it transforms
 * the TypeScript sources for each suite. Parts of the product that several suites use become shared
 * chunks.
 * Invariant: a bundled module finds its files as if it ran at its source's location. Only
 * src/location.ts uses the product's bundle, so that threads load the code that users run.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { tableConstants } from "../../../src/executable/bundle.mjs";
import { lives } from "../../../src/setup/steps.mjs";

/**
 * Packages that are bundled with the suites. They consist of hundreds of small modules that most
 * suites need, and Node takes 0.5 s of processor time to load them one by one.
 */
const INSIDE = new Set(["typebox", "apache-arrow", "flatbuffers", "tslib"]);

/**
 * Bundles test files (paths below `root`) into a folder of this run, because two runs may meet.
 * `product` is the folder of the product's bundle. With `tables`, the lexicon is read from its
 * files; otherwise each suite that translates computes it, which takes 1 s of processor time.
 * Returns the bundles in the order of `files`.
 */
export function bundleTests(root, { files, product, tables = true }) {
  removeOld(path.join(root, ".cache", "tests"));
  const folder = testsFolder(root);
  const place = {
    name: "place",
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, ({ path: file }) => {
        const text = fs.readFileSync(file, "utf8");
        if (!text.includes("import.meta.url")) return null;
        const bundled = path.relative(root, file) === path.join("src", "location.ts");
        const url = pathToFileURL(bundled ? path.join(product, "location.mjs") : file).href;
        const contents = text.replaceAll("import.meta.url", JSON.stringify(url));
        return { contents, loader: file.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
  const outside = {
    name: "outside",
    setup(build) {
      // A specifier that begins with neither a dot nor a slash names a package or a module of Node.
      build.onResolve({ filter: /^[^./]/ }, ({ path: requested, kind }) =>
        kind === "entry-point" || INSIDE.has(requested.split("/")[0])
          ? undefined
          : { path: requested, external: true },
      );
    },
  };
  return createRequire(import.meta.url)("esbuild")
    .build({
      absWorkingDir: root,
      entryPoints: files,
      outdir: folder,
      outbase: path.join(root, "test"),
      chunkNames: "chunk-[hash]",
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      platform: "node",
      target: `node${process.versions.node}`,
      format: "esm",
      sourcemap: true,
      define: tables ? tableConstants(root) : {},
      logLevel: "warning",
      plugins: [place, outside],
    })
    .then(() =>
      files.map((file) => path.join(folder, path.relative("test", file)).replace(/\.ts$/, ".mjs")),
    );
}

/** Returns the folder below `root` for the bundles of this process. */
export function testsFolder(root) {
  return path.join(root, ".cache", "tests", String(process.pid));
}

/** Removes the bundles that ended processes left. */
function removeOld(parent) {
  fs.mkdirSync(parent, { recursive: true });
  for (const name of fs.readdirSync(parent)) {
    if (!lives(Number(name))) fs.rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}
