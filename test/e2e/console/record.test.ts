/**
 * Proves, in Chromium against a real server, the filters by public data such as sanctions, debts,
 * and owners. They are set by keyboard and mouse, shown as removable items and in the address, read
 * back from the address, and find the same accounts as the API. If the snapshot lacks the data of a
 * filter, a line says so instead. The company page shows sanctions, debts, and dates, with the date
 * of their lists. It shows owners and owned companies as a tree with links, two steps deep. Nothing
 * scrolls sideways on a phone, and axe finds nothing.
 * Does not prove: which accounts match (twin, unit/ingest).
 */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe } from "node:test";
import type { SearchPage } from "../../../src/console/web/app/answers.ts";
import { date, money, month } from "../../../src/console/web/app/format.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, heading, shows } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";
import { establishment, type MiniRow, MiniWorkspace } from "../../support/dump/mini.ts";
import { writeDebts, writeSanctions } from "../../support/dump/publiclists.ts";

const { find, record } = words;
const space = new MiniWorkspace();
after(() => space.dispose());

/** Roots of five companies. A owns B, B owns C, C owns D, and E owns A and D. */
const ROOTS = ["11222333", "22333444", "33444555", "44555666", "55666777"] as const;
const [A, B, C, D, E] = ROOTS;
const office = (root: string) => `${root}0001${cnpjCheckDigits(`${root}0001`)}`;
const dotted = (root: string) => {
  const [, a, b, c, d, e] = /^(..)(...)(...)(....)(..)$/.exec(office(root)) ?? [];
  return `${a}.${b}.${c}/${d}-${e}`;
};
const nameOf = (root: string) => `Empresa ${root} LTDA`;

function partner(owner: string, owned: string): MiniRow {
  return {
    cnpj_basico: owned,
    identificador_de_socio: "1",
    nome_socio: "EMPRESA INVENTADA",
    cnpj_cpf_do_socio: office(owner),
    qualificacao_do_socio: "22",
    data_entrada_sociedade: "20150703",
  };
}

async function importRecord(): Promise<string> {
  const source = space.write({
    empresas: ROOTS.map((root) => ({
      ...{ cnpj_basico: root, razao_social: nameOf(root).toUpperCase() },
      ...{ natureza_juridica: "2135", porte_da_empresa: "05" },
    })),
    estabelecimentos: ROOTS.map((root) =>
      establishment(office(root), root === C ? { situacao_cadastral: "08" } : {}),
    ),
    simples: [
      {
        ...{ cnpj_basico: A, opcao_pelo_simples: "N", data_opcao_pelo_simples: "20180101" },
        ...{ data_exclusao_do_simples: "20240131", opcao_pelo_mei: "N" },
      },
    ],
    socios: [partner(A, B), partner(B, C), partner(C, D), partner(E, A), partner(E, D)],
  });
  await space.import(source, "record.peneira", {
    corporatePartners: true,
    cnep: writeSanctions(space.folder, "cnep", [{ document: dotted(A) }]),
    pgfn: writeDebts(join(space.folder, "pgfn"), {
      fgts: [{ document: dotted(A), amount: "1234.56" }],
      social: [],
      other: [],
    }),
  });
  return space.path("record.peneira");
}

let ana: Person;
const recorded = await importRecord();
const suite = consoleSuite(
  {
    snapshot: ({ folder }) => {
      copyFileSync(recorded, join(folder, "record.peneira"));
      return join(folder, "record.peneira");
    },
  },
  async (served) => {
    ana = await served.user("ana@example.com");
  },
);
const { inBrowser } = suite;

async function clean(visit: Visit, name: string): Promise<void> {
  await visit.page.evaluate(AXE);
  assert.deepEqual(await findingsOf(visit, name, TAGS), []);
}

/** Asserts that the page shows what the API finds with these filters, also after a reload. */
async function finds(visit: Visit, filters: object, roots: readonly string[], text: string) {
  const spec = { filters: { geo: { uf_any_of: ["SP"] }, ...filters } };
  const page = await visit.send<SearchPage>("/accounts/search", { spec });
  assert.deepEqual(page.accounts.map(({ cnpj }) => cnpj.slice(0, 8)).sort(), [...roots]);
  await shows(visit, roots.length);
  await visit.page.reload();
  await shows(visit, roots.length);
  assert.match(decodeURIComponent(visit.page.url()), new RegExp(text));
}

