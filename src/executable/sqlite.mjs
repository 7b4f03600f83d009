/**
 * better-sqlite3 for the Node that ships. What comes in: its sources in node_modules, the headers
 * of that Node. What goes out: the addon, compiled for it.
 * Invariant: compiled in a copy of the sources, so that the addon in node_modules, which fits the
 * Node that runs the build, stays as it is; no path of this machine gets into the file.
 */
import fs from "node:fs";
import path from "node:path";

/** Where the sources are, relative to the root. */
export const SQLITE_SOURCES = "node_modules/better-sqlite3";

/** The addon in a folder that `compileSqlite` has worked in. */
export function sqliteAddon(folder) {
  return path.join(folder, "build", "Release", "better_sqlite3.node");
}

/** Compiles; `run` runs a program to its end or fails. */
export function compileSqlite({ root, folder, base, run }) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const name of ["binding.gyp", "package.json", "deps", "src"]) {
    const from = path.join(root, SQLITE_SOURCES, name);
    fs.cpSync(from, path.join(folder, name), { recursive: true });
  }
  const gyp = path.join(root, "node_modules", "node-gyp", "bin", "node-gyp.js");
  const flags = `-ffile-prefix-map=${fs.realpathSync(folder)}=.`;
  const env = { CFLAGS: flags, CXXFLAGS: flags, npm_config_nodedir: base.headers };
  for (const part of ["configure", "build"]) {
    const args = [gyp, part, "--release", "--jobs=max", "--loglevel=error"];
    run(process.execPath, [...args, `--target=${base.version}`], { cwd: folder, env });
  }
}
