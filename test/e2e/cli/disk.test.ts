/**
 * Proves, on a real disk that is full, read-only, or failing: every command that writes exits with
 * 1, prints one sentence that names the file, the reason, and the remedy, and leaves nothing.
 * Commands that only read answer on a full disk. With other faults, they answer or fail in the same
 * way. A state on a full disk can be backed up to another disk. No command prints a stack trace.
 * The table here must have a row for every command, so a new one cannot be forgotten.
 */
import assert from "node:assert/strict";
import { closeSync, cpSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertSwept, type Ended, runCommand } from "../../support/cli/commands.ts";
import { FAULTS, FailingDisk, type Fault, noFailingDisk } from "../../support/cli/failing-disk.ts";
import { addNotices, NOTICED } from "../../support/cli/noticed-state.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const skip = noFailingDisk();

let disk: FailingDisk;
let sample: SampleSnapshot;
let keyId: string;
let disabledId: string;

/** Arguments of a command, and whether it must fail because it writes to the disk. */
interface Row {
  readonly args: readonly string[];
  readonly writes: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly until?: RegExp;
  readonly input?: string;
}

const on = (name: string) => join(disk.folder, name);
const spec = () => join(sample.folder, "spec.json");
const share = () => ["--url", `file://${join(sample.folder, "share")}`];
const state = () => ["--data-dir", on("state")];
const user = ["--email", "a@example.com"];
const csv = () => join(sample.folder, "cnpjs.csv");

const writes = (args: readonly string[], more: Partial<Row> = {}): Row => ({
  args,
  writes: true,
  ...more,
});
const reads = (args: readonly string[]): Row => ({ args, writes: false });

/** For each command, a function that returns the run to test. */
const ROWS: Readonly<Record<string, () => Row>> = {
  sample: () => writes(["sample", "--out", on("dump"), "--establishments", "50", "--seed", "1"]),
  download: () => writes(["download", "2026-10", ...share(), "--to", disk.folder]),
  update: () => writes(["update", ...share(), "--dir", disk.folder]),
  import: () => writes(["import", sample.dump, "--out", on("new.peneira")]),
  inspect: () => reads(["inspect", sample.snapshot]),
  verify: () => reads(["verify", sample.snapshot]),
  search: () => reads(["search", "--snapshot", sample.snapshot, "--spec", spec()]),
  find: () => reads(["find", "--snapshot", sample.snapshot, "padaria"]),
  account: () => reads(["account", "--snapshot", sample.snapshot, "11222333000181"]),
  districts: () => reads(["districts", "--snapshot", sample.snapshot, "São Paulo/SP"]),
  diff: () =>
    writes(["diff", sample.snapshot, join(sample.folder, "next.peneira"), "--cache", on("lists")]),
  translate: () => reads(["translate", "--snapshot", sample.snapshot, "padarias em SP"]),
  export: () =>
    writes(["export", "--snapshot", sample.snapshot, "--spec", spec(), "--out", on("x.csv")]),
  enrich: () =>
    writes(["enrich", csv(), "--snapshot", sample.snapshot, "--out", on("enriched.csv")]),
  mcp: () => reads(["mcp", "--snapshot", sample.snapshot, "--exports", disk.folder]),
  serve: () =>
    writes(
      ["serve", "--snapshot", sample.snapshot, "--data-dir", on("new"), "--listen", "127.0.0.1:0"],
      { until: /listening on/ },
    ),
  "key create": () => writes(["key", "create", ...state()]),
  "key list": () => reads(["key", "list", ...state()]),
  "key disable": () => writes(["key", "disable", ...state(), keyId]),
  "key enable": () => writes(["key", "enable", ...state(), disabledId]),
  "key expire": () => writes(["key", "expire", ...state(), keyId, "--at", "2099-01-01"]),
  "key rename": () => writes(["key", "rename", ...state(), keyId, "--to", "other"]),
  "key update": () => writes(["key", "update", ...state(), keyId, "--plan", "free"]),
  "key rotate": () => writes(["key", "rotate", ...state(), keyId]),
  "tenant create": () => writes(["tenant", "create", ...state(), "other"]),
  "tenant list": () => reads(["tenant", "list", ...state()]),
  "tenant rename": () => writes(["tenant", "rename", ...state(), "default", "other"]),
  "tenant update": () => writes(["tenant", "update", ...state(), "default", "--plan", "free"]),
  "tenant disable": () => writes(["tenant", "disable", ...state(), "default"]),
  "tenant enable": () => writes(["tenant", "enable", ...state(), "idle"]),
  "plan list": () => reads(["plan", "list"]),
  "plan show": () => reads(["plan", "show", "growth"]),
  "user create": () => writes(["user", "create", ...state(), "--email", "b@example.com"]),
  "user list": () => reads(["user", "list", ...state()]),
  "user disable": () => writes(["user", "disable", ...state(), "--email", "c@example.com"]),
  "user enable": () => writes(["user", "enable", ...state(), "--email", "d@example.com"]),
  "user passwd": () => writes(["user", "passwd", ...state(), ...user]),
  "user role": () =>
    writes(["user", "role", ...state(), "--email", "c@example.com", "--role", "owner"]),
  "list create": () => writes(["list", "create", ...state(), "new"]),
  "list list": () => reads(["list", "list", ...state()]),
  "list show": () => reads(["list", "show", ...state(), "clients"]),
  "list add": () => writes(["list", "add", ...state(), "clients", csv()]),
  "list remove": () => writes(["list", "remove", ...state(), "old", csv()]),
  "list rename": () => writes(["list", "rename", ...state(), "clients", "other"]),
  "list delete": () => writes(["list", "delete", ...state(), "clients"]),
  "list export": () => reads(["list", "export", ...state(), "clients"]),
  "notices list": () => reads(["notices", "list", ...state()]),
  "notices show": () => reads(["notices", "show", ...state(), NOTICED.notice]),
  "notices replay": () => writes(["notices", "replay", ...state(), NOTICED.notice]),
  "notices test": () => reads(["notices", "test", ...state(), "whk_none"]),
  "notices receivers": () => reads(["notices", "receivers", ...state()]),
  watch: () => reads(["watch", ...state(), "--all", "--once"]),
  audit: () => reads(["audit", ...state()]),
  backup: () => writes(["backup", "--data-dir", join(sample.folder, "state"), on("backup")]),
  restore: () => writes(["restore", join(sample.folder, "backup"), "--data-dir", on("restored")]),
  usage: () => reads(["usage", ...state()]),
  healthcheck: () => reads(["healthcheck", "--listen", "127.0.0.1:9"]),
  openapi: () => reads(["openapi"]),
  config: () => reads(["config"]),
  completion: () => reads(["completion", "bash"]),
  manpage: () => reads(["manpage"]),
  version: () => reads(["version"]),
};

