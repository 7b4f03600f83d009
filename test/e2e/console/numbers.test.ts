/**
 * Proves, in Chromium against a real server: the user can get all numbers of a chart. Its menu
 * copies every value, saves CSV and XLSX, and opens a table with all rows. Openings and closings by
 * year, by quarter, and by month have equal totals. Municipalities are shown on a map, and the
 * whole registry can be counted too. A comparison of two groups and a cross table show the server's
 * counts, are encoded in one link, and can be saved. Only owners see the plans, without internal
 * names.
 * Does not prove the counts themselves (contract/http/api), nor colors (axe).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe } from "node:test";
import readSheets from "read-excel-file/node";
import type { PlacesAnswer } from "../../../src/console/web/app/answers.ts";
import { number } from "../../../src/console/web/app/format.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { eventually } from "../../support/console/browser.ts";
import { consoleSuite } from "../../support/console/suite.ts";
import { englishWords, portugueseWords as words } from "../../support/console/words.ts";

const { charts, numbers, compare, plans, stateMap, usage } = words;
const [SEE_ALL, COPY, CSV, XLSX] = charts.numbers;

let ana: Person;
let bia: Person;
const settings = { PENEIRA_PLANS_GROWTH_BURST: "12345" };
const { inBrowser } = consoleSuite({ settings }, async (served) => {
  ana = await served.user("ana@example.com");
  bia = await served.user("bia@example.com", "member");
  await served.key("growth");
});

interface Counted {
  readonly total: number;
  readonly facets: Record<string, { values: { value: unknown; count: number }[]; missing: number }>;
}

/** Opens the menu of a chart and chooses an entry. */
async function press({ page }: Visit, title: string, entry: string): Promise<void> {
  await page.getByRole("button", { name: charts.numbersOf(title) }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

async function copied({ page }: Visit): Promise<string[][]> {
  const read = () => page.evaluate("globalThis.lastCopied") as Promise<string | undefined>;
  await eventually(async () => assert.ok(await read()));
  return String(await read())
    .split("\n")
    .map((line) => line.split("\t"));
}

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };

describe("the menu of a chart", () => {
  inBrowser("copies and saves every value, also of the whole registry", async (open) => {
    const visit = await open(ana);
    for (const [address, spec, title, facet] of [
      ["/app#uf=SP", SP, charts.sizes, "company_size"],
      ["/app", {}, charts.overview.sections, "cnae_section"],
    ] as const) {
      await visit.go(address);
      await visit.page.evaluate("globalThis.lastCopied = undefined");
      await press(visit, title, COPY);
      const lines = await copied(visit);
      const body = { spec, facets: [facet] };
      const { total, facets } = await visit.send<Counted>("/accounts/count", body);
      assert.equal(lines[1]?.at(-2), String(total));
      const sums = lines.slice(2).map((line) => Number(line.at(-2)));
      assert.equal(
        sums.reduce((sum, one) => sum + one, 0),
        total,
      );
      assert.ok(sums.length >= (facets[facet]?.values.length ?? 0), title);
      for (const [entry, start] of [
        [CSV, "\uFEFFCampo;"],
        [XLSX, "PK"],
      ] as const) {
        const waiting = visit.page.waitForEvent("download");
        await press(visit, title, entry);
        const file = await waiting;
        assert.match(file.suggestedFilename(), /^[\p{L}-]+(-\d{4}-\d{2})?\.(csv|xlsx)$/u);
        assert.equal(readFileSync(await file.path(), "utf8").slice(0, start.length), start);
      }
    }
  });

  inBrowser("lists municipalities to the last one, and finds one of them", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP");
    await visit.page.getByRole("button", { name: charts.more }).click();
    await press(visit, charts.municipalities, SEE_ALL);
    const dialog = visit.page.getByRole("dialog");
    await dialog.getByRole("table").waitFor();
    const more = dialog.getByRole("button", { name: numbers.more(1).split(" ")[0] as string });
    while ((await more.count()) > 0) await more.first().click();
    const rows = await dialog.getByRole("row").count();
    assert.ok(rows > 100, `${rows} rows`);
    await dialog.getByRole("searchbox").fill("campinas");
    await eventually(async () => assert.ok((await dialog.getByRole("row").count()) < 5));
    await visit.page.keyboard.press("Escape");
    assert.equal(await dialog.count(), 0);
  });

  inBrowser("maps the municipalities of a state, by count and by inhabitant", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app#uf=SP");
    await page.getByRole("button", { name: charts.more }).click();
    await press(visit, charts.municipalities, charts.onMap);
    const dialog = page.getByRole("dialog");
    const { places } = await visit.getJson<PlacesAnswer>("/places?uf=SP");
    const body = { spec: SP, facets: ["municipality"] };
    const { facets } = await visit.send<Counted>("/accounts/count", body);
    const [first] = facets.municipality?.values ?? [];
    const most = places.find(({ ibge }) => ibge === first?.value);
    const rate = ((first?.count ?? 0) * 1e4) / (most?.population ?? 0);
    const map = dialog.getByRole("group", { name: stateMap.title("São Paulo") });
    const expected = [most?.name ?? "", number(first?.count ?? 0), number(rate, 1)] as const;
    const shape = map.getByRole("button", { name: stateMap.named(...expected), exact: true });
    await shape.waitFor();
    assert.equal(await map.getByRole("button").count(), places.filter(({ at }) => at).length);
    assert.equal(await map.locator("[tabindex='0']").count(), 1);
    const shades = await map.locator("[data-shade]").evaluateAll((all) => {
      return all.map((one) => one.getAttribute("data-shade"));
    });
    const shaded = shades.filter((shade) => shade !== "0");
    for (const shade of new Set(shaded)) {
      const own = shaded.filter((one) => one === shade).length;
      assert.ok(own <= shaded.length * 0.6, `${own} of ${shaded.length} have shade ${shade}`);
    }
    assert.ok(new Set(shaded).size >= 3, "shades differ");
    const legend = await dialog.getByRole("list", { name: stateMap.legend }).allInnerTexts();
    assert.match(legend.join(), /\d a [\d.]+ \(\d+ municípios?\)/);
    const rows = dialog.getByRole("row");
    const textOf = async (at: number) => (await rows.nth(at).allInnerTexts()).join();
    assert.ok((await textOf(1)).includes(expected[0]));
    await shape.focus();
    await page.keyboard.press("ArrowUp");
    assert.equal(await map.locator(":focus").count(), 1);
    assert.notEqual(await map.locator(":focus").getAttribute("data-id"), most?.ibge);
    await dialog.getByRole("radio", { name: stateMap.rate }).check();
    const rates = places.map(({ ibge, population }) => {
      const count = facets.municipality?.values.find(({ value }) => value === ibge)?.count ?? 0;
      return population === null ? 0 : (count * 1e4) / population;
    });
    const top = number(Math.max(...rates), 1);
    await eventually(async () => assert.ok((await textOf(1)).includes(top), await textOf(1)));
    const waiting = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "XLSX", exact: true }).click();
    const [table, about] = await readSheets(readFileSync(await (await waiting).path()));
    assert.equal(table?.data.length, places.length + 1);
    const cells = table?.data.find(([ibge]) => ibge === most?.ibge);
    assert.deepEqual(cells?.slice(0, 4), [most?.ibge, "SP", most?.name, first?.count]);
    assert.ok(Math.abs(Number(cells?.[4]) - rate) < 1e-6);
    assert.ok(JSON.stringify(about?.data).includes(stateMap.title("São Paulo")));
    await dialog.getByLabel(stateMap.state).selectOption("RR");
    await dialog.getByRole("group", { name: stateMap.title("Roraima") }).waitFor();
  });

  inBrowser("shows openings and closings by year, quarter, and month", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP");
    await press(visit, charts.years, SEE_ALL);
    const dialog = visit.page.getByRole("dialog");
    const closed = {
      filters: { geo: SP.filters.geo, company: { registration_status_any_of: [8] } },
    };
    for (const [event, spec] of [
      ["opened", SP],
      ["closed", closed],
    ] as const) {
      await dialog.getByRole("radio", { name: numbers.events[event] }).check();
      const { total } = await visit.send<Counted>("/accounts/count", { spec });
      for (const [period, pattern] of [
        ["year", /^\d{4}$/],
        ["quarter", /^\d{4}-Q\d$/],
        ["month", /^\p{L}+ de \d{4}$/u],
      ] as const) {
        await dialog.getByRole("radio", { name: numbers.periods[period] }).check();
        await eventually(async () => {
          const cells = await dialog.locator("tbody tr:nth-child(2) td").allTextContents();
          assert.match(cells[0] ?? "", pattern);
          const all = await dialog.locator("tbody tr:nth-child(1) td").allTextContents();
          assert.equal(all[1], number(total));
        });
        await visit.page.evaluate("globalThis.lastCopied = undefined");
        await dialog.getByRole("button", { name: numbers.copy }).click();
        const [, , ...lines] = await copied(visit);
        const sum = lines.reduce((all, line) => all + Number(line[1]), 0);
        assert.equal(sum, total, `${event} by ${period}`);
        const waiting = visit.page.waitForEvent("download");
        await dialog.getByRole("button", { name: "XLSX" }).click();
        const [counts, about] = await readSheets(readFileSync(await (await waiting).path()));
        const listed = (counts?.data ?? []).flatMap(([, time, , count]) => {
          return time === null || typeof count !== "number" ? [] : [`${time} ${count}`];
        });
        const copiedLines = lines.filter(([time]) => /^\d/.test(time ?? ""));
        assert.deepEqual(
          listed.reverse(),
          copiedLines.map(([time, count]) => `${time} ${count}`),
        );
        assert.ok(about?.data.some(([, value]) => value === "São Paulo (SP)"));
      }
    }
  });
});

