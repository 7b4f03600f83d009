/**
 * Collects the licenses of shipped packages into one text, which is part of the program and printed
 * by `peneira version --licenses`.
 * Invariant: no shipped package is omitted. If a package has no license text, the license that its
 * manifest names is listed.
 */
import fs from "node:fs";
import path from "node:path";

/** Sources of zstd. */
const ZSTD = "node_modules/zstd-napi/deps/zstd";

/** Returns the package that a file of node_modules belongs to, or undefined. */
export function packageOf(file) {
  const inside = file.split("node_modules/").at(-1);
  if (inside === undefined || inside === file) return undefined;
  return inside
    .split("/")
    .slice(0, inside.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Returns the packages of the files in an esbuild bundle. */
export function packagesOf(metafile) {
  return Object.keys(metafile.inputs).flatMap((file) => packageOf(file) ?? []);
}

/** Returns title and file of the license of the zstd sources inside `zstd-napi`. */
export function zstdLicense(root) {
  const header = fs.readFileSync(path.join(root, ZSTD, "lib", "zstd.h"), "utf8");
  const part = (name) => new RegExp(`^#define ZSTD_VERSION_${name} +(\\d+)$`, "m").exec(header)[1];
  const version = ["MAJOR", "MINOR", "RELEASE"].map(part).join(".");
  return { title: `zstd ${version}`, file: path.join(root, ZSTD, "LICENSE") };
}

/** Returns the text; `further` has titles and files of additional licenses. */
export function licenseText(root, { packages, further = [] }) {
  const own = { title: "Peneira", text: fs.readFileSync(path.join(root, "LICENSE"), "utf8") };
  const others = further.map(({ title, file }) => ({ title, text: fs.readFileSync(file, "utf8") }));
  const names = [...new Set(packages)].sort();
  const parts = [own, ...others, ...names.map((name) => licenseOf(root, name))];
  const rule = "=".repeat(100);
  return parts
    .map(({ title, text }) => `${rule}\n${title}\n${rule}\n\n${text.trim()}\n`)
    .join("\n");
}

function licenseOf(root, name) {
  const folder = path.join(root, "node_modules", name);
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const author = manifest.author?.name ?? manifest.author ?? "";
  const title = `${name} ${manifest.version} (${manifest.license}) ${author}`.trim();
  const files = fs.readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.sort().map((file) => fs.readFileSync(path.join(folder, file), "utf8"));
  const place = manifest.repository?.url ?? manifest.repository ?? "";
  return { title, text: texts.join("\n\n") || `Licence: ${manifest.license}. ${place}` };
}
