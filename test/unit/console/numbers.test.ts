/**
 * Proves: the CSV of a table ends with an empty line and facts about the table. If there are no
 * facts, it has neither. The dialog with the numbers of opened and closed companies says which
 * statuses it counts. A single account is written in the singular ("1 estabelecimento").
 * Does not prove: the numbers themselves (e2e/console/numbers.test.ts).
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { lazyWords } from "../../../src/console/web/app/lazywords.ts";
import { switchLanguage, words } from "../../../src/console/web/app/words.ts";
import { csvOf } from "../../../src/console/web/find/charts/lines.ts";
import { countedStatus } from "../../../src/console/web/find/charts/periods.ts";
import { emptyQuery, specOf } from "../../../src/console/web/find/question.ts";

before(() => switchLanguage("pt"));

describe("a table as CSV", () => {
  const lines = { head: ["Ano", "Contagem"], body: [["2026", "7"]] };

  it("has facts below it, after an empty line", async () => {
    const file = csvOf(lines, [["Aberturas"], ["Filtros", "Situação: Ativa; SP"]]);
    const text = 'Ano;Contagem\r\n2026;7\r\n\r\nAberturas\r\nFiltros;"Situação: Ativa; SP"\r\n';
    assert.equal(await file.text(), text);
  });

  it("has nothing below it without facts", async () => {
    assert.equal(await csvOf(lines).text(), "Ano;Contagem\r\n2026;7\r\n");
  });
});

describe("openings and closings", () => {
  const numbersOf = (codes: number[]) => {
    const query = emptyQuery();
    query.filters.company.registration_status_any_of = codes;
    return { title: "", facets: ["started_year"], spec: specOf(query) };
  };

  it("say which status they count", () => {
    const { statuses } = words.value.codes;
    const { openedOf, closedOf } = lazyWords.value.numbers;
    assert.equal(countedStatus(numbersOf([2]), "opened"), openedOf(statuses[2] ?? ""));
    assert.match(countedStatus(numbersOf([2]), "opened"), /Ativa/);
    assert.equal(countedStatus(numbersOf([]), "opened"), openedOf(""));
    assert.equal(countedStatus(numbersOf([2]), "closed"), closedOf(statuses[8] ?? ""));
  });
});

describe("a municipality with one account", () => {
  it("is not named in the plural", () => {
    const { named } = lazyWords.value.stateMap;
    assert.match(named("Pontão", "1", "1,0"), /1 estabelecimento,/);
    assert.match(named("Pontão", "2", "1,0"), /2 estabelecimentos,/);
  });
});
