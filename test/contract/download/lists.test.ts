/**
 * Proves, against local servers that imitate the publishers: the four public lists arrive as
 * published, and an import reads them. Nothing is downloaded twice, and a transfer resumes after
 * cuts, refusals, and interruptions. A newer publication replaces only files that this program
 * downloaded. A damaged or incomplete publication replaces nothing. Each refusal names the list,
 * the setting, and advice. Redirects are followed only to hosts of the government. Does not
 * prove: what the real publishers answer today.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { runDownload } from "../../../src/cli/commands/download.ts";
import { readImportFlags, runImport } from "../../../src/cli/commands/import.ts";
import { runUpdate } from "../../../src/cli/commands/update.ts";
import { redirectOf } from "../../../src/download/client.ts";
import { Interrupted } from "../../../src/download/downloaderror.ts";
import { listsIn, PUBLIC_LISTS, type PublicList } from "../../../src/download/lists/names.ts";
import { newestDayOf } from "../../../src/download/lists/publication.ts";
import { downloadLists, type ListsUse } from "../../../src/download/lists/publiclists.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { readSanctions } from "../../../src/ingest/sanctions.ts";
import { cut, faultsFor, refusal } from "../../support/download/dumps.ts";
import { Publishers } from "../../support/download/publishers.ts";
import { WebdavShare } from "../../support/download/webdav-server.ts";
import { zipOf } from "../../support/files/zip.ts";

const LARGE = "Dados_abertos_Previdenciario.zip";

let root: string;
let to: string;
let messages: string[];
let publishers: Publishers;
let count = 0;
before(() => {
  root = mkdtempSync(join(tmpdir(), "lists-"));
});
after(() => rmSync(root, { recursive: true, force: true }));
beforeEach(async () => {
  publishers = await new Publishers().start();
  to = join(root, `to-${count++}`);
  messages = [];
});
afterEach(() => publishers.stop());

function use(over: Partial<ListsUse> = {}): ListsUse {
  return {
    ...{ streams: 2, stallMs: 100, to, verify: false },
    ...{ sanctionsUrl: publishers.sanctionsUrl, debtsUrl: publishers.debts.url },
    signal: new AbortController().signal,
    listener: {
      report: (text) => void messages.push(text),
      show: () => ({ update: () => {}, done: () => {} }),
    },
    check: (path, list) => readSanctions(path, "2026-08-10", list),
    ...over,
  };
}

const fetchAll = (over: Partial<ListsUse> = {}) => downloadLists(PUBLIC_LISTS, use(over));
const fetchOne = (list: PublicList, over: Partial<ListsUse> = {}) =>
  downloadLists([list], use(over));

/** Returns the names of the files in the folder, except the lock. */
const names = () =>
  readdirSync(to)
    .filter((name) => !name.startsWith(".download.lock"))
    .sort();

const ALL = [
  "20260801_CEIS.zip",
  "20260801_CEPIM.zip",
  "20260801_CNEP.zip",
  "2026_trimestre_02",
  "lists.json",
];

