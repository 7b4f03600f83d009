/**
 * Selects the suites to run. Input: the arguments of `test`, and every suite of the checkout.
 * Output: the selected suites, the scale of the random suites, and whether type and style checks
 * run.
 * Invariant: the folder of a suite is its tier, and a suite is in one tier only. Without a name,
 * the suites to run before a commit are selected: unit, contract, and one tour through every
 * surface of the product.
 */
import path from "node:path";
import { parseArgs } from "node:util";

/** The tiers, from those that run most often to those that run rarely. */
export const TIERS = ["unit", "contract", "e2e", "campaign"];
/**
 * The only end-to-end suite in the quick run. It imports a dump, searches, exports, downloads, and
 * uses the console.
 */
const TOUR = "test/e2e/tour.test.ts";

const OPTIONS = {
  all: { type: "boolean", default: false },
  campaign: { type: "boolean", default: false },
  again: { type: "boolean", default: false },
  asan: { type: "boolean", default: false },
  scale: { type: "string" },
  seed: { type: "string" },
};

/**
 * Parses the command line. `suites` are the paths of all suites, relative to the root. Returns the
 * selected suites, `quick` if they are exactly those of the quick run, and the variables for scale
 * and seed. @throws Error with a message.
 */
export function readTests(args, suites) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const ways = [values.all, values.campaign, positionals.length > 0].filter(Boolean);
  if (ways.length > 1) throw new Error("name suites, or say --all, or --campaign");
  const variables = {
    ...numbered("scale", values.scale, { variable: "TEST_SCALE", max: 1e6 }),
    ...numbered("seed", values.seed, { variable: "TEST_SEED", max: 2 ** 32 - 1 }),
  };
  const { all, campaign, again, asan } = values;
  const read = { again, asan, variables, all, quick: ways.length === 0 };
  if (all) return { ...read, suites };
  if (campaign) return { ...read, suites: suites.filter((file) => tierOf(file) === "campaign") };
  if (read.quick) return { ...read, suites: quickSuites(suites) };
  return {
    ...read,
    suites: [...new Set(positionals.flatMap((name) => suitesNamed(name, suites)))],
  };
}

/** The suites of the quick run. */
export function quickSuites(suites) {
  return suites.filter((file) => ["unit", "contract"].includes(tierOf(file)) || file === TOUR);
}

/** True if the text of a suite shows that it tests the interface over each transport of the run. */
export function isOfMatrix(text) {
  return /\bof MATRIX\)/.test(text);
}

/** Returns the tier of a suite. @throws Error if it is in no tier. */
export function tierOf(file) {
  const tier = file.split("/")[1];
  if (TIERS.includes(tier)) return tier;
  throw new Error(`${file} belongs into a tier: test/{${TIERS.join(",")}}/`);
}

/**
 * Returns the suites that a name selects. If exactly one suite's path equals the name or ends with
 * it, such as `spec/normalize`, this suite is selected. If no path does, all suites of the folder
 * with that name are selected, such as `contract/search`. @throws Error if several paths match, or
 * if neither a suite nor a folder matches.
 */
function suitesNamed(name, suites) {
  const clean = path.posix
    .normalize(name)
    .replace(/\.test\.ts$/, "")
    .replace(/\/$/, "");
  const found = suites.filter((file) => `/${file}`.endsWith(`/${clean}.test.ts`));
  if (found.length === 1) return found;
  const folder = suites.filter((file) => file.startsWith(`test/${clean.replace(/^test\//, "")}/`));
  if (found.length === 0 && folder.length > 0) return folder;
  const listed = (files) => files.map((file) => `\n  ${file.slice(5, -8)}`).join("");
  if (found.length > 1) throw new Error(`"${name}" is one of these; name it:${listed(found)}`);
  throw new Error(`there is no suite and no folder "${name}"; there are:${listed(suites)}`);
}

function numbered(option, text, { variable, max }) {
  if (text === undefined) return {};
  if (Number(text) > 0 && Number(text) <= max) return { [variable]: text };
  throw new Error(`--${option} must be a number above 0, up to ${max}, not "${text}"`);
}
