/**
 * Proves: the addon's scan, with and without vector instructions, produces the same bytes, extents,
 * counts, codes, places, reports, and rejections as the scan in TypeScript. The tests scan seeded
 * hostile files of all three types, cut anywhere, in ISO-8859-1 and in UTF-8, also with skipped
 * malformed rows. They also scan fields, texts, columns, and code lists at and over their limits. A
 * record without an end is rejected long before the file ends.
 * Does not prove that the scan in TypeScript is right (quirks, twin, and refusals in this folder,
 * unit/dump/), nor the error contract (contract/native-index/errors.test.ts).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { DumpMember } from "../../../src/dump/directory.ts";
import { LAYOUTS } from "../../../src/dump/layout.ts";
import { RULE_NAMES, type Rule } from "../../../src/dump/rules.ts";
import { CommandError } from "../../../src/errors.ts";
import { type ScanResult, type ScanTask, scanNatively } from "../../../src/ingest/scan/scan.ts";
import { hostileFile } from "../../support/dump/hostile.ts";
import { scanHere } from "../../support/ingest/scan.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { SEED, tries } from "../../support/run/scale.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-scan-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const TYPES = ["estabelecimentos", "empresas", "simples"] as const;
type Type = (typeof TYPES)[number];

function taskOf(type: Type, changes: Partial<ScanTask> = {}): ScanTask {
  const known = { member: "X", packing: "plain", packedBytes: 0, bytes: 0, offset: 0, crc: null };
  const member = { ...known, file: join(folder, "member"), type, part: 0, token: null };
  return {
    member: member as DumpMember,
    spillPath: join(folder, "spill"),
    partitions: 3,
    slotBytes: 256,
    keepCpf: false,
    latestDay: 20_700,
    utf8: false,
    skipBadRows: 0,
    progress: new Int32Array(1),
    ...changes,
  };
}

/** Returns the results of a scan with the bytes of its spill file, or the rejection. */
async function outcome(scan: Promise<ScanResult>, { spillPath }: ScanTask) {
  try {
    const found = await scan;
    // The table of places has 280,000 numbers, mostly zeros, so only its hash is compared.
    const places = createHash("sha256").update(found.places).digest("hex");
    return { found: { ...found, places }, bytes: readFileSync(spillPath).toString("base64") };
  } catch (error) {
    assert.ok(error instanceof CommandError, String((error as Error).stack));
    return { refusal: error.message };
  }
}

/** Scans the bytes with all three scanners, also in pieces. Returns their common result. */
async function compare(type: Type, bytes: Uint8Array, changes: Partial<ScanTask> = {}) {
  const task = taskOf(type, changes);
  const expected = await outcome(scanHere(task, [bytes]), task);
  for (const portable of [false, true]) {
    const places = portable ? [bytes.length / 3, bytes.length / 2].map(Math.floor) : [];
    const scan = scanNatively(task, cut(bytes, places), portable);
    assert.deepEqual(await outcome(scan, task), expected);
  }
  return expected;
}

/** Splits the bytes at these offsets. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));
}

/** Returns a row of an Estabelecimentos file in which `changes` replaces values by column name. */
function row(changes: Readonly<Record<string, string>>): string {
  const known: Record<string, string> = {
    cnpj_basico: "11222333",
    cnpj_ordem: "0001",
    cnpj_dv: "81",
  };
  const cells = LAYOUTS.estabelecimentos.columns.map((name) => changes[name] ?? known[name] ?? "");
  return `${cells.map((cell) => `"${cell}"`).join(";")}\n`;
}

