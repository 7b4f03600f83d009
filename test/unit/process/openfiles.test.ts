/**
 * Proves: the system's limit of open files is parsed. This limit, minus a reserve for the server's
 * other files, bounds the number of connections. A message reports the bound.
 * Does not prove that a server at its limit continues (e2e/server/descriptors).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { descriptorWarnings, socketsOf } from "../../../src/cli/serving/ports.ts";
import { openFilesMax } from "../../../src/process/system.ts";
import { loadConfig } from "../../../src/settings/config.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-openfiles-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function limitsWith(soft: string): string {
  const path = join(folder, "limits");
  const line = (name: string, one: string) =>
    `${name.padEnd(26)}${one.padEnd(21)}${one.padEnd(21)}`;
  writeFileSync(path, `${line("Limit", "Soft Limit")}\n${line("Max open files", soft)}files \n`);
  return path;
}

describe("the limit of open files", () => {
  it("is parsed as the system writes it", (test) => {
    assert.equal(openFilesMax(limitsWith("1024")), 1024);
    assert.equal(openFilesMax(limitsWith("unlimited")), null);
    assert.equal(openFilesMax(join(folder, "none")), null);
    if (process.platform !== "linux") return test.skip("only Linux tells");
    assert.ok(Number(openFilesMax()) > 0);
  });

  it("bounds the connections, and reports it", () => {
    const config = loadConfig({ environment: { PENEIRA_HTTP_THREADS: "1" } });
    assert.deepEqual([socketsOf(config, null), descriptorWarnings(config, null)], [2_000, []]);
    assert.deepEqual([socketsOf(config, 65_536), descriptorWarnings(config, 65_536)], [2_000, []]);
    assert.equal(socketsOf(config, 1_024), 928);
    assert.match(descriptorWarnings(config, 1_024).join(), /1024 files: 928 .* limit to 2096 /);
    assert.equal(socketsOf(config, 112), 16);
    assert.throws(() => socketsOf(config, 111), /may open 111 files, .* 1 thread needs 112 at /);
    const threads = loadConfig({ environment: { PENEIRA_HTTP_THREADS: "3" } });
    assert.equal(socketsOf(threads, 1_024), 898);
    assert.throws(() => socketsOf(threads, 141), /3 threads needs 142 .*, or lower http.threads/);
  });
});