const REASONS: Readonly<Record<Fault, RegExp>> = {
  full: /no space|disk of .* is (full|too small)|are free on its disk|has \d+ bytes free/,
  readOnly: /read-only|may only be read/,
  failing: /input\/output error/,
};

before(async () => {
  if (skip) return;
  sample = await makeSampleSnapshot(300, 5);
  disk = new FailingDisk(90_000_000);
  writeFileSync(spec(), "{}");
  writeFileSync(csv(), "cnpj\n11222333000181\n");
  cpSync(sample.dump, join(sample.folder, "share/2026-10"), { recursive: true });
  cpSync(sample.snapshot, join(sample.folder, "next.peneira"));
  const own = ["--data-dir", join(sample.folder, "state")];
  for (const args of [
    ["key", "create", ...own],
    ["key", "create", ...own, "--tenant", "idle"],
    ["tenant", "disable", ...own, "idle"],
    ["user", "create", ...own, ...user],
    ["user", "create", ...own, "--email", "c@example.com"],
    ["user", "create", ...own, "--email", "d@example.com"],
    ["user", "disable", ...own, "--email", "d@example.com"],
    ["list", "create", ...own, "clients"],
    ["list", "create", ...own, "old"],
    ["list", "add", ...own, "old", csv()],
    ["backup", ...own, join(sample.folder, "backup")],
  ]) {
    const { code, err } = await runCommand(args);
    assert.equal(code, 0, err);
  }
  keyId = await makeKey(own);
  disabledId = await makeKey(own);
  await runCommand(["key", "disable", ...own, disabledId]);
  addNotices(join(sample.folder, "state"), { url: "https://crm.example.com/", name: "search" });
  mkdirSync(on("lists"));
  cpSync(join(sample.folder, "state"), on("state"), { recursive: true });
});
after(() => {
  if (skip) return;
  disk.dispose();
  sample.dispose();
});

