/**
 * Proves, with two real months: the export of a notice is named after the saved search, or after
 * the title in its spec, and after the month. A long name is cut. The webhook and the e-mail link
 * to the export. The e-mail shows the companies with their names and cities for any exported
 * columns. If an export is refused, or no space is free for a day, the notice is still sent and
 * says why the file is missing.
 * Does not prove: rendering (contract/export), the header of the download (unit/export/describe).
 */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import type { NewExport } from "../../../src/export/exporter.ts";
import type { ExportRecord } from "../../../src/export/record.ts";
import { noticeJson } from "../../../src/http/api/notices/noticeanswers.ts";
import type { NoticeParts } from "../../../src/notices/notices.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { type MailServer, readMail, startMailServer } from "../../support/changes/mailserver.ts";
import { openOffice, TENANT } from "../../support/changes/office.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { FakeExporter } from "../../support/export/fake-exporter.ts";

const OWNER = { tenantId: TENANT, actor: "key:test" } as const;
const EXPORT = { kinds: ["entered"], limit: null };

let pair: MonthPair;
let folder: string;
let mail: MailServer;

before(async () => {
  pair = await makePair({ seed: 12, accounts: 600 });
  folder = mkdtempSync(join(tmpdir(), "peneira-served-"));
  mail = await startMailServer();
  cpSync(pair.older.path, join(folder, "a.peneira"));
  cpSync(pair.newer.path, join(folder, "b.peneira"));
});
after(async () => {
  await mail.close();
  pair.dispose();
  rmSync(folder, { recursive: true });
});

/** Returns an exporter that finishes each export when its end is awaited. */
function finishing(made: NewExport[]): NoticeParts["exporter"] {
  const fake = new FakeExporter(folder, systemClock);
  return {
    create(wanted) {
      made.push(wanted);
      return fake.create(wanted);
    },
    async settled(tenantId, id): Promise<ExportRecord> {
      fake.finish(id, Buffer.from("rows"));
      return fake.read(tenantId, id);
    },
  };
}

it("a refused export is explained in words, in the log and to receivers", async () => {
  const parts = {
    exporter: {
      ...finishing([]),
      create: () => {
        throw new AppError("quota_exceeded", "The plan free allows 10 export rows a day.");
      },
    },
  };
  const office = await openOffice({ folder, parts });
  try {
    await office.serve(join(folder, "a.peneira"));
    office.search("Refused", {}, { export: JSON.stringify({ ...EXPORT, output: {} }) });
    office.search("Plain");
    await office.serve(join(folder, "b.peneira"));
    await office.work();
    const notices = office.notices.history.page(TENANT, { before: 1e9, limit: 9 });
    const problems = notices.map(({ row }) => {
      const { data } = JSON.parse(office.notices.history.bodyOf(row)) as {
        data: { problem: string | null; links: { export: string | null } };
      };
      assert.equal(data.links.export, null);
      const shown = noticeJson({ row, deliveries: [] }).problem;
      assert.equal(shown, data.problem);
      return `${row.searchName}: ${shown}`;
    });
    assert.deepEqual(problems.sort(), [
      "Plain: null",
      "Refused: The export was refused. The plan free allows 10 export rows a day.",
    ]);
  } finally {
    await office.close();
  }
});

it("a queue without room for a day leaves a notice without its file, in words", async () => {
  const create = () => {
    throw new AppError("overloaded", "The queue is full.");
  };
  const smtp = {
    ...{ host: "127.0.0.1", port: mail.port, user: null, password: null, ca: null },
    ...{ tls: "none" as const, from: "peneira@example.com", timeoutMs: 5_000 },
  };
  const parts = { exporter: { ...finishing([]), create }, settings: { smtp } };
  const office = await openOffice({ folder, parts });
  try {
    await office.serve(join(folder, "a.peneira"));
    const id = office.search("Full", {}, { export: JSON.stringify({ ...EXPORT, output: {} }) });
    office.notices.emails.create(OWNER, { address: "full@example.com" }, 9);
    await office.serve(join(folder, "b.peneira"));
    const state = () => {
      const page = { before: 1e9, limit: 9, searchId: id };
      return office.notices.history.page(TENANT, page)[0]?.row;
    };
    const counting = async () => {
      office.notices.tick();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return state();
    };
    while ((await counting())?.failure === null);
    assert.match(state()?.failure ?? "", /waits until there is room/);
    office.clock.advance(25 * 3_600_000);
    await office.work();
    const row = state();
    assert.equal(row?.state, "counted");
    assert.match(noticeJson({ row, deliveries: [] }).problem ?? "", /no room for it for a day/);
    const [sent] = mail.got.splice(0);
    const { text } = readMail(sent?.raw ?? "");
    assert.match(text, /A planilha não pôde ser feita/);
  } finally {
    await office.close();
  }
});

it("files of notices are named after their search and month, and linked", async () => {
  const made: NewExport[] = [];
  const smtp = {
    ...{ host: "127.0.0.1", port: mail.port, user: null, password: null, ca: null },
    ...{ tls: "none" as const, from: "peneira@example.com", timeoutMs: 5_000 },
  };
  const parts = { exporter: finishing(made), settings: { smtp } };
  const office = await openOffice({ folder, parts });
  try {
    await office.serve(join(folder, "a.peneira"));
    const withExport = (output: object) => ({ export: JSON.stringify({ ...EXPORT, output }) });
    const spec = { output: { fields: ["cnpj"] } };
    const plain = office.search("Padarias de São João", spec, withExport({ format: "xlsx" }));
    office.search("Own", spec, withExport({ format: "csv", title: "Minha lista" }));
    office.search("n".repeat(120), spec, withExport({ format: "csv" }));
    office.notices.emails.create(OWNER, { address: "ana@example.com", searches: [plain] }, 9);
    const { label } = await office.serve(join(folder, "b.peneira"));
    await office.work();
    const titles = made.map(({ spec: { output } }) => output.title);
    assert.deepEqual(titles, [
      `Padarias de São João ${label}`,
      `Minha lista ${label}`,
      `${"n".repeat(92)} ${label}`,
    ]);
    assert.equal(mail.got.length, 1);
    const { text, html } = readMail(mail.got[0]?.raw ?? "");
    const [notice] = office.notices.history.page(TENANT, {
      before: 1e9,
      limit: 9,
      searchId: plain,
    });
    assert.ok(notice !== undefined);
    const body = JSON.parse(office.notices.history.bodyOf(notice.row)) as {
      readonly data: {
        readonly entered: number;
        readonly links: { readonly export: string };
        readonly first: readonly object[];
      };
    };
    const { links, entered, first } = body.data;
    assert.match(links.export, /^https:\/\/peneira\.example\.com\/files\/exp_[0-9a-f]{32}\.xlsx\?/);
    assert.ok(text.includes(links.export));
    assert.ok(text.includes(`${entered.toLocaleString("pt-BR")} nova`));
    assert.ok(first.every((account) => !("legal_name" in account)));
    const counts = JSON.parse(notice.row.counts ?? "") as { cards: Record<string, string>[] };
    assert.equal(counts.cards.length, 10);
    for (const { trade_name, legal_name, municipality_name } of counts.cards) {
      assert.ok(text.includes(trade_name || legal_name || "?"), text);
      assert.ok(text.includes(municipality_name ?? "?"));
    }
    assert.match(html, /<h1[^>]*>Padarias de São João<\/h1>/);
  } finally {
    await office.close();
  }
});
