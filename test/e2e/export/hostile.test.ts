/**
 * Proves, with a real server on a snapshot whose names are formulas, HTML, control characters,
 * right-to-left text, and four-byte characters: the search returns these names unchanged. Every
 * export format, read with a reader of that format, returns them unchanged too. The page shows them
 * in Chromium. No name runs code, opens a prompt, or fetches anything, even with the page's
 * security policy switched off.
 * Does not prove other columns and single renderers (unit/export/*.test.ts), nor other browsers.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { RecordBatchFileWriter, Schema, Table, tableFromIPC, vectorFromArray } from "apache-arrow";
import { parquetReadObjects } from "hyparquet";
import { chromium, type Page } from "playwright-core";
import { readSheet } from "read-excel-file/node";
import { readCsv } from "../../support/export/readers.ts";
import { HOSTILE_TEXTS } from "../../support/native-index/render-fixture.ts";
import { escapeFormula, FORMULA } from "../../support/native-index/rows-twin.ts";
import { makeSampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const CHROMIUM = "/usr/bin/chromium";
const ACCOUNTS = 400;
const FIELDS = ["cnpj", "legal_name", "trade_name"] as const;

/** Names that call a function of the page if treated as more than text. */
const POLYGLOTS: readonly string[] = [
  "<script>canary()</script>",
  "</td></tr></table><script>canary()</script>",
  "</style></title></textarea><svg onload=canary()>",
  "<img src=x onerror=canary()>",
  '"><img src="//canary.invalid/x" onerror="canary()">',
  "' onmouseover='canary()' autofocus onfocus='canary()",
  "<iframe srcdoc='<script>parent.canary()</script>'></iframe>",
  "<a href='javascript:canary()'>x</a><base href=//canary.invalid>",
  "<meta http-equiv=refresh content='0;url=//canary.invalid'>",
  "--><script>canary()</script><!--",
  "&lt;script&gt;canary()&lt;/script&gt;",
  "\u2028<svg/onload=canary()>\u2029",
  "<scr\u0000ipt>canary()</scr\u0000ipt>",
  '=HYPERLINK("http://canary.invalid","x")',
  '=WEBSERVICE("http://canary.invalid")',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "-1+1|cmd",
  "\u202e\u05d0\u05d1\u05d2 LTDA \u2067\u0634\u0631\u0643\u0629\u2069",
  "\u{1f3ed}\u{20bb7}\u{10fffd} COMÉRCIO",
];
/** The hostile names without a leading byte order mark, which Arrow readers drop. */
const NAMES = [...POLYGLOTS, ...HOSTILE_TEXTS].map((name) => name.replace(/^\ufeff/, ""));

/** Characters that the import replaces with a blank (docs/import-rules.md, text_control). */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/** Returns a name as the import stores it: control characters become single blanks. */
function imported(name: string): string {
  const blanked = name.replace(CONTROLS, " ");
  return blanked === name ? name : blanked.replace(/ +/g, " ").trim();
}

type Row = Readonly<Record<(typeof FIELDS)[number], string | null>>;

let folder: string;
let server: ServerProcess;
/** The names that were put into the snapshot, by cnpj. */
let names: ReadonlyMap<string, Row>;
/** The accounts in the order of the search. */
let accounts: readonly Row[];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "peneira-hostile-"));
  const snapshot = await writeHostileArrow(join(folder, "hostile.arrow"));
  server = await startServerProcess({ snapshot, dataDir: join(folder, "state") });
  const answer = await post("/v1/accounts/search", { spec: SPEC, limit: 50_000, output: OUTPUT });
  accounts = answer.accounts as Row[];
});
after(async () => {
  await stopServerProcess(server);
  rmSync(folder, { recursive: true, force: true });
});

const SPEC = { filters: { geo: { uf_any_of: ["SP", "MG", "RJ", "BA", "PR", "RS"] } } };
const OUTPUT = { fields: FIELDS };

/** Writes a snapshot with the names above, as another program would write it. */
async function writeHostileArrow(path: string): Promise<string> {
  const sample = await makeSampleSnapshot(ACCOUNTS, 19);
  const table = tableFromIPC(readFileSync(sample.snapshot));
  sample.dispose();
  const cnpjs = [...(table.getChild("cnpj") ?? [])].map(String);
  const of = (at: number) => NAMES[at % NAMES.length] as string;
  names = new Map(
    cnpjs.map((cnpj, i) => [cnpj, { cnpj, legal_name: of(i), trade_name: of(i * 7 + 3) }]),
  );
  const columns = Object.fromEntries(
    table.schema.fields.map(({ name, type }) => {
      if (name !== "legal_name" && name !== "trade_name") return [name, table.getChild(name)];
      const texts = cnpjs.map((cnpj) => names.get(cnpj)?.[name] ?? null);
      return [name, vectorFromArray(texts, type)];
    }),
  );
  const made = new Table(columns as never);
  const schema = new Schema(made.schema.fields, table.schema.metadata);
  const writer = RecordBatchFileWriter.writeAll(new Table(schema, made.batches as never));
  writeFileSync(path, writer.toUint8Array(true));
  return path;
}

