/**
 * Proves: every part of the product that reads CNPJs parses every spelling alike, and none returns
 * a CPF. These parts are paths, suggestions, lists in JSON, CSV, and XLSX, pasted text, the
 * console's box, commands, agents, and the list of sanctions.
 * Does not prove: how a parsed CNPJ is used.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Command } from "commander";
import { registerAccount } from "../../../src/cli/commands/account.ts";
import { readEntryFile } from "../../../src/cli/support/inputfiles.ts";
import { numberIn, refusalIn, shortNumberIn } from "../../../src/console/web/find/typed.ts";
import { readPasted } from "../../../src/console/web/lists/pasted.ts";
import { readSanctions } from "../../../src/ingest/sanctions.ts";
import { ENTRY_BYTES, entryText } from "../../../src/lists/entries.ts";
import { CsvUpload, readXlsx, Upload } from "../../../src/lists/upload.ts";
import { ENGINE } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { CNPJ_REFUSALS, readCnpjText } from "../../../src/spec/cnpj/cnpjspelling.ts";
import { isCurrent, readPhone } from "../../../src/spec/contacts/phones.ts";
import { fetchDocumented } from "../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../support/http/fake.ts";
import { text as cellOf, workbook } from "../../support/lists/workbooks.ts";
import { type Connected, connectedTo } from "../../support/mcp/client.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { randomSpelling, SPELLINGS, type Spelling } from "../../support/spec/cnpj-spellings.ts";
import { seededRng } from "../../support/spec/random.ts";

const RANDOM = 1_500;
/** Matches the spellings of a CPF, which no output may repeat. */
const CPF = /12345678909|123\.456\.789|123456789-09/;

/**
 * Returns the result of an upload with one text: the CNPJ or root, or the reason of the refusal. If
 * the upload suggests another CNPJ, the suggestion follows the reason.
 */
function outcomeOf(upload: Upload): string {
  const bytes = Buffer.concat(upload.entries(false));
  const [entry] = Array.from({ length: bytes.length / ENTRY_BYTES }, (_, at) =>
    entryText(bytes, at),
  );
  if (entry !== undefined) return entry.length === 8 ? `root ${entry}` : `cnpj ${entry}`;
  const [refused] = upload.refused;
  assert.ok(refused !== undefined && !CPF.test(refused.text), refused?.text);
  return refused.offered === undefined ? refused.reason : `${refused.reason} ${refused.offered}`;
}

/**
 * Returns the result that an upload must have. Unlike other readers, an upload refuses a CNPJ with
 * wrong check digits.
 */
function asEntry(reading: string): string {
  return reading.startsWith("mistyped") ? "wrong_check_digits" : reading;
}