interface Compared {
  readonly totals: number[];
}

describe("a comparison", () => {
  inBrowser("begins beside a search, is one link, and shows the server's numbers", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app#uf=SP");
    await page.getByRole("button", { name: words.find.compare }).click();
    await page.getByRole("heading", { level: 1, name: compare.title }).waitFor();
    await page.getByText(compare.chooseSecond).waitFor();
    const second = page.getByRole("region", { name: compare.groupNamed(2) });
    await second.getByLabel(compare.state).selectOption("RJ");
    const specs = [SP, { filters: { geo: { uf_any_of: ["RJ"] } } }];
    const { totals } = await visit.send<Compared>("/accounts/compare", { specs });
    const shown = page.locator(".compare-totals dd");
    await eventually(async () => {
      assert.deepEqual(
        (await shown.allTextContents()).slice(0, 2),
        totals.map((one) => number(one)),
      );
    });
    await page.getByLabel(compare.by).selectOption("mei");
    await page.getByRole("heading", { level: 2, name: compare.facetNames.mei }).waitFor();
    const link = page.url();
    assert.match(link, /\/app\/compare#uf=SP&versus&uf=RJ&by&mei$/);
    const rows = () => page.locator("tbody tr").allTextContents();
    const before = await rows();
    const again = await open(ana);
    await again.page.goto(link);
    await again.page.locator("tbody tr").first().waitFor();
    assert.deepEqual(await again.page.locator("tbody tr").allTextContents(), before);
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV", exact: true }).click();
    const text = readFileSync(await (await waiting).path(), "utf8");
    assert.ok(text.startsWith("\uFEFFCampo;"), text.slice(0, 40));
    assert.match(
      text.split("\r\n")[0] ?? "",
      /\(Grupo 1: São Paulo\).*\(Grupo 2: Rio de Janeiro\)/,
    );
    assert.match(text, /\r\n\r\n.*\r\nFiltros;São Paulo\r\nFiltros;Rio de Janeiro\r\n/);
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "XLSX", exact: true }).click();
    const workbook = await coming;
    assert.match(workbook.suggestedFilename(), /mei-2026-10\.xlsx$/);
    const [sheet] = await readSheets(readFileSync(await workbook.path()));
    const [heading, total] = sheet?.data ?? [];
    assert.equal(heading?.[4], "Quantidade (1)");
    assert.deepEqual([total?.[4], total?.[7]], totals);
    await page.goBack();
    await eventually(async () => assert.ok(!page.url().endsWith("mei"), page.url()));
  });

  inBrowser("of many values keeps its groups in sight, and its files have all", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app/compare#uf=SP,MG&versus&uf=RJ,BA&by&municipality");
    await page.getByText(compare.fileHasAll).waitFor();
    const away = await page.evaluate(`(() => {
      const box = document.querySelector(".numbers-scroll");
      box.scrollIntoView();
      box.scrollTo(0, 400);
      const head = box.querySelector("th[scope=colgroup]").getBoundingClientRect();
      const at = document.elementFromPoint(head.x + 20, head.y + 5);
      return [head.top - box.getBoundingClientRect().top, at.textContent];
    })()`);
    const [top, seen] = away as [number, string];
    assert.ok(Math.abs(top) < 3 && seen.startsWith(compare.groupNamed(1)), `${top} ${seen}`);
    const saved: string[] = [];
    for (const format of ["CSV", "XLSX"]) {
      const waiting = page.waitForEvent("download");
      await page.getByRole("button", { name: format, exact: true }).click();
      const file = await waiting;
      assert.match(file.suggestedFilename(), /município-2026-10\./);
      saved.push(await file.path());
    }
    const [csv = "", xlsx = ""] = saved;
    const lines = readFileSync(csv, "utf8").split("\r\n\r\n")[0]?.split("\r\n") ?? [];
    const [sheet] = await readSheets(readFileSync(xlsx));
    assert.ok(lines.length > 103, `${lines.length} lines`);
    assert.equal(sheet?.data.length, lines.length);
  });

  inBrowser("of MEI and others needs no place; a sentence makes a group", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app/compare");
    await page.getByRole("button", { name: compare.meiAndNot }).click();
    await page.locator(".compare-totals dd").first().waitFor();
    const second = page.getByRole("region", { name: compare.groupNamed(2) });
    await second.getByLabel(compare.sentence).fill("empresas de Minas Gerais");
    await second.getByRole("button", { name: compare.use }).click();
    await eventually(async () => assert.match(page.url(), /versus&.*uf=MG/));
  });

  inBrowser("of two fields is a table whose rows and columns add up", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app/compare#uf=SP&by&company_size*mei");
    const table = page.getByRole("table");
    await table.waitFor();
    const { total } = await visit.send<Counted>("/accounts/count", { spec: SP });
    const cells = await table.getByRole("row").last().getByRole("cell").allTextContents();
    assert.equal(cells.at(-1), number(total));
    const sum = cells.slice(0, -1).reduce((all, one) => all + Number(one.replace(/\D/g, "")), 0);
    assert.equal(sum, total);
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "XLSX" }).click();
    const [sheet, about] = await readSheets(readFileSync(await (await waiting).path()));
    const shown: string[][] = [];
    for (const row of await table.getByRole("row").all()) {
      shown.push(await row.locator("th, td").allTextContents());
    }
    // The page adds initials such as "(ME)" to the name of a company size.
    const plain = (cell: string) =>
      cell === "–" ? "0" : cell.replace(/(\d)\.(?=\d{3})/g, "$1").replace(/ \((ME|EPP)\)$/, "");
    assert.deepEqual(
      sheet?.data.slice(1).map((line) => line.map(String)),
      shown.slice(1).map((line) => line.map(plain)),
    );
    assert.ok(about?.data.some(([, value]) => value === "São Paulo (SP)"));
    await page.getByLabel(compare.columns).selectOption("company_size");
    await page.getByText(compare.sameFacets).waitFor();
  });
});

