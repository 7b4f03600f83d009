/**
 * Proves the behavior that all commands of `peneira` share: exit codes, separate streams for people
 * and programs, the help, and `--explain-plan`. A damaged configuration is rejected before any
 * work.
 * Does not prove the behavior of single commands, each of which has its own tests.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import manifest from "../../../package.json" with { type: "json" };
import { ROOT } from "../../support/house/checkout.ts";
import { makeSampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function peneira(args: readonly string[], env: Readonly<Record<string, string>> = {}): Ended {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, encoding: "utf8" } as const;
  return spawnSync(...productCommand(args), options);
}

describe("peneira", () => {
  it("lists every public command and no hidden one in its help", () => {
    const { status, stdout } = peneira(["--help"]);
    assert.equal(status, 0);
    const shown = [...stdout.matchAll(/^ {2}([a-z]+) .*$/gm)].map((match) => match[1]);
    for (const name of [
      "sample",
      "import",
      "inspect",
      "verify",
      "search",
      "export",
      "serve",
      "key",
    ]) {
      assert.ok(shown.includes(name), name);
    }
    assert.ok(!shown.includes("start"));
  });

  it("exits with 2 on wrong usage, with a hint", () => {
    for (const args of [[], ["serach"], ["search", "--nope"], ["config", "extra"], ["verify"]]) {
      const { status, stdout, stderr } = peneira(args);
      assert.equal(status, 2, args.join(" "));
      assert.equal(stdout, "");
      assert.match(stderr, /help/);
    }
  });

  it("exits with 1 and one sentence, without a stack, on failure", () => {
    const { status, stdout, stderr } = peneira(["verify", "no-such-file.peneira"]);
    assert.equal(status, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^peneira: .*no-such-file\.peneira/);
    assert.doesNotMatch(stderr, /\n +at /);
  });
});

describe("peneira version", () => {
  it("prints one JSON document with the versions of the parts", () => {
    const { status, stdout, stderr } = peneira(["version", "--json"]);
    assert.equal(status, 0, stderr);
    const versions = JSON.parse(stdout) as Record<string, string>;
    assert.equal(versions.peneira, manifest.version);
    // If an executable is tested (TEST_PRODUCT), it contains another Node.
    if (!versions.executable) assert.equal(versions.node, process.versions.node);
    assert.equal(versions.uws, "20.51.4");
  });
});

describe("peneira config", () => {
  it("prints every setting with its source", () => {
    const { status, stdout } = peneira(["config"], { PENEIRA_PLANS_FREE_BURST: "3" });
    assert.equal(status, 0);
    assert.match(stdout, /^listen +"127\.0\.0\.1:8080" {2}\(default\)$/m);
    assert.match(stdout, /^plans\.free\.burst +3 {2}\(environment PENEIRA_PLANS_FREE_BURST\)$/m);
  });

  it("exits with 2 and every problem if a variable is unknown or wrong", () => {
    const env = { PENEIRA_LISTNE: "x", PENEIRA_TRANSPORT: "smtp" };
    const { status, stdout, stderr } = peneira(["config"], env);
    assert.equal(status, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /PENEIRA_LISTNE.*did you mean PENEIRA_LISTEN\?/);
    assert.match(stderr, /PENEIRA_TRANSPORT.*uws or node/);
  });
});

describe("peneira search", () => {
  it("explains how a search would run, and runs nothing", async () => {
    const made = await makeSampleSnapshot(300, 5);
    try {
      const spec = path.join(made.folder, "spec.json");
      const filters = { industry: { cnae_any_of: ["47"] }, geo: { uf_any_of: ["SP"] } };
      writeFileSync(spec, JSON.stringify({ filters }));
      const named = ["--snapshot", made.snapshot, "--spec", spec];
      const { status, stdout, stderr } = peneira(["search", ...named, "--explain-plan"]);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^method {3}rank .*\norder {4}score desc, cnpj asc\nmatches {2}\d+\n/);
      assert.match(stdout, /\nclause {3}any of cnae_primary x \d+\nclause {3}any of uf x 1\n$/);
      const industry = { ...filters.industry, secondary_cnae_mode: "fallback" };
      writeFileSync(spec, JSON.stringify({ filters: { industry } }));
      const refused = peneira(["search", ...named, "--explain-plan"]);
      assert.equal(refused.stdout, "");
      assert.match(refused.stderr, /fallback is for exports/);
    } finally {
      made.dispose();
    }
  });
});
