/**
 * Proves (Linux): a server leaves no core dump unless its operator allows one, because a core dump
 * would contain the keys in use.
 * Does not prove how the system applies that limit.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { startServerProcess, stopServerProcess } from "../../support/server/process.ts";

describe("the core dump of a server", { skip: process.platform !== "linux" }, () => {
  let sample: SampleSnapshot;
  before(async () => {
    sample = await makeSampleSnapshot(200, 3);
  });
  after(() => sample.dispose());

  /** Returns the soft and the hard core limit of a process, as the system shows them. */
  const limitsOf = (pid: number | "self") => {
    const text = readFileSync(`/proc/${pid}/limits`, "latin1");
    return /^Max core file size +(\S+) +(\S+)/m.exec(text)?.slice(1) ?? [];
  };
  const limitsWith = async (settings: Readonly<Record<string, string>>) => {
    const dataDir = join(sample.folder, "state");
    const server = await startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
    const limits = limitsOf(server.child.pid as number);
    await stopServerProcess(server);
    return limits;
  };

  it("is disabled for the whole run", async () => {
    const [soft, hard] = await limitsWith({});
    assert.ok(soft === "0" || soft === "1", `a core of ${soft} bytes`);
    assert.equal(hard, soft);
  });

  it("follows the system limit if the operator allows it", async () => {
    assert.deepEqual(await limitsWith({ PENEIRA_CORE_DUMPS: "true" }), limitsOf("self"));
  });
});