describe("public lists", () => {
  it("arrive as published, and once", async () => {
    const fetched = await fetchAll();
    assert.deepEqual(names(), ALL);
    assert.deepEqual(
      fetched.map(({ list, as_of, files, already }) => [list, as_of, files, already]),
      [
        ["ceis", "2026-08-01", 1, false],
        ["cnep", "2026-08-01", 1, false],
        ["cepim", "2026-08-01", 1, false],
        ["pgfn", "2026-06", 3, false],
      ],
    );
    for (const { bytes, fetched_bytes } of fetched) assert.equal(bytes, fetched_bytes);
    const ceis = readFileSync(join(to, "20260801_CEIS.zip"));
    assert.ok(ceis.equals(publishers.files.bytesOf("ceis", "20260801_CEIS.zip")));
    for (const name of readdirSync(join(to, "2026_trimestre_02"))) {
      const bytes = readFileSync(join(to, "2026_trimestre_02", name));
      assert.ok(bytes.equals(publishers.debts.bytesOf("2026_trimestre_02", name)), name);
    }
    const again = await fetchAll();
    assert.ok(again.every(({ already, fetched_bytes }) => already && fetched_bytes === 0));
    assert.deepEqual(names(), ALL);
  });

  it("are found by an import, and dated in the snapshot", async () => {
    await fetchAll();
    const dump = join(root, "2026-10");
    await writeSample({ folder: dump, establishments: 300, seed: 1, label: "2026-10" });
    const out = join(root, "lists.peneira");
    const report = await runImport(dump, { out, publicLists: to, threads: "1" });
    const { provenance } = report as unknown as { provenance: Record<string, string> };
    assert.equal(provenance.ceis_as_of_date, "2026-08-01");
    assert.equal(provenance.cepim_as_of_date, "2026-08-01");
    assert.equal(provenance.pgfn_as_of_month, "2026-06");
    // A list that its flag names takes precedence over the list in the folder.
    const own = join(root, "20260701_CEIS.csv");
    writeFileSync(own, "");
    const options = readImportFlags(dump, { out, publicLists: to, ceis: own });
    assert.equal((options as { ceis?: string }).ceis, own);
    assert.equal((options as { cnep?: string }).cnep, join(to, "20260801_CNEP.zip"));
    const empty = mkdtempSync(join(root, "empty-"));
    assert.throws(() => readImportFlags(dump, { out, publicLists: empty }), /has no list such as/);
    assert.throws(() => readImportFlags(dump, { out, publicLists: own }), /must be a folder/);
  });

  it("resume after cuts and a stall, without a gap or a repeated byte", async () => {
    publishers.publishDebts("2026_trimestre_02", "202606", 20_000);
    publishers.debts.plan = faultsFor(LARGE, [cut(40_000), { kind: "stall", after: 10_000 }]);
    const [fetched] = await fetchOne("pgfn");
    const bytes = readFileSync(join(to, "2026_trimestre_02", LARGE));
    assert.ok(bytes.equals(publishers.debts.bytesOf("2026_trimestre_02", LARGE)));
    assert.equal(fetched?.fetched_bytes, fetched?.bytes);
    const ranges = publishers.debts.served.filter(({ range }) => range !== null);
    assert.ok(ranges.length >= 2, "the rest is requested, not the whole");
  });

  it("resume after an interruption, in another run", async () => {
    publishers.publishDebts("2026_trimestre_02", "202606", 20_000);
    publishers.debts.plan = faultsFor(LARGE, [{ kind: "stall", after: 50_000 }]);
    const control = new AbortController();
    setTimeout(() => control.abort(new Interrupted("SIGINT")), 300);
    await assert.rejects(fetchOne("pgfn", { signal: control.signal, stallMs: 5_000 }), Interrupted);
    assert.deepEqual(names(), ["lists.part"]);
    const before = publishers.debts.sent(LARGE);
    await fetchOne("pgfn");
    const size = publishers.debts.bytesOf("2026_trimestre_02", LARGE).length;
    assert.ok(publishers.debts.sent(LARGE) - before <= size - 40_000, "what was here is kept");
    assert.deepEqual(names(), ["2026_trimestre_02", "lists.json"]);
  });

  it("replace the publication before, and nothing else", async () => {
    await fetchAll();
    writeFileSync(join(to, "20250101_CEIS.zip"), "of the operator");
    publishers.publish("ceis", "20260903");
    publishers.publishDebts("2026_trimestre_03", "202609");
    await fetchAll();
    assert.deepEqual(names(), [
      "20250101_CEIS.zip",
      "20260801_CEPIM.zip",
      "20260801_CNEP.zip",
      "20260903_CEIS.zip",
      "2026_trimestre_03",
      "lists.json",
    ]);
    assert.equal(listsIn(to).ceis, join(to, "20260903_CEIS.zip"));
    assert.match(
      messages.join("\n"),
      /20260801_CEIS\.zip: removed, as 20260903_CEIS\.zip is newer/,
    );
  });

  it("are fetched again if published again under their name, or damaged", async () => {
    await fetchAll();
    publishers.publish("cnep", "20260801");
    writeFileSync(join(to, "2026_trimestre_02", LARGE), "short");
    const fetched = await fetchAll();
    assert.deepEqual(
      fetched.filter(({ already }) => !already).map(({ list }) => list),
      ["cnep", "pgfn"],
    );
    const size = publishers.debts.bytesOf("2026_trimestre_02", LARGE).length;
    const flipped = readFileSync(join(to, "2026_trimestre_02", LARGE));
    assert.equal(flipped.length, size);
    flipped[80] = (flipped[80] as number) ^ 1;
    writeFileSync(join(to, "2026_trimestre_02", LARGE), flipped);
    assert.equal((await fetchOne("pgfn"))[0]?.already, true);
    assert.equal((await fetchOne("pgfn", { verify: true }))[0]?.already, false);
    const corrected = readFileSync(join(to, "2026_trimestre_02", LARGE));
    assert.ok(corrected.equals(publishers.debts.bytesOf("2026_trimestre_02", LARGE)));
  });

  it("take an older quarter while the newest lacks a zip", async () => {
    publishers.publishDebts("2026_trimestre_03", "202609");
    publishers.debts.months.get("2026_trimestre_03")?.delete("Dados_abertos_FGTS.zip");
    assert.equal((await fetchOne("pgfn"))[0]?.as_of, "2026-06");
    assert.match(messages.join("\n"), /2026_trimestre_03 is not complete: it lacks FGTS/);
  });

  it("accept the misspelled name of a published quarter", async () => {
    const quarter = publishers.debts.months.get("2026_trimestre_02");
    const file = quarter?.get("Dados_abertos_Nao_Previdenciario.zip");
    assert.ok(quarter !== undefined && file !== undefined);
    quarter.delete("Dados_abertos_Nao_Previdenciario.zip");
    quarter.set("Dados_abertos_Nao_Previdenciariozip.zip", file);
    assert.equal((await fetchOne("pgfn"))[0]?.files, 3);
  });

  it("leave the earlier list if the newer one is no such list", async () => {
    await fetchAll();
    const page = Buffer.from("<html>Confirme que você não é um robô</html>");
    const other = zipOf({ "20260904_CEIS.csv": "A;B\r\n1;2\r\n" });
    for (const content of [page, other, zipOf({}), Buffer.alloc(64)]) {
      publishers.publish("ceis", "20260904", content);
      const words = await refusal(fetchOne("ceis"));
      assert.match(words, /^CEIS: it changed or came damaged 3 times: 20260904_CEIS\.zip: /);
      assert.deepEqual(names(), ALL);
    }
    publishers.publishDebts("2026_trimestre_03", "202606");
    assert.match(await refusal(fetchOne("pgfn")), /202606\.csv is not of 2026_trimestre_03/);
    assert.deepEqual(names(), ALL);
  });

  it("name the list, the setting, and the way out if a publisher refuses", async () => {
    const answer = (status: number, body = "", headers = {}) => {
      return () => (response: import("node:http").ServerResponse) => {
        response.writeHead(status, headers).end(body);
      };
    };
    for (const [fault, words] of [
      [answer(403), /^CEIS: .*\(403\); check download\.sanctions_url.*with a browser from http/s],
      [answer(404), /^CEIS: .*\(404\).*download\.sanctions_url/s],
      [answer(200, "<html>robô?</html>"), /^CEIS: .*names no day.*open it in a browser/s],
      [answer(500), /^CEIS: the page of CEIS: the share answers 500, 5 times in a row/],
      [
        answer(302, "", { location: "https://elsewhere.example/ceis" }),
        /redirects to https:\/\/elsewhere\.example\/ceis, which is not followed.*sanctions_url/s,
      ],
    ] as const) {
      publishers.fault = fault;
      assert.match(await refusal(fetchOne("ceis")), words);
      assert.deepEqual(names(), []);
    }
    publishers.debts.months.clear();
    assert.match(
      await refusal(fetchOne("pgfn")),
      /^PGFN: There are no quarters at .* Check download\.debts_url/,
    );
  });

  it("are one command, which refuses flags that do nothing", async () => {
    const environment = {
      PENEIRA_DOWNLOAD_SANCTIONS_URL: publishers.sanctionsUrl,
      PENEIRA_DOWNLOAD_DEBTS_URL: publishers.debts.url,
    };
    Object.assign(process.env, environment);
    try {
      await runDownload(undefined, { to, publicLists: "cepim, CNEP" });
      assert.deepEqual(names(), ["20260801_CEPIM.zip", "20260801_CNEP.zip", "lists.json"]);
      const flags = { to, publicLists: "ceis,foo", all: true, places: true } as const;
      const words = await refusal(runDownload("2026-10", flags));
      assert.match(words, /takes names of ceis, cnep, cepim, pgfn, not "foo"/);
      assert.match(words, /--all does nothing with --public-lists/);
      assert.match(words, /--public-lists fetches no month; leave 2026-10 out/);
      assert.match(words, /are two downloads/);
    } finally {
      for (const name of Object.keys(environment)) delete process.env[name];
    }
    assert.equal(existsSync(join(to, "2026_trimestre_02")), false);
  });
});