describe("the plans", () => {
  inBrowser("show limits in words and keys by plan, to owners", async (open) => {
    const visit = await open(ana);
    await visit.go("/app/plans");
    await visit.page.getByRole("heading", { level: 1, name: plans.title }).waitFor();
    const table = visit.page.getByRole("region", { name: plans.table });
    const names = await table.getByRole("rowheader").allTextContents();
    assert.ok(names.length > 14, names.join());
    assert.deepEqual(
      names.filter((name) => /_/.test(name)),
      [],
    );
    const keys = await table.getByRole("row").last().getByRole("cell").allTextContents();
    assert.ok(keys.includes("key of growth"), keys.join());
    const burst = table.getByRole("row", { name: usage.limitNames.burst as string });
    const bursts = (await burst.getByRole("cell").allTextContents()).filter((text) => {
      return text.includes("padrão");
    });
    assert.equal(bursts.length, 1, "one plan was changed");
    assert.match(bursts[0] ?? "", /^12\.345 \(padrão: \d+\)$/);
    await visit.page.getByText(plans.define).waitFor();
    await visit.page.getByText(plans.used, { exact: true }).waitFor();
    await visit.page.setViewportSize({ width: 390, height: 844 });
    const wide = await visit.page.evaluate(
      "(() => { const table = document.querySelector('.plans-used');" +
        "return table.scrollWidth - table.parentElement.clientWidth; })()",
    );
    assert.ok(Number(wide) <= 0, `the table of use is ${wide} px too wide on a phone`);
    const member = await open(bia);
    member.expect(403);
    await member.go("/app/plans");
    await member.page.getByRole("alert").first().waitFor();
    assert.equal(await member.page.getByRole("table").count(), 0);
  });

  inBrowser("are in English too", async (open) => {
    const visit = await open(ana, { locale: "en-US" });
    await visit.go("/app/plans");
    await visit.page.getByText(englishWords.plans.lead).waitFor();
    await visit.page.getByText(englishWords.usage.limitNames.webhooks as string).waitFor();
    assert.ok(usage.limitNames.webhooks);
  });
});
