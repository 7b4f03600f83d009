/**
 * Proves the output and exit codes of `peneira tenant`, `peneira healthcheck`, and `peneira
 * openapi`. A tenant's state and name also apply to its keys.
 * Does not prove how a running server treats a disabled tenant (contract/http/server/auth.test.ts).
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { PLAN_NAMES } from "../../../src/access/plannames.ts";
import { startFake } from "../../support/http/fake.ts";
import { productCommand } from "../../support/server/process.ts";

function peneira(...args: string[]) {
  // The OpenAPI document is larger than the default, 1 MiB.
  const options = { encoding: "utf8", maxBuffer: 16 * 1024 ** 2 } as const;
  const { status, stdout, stderr } = spawnSync(...productCommand(args), options);
  return { status, stdout, stderr };
}

describe("peneira tenant", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-tenant-"));
  const data = ["--data-dir", folder];
  after(() => rmSync(folder, { recursive: true }));
  const list = () => {
    const { stdout } = peneira("tenant", "list", "--json", ...data);
    const { tenants } = JSON.parse(stdout) as { tenants: Record<string, unknown>[] };
    return tenants.map(({ tenant, state, keys }) => [tenant, state, keys]);
  };

  it("creates, disables, and renames tenants, and their keys follow", () => {
    assert.equal(peneira("tenant", "create", "acme", ...data).status, 0);
    peneira("key", "create", "--tenant", "acme", ...data);
    peneira("key", "create", "--tenant", "other", ...data);
    assert.deepEqual(list(), [
      ["acme", "active", 1],
      ["other", "active", 1],
    ]);
    peneira("tenant", "disable", "acme", ...data);
    const { stderr } = peneira("tenant", "rename", "acme", "Acme Ltda", ...data);
    assert.equal(stderr, "tenant acme is now Acme Ltda; it is disabled.\n");
    assert.deepEqual(list()[0], ["Acme Ltda", "disabled", 1]);
    const keys = JSON.parse(peneira("key", "list", "--json", ...data).stdout) as {
      keys: { tenant: string; state: string }[];
    };
    assert.deepEqual(
      keys.keys.map(({ tenant, state }) => [tenant, state]),
      [
        ["Acme Ltda", "tenant_disabled"],
        ["other", "active"],
      ],
    );
    peneira("tenant", "enable", "Acme Ltda", ...data);
    assert.deepEqual(list()[0], ["Acme Ltda", "active", 1]);
  });

  it("lists tenants as a table with a heading and their plans", () => {
    const other = mkdtempSync(join(tmpdir(), "peneira-tenant-"));
    after(() => rmSync(other, { recursive: true }));
    const state = ["--data-dir", other];
    peneira("key", "create", "--tenant", "acme", "--plan", "growth", ...state);
    peneira("key", "create", "--tenant", "acme", "--plan", "free", ...state);
    peneira("tenant", "create", "bare", ...state);
    peneira("tenant", "disable", "bare", ...state);
    const { stdout } = peneira("tenant", "list", ...state);
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 4));
    assert.deepEqual(lines, [
      ["tenant", "plan", "state", "keys"],
      ["acme", "growth", "active", "2"],
      ["bare", "free", "disabled", "0"],
      [""],
    ]);
    const { tenants } = JSON.parse(peneira("tenant", "list", "--json", ...state).stdout) as {
      tenants: Record<string, unknown>[];
    };
    const members = ["tenant", "plan", "state", "keys", "created_at"];
    assert.deepEqual(tenants.map(Object.keys), [members, members]);
  });

  it("changes the plan of a tenant and all its keys, or of one key", () => {
    const plans = () => {
      const { keys } = JSON.parse(peneira("key", "list", "--json", ...data).stdout) as {
        keys: { key_id: string; tenant: string; plan: string }[];
      };
      return keys.map(({ tenant, plan }) => [tenant, plan]);
    };
    const changed = peneira("tenant", "update", "Acme Ltda", "--plan", "growth", ...data);
    assert.equal(changed.stderr, "tenant Acme Ltda has plan growth; 1 key changed.\n");
    const update = ["key", "update", "--tenant", "other", "--plan", "free"];
    assert.equal(peneira(...update, ...data).status, 0);
    assert.deepEqual(plans(), [
      ["Acme Ltda", "growth"],
      ["other", "free"],
    ]);
    assert.equal(peneira(...update, "--plan", "gold", ...data).status, 2);
    assert.equal(peneira("key", "update", "--tenant", "other", ...data).status, 2);
  });

  it("rejects impossible requests, and changes nothing", () => {
    const before = list();
    const wrong: [string[], number, RegExp][] = [
      [["create", "other"], 1, /There is a tenant other already/],
      [["create", " "], 2, /1 to 100 characters/],
      [["rename", "other", "Acme Ltda"], 1, /already/],
      [["disable", "nobody"], 1, /There is no tenant nobody/],
    ];
    for (const [args, status, words] of wrong) {
      const answer = peneira("tenant", ...args, ...data);
      assert.equal(answer.status, status, answer.stderr);
      assert.match(answer.stderr, words);
    }
    assert.equal(peneira("tenant", "list").status, 2);
    assert.deepEqual(list(), before);
  });
});

describe("peneira plan", () => {
  it("shows the limits of the configuration, in the words of its settings", () => {
    const folder = mkdtempSync(join(tmpdir(), "peneira-plan-"));
    after(() => rmSync(folder, { recursive: true }));
    const config = join(folder, "peneira.json");
    writeFileSync(config, JSON.stringify({ plans: { growth: { lists: 7, export_bytes: 0 } } }));
    const { plans } = JSON.parse(peneira("plan", "list", "--json", "--config", config).stdout) as {
      plans: Record<string, unknown>[];
    };
    assert.deepEqual(
      plans.map(({ name }) => name),
      [...PLAN_NAMES],
    );
    assert.equal(plans.find(({ name }) => name === "growth")?.lists, 7);
    const { stdout } = peneira("plan", "show", "growth", "--config", config);
    assert.match(stdout, /^lists +7 +lists of accounts/m);
    assert.match(stdout, /^export_bytes +unlimited +bytes of/m);
    assert.match(stdout, /^fields +all +output fields/m);
    assert.match(peneira("plan", "show", "gold").stderr, /Allowed choices are free, starter/);
  });
});

describe("peneira healthcheck", () => {
  it("exits with 0 if the server is ready and with 1 if not", async () => {
    const server = await startFake("node");
    const address = `127.0.0.1:${server.port}`;
    try {
      const command = productCommand(["healthcheck", "--listen", address]);
      const ends = () =>
        new Promise((resolve) => {
          spawn(...command, { stdio: "ignore" }).once("exit", resolve);
        });
      assert.equal(await ends(), 0);
      server.load(null);
      assert.equal(await ends(), 1);
    } finally {
      await server.close();
    }
    assert.match(peneira("healthcheck", "--listen", address).stderr, /No server answers/);
    assert.equal(peneira("healthcheck", "--listen", "127.0.0.1:0").status, 2);
  });
});

describe("peneira openapi", () => {
  it("prints the document that a server serves", async () => {
    const { stdout } = peneira("openapi");
    const printed = JSON.parse(stdout) as { info: { version: string } };
    const server = await startFake("node");
    try {
      const served = (await (await fetch(`${server.base}/openapi.json`)).json()) as typeof printed;
      served.info.version = printed.info.version;
      assert.deepEqual(served, printed);
    } finally {
      await server.close();
    }
  });
});