async function post(
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(server.base + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.key}`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

/** Returns the file of an export of all accounts. */
async function exported(format: string): Promise<Buffer> {
  const body = { spec: SPEC, output: { format, fields: FIELDS } };
  const created = await post("/v1/exports", body, { "idempotency-key": `hostile-${format}` });
  const { export_id: id } = created.export as { export_id: string };
  const headers = { authorization: `Bearer ${server.key}` };
  const read = await fetch(`${server.base}/v1/exports/${id}?wait=30`, { headers });
  assert.equal(((await read.json()) as { status: string }).status, "done");
  const file = await fetch(`${server.base}/v1/exports/${id}/download`, { headers });
  assert.equal(file.status, 200);
  return Buffer.from(await file.arrayBuffer());
}

/** Returns the expected cells by row. `written` converts a text to the format's form. */
function cells(written: (text: string) => string = (text) => text): string[][] {
  return accounts.map((row) => FIELDS.map((field) => written(row[field] ?? "")));
}

describe("hostile names", () => {
  it("pass the import and the search unchanged, except for controls", () => {
    assert.ok(accounts.length > ACCOUNTS / 3);
    const seen = new Set<string>();
    for (const account of accounts) {
      const {
        cnpj,
        legal_name: legal,
        trade_name: trade,
      } = names.get(account.cnpj as string) as Row;
      const [legalName, tradeName] = [legal, trade].map((name) => imported(name ?? "") || null);
      assert.deepEqual(account, { cnpj, legal_name: legalName, trade_name: tradeName });
      seen.add(account.legal_name as string);
    }
    assert.ok(NAMES.every((name) => imported(name) === "" || seen.has(imported(name))));
  });

  it("pass CSV, guarded where a spreadsheet would run them", async () => {
    const [head, ...rows] = readCsv((await exported("csv")).toString());
    assert.deepEqual(head, FIELDS);
    assert.deepEqual(rows, cells(escapeFormula));
    for (const cell of rows.flat()) assert.doesNotMatch(cell, FORMULA);
  });

  it("pass JSON lines and Parquet exactly", async () => {
    const lines = (await exported("jsonl")).toString().split("\n");
    assert.equal(lines.pop(), "");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      accounts,
    );
    const file = new Uint8Array(await exported("parquet")).buffer;
    assert.deepEqual(await parquetReadObjects({ file }), accounts);
  });

  it("pass XLSX as texts, never as formulas", async () => {
    const bytes = await exported("xlsx");
    const rows = (await readSheet(bytes, { trim: false } as never)) as (string | null)[][];
    assert.deepEqual(rows[0], [...FIELDS]);
    assert.deepEqual(
      rows.slice(1).map((row) => row.map((cell) => cell ?? "")),
      cells(),
    );
  });

  it("are shown in Chromium, and nothing of them runs, prompts, or fetches", async (test) => {
    if (!existsSync(CHROMIUM)) return test.skip(`there is no browser at ${CHROMIUM}`);
    const path = join(folder, "page.html");
    writeFileSync(path, await exported("html"));
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    try {
      for (const bypassCSP of [false, true]) {
        const context = await browser.newContext({ bypassCSP });
        const offences: string[] = [];
        const shown = await opened(await context.newPage(), path, offences);
        assert.deepEqual(offences, [], `policy ${bypassCSP ? "off" : "on"}`);
        // Control characters are invalid in a page; the standard replaces them with U+FFFD.
        assert.deepEqual(
          shown,
          cells((text) => text.replace(/(?![\t\n\r])\p{Cc}/gu, "\ufffd")),
        );
        await context.close();
      }
    } finally {
      await browser.close();
    }
  });

  it("would be detected if they ran", async (test) => {
    if (!existsSync(CHROMIUM)) return test.skip(`there is no browser at ${CHROMIUM}`);
    const path = join(folder, "careless.html");
    const body = POLYGLOTS.map((name) => `<tr><td>${name}</td></tr>`).join("");
    writeFileSync(path, `<!doctype html><table><tbody>${body}</tbody></table>`);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    const offences: string[] = [];
    // One of the names makes the page navigate away, which ends the observation.
    await opened(await browser.newPage(), path, offences).catch(() => undefined);
    await browser.close();
    assert.ok(offences.includes("canary"), offences.join());
    assert.ok(offences.some((offence) => offence.startsWith("request")));
  });
});

/** Opens a page and returns its cells. Adds anything else that the page does to `offences`. */
async function opened(page: Page, path: string, offences: string[]): Promise<string[][]> {
  const url = pathToFileURL(path).href;
  await page.exposeFunction("canary", () => void offences.push("canary"));
  page.on("dialog", (dialog) => {
    offences.push("dialog");
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => offences.push(`error ${error.message}`));
  page.on("popup", () => offences.push("popup"));
  page.on("request", (request) => {
    if (request.url() !== url) offences.push(`request ${request.url().slice(0, 60)}`);
  });
  await page.goto(url);
  for (const cell of (await page.$$("tbody tr:nth-child(-n+40) td")).slice(0, 60)) {
    await cell.hover({ timeout: 2_000 }).catch(() => undefined);
  }
  return page.$$eval("tbody tr", (rows) =>
    rows.map((row) =>
      [...(row as never as { cells: Iterable<{ textContent: string }> }).cells].map(
        ({ textContent }) => textContent,
      ),
    ),
  );
}
