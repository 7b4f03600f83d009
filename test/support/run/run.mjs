/**
 * Runs suites. Its only argument is JSON with the bundled files, the names of their sources, and
 * the path of a file with earlier durations. It prints the report of each test as it arrives, then
 * the slowest suites and the failures. It exits with 1 on failure.
 * Invariant: every suite is a separate process, and four run at a time, because many wait for
 * clocks. The suites that were slowest last time start first, so that no long suite is left for the
 * end. In a new clone, the suites listed below start first. The others follow in an order that
 * spreads the suites of each folder, because these often wait for the same clocks.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { SourcePlaces } from "./sourcelocations.mjs";

/**
 * Milliseconds after which a suite is ended. The limit guards against a hang and does not measure
 * speed: it is ten times the duration of the longest suite on an idle machine.
 */
const FILE_MS_MAX = 1_800_000;
/**
 * Suites that run at the same time: two more than the processors of a small machine, because many
 * suites wait for clocks.
 */
const CONCURRENCY = 4;
/** Milliseconds of the longest suites on two processors, for the order in a new clone. */
const LONG = {
  "campaign/requests/http": 75_000,
  "contract/store/postgres": 70_000,
  "campaign/twin/engine": 60_000,
  "e2e/console/flows": 40_000,
  "e2e/server/e2e": 30_000,
  "e2e/export/formats": 28_000,
  "contract/translate/sweeps": 24_000,
  "unit/house/tidy": 22_000,
  "contract/http/server/malformed": 21_000,
  "contract/http/api/export-wait": 20_000,
  "unit/export/html": 20_000,
  "contract/http/turns": 19_000,
  "unit/spec/properties": 18_000,
  "contract/http/server/garbage": 17_000,
  "contract/http/server/auth": 16_000,
  "contract/http/server/transport-files": 16_000,
  "contract/download/mirrors": 15_000,
  "unit/store/exportstore": 15_000,
  "contract/console/roles": 14_000,
  "unit/http/server/drain-parts": 13_000,
  "contract/translate/places/places": 13_000,
};
/** Number of slowest suites that are reported. */
const REPORTED_MAX = 12;

const { folder, files, names, remembered } = JSON.parse(process.argv[2]);
const known = fs.existsSync(remembered) ? JSON.parse(fs.readFileSync(remembered, "utf8")) : {};
const nameOf = (file) => names[files.indexOf(file)];
const expected = (file) => known[nameOf(file)] ?? LONG[nameOf(file)] ?? 0;
const spread = (file) => createHash("sha1").update(nameOf(file)).digest("hex");
const ordered = [...files].sort(
  (a, b) => expected(b) - expected(a) || (spread(a) < spread(b) ? -1 : 1),
);

const places = new SourcePlaces(folder);
const took = {};
let failed = false;
const events = run({ files: ordered, concurrency: CONCURRENCY, timeout: FILE_MS_MAX });
for (const kind of ["test:pass", "test:fail"]) {
  events.on(kind, ({ file, nesting, details }) => {
    if (nesting > 0 || file === undefined) return;
    // In a coverage run, Node already applies source maps, so events name the source files.
    const isSource = (one) => file.endsWith(`/test/${one}.test.ts`);
    const name = names[files.indexOf(file)] ?? names.find(isSource) ?? file;
    took[name] = (took[name] ?? 0) + details.duration_ms;
  });
}
events.on("test:fail", (failure) => {
  if (failure.todo === undefined || failure.todo === false) failed = true;
  places.translate(failure);
});
events.compose(new spec()).pipe(process.stdout);
events.on("end", () => {
  fs.writeFileSync(remembered, JSON.stringify({ ...known, ...took }));
  const slowest = Object.entries(took).sort(([, a], [, b]) => b - a);
  const lines = slowest
    .slice(0, REPORTED_MAX)
    .map(([name, ms]) => `${(ms / 1000).toFixed(1)} s  ${name}`);
  process.on("exit", () => {
    if (slowest.length > 1) process.stdout.write(`\nslowest:\n  ${lines.join("\n  ")}\n`);
  });
  process.exitCode = failed ? 1 : 0;
});
