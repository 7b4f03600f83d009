/**
 * Proves which files decide if the samples of an earlier run are used again.
 * Invariant: a change to a file that a sample depends on makes new samples.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { sampleSources } from "../../support/sample/sources.ts";

/** One file for each way in which a sample depends on files. */
const NEEDED = [
  "data/municipality-exceptions.json",
  "native-index/builder/stages/index_builder.cc",
  "native-index/builder/record.h",
  "native-index/format/snapshot/versions.ts",
  "package-lock.json",
  "src/cli/commands/import.ts",
  "src/dump/sample/activities.ts",
  "src/ingest/dump-import.ts",
  "src/ingest/ingest.worker.ts",
  "src/ingest/scan/scan.ts",
  "test/support/sample/snapshot.ts",
];

it("samples depend only on the sources that make and import them", async () => {
  const sources = await sampleSources();
  const lacking = NEEDED.filter((file) => !sources.includes(file));
  assert.deepEqual(lacking, []);
  const strange = sources.filter((file) => /^src\/(console|http|translate)\//.test(file));
  assert.deepEqual(strange, []);
});
