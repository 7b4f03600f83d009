/**
 * Fills a console so that every view has content. Output: the address of each view, and a selector
 * for its content.
 * Invariant: every view of the router has an address here, including the pages of a company, a
 * list, and the new results of a saved search. Names are long, like those of real users.
 */
import assert from "node:assert/strict";
import type { SearchPage } from "../../../src/console/web/app/answers.ts";
import type { AccountList } from "../../../src/console/web/app/listanswers.ts";
import { VIEW_NAMES, type ViewName } from "../../../src/console/web/app/router.ts";
import { eventually, type Visit } from "./browser.ts";
import { englishWords, portugueseWords } from "./words.ts";

const FILTERS = { filters: { geo: { uf_any_of: ["SP"] } } };

/** Selectors that match the content of each view after its rows or its answer have loaded. */
const CONTENT: Readonly<Record<ViewName, string>> = {
  find: "[role=grid] [data-row='0']",
  company: ".company-list li",
  exports: ".record a[download]",
  saved: ".record",
  news: ":is(.empty, .news-none, .news-list)",
  lists: ".lists-record",
  enrich: ".enrich-drop",
  webhooks: ".record",
  keys: "tbody tr",
  usage: ".usage-figures",
  members: "tbody tr",
  audit: "tbody tr",
  plans: ".plans-table tbody tr",
  compare: ".compare-totals",
  account: ".lines li",
  help: ".help-task",
};

/** A view in one of its states. */
export interface FilledView {
  readonly name: string;
  readonly view: ViewName;
  readonly path: string;
  /** Selector of its content. */
  readonly content: string;
}

/** The objects that were created, and the addresses of the views. */
export interface Filled {
  /** A list with two entries. One of them is not in the snapshot. */
  readonly list: AccountList;
  /** A page of search results with one account. */
  readonly page: SearchPage;
  readonly views: readonly FilledView[];
}

let filled = 0;

/** Makes a list, an export, a saved search, a key, and a webhook. */
export async function fill(visit: Visit): Promise<Filled> {
  const spec = { ...FILTERS, output: { fields: ["cnpj", "legal_name", "municipality_name"] } };
  const page = await visit.send<SearchPage>("/accounts/search", { spec, limit: 1 });
  const { list } = await visit.send<{ list: AccountList }>("/lists", {
    name: `Clientes que não queremos contatar de novo antes de dezembro, ${++filled}`,
  });
  const cnpj = page.accounts[0]?.cnpj as string;
  await visit.send(`/lists/${list.id}/entries`, { cnpjs: [cnpj, "11222333000181"] });
  const output = { format: "xlsx", title: "Padarias com telefone e e-mail próprios em São Paulo" };
  await visit.send("/exports", { spec: FILTERS, output });
  const text = `restaurantes e lanchonetes com telefone celular em São Paulo ${filled}`;
  const search = await visit.send<{ search: { id: string } }>("/searches", {
    ...{ name: text, text, spec: FILTERS },
  });
  await visit.send("/keys", { name: `CRM da filial de Campinas ${filled}` });
  await visit.send("/webhooks", { url: `https://example.com/a/long/path/of/a/hook/${filled}` });
  const special: Partial<Record<ViewName, string>> = {
    find: "/app#uf=SP",
    company: `/app#/empresa/${cnpj}`,
    news: `/app/news#${search.search.id}`,
    compare: "/app/compare#uf=SP&versus&uf=RJ&by&mei",
    help: "/app#/ajuda",
  };
  const views = VIEW_NAMES.map((view): FilledView => {
    const content = CONTENT[view];
    return { name: view, view, path: special[view] ?? `/app/${view}`, content };
  });
  const counted = ".overview[data-busy='false'][data-blank='false']";
  const more: readonly FilledView[] = [
    { name: "the start", view: "find", path: "/app", content: counted },
    {
      ...{ name: "a list", view: "lists", path: `/app/lists#${list.id}` },
      content: ".lists-entries > li",
    },
    {
      ...{ name: "a cross table", view: "compare" },
      path: "/app/compare#uf=SP&by&company_size*cnae_section",
      content: ".numbers-table tbody tr",
    },
  ];
  return { list, page, views: [...views, ...more] };
}

/**
 * Shows a view: goes there, and waits until it has loaded. Fails on the sign-in page, on another
 * view, and without its heading or content.
 */
export async function show(visit: Visit, { view, path, content }: FilledView): Promise<void> {
  const { page } = visit;
  await arrive(visit, path);
  await eventually(async () => {
    const language = await page.evaluate("document.documentElement.lang");
    const { shell } = language === "en" ? englishWords : portugueseWords;
    assert.equal(await page.title(), `${shell.views[view]} · ${shell.product}`);
  });
  const main = page.locator(`main.main-${view}`);
  assert.notEqual(await main.locator("h1").first().innerText(), "");
  await main.locator(content).first().waitFor();
  await eventually(async () => assert.equal(await main.locator(".skeleton").count(), 0));
}

/** Opens a view from an empty page and waits for it. A change of the hash loads no page. */
export async function arrive({ page, base }: Visit, path: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(base + path, { waitUntil: "load" });
  await page.locator("main h1").first().waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
}