function readOne(text: string): string {
  const reading = readCnpjText(text);
  if (reading.kind === "cnpj") return `${reading.checked ? "cnpj" : "mistyped"} ${reading.cnpj}`;
  if (reading.kind === "root") return `root ${reading.root}`;
  return [reading.reason, reading.offered].filter((part) => part !== undefined).join(" ");
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

function checkAll(spellings: readonly Spelling[], read: (text: string) => string, as = asEntry) {
  const wrong = spellings.flatMap(([text, reading]) => {
    const found = read(text);
    return found === as(reading) ? [] : [`${JSON.stringify(text)}: ${found}, not ${as(reading)}`];
  });
  assert.deepEqual(wrong, []);
}

const rng = seededRng(2_611);
/**
 * Returns true if a text can also be a phone. This is so for a mobile number that is a valid CPF,
 * and for a phone that would be an invalid CNPJ if zeros were put before it.
 */
function isPhone(text: string, reading: string): boolean {
  const read = readPhone(text);
  if (!("phone" in read) || text.replace(/\D/g, "") !== read.phone.slice(3)) return false;
  if (reading === "cpf") return /^\d\d9\d{8}$/.test(text.replace(/\D/g, ""));
  return isCurrent(read.phone) && /^lost_zeros 0{3}/.test(reading) && !/0001\d\d$/.test(reading);
}

const ALL = [...SPELLINGS, ...Array.from({ length: RANDOM }, () => randomSpelling(rng))];

describe("a spelling of a CNPJ", () => {
  const same = (reading: string) => reading;

  it("is read as specified", () => {
    checkAll(ALL, readOne, same);
    for (const reason of Object.keys(CNPJ_REFUSALS)) {
      assert.ok(
        ALL.some(([, reading]) => reading.startsWith(reason)),
        reason,
      );
    }
  });

  it("is read alike in JSON, pasted text, and CSV", () => {
    const taken = (text: string) => {
      const upload = new Upload(false);
      assert.ok(upload.take(text, { line: 1 }));
      return outcomeOf(upload);
    };
    checkAll(ALL, taken);
    checkAll(SPELLINGS, (text) => {
      const pasted = readPasted(text);
      assert.ok(pasted !== null && "cnpjs" in pasted);
      return taken(pasted.cnpjs[0] ?? "");
    });
    checkAll(ALL, (text) => {
      const upload = new CsvUpload(false, "cnpj");
      upload.add(Buffer.from(`nome;cnpj\nx;${quoted(text)}\n`));
      return outcomeOf(upload.end());
    });
  });

  it("is read alike in XLSX and in files of commands", async () => {
    const dir = mkdtempSync(path.join(tmpdir(), "peneira-"));
    try {
      for (const [text, reading] of SPELLINGS) {
        const rows = [[cellOf("cnpj")], [cellOf(text)]];
        const book = await workbook([{ name: "Plan1", rows }]);
        const options = { fillZeros: false, column: "cnpj" };
        assert.equal(outcomeOf(await readXlsx(book, options)), asEntry(reading), text);
        const file = path.join(dir, "entries.csv");
        writeFileSync(file, `nome;cnpj\nx;${quoted(text)}\n`);
        assert.equal(outcomeOf(await readEntryFile(file, options)), asEntry(reading), text);
      }
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("is read alike in the console's search box, where words make a sentence", () => {
    for (const [text, reading] of ALL) {
      const number = numberIn(text);
      const short = shortNumberIn(text);
      const name = number?.kind === "cnpj" && number.isMistyped ? "mistyped" : number?.kind;
      const found = [
        ...(number === null ? [] : [`${name} ${number.value}`]),
        ...(short === null || short.filled === null ? [] : [`lost_zeros ${short.filled}`]),
        ...(refusalIn(text) === null ? [] : [refusalIn(text)]),
      ];
      const isSentence =
        /^(not_a|too_short)/.test(reading) ||
        /^Fulano|Inventada/.test(text) ||
        isPhone(text, reading);
      assert.deepEqual(found, isSentence ? [] : [reading], text);
    }
  });

  it("is read alike by peneira account", async () => {
    for (const [text, reading] of SPELLINGS) {
      const program = new Command().exitOverride();
      registerAccount(program);
      const sent = ["account", "--snapshot", "/nowhere.peneira", "--", text];
      const reported = await program.parseAsync(sent, { from: "user" }).then(String, String);
      assert.ok(!CPF.test(reported), reported);
      // An accepted CNPJ leads to the error that the snapshot is missing.
      if (/^(cnpj|mistyped)/.test(reading)) assert.match(reported, /nowhere/, text);
      else assert.ok(reported.includes(wordsOf(reading)), `${text}: ${reported}`);
    }
  });

  it("is read alike in the list of sanctions", async () => {
    const dir = mkdtempSync(path.join(tmpdir(), "peneira-"));
    try {
      const file = path.join(dir, "20260930_CEIS.csv");
      const titles = ["TIPO DE PESSOA", "CPF OU CNPJ DO SANCIONADO"];
      const header = [...titles, "DATA INÍCIO SANÇÃO", "DATA FINAL SANÇÃO"].map(quoted).join(";");
      for (const [text, reading] of SPELLINGS) {
        // The list is in ISO-8859-1, so texts with other characters are skipped.
        if (/[^\u0020-\u00ff]/.test(text)) continue;
        writeFileSync(file, `${header}\n"J";${quoted(text)};"";""\n`, "latin1");
        const [, cnpj = ""] = /^(?:cnpj|mistyped|lost_zeros) (.*)/.exec(reading) ?? [];
        const { cnpjs } = await readSanctions(file, "2026-10-01");
        assert.deepEqual([...cnpjs], cnpj === "" ? [] : [cnpj], text);
      }
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

/** Returns the message about a text that is not a CNPJ. */
function wordsOf(reading: string): string {
  const [reason = "", offered = ""] = reading.split(" ");
  if (reason === "root") return "It is the root of a CNPJ";
  assert.ok(reason in CNPJ_REFUSALS, reading);
  return offered === "" ? CNPJ_REFUSALS[reason as "cpf"] : `With them it is ${offered}`;
}

describe("a spelling of a CNPJ over HTTP", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  let server: FakeServer;
  let agent: Connected;
  before(async () => {
    sample = await makeSampleSnapshot(50, 7, "2026-10");
    segment = await openSegment(sample.snapshot);
    server = await startFake("node", { engine: ENGINE, segment: () => segment });
    agent = await connectedTo(server.base, server.keys.enterprise);
  });
  after(async () => {
    await agent.close();
    await server.close();
    segment.close();
    sample.dispose();
  });

  async function send(place: string, sent?: string) {
    const answer = await fetchDocumented(server.base + place, {
      method: sent === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${server.keys.enterprise}`,
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await answer.text();
    assert.ok(!CPF.test(text), text);
    return { status: answer.status, body: JSON.parse(text) };
  }

  it("is read alike in the paths of accounts and companies", async () => {
    for (const [text, reading] of SPELLINGS) {
      const sent = encodeURIComponent(text);
      const [kind = "", offered] = reading.split(" ");
      const account = await send(`/v1/accounts/${sent}`);
      // The path of a company has one segment, so a slash is replaced by a hyphen.
      const company = await send(`/v1/companies/${sent.replaceAll("%2F", "-")}`);
      const isCnpj = kind === "cnpj" || kind === "mistyped";
      assert.equal(account.status, isCnpj ? 404 : 422, text);
      assert.equal(company.status, kind === "root" ? 404 : 422, text);
      if (isCnpj) assert.equal(/check digits/.test(account.body.detail), kind === "mistyped", text);
      const [mistake] = account.body.errors ?? [{}];
      const isRefused = kind in CNPJ_REFUSALS;
      assert.equal(mistake.reason, isRefused ? kind : undefined, text);
      assert.equal(mistake.offered, isRefused ? offered : undefined, text);
      if (!isCnpj) assert.equal(mistake.code, "invalid_cnpj");
      assert.equal(company.body.errors?.[0]?.reason, isRefused ? kind : undefined, text);
    }
  });

  it("is read alike if typed, unless it may be a name", async () => {
    for (const [text, reading] of SPELLINGS) {
      const { body } = await send(`/v1/accounts/suggest?q=${encodeURIComponent(text)}`);
      const { number, refused } = body;
      const isRight = number?.check_digits_right !== false;
      const found =
        number === null ? null : `${isRight ? number.kind : "mistyped"} ${number.value}`;
      const why = refused === null ? null : Object.values(refused).join(" ");
      assert.equal(found ?? why, /^not_a/.test(reading) ? null : reading, text);
    }
  });

  it("is read alike as text and as a number in JSON, also after a byte-order mark", async () => {
    const { body: made } = await send("/v1/lists", '\ufeff{"name":"spellings"}');
    const entries = `/v1/lists/${made.list.id}/entries`;
    const numbers = SPELLINGS.filter(([text]) => /^-?(0|[1-9]\d*)(\.\d+)?(e[+]?\d+)?$/i.test(text));
    assert.ok(numbers.length > 20);
    for (const [text, reading] of [...numbers, ["1e21", "too_long"], ["9.99383e13", "rounded"]]) {
      for (const sent of [text, JSON.stringify(text)]) {
        const { status, body } = await send(entries, `{"cnpjs":[${sent}]}`);
        if (sent === "1e999999999") {
          assert.equal(status, 422, "no number of JSON is infinite");
          continue;
        }
        const [refused] = body.refused;
        const found = refused === undefined ? "taken" : [refused.reason, refused.offered ?? ""];
        const wanted = asEntry(String(reading));
        const isTaken = /^(cnpj|root)/.test(wanted);
        const [kind, offered = ""] = wanted.split(" ");
        assert.deepEqual(found, isTaken ? "taken" : [kind, offered], String(sent));
      }
    }
  });

  it("is read alike by agents", async () => {
    for (const [text, reading] of SPELLINGS) {
      const { text: reported, isError } = await agent.call("get_account", { cnpj: text });
      assert.ok(isError && !CPF.test(reported));
      if (/^(cnpj|mistyped)/.test(reading)) assert.match(reported, /not_found/, text);
      else assert.ok(reported.includes(wordsOf(reading)), `${text}: ${reported}`);
    }
    const { text } = await agent.call("find_company", { q: "11.222.333/0001-811" });
    assert.ok(text.includes(CNPJ_REFUSALS.too_long));
  });

  it("is not logged if it belongs to a person", () => {
    assert.ok(!CPF.test(server.logged.join("\n")));
  });
});
