/**
 * Proves: official TOM and IBGE codes are parsed from their published forms, and another file is
 * rejected with the reason.
 * Does not prove: how an import uses them (municipalities.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { CommandError } from "../../../src/errors.ts";
import { readMunicipalityCodes } from "../../../src/ingest/places/municipalitytables.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-codes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Column names of the table that the Receita Federal publishes. */
const RECEITA = [
  "CÓDIGO DO MUNICÍPIO - TOM",
  "CÓDIGO DO MUNICÍPIO - IBGE",
  "MUNICÍPIO - TOM",
  "MUNICÍPIO - IBGE",
  "UF",
];

describe("a file of codes", () => {
  const write = (text: string | Buffer): string => {
    const path = join(folder, "codes.csv");
    writeFileSync(path, text);
    return path;
  };
  const refused = (text: string | Buffer): string => {
    try {
      readMunicipalityCodes(write(text));
    } catch (error) {
      assert.ok(error instanceof CommandError, String(error));
      assert.equal(error.exitCode, 2);
      return error.message;
    }
    assert.fail("not refused");
  };

  it("is parsed in its published forms", () => {
    const expected = new Map([
      ["0001", "1100106"],
      ["7107", "3550308"],
    ]);
    const forms = [
      // The table of the Tesouro Nacional has no header. Its names are padded, and some rows have
      // no municipality.
      "0001;05893631000109;GUAJARA-MIRIM   ;RO;1100106\r\n" +
        "7107;46395000000139;SAO PAULO;SP;3550308\r\n" +
        "0995;00000000000191;DEMAIS MUNICIPIOS;RO;0000000\r\n\x1a",
      // The Receita's.
      Buffer.from(
        `${RECEITA.map((name) => `"${name}"`).join(";")}\n` +
          '"0001";"1100106";"GUAJARA-MIRIM";"Guajará-Mirim";"RO"\n' +
          '"7107";"3550308";"SAO PAULO";"São Paulo";"SP"\n',
        "latin1",
      ),
      // Tables whose codes lost their leading zeros and that contain other short numbers.
      "codigo_ibge,nome,capital,codigo_uf,siafi_id,ddd\n1100106,Guajará-Mirim,0,11,1,69\n" +
        "3550308,São Paulo,0,35,7107,69\n",
    ];
    for (const text of forms) assert.deepEqual(readMunicipalityCodes(write(text)), expected);
  });

  it("is rejected with the reason", () => {
    assert.match(refused("a;b\n"), /it has no rows\. It must be CSV with a row for each municip/);
    assert.match(refused("tom;nome\n7107;x\n"), /0 of its columns have IBGE codes/);
    assert.match(refused("tom;ibge\n7107;3550308\n7107;3304557\n"), /0 of its columns have TOM/);
    assert.match(refused("tom;ibge\n7107;3550308\n1;2;3\n"), /row 3 has 3 cells/);
    assert.match(refused("<html>"), /a web page \(HTML\)/);
  });
});
