/**
 * Proves: a user's file is read up to the limit of its kind, even an endless device or pipe. Every
 * reader of such a file rejects a larger one with a message that names the limit.
 * Does not prove: how files within the limit are read.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { readEntryFile, readSpecFile } from "../../../src/cli/support/inputfiles.ts";
import { readTableText } from "../../../src/dump/tablefile.ts";
import { CommandError } from "../../../src/errors.ts";
import { FileTooLong, readSmallFile } from "../../../src/files/smallfile.ts";
import { readSanctions } from "../../../src/ingest/sanctions.ts";
import { loadConfig } from "../../../src/settings/config.ts";

const ENDLESS = "/dev/zero";
const skip = !existsSync(ENDLESS) && "needs /dev/zero";
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-small-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const refused = (words: RegExp) => (error: unknown) =>
  error instanceof CommandError && words.test(error.message);

describe("a small file", () => {
  it("is read whole up to its limit and rejected beyond", () => {
    const path = join(folder, "file");
    const bytes = Buffer.alloc(100_000, "x");
    writeFileSync(path, bytes);
    assert.deepEqual(readSmallFile(path, 100_000), bytes);
    assert.throws(() => readSmallFile(path, 99_999), FileTooLong);
  });
});

describe("an endless file", { skip }, () => {
  it("is refused as a spec, a config, a secret and a table, with the limit", () => {
    assert.throws(() => readSpecFile(ENDLESS), refused(/not a spec: it has more than 16 MiB/));
    const plans = { plans: {}, planSettings: {} };
    assert.throws(
      () => loadConfig({ file: ENDLESS, environment: {}, flags: {}, ...plans }),
      refused(/is too long: it has more than 1 MiB/),
    );
    const environment = { PENEIRA_DOWNLOAD_PROXY_FILE: ENDLESS };
    assert.throws(
      () => loadConfig({ environment, flags: {}, ...plans }),
      refused(/PENEIRA_DOWNLOAD_PROXY_FILE: .*more than 64 KiB/),
    );
    assert.throws(() => readTableText(ENDLESS), refused(/it has more than 64 MiB/));
  });

  it("is rejected as standard input", () => {
    const script = `
      const { readSpecFile } = await import("./src/cli/support/inputfiles.ts");
      try { readSpecFile("-"); } catch (error) { console.log(error.message); }`;
    const args = ["--import", "tsx", "--input-type=module", "-e", script];
    const { stdout } = spawnSync("sh", ["-c", 'yes | "$0" "$@"', process.execPath, ...args], {
      encoding: "utf8",
      timeout: 60_000,
    });
    assert.match(stdout, /Standard input is not a spec: it has more than 16 MiB/);
  });
});

describe("a long file", () => {
  it("is rejected as a list and as the CEIS list, with the limit", async () => {
    const path = join(folder, "20260930_CEIS.csv");
    writeFileSync(path, Buffer.alloc(65 << 20, "\n"));
    const options = { fillZeros: false, column: undefined };
    await assert.rejects(readEntryFile(path, options), refused(/more than 64 MiB, .* of a list/));
    await assert.rejects(readSanctions(path, "2026-10-10"), refused(/more than 64 MiB/));
  });
});
