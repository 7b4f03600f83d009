/**
 * Proves: sentences that were once read as their opposite, as another place, or as something wider
 * than what they ask for are read as they are meant, or do not run.
 * Does not prove that others of their kind are; the sweeps try those (sweeps.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { isUncertain } from "../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

type Filters = AccountQuerySpec["filters"];
type Wish = (filters: Filters, spec: AccountQuerySpec) => unknown;

const simples: Wish = ({ company }) => company.simples_opt_in;
const mei: Wish = ({ company }) => company.mei_opt_in;
const sizes: Wish = ({ company }) => company.company_size_code_any_of;
const counts: Wish = ({ company }) => [company.establishments_min, company.establishments_max];
const capital: Wish = ({ company }) => company.share_capital_min;
const opened: Wish = ({ company }) => [company.started_after, company.started_before];
const states: Wish = ({ geo }) => geo.uf_any_of;
const cities: Wish = ({ geo }) => geo.municipality_ibge_any_of;
const postal: Wish = ({ geo }) => geo.postal_code_prefix_any_of;
const districts: Wish = ({ geo }) => geo.district_any_of?.map(({ name }) => name);
const natures: Wish = ({ company }) => company.legal_nature_any_of;
const activities: Wish = ({ industry }) =>
  industry.cnae_any_of
    .map((code) => code.replace(/[-/]/g, ""))
    .sort()
    .slice(0, 2);
const mobile: Wish = ({ contact }) => contact.require_mobile;
const email: Wish = ({ contact }) => contact.require_email;
const limit: Wish = (_, spec) => spec.limit;
const order: Wish = (_, { sort }) =>
  sort.map(({ field, direction }) => (direction === "desc" ? `-${field}` : field));
const domain: Wish = ({ contact }) => contact.require_own_domain;

/** A sentence, what is asked of its filters, and the answer. */
const READ: readonly (readonly [text: string, wish: Wish, answer: unknown])[] = [
  ["padarias em SP que não pode ser optante do simples", simples, false],
  ["padarias em SP que não podem ser MEI", mei, false],
  ["bakeries in SP that must not be MEI", mei, false],
  ["bakeries in SP that cannot be on Simples", simples, false],
  ["bakeries larger than micro in SP", sizes, ["03", "05"]],
  ["padarias maiores que microempresas em SP", sizes, ["03", "05"]],
  ["lojas de ropas em Curitiba", activities, ["4781400"]],
  ["tiendas de ropas en Recife", activities, ["4781400"]],
  ["biggest bakeries first in SP", order, ["-share_capital"]],
  ["oldest pharmacies in SP first", order, ["started_on"]],
  ["padarias mais novas em SP primeiro", order, ["-started_on"]],
  ["redes de farmácia com mais de 2 e menos de 10 lojas", counts, [3, 9]],
  ["redes de farmácia com pelo menos 3 mas menos de 10 unidades", counts, [3, 9]],
  ["padarias c/ + de 2 unidades", counts, [3, undefined]],
  ["farmacias con más de 5 locales en Bahia", counts, [6, undefined]],
  ["padarias com capital acima de 1e309", capital, undefined],
  ["padarias com capital acima de 1e5", capital, 100_000],
  ["padarias com capital acima de -5 mil", capital, undefined],
  ["padarias em 2020 baixadas", opened, [null, null]],
  ["padarias abertas em 2020 baixadas", opened, ["2020-01-01", "2021-01-01"]],
  ["padarias abertas de mar a jun/2025", opened, ["2025-03-01", "2025-07-01"]],
  ["bakeries opened between march and june 2025", opened, ["2025-03-01", "2025-07-01"]],
  ["oficinas em ribeirao", cities, ["3543402"]],
  ["oficinas em Ribeirão PE", cities, ["2611804"]],
  ["hotéis em Aparecida do Norte", cities, ["3502507"]],
  ["panaderías en San Pablo", cities, ["3550308"]],
  ["panaderías en San Bernardo", cities, ["3548708"]],
  ["academias no Rio de Janeiro estado", states, ["RJ"]],
  ["academias no Rio de Janeiro estado", cities, []],
  ["bakeries with postal codes starting with 69", postal, ["69"]],
  ["bakeries in zip codes that begin with 80", postal, ["80"]],
  ["panaderías en el barrio Centro, Curitiba", districts, ["centro"]],
  ["panaderías con dominio de correo propio en Bahia", domain, true],
  ["me dá 50 dentistas em Londrina", limit, 50],
  ["associações sem fins lucrativos em Recife", natures, ["3999"]],
  ["non-profit associations in Recife", natures, ["3999"]],
  ["limited companies that make shoes in Franca", activities, ["1531901", "1532700"]],
  ["companies that install solar panels in Ceará", activities, ["4321500"]],
  ["businesses that rent heavy machinery in Pará", activities, ["7732201"]],
  ["farms growing soybeans in Mato Grosso", activities, ["0115600"]],
  ["wholesale food distributors in Contagem", activities, ["4639701"]],
  ["asociaciones sin fines de lucro en Recife", natures, ["3999"]],
  ["indústrias do setor metalmecânico na serra gaúcha", activities, ["2411300", "2412100"]],
  ["pizzaria zona norte de sp", cities, ["3550308"]],
  ["desentupidora 24 horas zona leste sp", cities, ["3550308"]],
  ["contabilidades em Campinas que não sejam mei nem me", sizes, ["00", "03", "05"]],
  ["empresas com email que não seja gmail em Boa Vista RR", domain, true],
  ["foreign companies in São Paulo", natures, ["2178"]],
  ["quero abrir uma padaria, tem quantas em Bauru?", cities, ["3506003"]],
  ["startups de biotecnologia em Campinas", activities, ["7210000"]],
  ["farmacias em ctba q n sejam mei, c/ tel", mei, false],
  ["estúdio de tatuagem sjc", cities, ["3549904"]],
  ["accounting firms in Recife, email and phone required", email, true],
  ["beef cattle ranches in Pará", activities, ["0151201"]],
  ["consultórios de nutricionista em Natal", activities, ["8650002"]],
  ["restaurants in Recife with cell phone numbers", mobile, true],
  ["pharmacies in the interior of São Paulo state", states, []],
  ["hotels near Florianópolis within 30 km", states, []],
];

