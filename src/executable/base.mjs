/**
 * The Node binary of the executable, and addons compiled for it. Input: the packages that
 * packages.mjs installed, and the addons' sources in node_modules. Output: the binary, its version,
 * and matching addons.
 * Invariant: a release ships the Node of the installed package, which still gets security fixes,
 * not the Node that runs the build. A binary with another version or hash is refused. Addons are
 * compiled in a copy of their sources, so that node_modules, which matches the build's Node, stays
 * unchanged. No file contains a path of this machine.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { shippedFolder } from "./packages.mjs";

/** Hashes of the tested uWebSockets.js binaries, which are published compiled. */
const UWS_SHA256 = {
  "linux-x64-20": "4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89",
  "linux-x64-22": "f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c",
};

/**
 * Returns the Node of the package `node-<platform>-<arch>`. If that package is missing, or
 * `running` is true, returns the Node that runs this build, with its installed addons.
 */
export function findBase(root, { running = false } = {}) {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform !== "linux") {
    throw new Error(`the executable is made on Linux only, this is ${platform}: use dist/bundle`);
  }
  const folder = path.join(shippedFolder(root), `node-${platform}`);
  const packaged = !running && fs.existsSync(path.join(folder, "bin", "node"));
  const binary = packaged ? path.join(folder, "bin", "node") : process.execPath;
  const { node: version, modules: abi } = versionsOf(binary);
  if (packaged) {
    const { version: wanted } = JSON.parse(fs.readFileSync(path.join(folder, "package.json")));
    if (version !== wanted) {
      throw new Error(`${binary} is Node ${version}, its package says ${wanted}: reinstall it`);
    }
  } else if (!running) {
    const why = `there is no package node-${platform} here`;
    process.stderr.write(`executable: ${why}, so it is made from the running Node ${version}\n`);
  }
  const uws = findUws(root, `${platform}-${version.split(".")[0]}`);
  const license = packaged ? path.join(folder, "LICENSE") : nodeLicense(binary);
  return { binary, version, abi, uws, license, headers: packaged ? folder : null };
}

function versionsOf(binary) {
  const result = spawnSync(binary, ["-p", "JSON.stringify(process.versions)"], {
    encoding: "utf8",
  });
  if (result.status !== 0)
    throw new Error(`${binary} does not run: ${result.stderr || result.error}`);
  return JSON.parse(result.stdout);
}

function findUws(root, platform) {
  const places = [shippedFolder(root), path.join(root, "node_modules")];
  const files = places.map((place) => path.join(place, "@uwsjs", platform, "uws.node"));
  const file = files.find((one) => fs.existsSync(one));
  if (file === undefined) throw new Error(`there is no package @uwsjs/${platform} here`);
  const wanted = UWS_SHA256[platform];
  const found = createHash("sha256").update(fs.readFileSync(file)).digest("hex");
  if (wanted !== undefined && found !== wanted) {
    throw new Error(`${file} is not the binary that was tested (SHA-256 ${found})`);
  }
  return file;
}

/** Returns the license file of an unpacked Node. Distributions store it elsewhere. */
function nodeLicense(binary) {
  const prefix = path.dirname(path.dirname(fs.realpathSync(binary)));
  const places = [
    path.join(prefix, "LICENSE"),
    path.join(prefix, "share", "doc", "node", "LICENSE"),
  ];
  return places.find((file) => fs.existsSync(file)) ?? null;
}

/**
 * Packages with addons. Each has the file that it loads, its name in the executable if different,
 * its sources, and its installer's variables for gyp.
 */
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
  {
    name: "zstd-napi",
    file: "binding.node",
    part: "zstd.node",
    sources: ["binding.gyp", "build_flags.gypi", "package.json", "deps", "src"],
    variables: [],
  },
];

/** The folder of a package's sources. */
export function sourcesOf(root, { name }) {
  return path.join(root, "node_modules", name);
}

/** The compiled addon in a folder. */
export function addonIn(folder, { file }) {
  return path.join(folder, "build", "Release", file);
}

/** Compiles an addon. `run` runs a program, and throws if the program fails. */
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