describe("an update with public lists", () => {
  it("fetches them for a new month, and keeps the last ones if a publisher fails", async () => {
    const share = await new WebdavShare().start();
    const [dir, older, newer] = ["dir", "2026-09", "2026-10"].map((name) => join(to, name));
    assert.ok(dir && older && newer);
    const environment = {
      PENEIRA_DOWNLOAD_URL: share.url,
      PENEIRA_DOWNLOAD_STALL_SECONDS: "1",
      PENEIRA_DOWNLOAD_SANCTIONS_URL: publishers.sanctionsUrl,
      PENEIRA_DOWNLOAD_DEBTS_URL: publishers.debts.url,
    };
    Object.assign(process.env, environment);
    const update = () => runUpdate({ dir, publicLists: true, threads: "1" });
    const dates = async (month: string) => {
      const { meta } = await openSnapshot(join(dir, `${month}.peneira`));
      const { ceis_as_of_date, pgfn_as_of_month } = meta.provenance;
      return [ceis_as_of_date, pgfn_as_of_month];
    };
    try {
      await writeSample({ folder: older, establishments: 300, seed: 1, label: "2026-09" });
      await share.addFolder("2026-09", older);
      publishers.fault = () => (response) => response.writeHead(403).end();
      assert.match(await refusal(update()), /^CEIS: .*\(403\)/s);
      assert.equal(existsSync(join(dir, "2026-09.peneira")), false);
      publishers.fault = () => null;
      await update();
      assert.deepEqual(await dates("2026-09"), ["2026-08-01", "2026-06"]);
      const requested = publishers.requested.length;
      await update();
      assert.equal(
        publishers.requested.length,
        requested,
        "without a new month nothing is fetched",
      );
      await writeSample({ folder: newer, establishments: 300, seed: 1, label: "2026-10" });
      await share.addFolder("2026-10", newer);
      publishers.fault = () => (response) => response.writeHead(403).end();
      publishers.publishDebts("2026_trimestre_03", "202609");
      await update();
      assert.deepEqual(await dates("2026-10"), ["2026-08-01", "2026-09"]);
    } finally {
      for (const name of Object.keys(environment)) delete process.env[name];
      await share.stop();
    }
  });
});

