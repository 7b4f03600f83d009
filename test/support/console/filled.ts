/**
 * A console with something to show in every view, and the address of each.
 * Invariant: every view of the router has an address here, including the pages of a company, a
 * list, and the new results of a saved search. Names are long, like those of real users.
 */
import type { SearchPage } from "../../../src/console/web/app/answers.ts";
import type { AccountList } from "../../../src/console/web/app/listanswers.ts";
import { VIEW_NAMES, type ViewName } from "../../../src/console/web/app/router.ts";
import type { Visit } from "./browser.ts";

const FILTERS = { filters: { geo: { uf_any_of: ["SP"] } } };

/** The list and pages that were made. */
export interface Filled {
  /** A list with two entries, one of which is not in the data. */
  readonly list: AccountList;
  /** A page with one account. */
  readonly page: SearchPage;
  /** Every view with its address. */
  readonly views: readonly (readonly [name: string, path: string])[];
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
  const views = VIEW_NAMES.map((name) => [name, special[name] ?? `/app/${name}`] as const);
  const more = [
    ["the start", "/app"],
    ["a list", `/app/lists#${list.id}`],
    ["a cross table", "/app/compare#uf=SP&by&mei*company_size"],
  ] as const;
  return { list, page, views: [...views, ...more] };
}

/** Goes to a view from an empty page, because a change of the hash alone loads none, and waits. */
export async function arrive({ page, base }: Visit, path: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(base + path, { waitUntil: "load" });
  await page.locator("main h1").first().waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
}
