/**
 * Packages with addons, for the Node that ships. What comes in: their sources in node_modules, the
 * headers of that Node. What goes out: the addons, compiled for it.
 * Invariant: compiled in a copy of the sources, so that the addons in node_modules, which fit the
 * Node that runs the build, stay as they are; no path of this machine gets into a file.
 */
import fs from "node:fs";
import path from "node:path";

/** The packages: the file that each loads, its sources, and what its own installer tells gyp. */
export const ADDONS = [
  {
    name: "better-sqlite3",
    file: "better_sqlite3.node",
    sources: ["binding.gyp", "package.json", "deps", "src"],
    variables: [],
  },
  {
    name: "roaring",
    file: "roaring.node",
    sources: ["binding.gyp", "package.json", "roaring-node.cpp"],
    variables: ["--module_name=roaring", "--module_path=./built"],
  },
];

/** The folder of a package's sources. */
export function sourcesOf(root, { name }) {
  return path.join(root, "node_modules", name);
}

/** The addon in a folder where it was compiled. */
export function addonIn(folder, { file }) {
  return path.join(folder, "build", "Release", file);
}

/** Compiles one; `run` runs a program to its end or fails. */
export function compileAddon(addon, { root, folder, base, run }) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const name of addon.sources) {
    const from = path.join(sourcesOf(root, addon), name);
    fs.cpSync(from, path.join(folder, name), { recursive: true });
  }
  const gyp = path.join(root, "node_modules", "node-gyp", "bin", "node-gyp.js");
  const flags = `-ffile-prefix-map=${fs.realpathSync(folder)}=.`;
  const env = { CFLAGS: flags, CXXFLAGS: flags, npm_config_nodedir: base.headers };
  for (const part of ["configure", "build"]) {
    const args = [gyp, part, "--release", "--jobs=max", "--loglevel=error", ...addon.variables];
    run(process.execPath, [...args, `--target=${base.version}`], { cwd: folder, env });
  }
}
