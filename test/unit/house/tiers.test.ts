/**
 * Proves: without a name, the runner runs the quick suites. A name selects the suite whose path
 * ends with it. If several paths do, it is refused and these paths are listed. --all, --campaign,
 * the scale, and the seed work.
 * Does not prove that the full run leaves out suites that have passed, which .ci/run does.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";
import { MATRIX, scaled, tries } from "../../support/run/scale.ts";

/** The parsed arguments, as far as these tests check them. */
interface Selection {
  readonly suites: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly all: boolean;
  readonly quick: boolean;
}

// This module belongs to the build and is plain JavaScript, so its types are declared here.
const tiers = (await import("../../support/run/tiers.mjs" as string)) as {
  isOfMatrix(text: string): boolean;
  quickSuites(suites: readonly string[]): string[];
  readTests(args: readonly string[], suites: readonly string[]): Selection;
  tierOf(file: string): string;
};
const { isOfMatrix, quickSuites, readTests, tierOf } = tiers;

const QUICK = ["test/contract/http/changes.test.ts", "test/e2e/tour.test.ts"];
const ALL = [
  ...["test/campaign/twin/changes.test.ts", "test/campaign/kernel/query.test.ts"],
  ...[...QUICK, "test/e2e/cli/cli.test.ts", "test/unit/spec/normalize.test.ts"],
];

describe("a suite of the matrix", () => {
  const suites = filesMatching(/\.test\.ts$/).filter((file) => isOfMatrix(textOf(file)));

  it("has every test in its loop over transports, so that no run repeats one", () => {
    assert.ok(suites.length >= 10);
    const begins = (file: string) => textOf(file).match(/^(describe|it|test|for)\b.*$/gm) ?? [];
    const broken = suites.filter((file) => begins(file).length !== 1);
    refuse(broken, "what does not depend on the transport stands in a suite of its own");
  });

  it("is quick, and speaks both transports unless one is named", () => {
    refuse(
      suites.filter((file) => !quickSuites(suites).includes(file)),
      "the quick run asks over one transport, and the run of everything over the other",
    );
    const named = process.env.TEST_MATRIX;
    assert.deepEqual(MATRIX, named === undefined ? ["uws", "node"] : [named]);
  });
});

describe("the requested tests", () => {
  it("are the quick ones by default", () => {
    const quick = [...QUICK, "test/unit/spec/normalize.test.ts"];
    assert.deepEqual(quickSuites(ALL), quick);
    const selection = readTests([], ALL);
    assert.deepEqual(selection.suites, quick);
    assert.equal(selection.quick, true);
  });

  it("are all of them, or the campaigns", () => {
    const all = readTests(["--all"], ALL);
    assert.deepEqual([all.suites, all.all, all.quick], [ALL, true, false]);
    const campaign = readTests(["--campaign", "--scale", "10", "--seed", "7"], ALL);
    assert.deepEqual(campaign.suites, ALL.slice(0, 2));
    assert.deepEqual(campaign.variables, { TEST_SCALE: "10", TEST_SEED: "7" });
  });

  it("are named by the end of a path, and by no ambiguous name", () => {
    const named = (name: string) => readTests([name], ALL).suites;
    assert.deepEqual(named("spec/normalize"), ["test/unit/spec/normalize.test.ts"]);
    assert.deepEqual(named("test/e2e/cli/cli.test.ts"), ["test/e2e/cli/cli.test.ts"]);
    assert.deepEqual(named("twin/changes"), ["test/campaign/twin/changes.test.ts"]);
    assert.throws(() => named("changes"), /campaign\/twin\/changes\n {2}contract\/http\/changes/);
    assert.throws(() => named("ormalize"), /there is no suite and no folder "ormalize"/);
  });

  it("are all suites of a folder", () => {
    const http = readTests(["contract/http"], ALL).suites;
    assert.deepEqual(
      http,
      ALL.filter((file) => file.startsWith("test/contract/http/")),
    );
    assert.ok(http.length > 0);
    assert.deepEqual(readTests(["test/contract/http/", "contract/http"], ALL).suites, http);
    assert.throws(() => readTests(["ontract/http"], ALL), /no suite and no folder/);
  });

  it("are refused with a message", () => {
    assert.throws(() => readTests(["--all", "cli"], ALL), /name suites, or say --all/);
    assert.throws(() => readTests(["--scale", "0"], ALL), /--scale must be a number above 0/);
    assert.throws(() => readTests(["--sclae", "2"], ALL), /--sclae/);
    assert.throws(() => tierOf("test/cli.test.ts"), /belongs into a tier/);
  });
});

it("another process makes the given number of tries", () => {
  assert.deepEqual(scaled({ forgeries: 50_000, requests: 9 }, 3), {
    TEST_SCALE: "forgeries:50000,requests:9",
    TEST_SEED: "3",
  });
  assert.ok(tries("forgeries") >= 1);
});
