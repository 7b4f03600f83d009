/**
 * Proves that the product works as a whole, once through every interface as a user meets them.
 * Commands make and import a dump. A server answers, pages, counts, parses a sentence, exports, and
 * serves the file by its signed link. The commands return the server's rows. The console signs a
 * user in and shows the rows. The server ends in order.
 * Does not prove: any of it in depth (npm run test:all).
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { buildConsole, CHROMIUM, openBrowser, Visit } from "../support/console/browser.ts";
import { portugueseWords as words } from "../support/console/words.ts";
import { Client } from "../support/export/client.ts";
import {
  productCommand,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../support/server/process.ts";

const ACCOUNTS = 2_000;
const FIELDS = ["cnpj", "legal_name", "uf"];
const SPEC = {
  filters: { geo: { uf_any_of: ["SP", "MG"] }, company: { registration_status_any_of: [2] } },
  sort: [{ field: "legal_name", direction: "asc" }],
};
const OUTPUT = { format: "csv", fields: FIELDS };
const TEXT = "empresas ativas em São Paulo com e-mail";
const PASSWORD = "a password of this tour";
const EMAIL = "ana@example.com";

const folder = mkdtempSync(join(tmpdir(), "peneira-tour-"));
const dump = join(folder, "2026-10");
const snapshot = join(folder, "2026-10.peneira");
const dataDir = join(folder, "state");
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command of the product to its end. Returns its output. */
function peneira(...args: string[]): string {
  return execFileSync(...productCommand(args), {
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
    ...(args.includes("--password-stdin") ? { input: `${PASSWORD}\n` } : {}),
  });
}

describe("a tour", () => {
  let server: ServerProcess;
  let client: Client;
  before(async () => {
    peneira("sample", "--out", dump, "--establishments", String(ACCOUNTS), "--label", "2026-10");
    peneira("import", dump, "--out", snapshot);
    server = await startServerProcess({ snapshot, dataDir });
    client = new Client(server.base, server.key);
  });

  it("checks that the file is complete and as expected", () => {
    assert.match(peneira("verify", snapshot), /2026-10/);
    assert.match(peneira("inspect", snapshot), /accounts/);
  });

  it("compares the pages of a search with the rows of its export", async () => {
    const accounts = await client.searched({ ...SPEC, output: { fields: FIELDS } });
    const counted = await client.post("/v1/accounts/count", { spec: SPEC });
    const total = ((await counted.json()) as { readonly total: number }).total;
    assert.ok(total > 50, `only ${total} accounts`);
    assert.equal(accounts.length, total);
    const { record, bytes } = await client.exported({ spec: SPEC, output: OUTPUT });
    assert.equal(record.row_count, total);
    assert.equal(record.sha256, createHash("sha256").update(bytes).digest("hex"));
    const cnpjs = bytes.toString().split("\r\n").slice(1, -1);
    assert.deepEqual(
      cnpjs.map((line) => line.replaceAll('"', "").slice(0, 14)),
      accounts.map(({ cnpj }) => cnpj),
    );
    const reported = await client.get(`/v1/accounts/${accounts[0]?.cnpj}`);
    assert.equal(reported.status, 200);
  });

  it("searches with the spec of an understood sentence", async () => {
    const answer = await client.post("/v1/leads/translate", { query_text: TEXT });
    assert.equal(answer.status, 200, await answer.clone().text());
    const { spec } = (await answer.json()) as { readonly spec: object };
    assert.equal((await client.post("/v1/accounts/search", { spec, limit: 3 })).status, 200);
  });

  it("compares the file of an export with that of the server", async () => {
    const [spec, out] = [join(folder, "spec.json"), join(folder, "out.csv")];
    writeFileSync(spec, JSON.stringify({ ...SPEC, output: OUTPUT }));
    peneira("export", "--snapshot", snapshot, "--spec", spec, "--out", out);
    const { bytes } = await client.exported({ spec: SPEC, output: OUTPUT });
    assert.ok(bytes.equals(readFileSync(out)));
    assert.match(peneira("search", "--snapshot", snapshot, "--text", TEXT), /\d{14}/);
  });

  it("signs in to the console and finds companies", async (test) => {
    if (!existsSync(CHROMIUM)) return test.skip(`there is no browser at ${CHROMIUM}`);
    const user = ["--data-dir", dataDir, "--email", EMAIL, "--password-stdin"];
    peneira("user", "create", ...user);
    buildConsole();
    const browser = (await openBrowser()) as Browser;
    try {
      const visit = await Visit.open(browser, server.base);
      await visit.go("/app");
      const { shell, find } = words;
      const { page } = visit;
      await page.getByLabel(shell.signIn.email, { exact: true }).fill(EMAIL);
      await page.getByLabel(shell.signIn.password, { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: shell.signIn.submit, exact: true }).click();
      await page.getByRole("heading", { name: find.title }).waitFor({ state: "attached" });
      assert.deepEqual(visit.offences, []);
    } finally {
      await browser.close();
    }
  });

  it("stops the server in order with a signal", () => stopServerProcess(server));
});
