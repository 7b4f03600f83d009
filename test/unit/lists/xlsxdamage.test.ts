/**
 * Proves: damaged, forged, and huge XLSX files are always refused in bounded time with a
 * message that names the place, wherever their bytes or their XML are wrong.
 * Does not prove: how good files are read (xlsxupload.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Formats, SheetReader } from "../../../src/lists/xlsx/sheet.ts";
import { TextTable } from "../../../src/lists/xlsx/workbook.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import { unreadableXlsx } from "../../support/lists/unreadable.ts";
import { packed, partsOf, type SheetDraft, text, workbook } from "../../support/lists/workbooks.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

const A = "11222333000181";
const B = `12ABC34501DE${cnpjCheckDigits("12ABC34501DE")}`;
/** 14 May 2026. */
const DAY = "46156";

const sheet = (rows: SheetDraft["rows"]): SheetDraft => ({ name: "Plan1", rows });

/** The sheets of a small, valid workbook. */
const GOOD = [sheet([[text("cnpj")], [text(A)], [{ number: DAY, style: 2 }], [text(B, "rich")]])];

describe("damaged files", () => {
  it("are refused with a message, for wrong bytes anywhere", async () => {
    const good = await workbook(GOOD);
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= 600; seed++) {
      const draw = new Draw(seededRng(seed));
      let file = Buffer.from(good);
      for (let left = draw.of([1, 1, 3, 20]); left > 0; left--) {
        const at = draw.below(file.length);
        if (draw.chance(0.1)) file = file.subarray(0, at + 1);
        else if (draw.chance(0.2)) file.fill(255, at, Math.min(file.length, at + 4));
        else file[at] = draw.below(256);
      }
      const outcome = (await outcomeOf(file)) === "" ? "read" : "refused";
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assert.ok((outcomes.get("refused") ?? 0) > 300, JSON.stringify([...outcomes]));
  });

  it("are refused with a message, for any XML", async () => {
    const signs = ["<", ">", '"', "&", "/", "<c", "</c>", "<v>", "]]>", "<![CDATA[", "<!--", "\0"];
    let refused = 0;
    for (let seed = 1; seed <= 600; seed++) {
      const draw = new Draw(seededRng(seed));
      const parts = partsOf(GOOD);
      const path = draw.of([...parts.keys()]);
      const xml = parts.get(path) as string;
      const [from, to] = [draw.below(xml.length), draw.below(xml.length)].sort((a, b) => a - b);
      const cut = draw.chance(0.5) ? from : to;
      parts.set(path, xml.slice(0, from) + draw.of([...signs, ""]) + xml.slice(cut));
      if ((await outcomeOf(await packed(parts))) !== "") refused++;
    }
    assert.ok(refused > 200, `${refused} were refused`);
  });

  async function outcomeOf(file: Buffer): Promise<string> {
    const begun = performance.now();
    const message = await unreadableXlsx(file);
    const ms = performance.now() - begun;
    assert.ok(ms < 5_000, `${ms} ms`);
    return message;
  }

  const edits: Readonly<Record<string, readonly [string, string | RegExp, string, RegExp]>> = {
    "a document type": [
      "xl/worksheets/sheet1.xml",
      "<!-- <c> -->",
      "<!DOCTYPE x>",
      /document type/,
    ],
    "an entity of its own": ["xl/sharedStrings.xml", "cnpj", "&lol;", /unknown entity &lol;/],
    "another encoding": ["xl/sharedStrings.xml", "UTF-8", "UTF-16", /not in UTF-8/],
    "a text that is not there": [
      ...(["xl/worksheets/sheet1.xml", /<v>1<\/v>/, "<v>99</v>"] as const),
      /Cell A2 of sheet “Plan1”: its text is not in the workbook's table/,
    ],
    "a kind that no cell has": [
      ...(["xl/worksheets/sheet1.xml", 'r="A2" t="s"', 'r="A2" t="zz"'] as const),
      /Cell A2 of sheet “Plan1”: it is of a kind/,
    ],
    "a cell twice": [
      ...(["xl/worksheets/sheet1.xml", "</row>", '<c r="A1"><v>1</v></c></row>'] as const),
      /Cell A1 of sheet “Plan1”: it is there twice/,
    ],
    "a row behind the last one": [
      ...(["xl/worksheets/sheet1.xml", '<row r="3"', '<row r="1048577"'] as const),
      /a row without a number/,
    ],
    "a column behind the last one": [
      ...(["xl/worksheets/sheet1.xml", 'r="A2"', 'r="XFE2"'] as const),
      /row 2: a cell has no place/,
    ],
    "a sheet that is missing": [
      "xl/workbook.xml",
      'r:id="rId1"',
      'r:id="rId9"',
      /“Plan1”: it is mis/,
    ],
    "a path out of the package": [
      ...(["xl/_rels/workbook.xml.rels", "worksheets/sheet1.xml", "../../../etc/passwd"] as const),
      /etc\/passwd: it is missing/,
    ],
    "tags that lie too deep": [
      ...(["xl/sharedStrings.xml", "<t xml", `${"<a>".repeat(100)}<t xml`] as const),
      /too deep/,
    ],
  };
  for (const [what, [path, from, to, words]] of Object.entries(edits)) {
    it(`with ${what} are refused by name`, async () => {
      const parts = partsOf(GOOD);
      const changed = (parts.get(path) as string).replace(from, to);
      assert.notEqual(changed, parts.get(path));
      parts.set(path, changed);
      assert.match(await unreadableXlsx(await packed(parts)), words);
    });
  }

  it("that would unpack to more than fits are refused before unpacking", async () => {
    const good = await workbook(GOOD);
    const file = forgedSize(good, "xl/worksheets/sheet1.xml", 600 * 1024 * 1024);
    assert.match(await unreadableXlsx(file), /more than 512 MiB\. Keep only the column of CNPJs/);
    // The part is longer than its declared size, so unpacking stops at that size.
    const mismatch = forgedSize(good, "xl/worksheets/sheet1.xml", 100);
    assert.match(await unreadableXlsx(mismatch), /sheet1\.xml: .*damaged|damaged/);
  });

  it("with bytes that are not UTF-8 are refused with the place", async () => {
    const parts = partsOf(GOOD);
    const path = "xl/worksheets/sheet1.xml";
    const at = (parts.get(path) as string).indexOf(
      "<",
      (parts.get(path) as string).indexOf('"A3"'),
    );
    const bytes = Buffer.from(parts.get(path) as string);
    bytes[at - 1] = 0xff;
    const file = await packed(new Map([...parts, [path, bytes as unknown as string]]));
    const byte = at.toLocaleString("en");
    const place = new RegExp(`^Sheet “Plan1”, row 3: byte ${byte} of it is not UTF-8`);
    assert.match(await unreadableXlsx(file), place);
  });

  it("with more rows than a sheet has are refused, even if they have one number", () => {
    const parts = { texts: new TextTable(), formats: new Formats([], false) };
    const reader = new SheetReader("S", parts, { wants: () => true, row: () => {} });
    const fill = () => {
      for (let count = 0; count <= 1_048_576; count++) {
        reader.open("row", { r: "7" });
        reader.close("row");
      }
    };
    assert.throws(fill, /it has more than 1,048,576 rows, empty ones included\. Delete the empty/);
  });

  it("with more texts than fit are refused", async () => {
    const parts = partsOf(GOOD);
    const xml = parts.get("xl/sharedStrings.xml") as string;
    parts.set("xl/sharedStrings.xml", xml.replace("</sst>", `${"<si/>".repeat(4_194_304)}</sst>`));
    assert.match(await unreadableXlsx(await packed(parts)), /more than 4,194,304 texts/);
  });

  it("of other programs are named by their kind", async () => {
    const old = Buffer.from("d0cf11e0a1b11ae1", "hex");
    assert.match(await unreadableXlsx(old), /an old workbook \(XLS\), or one with a password/);
    const open = new Map([["mimetype", "application/vnd.oasis.opendocument.spreadsheet"]]);
    assert.match(await unreadableXlsx(await packed(open)), /an OpenDocument \(ODS\)/);
    assert.match(await unreadableXlsx(Buffer.from("nome;cnpj\n")), /no XLSX workbook/);
    assert.match(await unreadableXlsx(Buffer.alloc(0)), /no XLSX workbook/);
  });
});

/** Returns the file with another size of a part in its ZIP directory. */
function forgedSize(file: Buffer, path: string, bytes: number): Buffer {
  const forged = Buffer.from(file);
  const named = forged.lastIndexOf(path);
  forged.writeUInt32LE(bytes, named - 46 + 24);
  return forged;
}
