/**
 * Runs suites of the state, exports, lists, notices, and the console with every state on
 * PostgreSQL.
 * Invariant: the suites are the same files. Hooks make them use the database server instead of a
 * file (test/support/server/postgres-folders.mjs). TEST_SUITES names some of them, separated by
 * commas.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const HOOKS = "./test/support/server/postgres-folders.mjs";

/** Paths of the suites below test/. */
const SUITES = [
  ...["unit/access/signins", "unit/lists/listname", "unit/lists/listchange"],
  ...["unit/lists/revisions", "unit/lists/membership", "unit/lists/changethread"],
  ...["unit/lists/exportedrows", "contract/console/audit", "contract/console/exports"],
  ...["contract/console/invitations", "contract/console/keys", "contract/console/members"],
  ...["contract/console/searches", "contract/console/session", "contract/console/usage"],
  ...["contract/export/changes", "contract/export/exported", "contract/export/listed"],
  ...["contract/export/listed-changes", "contract/export/worker"],
  ...["contract/notices/exports", "contract/notices/mailer", "contract/notices/options"],
  ...["contract/notices/deliveries", "contract/notices/emails", "unit/export/queue"],
  ...["unit/access/audit", "unit/access/keyring", "unit/access/quota", "unit/export/endings"],
  ...["unit/export/recovery", "unit/store/exportstore", "unit/store/stored-bytes"],
];

describe("suites with their state on PostgreSQL", { skip: withoutPostgres }, () => {
  it("pass as they do with SQLite", async () => {
    const server = await TestPostgres.start();
    try {
      const suites = process.env.TEST_SUITES?.split(",") ?? SUITES;
      const files = suites.map((name) => `test/${name}.test.ts`);
      const options = ["--import", "tsx", "--import", HOOKS, "--test", "--test-concurrency=2"];
      const child = spawn(process.execPath, [...options, "--test-reporter=tap", ...files], {
        cwd: ROOT,
        env: { ...environment(), TEST_STATE_URL: server.address("tests") },
      });
      let output = "";
      child.stdout.on("data", (text: Buffer) => {
        output += text.toString();
      });
      const [code] = (await once(child, "exit")) as [number | null];
      const failed = output.match(/^\s*not ok .*$/gm) ?? [];
      assert.deepEqual(failed, []);
      assert.equal(code, 0);
      assert.match(output, suites === SUITES ? /^# pass [1-9]\d\d/m : /^# pass [1-9]/m);
    } finally {
      await server.remove();
    }
  });
});

/** Returns the environment without NODE_TEST_CONTEXT, so that runs are independent of this one. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...others } = process.env;
  return others;
}
