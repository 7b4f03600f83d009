/**
 * Proves: the list of months explains why a month cannot be used although all its zips exist. Such
 * a month mixes releases, has an impossible date, or lists a zip twice. The explanation is in the
 * text for people and in the JSON. The next older month is listed as well, and still older months
 * are not inspected.
 * Does not prove: how a download treats these months (contract/download/).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it, type TestContext } from "node:test";
import { runDownload } from "../../../src/cli/commands/download.ts";
import { checkMembers } from "../../../src/download/releasedate.ts";
import { type Dumps, LABEL, makeDumps } from "../../support/download/dumps.ts";
import { WebdavShare } from "../../support/download/webdav-server.ts";

let dumps: Dumps;
let share: WebdavShare;
before(async () => {
  dumps = await makeDumps(40);
  share = await new WebdavShare().start();
  for (const label of ["2026-07", "2026-08", "2026-09", LABEL]) {
    await share.addFolder(label, dumps.first);
    // The zip is also added to 2026-07, which is not inspected.
    if (label < "2026-09") {
      share.put(label, "Empresas1.zip", readFileSync(join(dumps.older, "Empresas1.zip")));
    }
  }
  share.put("2026-09", "CNAES.zip", share.bytesOf("2026-09", "Cnaes.zip"));
});
after(async () => {
  await share.stop();
  await dumps.dispose();
});

/** Returns the command's standard output. */
async function listed(test: TestContext, json: boolean): Promise<string> {
  let printed = "";
  test.mock.method(process.stdout, "write", (text: string | Uint8Array) => {
    if (typeof text === "string") printed += text;
    return true;
  });
  const flags = { url: [share.url], list: true, ...(json ? { json: true as const } : {}) } as const;
  await runDownload(undefined, flags).finally(() => test.mock.restoreAll());
  return printed;
}

it("explains why a month with all its zips would not be accepted", async (test) => {
  const lines = (await listed(test, false)).trimEnd().split("\n");
  assert.equal(lines.length, 4);
  assert.match(lines[0] ?? "", /^2026-10 {2}27 zips +[\d.]+ kB {2}\d{4}-\d\d-\d\d$/);
  assert.match(lines[1] ?? "", /^2026-09 .* lists Cnaes\.zip twice in 2026-09: as .*CNAES\.zip/i);
  assert.match(lines[2] ?? "", /^2026-08 {2}27 zips .* releases are mixed: D61010 .*D60912/);
  assert.match(lines[3] ?? "", /^2026-07 {2}27 zips +[\d.]+ kB {2}\d{4}-\d\d-\d\d$/);
  const { months } = JSON.parse(await listed(test, true));
  assert.deepEqual(
    months.map((one: Record<string, unknown>) => [one.month, one.complete, one.problem === null]),
    [
      [LABEL, true, true],
      ["2026-09", false, false],
      ["2026-08", false, false],
      ["2026-07", true, true],
    ],
  );
});

it("ignores a month whose files have an impossible date", () => {
  const members = new Map([["Cnaes.zip", { member: "F.K03200$Z.D61340.CNAECSV" }]]);
  assert.throws(() => checkMembers(LABEL, members), {
    message: /2026-10 cannot be used[\s\S]*bear a date that is none of the calendar: D61340/,
  });
});
