/**
 * Proves: tenants that upload workbooks take turns. While many large workbooks of one tenant wait,
 * another tenant's small and large workbooks are read before the rest of these. The number of a
 * tenant's waiting files is limited. A workbook that has used its processor time is refused. Both
 * refusals have a message. A file that unpacks to more than it declares is refused. Does not prove:
 * the order of tenants (process/fairqueue.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { readXlsx } from "../../../src/lists/upload.ts";
import { XlsxPackage, XlsxRefusal } from "../../../src/lists/xlsx/package.ts";
import { readXlsxColumn } from "../../../src/lists/xlsx/xlsxcolumn.ts";
import { packed, partsOf, text, workbook } from "../../support/lists/workbooks.ts";

const SHEET = "xl/worksheets/sheet1.xml";
const GOOD = [{ name: "Plan1", rows: [[text("11222333000181")]] }];
const OPTIONS = { fillZeros: false, column: undefined };

/**
 * Returns a workbook whose sheet contains this many XML comments of 1 MiB. Packing reduces it to a
 * thousandth of its size.
 */
async function commented(mebibytes: number): Promise<Buffer> {
  const parts = partsOf(GOOD);
  const comments = `<!--${"x".repeat(1024 * 1024 - 128)}--><c/>`.repeat(mebibytes);
  parts.set(
    SHEET,
    (parts.get(SHEET) as string).replace("<sheetData>", `<sheetData><row r="1">${comments}</row>`),
  );
  return packed(parts);
}

/** Returns a workbook that counts as large only because of a part that is never read. */
function padded(): Promise<Buffer> {
  return packed(partsOf(GOOD).set("xl/media/image1.bmp", "x".repeat(9 * 1024 * 1024)));
}

describe("a workbook", () => {
  it("that is small is read while large ones of another tenant are", async () => {
    const [large, small] = [await commented(10), await workbook(GOOD)];
    const ended: string[] = [];
    const read = (file: Buffer, sender: string) =>
      readXlsx(file, OPTIONS, sender).then(({ read: entries }) => {
        assert.equal(entries, 1);
        ended.push(sender);
      });
    const all = Array.from({ length: 3 }, () => read(large, "many"));
    await Promise.all([...all, read(small, "small")]);
    assert.equal(ended[0], "small");
  });

  it("that is large is read with the first of another tenant, not after all", async () => {
    const large = await padded();
    const ended: string[] = [];
    const read = (sender: string) =>
      readXlsx(large, OPTIONS, sender).then(() => ended.push(sender));
    await Promise.all([...Array.from({ length: 8 }, () => read("many")), read("one")]);
    assert.ok(ended.indexOf("one") <= 1, ended.join());
  });

  it("is refused if too many of its tenant wait, while those of others are accepted", async () => {
    const large = await padded();
    const outcome = (sender: string) =>
      readXlsx(large, OPTIONS, sender).then(
        () => "read",
        (error: unknown) => {
          assert.ok(error instanceof AppError, String(error));
          assert.match(error.message, /Workbooks of your tenant wait already/);
          return `${error.code} ${error.headers["Retry-After"]}`;
        },
      );
    const many = Array.from({ length: 20 }, () => outcome("many"));
    assert.equal(await outcome("one"), "read");
    const outcomes = await Promise.all(many);
    assert.equal(outcomes.filter((one) => one === "read").length, 17);
    assert.equal(outcomes.filter((one) => one === "rate_limited 1").length, 3);
  });

  it("that takes too much processor time is refused with the remedy", async () => {
    let chunks = 0;
    const file = await XlsxPackage.open(await commented(10), () => () => {
      chunks++;
      return 3_000;
    });
    await assert.rejects(
      readXlsxColumn(file, undefined, () => {}),
      (error: unknown) => {
        assert.ok(error instanceof XlsxRefusal);
        const words = /^The workbook: .* more than 30 seconds of processor time\. .* as CSV/;
        assert.match(error.message, words);
        return true;
      },
    );
    assert.equal(chunks, 11);
  });

  it("that unpacks to more than it declares is refused", async () => {
    const file = await commented(1);
    let forged = 0;
    // Changes the sheet's size in its directory entry.
    for (let at = file.indexOf("PK\x01\x02"); at >= 0; at = file.indexOf("PK\x01\x02", at + 4)) {
      if (file.readUInt32LE(at + 24) < 1_000_000) continue;
      file.writeUInt32LE(1_000, at + 24);
      forged++;
    }
    assert.equal(forged, 1);
    const reading = readXlsx(file, OPTIONS, "forger");
    await assert.rejects(reading, /damaged/);
  });
});
