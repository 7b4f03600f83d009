/**
 * The steps of build.mjs that make the executable. What comes in: what build.mjs knows of the
 * checkout, and how it runs and skips steps. What goes out: dist/peneira, or a variant of it in
 * .cache/executable.
 * Invariant: a step whose inputs did not change is skipped; only what is released lies in dist.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { ADDONS, addonIn, compileAddon, findBase, sourcesOf } from "./base.mjs";
import { buildExecutable } from "./executable.mjs";
import { installShipped } from "./packages.mjs";

/** What the packages inside are. */
const LOCKS = ["node_modules/.package-lock.json", "src/executable/shipped/package-lock.json"];

/** Makes it; `running` takes the Node that runs the build, `faults` puts in the kill points. */
export function executableSteps(options) {
  const { root, origin, inputs, upToDate, faults = false, running = false } = options;
  if (!running) installShipped(options);
  const base = findBase(root, { running });
  const name = `${base.version}${running ? "-running" : ""}${faults ? "-faults" : ""}`;
  const folder = path.join(root, ".cache", "executable", name);
  const target = faults || running ? `${folder}.peneira` : path.join(root, "dist", "peneira");
  const addons = Object.fromEntries(ADDONS.map((one) => [one.file, addonOf(one, options, base)]));
  const step = {
    name: `executable-${name}`,
    inputs: [...inputs, ...LOCKS, "LICENSE"],
    salt: JSON.stringify([origin, base.version]),
    outputs: [target],
  };
  const addon = path.join(root, options.addon);
  const console = path.join(root, "dist", "console");
  const parts = { ...options, faults, base, folder, target, addons, addon, console };
  upToDate(step, () => buildExecutable(parts));
}

/** The addon of a package: the installed one, or one compiled for the Node that ships. */
function addonOf(addon, { root, upToDate, run, requireTools }, base) {
  if (base.headers === null) return addonIn(sourcesOf(root, addon), addon);
  const name = `${addon.name}-${base.version}`;
  const folder = path.join(root, ".cache", "executable", name);
  const built = addonIn(folder, addon);
  const inputs = [`node_modules/${addon.name}/package.json`, "src/executable/base.mjs"];
  upToDate({ name, inputs, salt: process.env.CXX ?? "", outputs: [built] }, () => {
    requireTools();
    compileAddon(addon, { root, run, base, folder });
  });
  return built;
}

/** Commit and day of the checkout, or "unknown" in a source archive. */
export function gitOrigin(root) {
  const args = ["log", "-1", "--format=%h %cs", "--abbrev=12"];
  const git = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  const [commit = "", date = ""] = git.status === 0 ? git.stdout.trim().split(" ") : [];
  return { commit: commit || "unknown", date: date || "unknown" };
}
