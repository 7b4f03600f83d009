/**
 * What the executable is made of, as CycloneDX. What comes in: the installed packages as npm lists
 * them, the versions and licences that the executable tells. What goes out: one document.
 * Invariant: every package whose licence travels with the executable is in it as required; what
 * npm installs beside them is marked excluded. No random number and no time but the commit's.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** Titles of the licences: `name version (licence)`. */
const TITLE = /^=+\n(\S+) (\d\S*) \(.*\n=+$/gm;

/** The document. */
export function billOfMaterials(root, { version, commit, built, licenses }) {
  const bill = npmBill(root);
  const shipped = new Set([...licenses.matchAll(TITLE)].map(([, name, at]) => `${name}@${at}`));
  const own = `peneira@${version}`;
  const parts = partsOf(root, built);
  const packages = bill.components.map((one) => ({
    ...one,
    scope: titlesOf(one).some((title) => shipped.has(title)) ? "required" : "excluded",
  }));
  const components = [...packages.filter(isOfHere), ...parts].sort(byReference);
  const known = new Set([own, ...components.map((one) => one["bom-ref"])]);
  const titles = new Set(components.flatMap(titlesOf));
  const missing = [...shipped].filter((title) => !titles.has(title));
  if (missing.length > 0) throw new Error(`npm sbom does not list ${missing.join(", ")}`);
  return {
    $schema: bill.$schema,
    bomFormat: bill.bomFormat,
    specVersion: bill.specVersion,
    version: 1,
    metadata: {
      timestamp: new Date(commit.seconds * 1000).toISOString().replace(".000Z", "Z"),
      lifecycles: [{ phase: "build" }],
      tools: bill.metadata.tools,
      component: {
        ...bill.metadata.component,
        type: "application",
        name: "peneira",
        properties: [{ name: "commit", value: commit.hash }],
      },
    },
    components,
    dependencies: [
      ...bill.dependencies.map(({ ref, dependsOn }) => ({
        ref,
        dependsOn: [...dependsOn, ...(ref === own ? parts.map((one) => one["bom-ref"]) : [])]
          .filter((name) => known.has(name))
          .sort(),
      })),
      ...parts.map((one) => ({ ref: one["bom-ref"], dependsOn: [] })),
    ]
      .filter(({ ref }) => known.has(ref))
      .sort((a, b) => (a.ref < b.ref ? -1 : 1)),
  };
}

function npmBill(root) {
  const args = ["sbom", "--omit=dev", "--sbom-format=cyclonedx", "--loglevel=error"];
  const asked = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (asked.status === 0) return JSON.parse(asked.stdout);
  throw new Error(`npm sbom: ${asked.error?.message ?? asked.stderr.trim()}`);
}

/** What npm does not know of, or knows as a tool of the build only. */
function partsOf(root, { node, sqlite, uws }) {
  const line = node.split(".")[0];
  return [
    {
      "bom-ref": `node@${node}`,
      type: "platform",
      name: "node",
      version: node,
      scope: "required",
      description: "The JavaScript runtime that the executable is built on.",
      cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
      purl: `pkg:generic/node@${node}`,
      licenses: [{ license: { id: "MIT" } }],
    },
    {
      "bom-ref": `sqlite@${sqlite}`,
      type: "library",
      name: "sqlite",
      version: sqlite,
      scope: "required",
      description: "The database of the state; its sources come with the package better-sqlite3.",
      cpe: `cpe:2.3:a:sqlite:sqlite:${sqlite}:*:*:*:*:*:*:*`,
      purl: `pkg:generic/sqlite@${sqlite}`,
      licenses: [{ license: { name: "Public domain" } }],
    },
    uwsPart(root, { line, uws }),
  ];
}

/** The compiled uWebSockets.js of this platform and Node, which is in the executable. */
function uwsPart(root, { line, uws }) {
  const name = `@uwsjs/${process.platform}-${process.arch}-${line}`;
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const { integrity = "" } = lock.packages[`node_modules/${name}`] ?? {};
  const content = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  return {
    "bom-ref": `${name}@${uws}`,
    type: "library",
    name,
    version: uws,
    scope: "required",
    description: "uWebSockets.js, compiled.",
    purl: `pkg:npm/${encodeURIComponent(name).replace("%2F", "/")}@${uws}`,
    hashes: integrity.startsWith("sha512-") ? [{ alg: "SHA-512", content }] : [],
    licenses: [{ license: { id: "Apache-2.0" } }],
  };
}

/** Compiled packages of other platforms or Nodes are not in this executable. */
function isOfHere(one) {
  return !/^@uwsjs\/\w+-\w+-\d+$/.test(nameOf(one));
}

/** A package may be installed under another name than its own: then it has both. */
function titlesOf(one) {
  return [one.name, nameOf(one)].map((name) => `${name}@${one.version}`);
}

function nameOf(one) {
  return one["bom-ref"].replace(/@[^@]+$/, "");
}

function byReference(a, b) {
  return a["bom-ref"] < b["bom-ref"] ? -1 : 1;
}