describe("the filters of the record", () => {
  inBrowser("are set in the form, kept in the address, and exact", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const group = page.getByRole("button", { name: find.groups.record });
    const begin = async () => {
      await page.goto("about:blank");
      await visit.go("/app#uf=SP");
      await page.locator(".count[aria-busy=false]").waitFor();
      await group.click();
    };
    await begin();
    await page.getByText(record.lacking(record.data.ceis as string)).waitFor();
    await page.getByText(record.lacking(record.data.cepim as string)).waitFor();
    assert.equal(await page.getByLabel(record.sanctionNames.ceis).count(), 0);
    await page.getByLabel(record.sanctionNames.cnep).check();
    await finds(visit, { company: { sanction_any_of: ["cnep"] } }, [A], "sanction=cnep");
    await clean(visit, "record filters");
    await begin();
    const debt = page.getByRole("group", { name: record.debt });
    await debt.getByRole("radio", { name: find.no, exact: true }).check();
    await finds(visit, { company: { has_federal_debt: false } }, [B, C, D, E], "debt=no");
    await begin();
    const left = page.getByRole("group", { name: record.leftSimples });
    await left.getByLabel(find.openedFrom).fill("01/2024");
    await page.keyboard.press("Enter");
    const since = { simples_excluded_since: "2024-01-01" };
    await finds(visit, { company: since }, [A], "left_simples=2024-01-01\\.\\.");
    await begin();
    await page.getByLabel(record.ownedBy, { exact: true }).fill(dotted(A));
    await page.keyboard.press("Enter");
    await finds(visit, { company: { owned_by_any_of: [A] } }, [B], `owned_by=${A}`);
    await page.getByLabel(record.depth, { exact: true }).selectOption("3");
    const owned = { owned_by_any_of: [A], owned_by_depth: 3 };
    await finds(visit, { company: owned }, [B, C, D], "owned_by_depth=3");
    await begin();
    await page.getByRole("combobox", { name: record.reason, exact: true }).fill("sem");
    await page.getByRole("option").first().click();
    await finds(visit, { company: { status_reason_any_of: ["00"] } }, ROOTS, "reason=00");
    await begin();
    await page.getByLabel(find.described.missing.phone).check();
    await finds(visit, { contact: { missing_any_of: ["phone"] } }, ROOTS, "missing=phone");
  });
});

describe("a company's page", () => {
  for (const width of [1440, 390]) {
    inBrowser(`shows its record and owners, ${width} px wide`, async (open) => {
      const visit = await open(ana, { width, height: 844, dark: width === 390 });
      const { page } = visit;
      await visit.go(`/app#/empresa/${office(A)}`);
      await heading(visit, nameOf(A)).waitFor();
      const facts = page.locator(".company-facts");
      await facts.getByText(date("2024-01-31")).waitFor();
      const debt = record.debtOf(money(1234.56), find.described.debts.fgts);
      await facts.getByText(`${debt}, ${record.asOf(month("2026-06"))}`).waitFor();
      await facts
        .getByText(record.asOf(date("2026-08-01")))
        .first()
        .waitFor();
      const owners = page.getByRole("list", { name: record.owners, exact: true });
      assert.deepEqual(await owners.getByRole("link").allTextContents(), [nameOf(E)]);
      const owns = page.getByRole("list", { name: record.owns, exact: true });
      assert.deepEqual(await owns.getByRole("link").allTextContents(), [nameOf(B), nameOf(C)]);
      const scroll = "document.documentElement.scrollWidth - innerWidth";
      assert.ok(Number(await page.evaluate(scroll)) <= 0);
      await clean(visit, "the record");
      await owns.getByRole("link", { name: nameOf(B) }).click();
      await heading(visit, nameOf(B)).waitFor();
      await eventually(async () => assert.match(page.url(), new RegExp(`/empresa/${B}$`)));
      await page.goBack();
      await heading(visit, nameOf(A)).waitFor();
      await page.getByRole("link", { name: record.allOwned }).click();
      await shows(visit, 1);
      await button(page, words.commands.saveButton).waitFor();
    });
  }
});