describe("a page of the portal", () => {
  it("names its latest day, and no day that does not exist", () => {
    const day = (y: string, m: string, d: string) =>
      `{"ano" : "${y}", "mes":"${m}", "dia" :"${d}"}`;
    assert.equal(newestDayOf(day("2026", "09", "28") + day("2026", "08", "31")), "2026-09-28");
    assert.equal(newestDayOf(day("2026", "02", "31")), null);
    assert.equal(newestDayOf(day("2026", "07", "")), null);
    assert.equal(newestDayOf(`"ano" ${" ".repeat(200_000)}`.repeat(3)), null);
  });
});

describe("a redirect", () => {
  const to = (from: string, location: string, hosts?: RegExp) =>
    redirectOf({ status: 302, url: new URL(from), headers: new Headers({ location }) }, hosts);
  const government = /(?:^|\.)gov\.br$/;

  it("may lead to another host of the share, encrypted only", () => {
    const portal = "https://portaldatransparencia.gov.br/download-de-dados/ceis/20260930";
    const file = "https://dadosabertos-download.cgu.gov.br/saida/ceis/20260930_CEIS.zip";
    assert.equal(to(portal, file, government)?.href, file);
    assert.throws(() => to(portal, file), /not followed/);
    for (const bad of [
      file.replace("https", "http"),
      "https://cgu.gov.br.example/x",
      "https://evilgov.br/x",
      "https://user@cgu.gov.br/x",
    ]) {
      assert.throws(() => to(portal, bad, government), /not followed/, bad);
    }
  });
});