describe("the native scan", () => {
  for (const type of TYPES) {
    it(`reads hostile files of ${type} like its twin`, async () => {
      const random = seededRandom(SEED + TYPES.indexOf(type));
      let refused = 0;
      for (let i = 0; i < tries("hostile files"); i++) {
        const changes = {
          keepCpf: random() < 0.5,
          partitions: 1 + Math.floor(random() * 9),
          utf8: random() < 0.3,
          skipBadRows: random() < 0.3 ? Math.floor(random() * 12) : 0,
        };
        const found = await compare(type, hostileFile(random, type, 60), changes);
        if ("refusal" in found) refused++;
      }
      assert.ok(refused > 3, "the twins must see refusals");
    });

    it(`yields the same for every way of cutting a file of ${type}`, async () => {
      const random = seededRandom(SEED + 10 + TYPES.indexOf(type));
      for (let i = 0; i < 2; i++) {
        let bytes: Buffer = Buffer.alloc(0);
        while (bytes.length < 300) bytes = hostileFile(random, type, 6).subarray(0, 600);
        const task = taskOf(type, i === 0 ? {} : { utf8: true, skipBadRows: 100 });
        if (i === 1) bytes = Buffer.concat([Buffer.from('"x"y;\n"1";"2'), bytes]);
        const expected = await outcome(scanHere(task, [bytes]), task);
        const all = Array.from(bytes, (_, place) => place);
        const ways = [all, ...all.map((place) => [place])];
        for (const places of ways) {
          const scan = scanNatively(task, cut(bytes, places), places.length % 2 === 0);
          assert.deepEqual(await outcome(scan, task), expected, `cut at ${places}`);
        }
      }
    });
  }

  it("accepts fields and texts of the maximum length, and rejects longer ones", async () => {
    const long = (length: number, letter: string) => row({ nome_fantasia: letter.repeat(length) });
    for (const length of [59_999, 60_000, 60_001]) {
      const found = await compare("estabelecimentos", Buffer.from(long(length, "x"), "latin1"));
      assert.equal("refusal" in found, length > 60_000);
    }
    for (const length of [32_766, 32_767, 32_768]) {
      const found = await compare("estabelecimentos", Buffer.from(long(length, "ã"), "latin1"));
      assert.equal("refusal" in found, length > 32_767);
      const name = `"11222333";"${"ã".repeat(length)}";"2062";"";"";"";""\n`;
      assert.deepEqual(
        "refusal" in (await compare("empresas", Buffer.from(name, "latin1"))),
        length > 32_767,
      );
    }
    const open = await compare("estabelecimentos", Buffer.from(`"${"x".repeat(60_002)}`));
    assert.match(("refusal" in open && open.refusal) || "", /line 1: a field of more than 60,000 /);
  });

  it("numbers 65,534 codes of a column and rejects one more", async () => {
    const list = (count: number, from: number) =>
      Array.from({ length: count }, (_, i) => String(from + i).padStart(7, "0")).join(",");
    const rows = Array.from({ length: 13 }, (_, i) =>
      row({ cnae_fiscal_secundaria: list(5000, 1_000_000 + i * 5000) }),
    ).join("");
    const most = rows + row({ cnae_fiscal_secundaria: list(534, 2_000_000) });
    assert.ok("found" in (await compare("estabelecimentos", Buffer.from(most))));
    const over = await compare(
      "estabelecimentos",
      Buffer.from(most + row({ cnae_fiscal_principal: "0000001" })),
    );
    assert.match(
      ("refusal" in over && over.refusal) || "",
      /^over 65534 different codes in one column/,
    );
  });

  it("counts odd values, and shows the first three of a rule without personal data", async () => {
    const changes = {
      uf: "ZZ",
      correio_eletronico: "NAO TEM",
      telefone_1: "1",
      data_inicio_atividade: "1",
    };
    const text = row(changes).repeat(5) + row({ cnpj_dv: "8x" });
    const found = await compare("estabelecimentos", Buffer.from(text));
    assert.ok("found" in found);
    const { examples } = found.found.tally;
    assert.deepEqual(examples.uf_invalid?.[2], { place: "member, line 3", value: "ZZ" });
    assert.equal(examples.uf_invalid?.length, 3);
    assert.deepEqual(examples.email_invalid?.[0], { place: "member, line 1" });
    assert.deepEqual(examples.cnpj_invalid?.[0]?.value, "11222333/0001/8x");
    assert.deepEqual([found.found.rowsIn, found.found.rowsKept], [6, 5]);
  });

  it("decodes input with the UTF-8 mark, or declared as UTF-8, like its twin", async () => {
    const text = row({ nome_fantasia: "S\u00c3O \u00a0 JO\u00c3O \u20ac", uf: "S\u00c3" });
    const marked = Buffer.from(`\ufeff${text}`);
    const found = await compare("estabelecimentos", marked);
    const plain = await compare("estabelecimentos", Buffer.from(text), { utf8: true });
    for (const { bytes, found: result } of [found, plain] as {
      bytes: string;
      found: ScanResult;
    }[]) {
      assert.ok(Buffer.from(bytes, "base64").includes("S\u00c3O JO\u00c3O \u20ac"));
      assert.deepEqual(result.encoding, { utf8: true, right: 4, broken: 0 });
      assert.equal(result.tally.examples.uf_invalid?.[0]?.value, "S\u00c3");
    }
    const task = taskOf("estabelecimentos");
    for (const places of [[1], [1, 2, 3]]) {
      const scan = await outcome(scanNatively(task, cut(marked, places)), task);
      assert.deepEqual(scan, found);
    }
  });

  it("counts non-ASCII characters, and replaces each broken sequence with one U+FFFD", async () => {
    const name = "A\u00c3\u00a3 \u00c3 \u00e2\u0082X \u00ed\u00a0\u0080";
    const bytes = Buffer.from(row({ nome_fantasia: name }), "latin1");
    const latin1 = await compare("estabelecimentos", bytes);
    const utf8 = await compare("estabelecimentos", bytes, { utf8: true });
    for (const { found } of [latin1, utf8] as { found: ScanResult }[]) {
      assert.deepEqual([found.encoding.right, found.encoding.broken], [1, 5]);
    }
    const written = Buffer.from((utf8 as { bytes: string }).bytes, "base64").toString();
    // The WHATWG decoder shares no code with either scanner.
    assert.ok(written.includes(new TextDecoder().decode(Buffer.from(name, "latin1"))));
  });

  it("decodes texts of random bytes, and each of the 256, like its twin", async () => {
    const random = seededRandom(SEED + 30);
    const any = () => String.fromCharCode(Math.floor(random() * 256)).replaceAll('"', '""');
    const bytes = Array.from({ length: 256 }, (_, byte) => `A${String.fromCharCode(byte)}B`);
    const places = bytes.flatMap((one) =>
      Array.from({ length: 17 }, (_, at) => "x".repeat(at) + one),
    );
    const noise = Array.from({ length: 2_000 }, () =>
      Array.from({ length: Math.floor(random() * 40) }, any).join(""),
    );
    const marks = ["\u202e", "\u2066", "\u061c", "\u2028", "\u0093", "\u00a0", "\u20ac"].map(
      (mark) => Buffer.from(`A${mark}B`).toString("latin1"),
    );
    const pieces = ["\x1b[", "\x1b", "\xc2\x9b", "\x9b", "[", "31", ";", " ", "?", "m", "\xc3\x89"];
    const sequences = Array.from({ length: 2_000 }, () => {
      const length = Math.floor(random() * 12);
      return Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join("");
    });
    const texts = [
      ...places.map((text) => text.replace('"', '""')),
      ...noise,
      ...marks,
      ...sequences,
    ];
    const file = texts.map((text) => row({ nome_fantasia: text, bairro: text })).join("");
    for (const utf8 of [false, true]) {
      const found = await compare("estabelecimentos", Buffer.from(file, "latin1"), { utf8 });
      const { tally } = (found as { found: ScanResult }).found;
      const count = (rule: Rule) => tally.counts[RULE_NAMES.indexOf(rule)] as number;
      assert.ok(count("text_control") > 1_000, String(count("text_control")));
      assert.equal(count("text_windows") > 1_000, !utf8);
    }
  });

  it("fills zeros, drops duplicates, and counts contradictions like its twin", async () => {
    const random = seededRandom(SEED + 31);
    const short = (code: string) => (random() < 0.5 ? code : code.replace(/^0+(?=.)/, ""));
    const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string;
    const cnpjs = ["00000000000191", "12ABC34501DE35", "01234567000195", "11222333000181"];
    const codes = ["0111301", "4721102", "0112101", "123", "0000001"];
    const rows = Array.from({ length: 2_000 }, () => {
      const cnpj = pick(cnpjs);
      const parts = [cnpj.slice(0, 8), cnpj.slice(8, 12), cnpj.slice(12)].map(short);
      const list = Array.from({ length: Math.floor(random() * 40) }, () => short(pick(codes)));
      return row({
        ...{ cnpj_basico: parts[0] as string, cnpj_ordem: parts[1] as string },
        ...{ cnpj_dv: parts[2] as string, cnae_fiscal_secundaria: list.join(",") },
        ...{ cnae_fiscal_principal: short(pick(codes)), municipio: short("0315") },
        ...{ situacao_cadastral: short("02"), motivo_situacao_cadastral: short("01") },
        ...{ cep: short("01310100"), pais: short("023") },
      });
    });
    const found = await compare("estabelecimentos", Buffer.from(rows.join("")));
    const { tally } = (found as { found: ScanResult }).found;
    for (const rule of ["cnpj_zeros", "code_zeros", "cnae_secondary_repeated"] as const) {
      assert.ok((tally.counts[RULE_NAMES.indexOf(rule)] as number) > 100, rule);
    }
    const days = ["", "0", "00000000", "20200101", "20210101", "20990101", "2021221", "2020-01-05"];
    const simples = Array.from({ length: 2_000 }, () => {
      const option = () => [pick(["S", "N", "", "X"]), pick(days), pick(days)];
      const cells = [short("01234567"), ...option(), ...option()];
      return `${cells.map((cell) => `"${cell}"`).join(";")}\n`;
    });
    const options = await compare("simples", Buffer.from(simples.join("")));
    const counts = (options as { found: ScanResult }).found.tally.counts;
    for (const rule of ["root_zeros", "flag_excluded", "flag_not_excluded"] as const) {
      assert.ok((counts[RULE_NAMES.indexOf(rule)] as number) > 50, rule);
    }
  });

  it("removes CPFs from names of every form like its twin", async () => {
    const random = seededRandom(SEED + 20);
    const parts = ["12345678909", "12345678901", "123.456.789-09", "123 456 789 09", "ME", "mei"];
    const words = [
      ...parts,
      "(",
      ")",
      "-",
      ".",
      "BAR",
      "CPF",
      "CPF:",
      "S\u00c3O",
      "7",
      "/",
      "LTDA.",
    ];
    const name = () =>
      Array.from({ length: Math.floor(random() * 7) }, () => {
        const word = words[Math.floor(random() * words.length)] as string;
        return random() < 0.8 ? `${word} ` : word;
      }).join("");
    const names = Array.from({ length: 3_000 }, name);
    const trade = names.map((text) => row({ nome_fantasia: text })).join("");
    const legal = names.map((text) => `"11222333";"${text}";"2135";"";"";"";""\n`).join("");
    for (const [type, text] of [
      ["estabelecimentos", trade],
      ["empresas", legal],
    ] as const) {
      const found = await compare(type, Buffer.from(text, "latin1"));
      const { tally } = (found as { found: ScanResult }).found;
      const counts = RULE_NAMES.map((rule, i) => [rule, tally.counts[i]] as const);
      const removed = counts.filter(([rule]) => rule.endsWith("cpf_removed"));
      assert.ok(
        removed.some(([, count]) => (count ?? 0) > 500),
        String(removed),
      );
    }
  });

  it("skips up to the allowed number of malformed rows, each with line and reason", async () => {
    const good = row({});
    const short = '"1";"2"\n';
    const stray = good.replace('"81"', '"8"1"');
    const long = row({ nome_fantasia: "\u00e3".repeat(32_768) });
    const text = [good, short, good, stray, long, good.replace("\n", ';""\n'), good, '"open'].join(
      "",
    );
    const bytes = Buffer.from(text, "latin1");
    const { found } = (await compare("estabelecimentos", bytes, { skipBadRows: 5 })) as {
      found: ScanResult;
    };
    assert.deepEqual([found.rowsIn, found.rowsKept], [8, 3]);
    const [first, second, third] = found.tally.examples.row_malformed ?? [];
    assert.deepEqual(first, { place: "member, line 2", value: "2 columns where 30 belong" });
    assert.match(`${second?.place} ${second?.value}`, /line 4 text follows a closing quote/);
    assert.match(`${third?.place} ${third?.value}`, /line 5 a text of 65536 bytes/);
    const over = await compare("estabelecimentos", bytes, { skipBadRows: 4 });
    assert.match(
      ("refusal" in over && over.refusal) || "",
      /line 8: the file ends inside a quoted/,
    );
  });

  it("continues with the next line after a lost quote", async () => {
    const good = row({ nome_fantasia: "A\nB" });
    const bytes = Buffer.from(good.replace('"0001"', '"0001') + good + good);
    const { found } = (await compare("estabelecimentos", bytes, { skipBadRows: 9 })) as {
      found: ScanResult;
    };
    // The first row has two lines. Both are skipped: the first because of its missing quote, the
    // second because it is only the end of a row. The other two rows are kept.
    assert.equal(found.rowsKept, 2);
    assert.deepEqual(
      found.tally.examples.row_malformed?.map(({ place }) => place),
      ["member, line 1", "member, line 2"],
    );
  });

  it("ignores Ctrl-Z at the end of a file, and only there, for any cuts", async () => {
    const rows = row({}) + row({ cnpj_ordem: "0002", cnpj_dv: "62" });
    const latin = (text: string) => Buffer.from(text, "latin1");
    const whole = await compare("estabelecimentos", latin(rows));
    const open = rows.slice(0, -1);
    for (const end of ["\n\x1a", "\x1a", "\r\n\x1a\x1a", "\n\x1a\0\0\x1a\0"]) {
      const bytes = latin(open + end);
      assert.deepEqual(await compare("estabelecimentos", bytes), whole, JSON.stringify(end));
      const task = taskOf("estabelecimentos");
      const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
      assert.deepEqual(await outcome(scanNatively(task, single), task), whole);
      assert.deepEqual(await outcome(scanHere(task, single), task), whole);
    }
    const found = await compare("estabelecimentos", latin(`${open}\x1a\n${rows}`));
    assert.match("refusal" in found ? found.refusal : "", /line 2: text follows a closing quote/);
    const named = latin(row({ nome_fantasia: "A\x1aB" }));
    const task = taskOf("estabelecimentos");
    const pieces = Array.from(named, (byte) => Uint8Array.of(byte));
    assert.deepEqual(
      await outcome(scanNatively(task, pieces), task),
      await compare("estabelecimentos", named),
    );
  });

  it("rejects a record that never ends at its first extra column", async () => {
    for (const cell of ['"";', ";", '"x\n";']) {
      let pieces = 0;
      const endless = function* (): Generator<Uint8Array> {
        for (; pieces < 2000; pieces++) yield Buffer.from(cell.repeat(20_000));
      };
      const task = taskOf("estabelecimentos");
      const refusal = { refusal: "member, line 1: at least 31 columns where 30 belong" };
      assert.deepEqual(await outcome(scanNatively(task, endless()), task), refusal);
      assert.deepEqual(await outcome(scanHere(task, endless()), task), refusal);
      assert.equal(pieces, 0, "the first piece says it");
    }
  });
});
