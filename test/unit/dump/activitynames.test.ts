/**
 * Proves: names of activities have the capitals and hyphens that a person would write, even in
 * abbreviations. They equal the names in the registry's table, if present, except for a few that
 * have other words.
 * Does not prove: which code has which name, which the package defines.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { activityName, asWritten } from "../../../src/dump/activities.ts";

const TABLE = "../shared/reference/rfb_CNAECSV.csv";

/** Number of names whose words differ, because one of the sources was corrected or changed. */
const OTHER_WORDS = 27;

describe("activity names", () => {
  it("are formatted as a person would write them", () => {
    const written = {
      "COMÉRCIO VAREJISTA DE GÁS LIQUEFEITO DE PETRÓLEO (GLP)":
        "Comércio varejista de gás liquefeito de petróleo (GLP)",
      "ATIVIDADES DO CORREIO NACIONAL": "Atividades do Correio Nacional",
      "CULTIVO DE CANA DE AÇÚCAR": "Cultivo de cana-de-açúcar",
      "PENSÕES(ALOJAMENTO)": "Pensões (alojamento)",
      "PRODUTOS DE PADARIA  E CONFEITARIA": "Produtos de padaria e confeitaria",
      "ÁGUAS ENVASADAS": "Águas envasadas",
    };
    for (const [capitals, name] of Object.entries(written)) assert.equal(asWritten(capitals), name);
    assert.equal(activityName("0113000"), "Cultivo de cana-de-açúcar");
    assert.equal(activityName("0000001"), null);
  });

  it("are those of the registry's table", (t) => {
    if (!existsSync(TABLE)) return t.skip("no reference data");
    const others: string[] = [];
    for (const line of readFileSync(TABLE, "latin1").split("\n")) {
      const [, code = "", official = ""] = /^"(\d+)";"(.*)"/.exec(line) ?? [];
      const name = code === "" ? null : activityName(code);
      if (name !== null && plain(name) !== plain(official)) others.push(`${name} / ${official}`);
    }
    assert.equal(others.length, OTHER_WORDS, others.join("\n"));
  });
});

/** Returns a name with single blanks and without the hyphen after "não". */
function plain(name: string): string {
  return name.replaceAll("não-", "não ").replace(/\s+/g, " ").trim();
}