/** Sentences that name a place which nobody knows: nothing wider runs. */
const UNCERTAIN = [
  "pizzarias vila mariana",
  "lanchonete jardim america",
  "estacionamentos centro sp",
  "restaurantes no centro",
];

/** Sentences of which a word looks like such a place. */
const CERTAIN = [
  "mercadinho de bairro em Recife",
  "jardim de infância em Curitiba",
  "padarias em Vila Velha",
  "oficinas em Jardim de Piranhas",
];

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

describe("what was misread once", () => {
  for (const [text, wish, answer] of READ) {
    it(`is read as meant: ${text} (${JSON.stringify(answer)})`, () => {
      const spec = probe.spec(text);
      assert.deepEqual(wish(spec.filters, spec), answer);
      assert.ok(!isUncertain(spec.explain.confidence), `${spec.explain.confidence}`);
    });
  }

  it("is a district behind an article where a capital has more of it than a town", () => {
    const town = (text: string) => probe.spec(text).filters.geo.municipality_ibge_any_of;
    for (const [name, article] of [
      ["Liberdade", "na"],
      ["Bom Retiro", "no"],
      ["São Cristóvão", "no"],
    ] as const) {
      const [ibge] = town(`padarias em ${name}`) as string[];
      assert.ok(ibge, name);
      const led = probe.spec(`padarias ${article} ${name}`);
      assert.notDeepEqual(led.filters.geo.municipality_ibge_any_of, [ibge], name);
      const found = led.filters.geo.district_any_of !== undefined;
      assert.ok(found || isUncertain(led.explain.confidence), name);
    }
    assert.deepEqual(town("padarias no Recife"), ["2611606"]);
  });

  for (const [list, uncertain] of [
    [UNCERTAIN, true],
    [CERTAIN, false],
  ] as const) {
    for (const text of list) {
      it(`${uncertain ? "does not run" : "runs"}: ${text}`, () => {
        assert.equal(isUncertain(probe.spec(text).explain.confidence), uncertain);
      });
    }
  }
});
