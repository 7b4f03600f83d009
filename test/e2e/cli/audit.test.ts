/**
 * Proves the output of `peneira audit`, its filters, and the input that it rejects, on a state that
 * the other commands made. After a restore, new lines follow those of the backup. The output names
 * people only by ids. Does not prove: the line of each change (unit/access/audit.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { productCommand } from "../../support/server/process.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-audit-"));
const data = ["--data-dir", join(folder, "state")];
after(() => rmSync(folder, { recursive: true }));

function peneira(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(...productCommand(args), { encoding: "utf8" });
  return { status, stdout, stderr };
}

function audit(...args: string[]): Record<string, unknown>[] {
  const { status, stdout, stderr } = peneira("audit", "--json", ...data, ...args);
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as { audit: Record<string, unknown>[] }).audit;
}

const ANA = ["--email", "ana@example.com"];

describe("peneira audit", () => {
  it("lists the other commands' actions, newest first", () => {
    const make = ["key", "create", "--json", "--tenant", "acme", "--plan", "free", ...data];
    const made = JSON.parse(peneira(...make).stdout) as { key_id: string };
    peneira("user", "create", ...ANA, "--tenant", "acme", "--plan", "scale", ...data);
    peneira("tenant", "create", "umbrella", ...data);
    peneira("key", "rotate", made.key_id, ...data);
    const lines = audit();
    assert.deepEqual(
      lines.map(({ action, tenant }) => `${action} ${tenant}`),
      [
        ...["key.rotate acme", "key.create acme", "tenant.create umbrella", "tenant.plan acme"],
        ...["user.create acme", "key.create acme", "tenant.create acme"],
      ],
    );
    const { at, tenant_id, subject, ...rest } = lines[3] ?? {};
    assert.match(String(at), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(subject, tenant_id);
    assert.deepEqual(rest, {
      ...{ sequence: 4, actor: "command", action: "tenant.plan", tenant: "acme" },
      facts: { plan: { from: null, to: "scale" } },
    });
    assert.equal(lines[0]?.subject, made.key_id);
  });

  it("prints a table for people, and reports omitted lines", () => {
    const { status, stdout, stderr } = peneira("audit", "--limit", "4", ...data);
    assert.deepEqual([status, stderr], [0, "only the newest 4 lines; --limit shows more\n"]);
    const lines = stdout.trimEnd().split("\n");
    assert.match(lines[0] ?? "", /^at +action +tenant +actor +subject +facts$/);
    assert.match(lines[1] ?? "", /^\S+Z +key\.rotate +acme +command +[0-9a-f]{12} +replaced_by /);
    assert.match(lines[4] ?? "", /tenant\.plan +acme +command +[0-9a-f]{16} +plan none -> scale$/);
    assert.equal(lines.length, 5);
    assert.ok(!stdout.includes("ana@example.com"));
    const one = peneira("audit", "--limit", "1", ...data);
    assert.equal(one.stderr, "only the newest 1 line; --limit shows more\n");
    const all = peneira("audit", "--json", "--limit", "7", ...data);
    assert.deepEqual([JSON.parse(all.stdout).has_more, all.stderr], [false, ""]);
  });

  it("filters by tenant, action, and day", () => {
    assert.equal(audit("--tenant", "umbrella").length, 1);
    assert.equal(audit("--action", "key.create").length, 2);
    assert.equal(audit("--action", "key.create", "--tenant", "umbrella").length, 0);
    const today = new Date(Date.now() - 60_000).toISOString().slice(0, 10);
    assert.equal(audit("--since", today).length, 7);
    assert.equal(audit("--since", "2999-01-01").length, 0);
    assert.equal(peneira("audit", "--since", "2999-01-01", ...data).stderr, "No line fits.\n");
  });

  it("reports renamed tenants for an unknown name, because it stores no names", () => {
    const before = audit().length;
    peneira("tenant", "rename", "umbrella", "parasol", ...data);
    const answer = peneira("audit", "--tenant", "umbrella", ...data);
    assert.equal(answer.status, 1);
    assert.match(answer.stderr, /There is no tenant umbrella\. See: peneira tenant list\n/);
    assert.match(
      answer.stderr,
      /\nThe trail holds no earlier names\. Renamed were: parasol \(20\d\d-\d\d-\d\d\)\n$/,
    );
    assert.equal(audit("--tenant", "parasol").length, 2);
    assert.equal(audit().length, before + 1);
  });

  it("rejects unknown values with a readable error", () => {
    const wrong: [string[], number, RegExp][] = [
      [["--tenant", "amce", ...data], 1, /no tenant amce; did you mean acme\?/],
      [["--action", "key.creat", ...data], 2, /no action key\.creat; did you mean key\.create\?/],
      [["--since", "2026-02-30", ...data], 2, /It must be a day/],
      [["--limit", "0", ...data], 2, /whole number from 1 to/],
      [["--data-dir", join(folder, "absent")], 1, /There is no data directory/],
    ];
    for (const [args, status, words] of wrong) {
      const answer = peneira("audit", ...args);
      assert.deepEqual([answer.status, answer.stdout], [status, ""], args.join(" "));
      assert.match(answer.stderr, words);
    }
  });

  it("continues after a restore, and logs the restore", () => {
    const before = audit();
    const backup = join(folder, "backup");
    assert.equal(peneira("backup", backup, ...data).status, 0);
    const again = ["--data-dir", join(folder, "again")];
    assert.equal(peneira("restore", backup, ...again).status, 0);
    const { stdout } = peneira("audit", "--json", ...again);
    const [line, ...rest] = JSON.parse(stdout).audit as Record<string, unknown>[];
    assert.deepEqual(rest, before);
    assert.deepEqual([line?.action, line?.actor, line?.tenant], ["state.restore", "command", null]);
    assert.deepEqual(audit(), before);
  });
});