async function makeKey(own: readonly string[]): Promise<string> {
  const { out, err } = await runCommand(["key", "create", ...own, "--json"]);
  assert.match(out, /key_id/, err);
  return (JSON.parse(out) as { key_id: string }).key_id;
}

/** Fails unless the command reported in one sentence that it could not write. */
function assertReported({ code, err }: Ended, what: string, reason: RegExp): void {
  assert.equal(code, 1, `${what}: ${err}`);
  assert.doesNotMatch(err, /\n\s+at |overload|Error:/i, what);
  const output = err.split("\n").filter((line) => line.startsWith("peneira: "));
  assert.equal(output.length, 1, `${what}: ${err}`);
  assert.match(output[0] as string, reason, what);
  assert.match(output[0] as string, /\.$/, what);
}

describe("the sweep", () => {
  it("has a row for every command", () => assertSwept(ROWS));
});

for (const fault of FAULTS) {
  describe(`a disk that is ${fault}`, { skip }, () => {
    for (const [name, row] of Object.entries(ROWS)) {
      it(`is named by ${name}, or does not affect it`, async () => {
        const { args, writes: must, until } = row();
        const before = disk.names();
        disk.break(fault);
        const env = { ...disk.variables, TMPDIR: disk.folder };
        try {
          const ended = await runCommand(args, { env, ...(until && { until }) });
          const known =
            ended.code === 0 || /No server answers|no account|There is no/.test(ended.err);
          if (!must && fault === "full") assert.ok(known, `${name}: ${ended.err}`);
          if (must || !known) assertReported(ended, `${name}, ${fault}`, REASONS[fault]);
          // Partial downloads stay on the disk intentionally, so that they can be resumed.
          if (/^(download|update)$/.test(name)) return;
          assert.deepEqual(disk.names(), before, `${name}, ${fault}: left behind`);
        } finally {
          disk.repair();
          for (const left of disk.names()) {
            if (!before.includes(left)) rmSync(on(left), { recursive: true, force: true });
          }
        }
      });
    }
  });
}

describe("a state without SQLite side files", { skip }, () => {
  // Removes SQLite's side files, which an earlier process left. SQLite then has to create them on
  // the full disk.
  const alone = () => {
    for (const suffix of ["-wal", "-shm"]) rmSync(on(`state/state.db${suffix}`), { force: true });
    disk.break("full");
  };

  it("is backed up to another disk, byte for byte", async () => {
    const target = join(sample.folder, "of-full");
    alone();
    try {
      const made = await runCommand(["backup", ...state(), target]);
      assert.equal(made.code, 0, made.err);
    } finally {
      disk.repair();
    }
    const checked = await runCommand(["restore", target, "--check"]);
    assert.equal(checked.code, 0, checked.err);
  });

  it("is reported as read-only if SQLite cannot create a file there", async () => {
    for (const suffix of ["-wal", "-shm"]) rmSync(on(`state/state.db${suffix}`), { force: true });
    disk.break("readOnly");
    try {
      assertReported(await runCommand(["key", "list", ...state()]), "key list", REASONS.readOnly);
    } finally {
      disk.repair();
    }
  });

  it("is readable while unwritable, and the error names what to free", async () => {
    alone();
    try {
      const listed = await runCommand(["key", "list", ...state(), "--json"]);
      assert.equal(listed.code, 0, listed.err);
      assert.match(listed.out, new RegExp(keyId));
      const refused = await runCommand(["key", "disable", ...state(), keyId]);
      assertReported(refused, "key disable", REASONS.full);
      assert.match(refused.err, /SQLite needs 32,768 bytes for .*state\.db-shm, and 0 are free/);
    } finally {
      disk.repair();
    }
  });
});

describe("standard output on a full disk", { skip }, () => {
  it("is reported by every command that prints a result", async () => {
    for (const name of [
      "search",
      "account",
      "openapi",
      "manpage",
      "key list",
      "config",
      "version",
    ]) {
      const stdout = openSync("/dev/full", "w");
      try {
        const { args } = (ROWS[name] as () => Row)();
        const ended = await runCommand(args, { stdout });
        if (ended.err.includes("no account")) continue;
        assertReported(ended, name, /[Ss]tandard output was not written: no space is left/);
      } finally {
        closeSync(stdout);
      }
    }
  });
});
