/**
 * Guards against former errors: sentences that were read as their opposite, as another place, or as
 * a wider request. Proves that each of these sentences has the right filters, or does not run. Does
 * not prove the same of similar sentences, which sweeps.test.ts tries in many combinations.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

type Filters = AccountQuerySpec["filters"];
type Condition = (filters: Filters, spec: AccountQuerySpec) => unknown;

const simples: Condition = ({ company }) => company.simples_opt_in;
const mei: Condition = ({ company }) => company.mei_opt_in;
const sizes: Condition = ({ company }) => company.company_size_code_any_of;
const counts: Condition = ({ company }) => [company.establishments_min, company.establishments_max];
const capital: Condition = ({ company }) => company.share_capital_min;
const opened: Condition = ({ company }) => [company.started_after, company.started_before];
/** Returns the requested states, or their number if there are more than nine. */
const states: Condition = ({ geo: { uf_any_of: all } }) => (all.length > 9 ? all.length : all);
const cities: Condition = ({ geo }) => geo.municipality_ibge_any_of;
const postal: Condition = ({ geo }) => geo.postal_code_prefix_any_of;
const districts: Condition = ({ geo }) => geo.district_any_of?.map(({ name }) => name);
const natures: Condition = ({ company }) => company.legal_nature_any_of;
const activities: Condition = ({ industry }) =>
  industry.cnae_any_of
    .map((code) => code.replace(/[-/]/g, ""))
    .sort()
    .slice(0, 2);
const mobile: Condition = ({ contact }) => contact.require_mobile;
const email: Condition = ({ contact }) => contact.require_email;
const limit: Condition = (_, spec) => spec.limit;
const order: Condition = (_, { sort }) =>
  sort.map(({ field, direction }) => (direction === "desc" ? `-${field}` : field));
const domain: Condition = ({ contact }) => contact.require_own_domain;
const shared: Condition = ({ contact }) => contact.email_shared_max;
const phone: Condition = ({ contact }) => contact.require_phone;
const landline: Condition = ({ contact }) => contact.require_landline;
const names: Condition = ({ industry }) => industry.text_hints;
const out: Condition = ({ industry }) =>
  industry.cnae_exclude.map((code) => code.replace(/\D/g, ""));
const secondary: Condition = ({ industry }) =>
  industry.cnae_secondary_any_of?.map((code) => code.replace(/\D/g, ""));
const most: Condition = ({ company }) => company.share_capital_max;
const branches: Condition = ({ company }) => company.branches_only;
const heads: Condition = ({ company }) => company.headquarters_only;
const statuses: Condition = ({ company }) => company.registration_status_any_of;
/**
 * Returns the number of requested municipalities. An exclusion requests all municipalities of a
 * state but the excluded ones.
 */
const many: Condition = ({ geo }) => geo.municipality_ibge_any_of.length;

/** A sentence, a function that reads a value from its filters, and the expected value. */
const READ: readonly (readonly [text: string, condition: Condition, answer: unknown])[] = [
  ["padarias em SP que não pode ser optante do simples", simples, false],
  ["padarias em SP que não podem ser MEI", mei, false],
  ["bakeries in SP that must not be MEI", mei, false],
  ["bakeries in SP that cannot be on Simples", simples, false],
  ["bakeries larger than micro in SP", sizes, ["03", "05"]],
  ["padarias maiores que microempresas em SP", sizes, ["03", "05"]],
  ["lojas de ropas em Curitiba", activities, ["4781400"]],
  ["empresas com DDD 11 e celular", mobile, true],
  ["empresas com DDD 11 e celular", activities, []],
  ["empresas em Recife e celular", mobile, true],
  ["empresas em Recife e celular", activities, []],
  ["empresas com CEP 01310 e celular", mobile, true],
  ["empresas com CEP 01310 e celular", activities, []],
  ["empresas com DDD 21 e site", activities, []],
  ["padarias em Recife, e-mail e celular", email, true],
  ["companies in Recife and mobile", mobile, true],
  ["tiendas en Recife y celular", mobile, true],
  ["lojas de celular em Recife", activities, ["4752100"]],
  ["lojas de celular em Recife", mobile, undefined],
  ["venda de celulares e acessórios em Recife", activities, ["4752100"]],
  ["empresas em Recife, celulares e acessórios", activities, ["4752100"]],
  ["empresas em Recife e lojas de celular", activities, ["4752100"]],
  ["padarias e lojas de celular", activities, ["1091102", "4721102"]],
  ["conserto de celular em Recife e celular", mobile, true],
  ["conserto de celular em Recife e celular", activities, ["9512600"]],
  ["empresas de T.I. em Recife", activities, ["6201501", "6202300"]],
  ["empresas de R.H. em S.P.", states, ["SP"]],
  ["padarias M.E. ou E.P.P. em Recife", sizes, ["01", "03"]],
  ["padarias no P.R. Com telefone", phone, true],
  ["padarias E.I. em Recife", natures, ["2135"]],
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
  // "e" after an exclusion may begin a separate condition, as in these sentences.
  ["academias em Sorocaba fora do Simples e capital acima de 50 mil", capital, 50_000],
  ["academias em Sorocaba não MEI e capital acima de 50 mil", most, undefined],
  ["restaurants in MG without branches and share capital over 100k", capital, 100_000],
  ["academias em SP exceto MEI e do Simples", simples, true],
  ["academias em SP exceto MEI, optantes do Simples", simples, true],
  ["academias em SP exceto MEI e filiais", heads, true],
  ["restaurantes em MG menos Belo Horizonte e optantes do Simples", simples, true],
  ["restaurantes em MG menos Belo Horizonte e de pequeno porte", sizes, ["03"]],
  ["restaurantes em MG fora do Simples e de grande porte", sizes, ["05"]],
  ["restaurantes en MG sin MEI y pequeñas", sizes, ["03"]],
  ["restaurantes em MG fora do simples e matriz", branches, undefined],
  ["restaurantes em MG fora do Simples e do MEI", mei, false],
  ["restaurantes não MEI e LTDA em MG", natures, ["2062"]],
  ["que não sejam MEI e dentistas e em Recife", activities, ["8630504"]],
  ["clínicas em SP exceto MEI e dentistas", out, ["8630504"]],
  ["restaurantes em MG tirando as MEI e as de capital acima de 1 milhão", most, 1_000_000],
  ["restaurantes no Paraná exceto Curitiba, Londrina", many, 397],
  ["lojas no Nordeste exceto Bahia, Ceará", states, ["AL", "MA", "PB", "PE", "PI", "RN", "SE"]],
  ["restaurantes no Paraná exceto Curitiba sem MEI", mei, false],
  ["padarias em PR exceto Curitiba EPP", sizes, ["03"]],
  ["padarias em SP exceto MEI, filiais, inaptas", statuses, [1, 2, 3, 8]],
  ["padarias que não estão fora do Simples em SP", simples, true],
  ["padarias em SP, pode ser MEI", mei, null],
  // Difficult sentences: one word could belong to two conditions, or two words to one.
  ["advogados em Santos que não usam email do contador", activities, ["6911701"]],
  ["advogados em Santos que não usam email do contador", shared, 1],
  ["whatsapp do responsável financeiro de padarias em SP", activities, ["1091102", "4721102"]],
  ["padarias em Recife com sócio chamado José", names, []],
  ["empresas ativas em Recife com e-mail, sem dono chamado Zebulon", email, true],
  ["padarias em Recife com sócios maiores de 60 anos", opened, [null, null]],
  ["padarias em SP com telefone, mas não celular", out, []],
  ["padarias em SP que não são de rede", counts, [undefined, 1]],
  ["pharmacies in Ceará that are not chains", counts, [undefined, 1]],
  ["restaurantes com lanchonete como atividade secundária em Teresina", secondary, ["5611203"]],
  ['empresas com "auto center" ou "pneus" no nome em Natal', names, ["auto center", "pneus"]],
  ['empresas com "silva" e "souza" no nome em MG', names, ["silva souza"]],
  ['restaurantes em MG exceto MEI e "silva"', names, []],
  ["padarias em SP com capital que não seja entre 10 e 50 mil", capital, undefined],
  ["padarias em SP com capital de pelo menos 50 mil e no máximo 200 mil", most, 200_000],
  ["padarias em SP com capital acima de 10%", capital, undefined],
  ["padarias em SP por maior capital entre 2010 e 2015", opened, ["2010-01-01", "2016-01-01"]],
  ["padarias em SP por maior capital no máximo 30", limit, 30],
  ["padarias em SP, no máximo 30 só filiais", branches, true],
  ["padarias em SP com telefone se possível", phone, false],
  ["academias em SP com telefone ou do Simples", simples, true],
  ["redes com mais de 3 lojas com celular em SP", counts, [4, undefined]],
  ["padarias em SP que antes eram MEI", mei, null],
  ["bakeries in SP that used to be MEI", mei, null],
  ["padarias em SP que nunca foram MEI", mei, false],
  ["padarias não canceladas em SP", statuses, [1, 2, 3, 4]],
  ["padarias em SP com capital de 50 mil no máximo", most, 50_000],
  ["dentistas em Uberaba, 50 no máximo, dos mais antigos", limit, 50],
  ["restaurantes em SP desde que tenham e-mail", email, true],
  ["trucking companies in Santa Catarina with more than 1 million in capital", states, ["SC"]],
  ["trucking companies in Santa Catarina with more than 1 million in capital", capital, 1_000_000],
  ["construtoras em MG com mais de 500 mil em capital", capital, 500_000],
  ["padarias em Curitiba com uma única filial", counts, [2, 2]],
  ["padarias em Curitiba com várias filiais", counts, [3, undefined]],
  ["bakeries in Curitiba between 2 and 5 stores", counts, [2, 5]],
  ["lanchonetes em São Luís que fecharam este ano", statuses, [8]],
  ["padarias em Curitiba que não são nem MEI nem do Simples", simples, false],
  ["restaurantes, exceto MEI, e bares em Natal", out, []],
  ["padarias no Paraná, menos Curitiba, e Santa Catarina", many, 398 + 295],
  ["restaurantes que não sejam MEI e padarias com telefone em Natal", out, []],
  ["padarias Curitiba MEI não", cities, ["4106902"]],
  ["padarias em Curitiba ltda com capital acima de 100 mil ou epp", sizes, ["03"]],
  ["padarias com 50 mil de capital e 50 resultados em Curitiba", limit, 50],
  ["panaderías en Paraná pero no en Curitiba", many, 398],
  ["panaderías en Recife ni mei ni simples", mei, false],
  ["panaderías en Recife que no sean MEI ni sucursales", heads, true],
  ["panaderías en Recife abiertas desde marzo de 2023", opened, ["2023-03-01", null]],
  ["empresas llamadas Sol en Recife", names, ["sol"]],
  ["restaurantes chamados Sol exceto MEI em Natal", mei, false],
  ["companies named Sol except MEI in Natal", names, ["sol"]],
  ["restaurants in Recife active or not", cities, ["2611606"]],
  ["bakeries in Brazil except the states of Bahia and Ceará", states, 25],
  ["panaderías en Recife MEI o no", mei, null],
  ["panaderías en Recife con teléfono o correo", phone, false],
  ["empresas con silva o santos en el nombre en Recife", names, ["santos", "silva"]],
  ["padarias em Pernambuco, incluindo Recife", states, ["PE"]],
  ["padarias no Brasil todo, inclusive SP", states, []],
  ["padarias em SP com exatamente uma filial", counts, [2, 2]],
  ["padarias em SP com uma filial", counts, [2, undefined]],
  ["padarias em SP exceto as com filiais", counts, [undefined, 1]],
  ["padarias em SP não incluindo MEI", mei, false],
  ["padarias em SP que não deixaram o Simples", simples, true],
  ["padarias em SP do Simples desde 2020", opened, [null, null]],
  ["padarias nas cidades de São Paulo e Rio de Janeiro", cities, ["3304557", "3550308"]],
  ["lojas em Natal sem ser rede", counts, [undefined, 1]],
  // Pairs of sentences that differ only in capitals, accents, or spelling.
  ["padarias em Curitiba me", sizes, ["01"]],
  ["padarias me em Curitiba", sizes, ["01"]],
  ["me mostra padarias em Curitiba", sizes, []],
  ["padarias em Curitiba me ou epp", sizes, ["01", "03"]],
  ["hotels in downtown Curitiba", districts, ["centro"]],
  ["hoteles en el centro de Curitiba", districts, ["centro"]],
  ["padarias no centro de Curitiba com email", districts, ["centro"]],
  ["lojas em SP, de me a epp", sizes, ["01", "03"]],
  ["las 10 empresas mas grandes en Curitiba", order, ["-share_capital"]],
  ["eletricistas em Santos tel fixo", landline, true],
  ["igrejas em Duque de Caxias c telefone", phone, true],
  ["gráficas em Caruaru com tel. e e-mail", email, true],
  ["padarias num raio de cinquenta km de Campinas", states, []],
  ["👉 20 barbearias em SP", limit, 20],
  ["Preciso urgente de 20 barbearias em SP", limit, 20],
  ["bakeries not located in PR", many, 0],
];

/** Sentences, each with the code of a note that the translation must contain. */
const REPORTED: readonly (readonly [text: string, code: string])[] = [
  ["empresas com DDD 21 e site", "site"],
  ["padarias em Recife, site e telefone", "site"],
  ["empresas que não sejam Ltda. nem S.A.", "legal_form"],
  ["padarias em SP com telefone se possível", "preference"],
  ["padarias em SP que já foram MEI", "regime_history"],
  ["padarias em SP sem filiais", "heads_only"],
  ["padarias em SP com e-mail próprio", "own_email"],
  ["padarias em Curitiba exceto Recife", "outside_of_places"],
  ["padarias de Curitiba com filial em Londrina", "branch_place"],
  ["padarias em Curitiba e restaurantes em Londrina", "two_requests"],
  ["padarias em SP sem atividade secundária", "secondary_of_what"],
  ["academias em SP MEI ou Simples", "either_wish"],
  ["padarias em SP com capital acima de US$ 100.000", "amount"],
  ["padarias em SP que faturam mais de 1 milhão por ano", "revenue"],
  ["lanchonetes em São Luís que não fecharam este ano", "other_date"],
  ["padarias em SP do Simples desde 2020", "other_date"],
  ["padarias em Recife com sócio chamado José", "people"],
];

/** Sentences that name an unknown place. They must not run as a wider search. */
const UNCERTAIN = [
  "pizzarias vila mariana",
  "lanchonete jardim america",
  "estacionamentos centro sp",
  "restaurantes no centro",
  "restaurantes em Recife, fora Boa Viagem",
  "restaurantes em São Paulo, exceto Moema",
  "restaurantes em São Paulo sem a Mooca",
  "padarias em Belo Horizonte exceto Centro",
  "padarias no DF exceto Brasília",
  "padarias fora do centro de Recife",
  "padarias em cidades pequenas de MG",
  "-5 padarias em SP",
  "padarias em Campinas que não sejam no centro",
  "padarias de Curitiba com filial em Londrina",
  "padarias em Curitiba e restaurantes em Londrina",
  "padarias de São Paulo com mais de 2 filiais em Recife",
  "lawyers in Recife, accountants in Natal",
];

/** Sentences with a word that only looks like an unknown place. */
const CERTAIN = [
  "mercadinho de bairro em Recife",
  "jardim de infância em Curitiba",
  "padarias em Vila Velha",
  "oficinas em Jardim de Piranhas",
  "padarias e restaurantes em Curitiba e Londrina",
  "padarias em Curitiba, restaurantes, bares",
];

let probe: Probe;
before(async () => {
  probe = await openProbe();
});
after(() => probe.close());

describe("sentences that were misread once", () => {
  for (const [text, condition, answer] of READ) {
    it(`are read as meant: ${text} (${JSON.stringify(answer)})`, () => {
      const spec = probe.spec(text);
      assert.deepEqual(condition(spec.filters, spec), answer);
      assert.ok(!isUncertain(spec.explain.confidence), `${spec.explain.confidence}`);
    });
  }

  it("have their assumptions reported", () => {
    const unmappedOf = (text: string) => [...probe.unmapped(text)];
    assert.deepEqual(unmappedOf("padarias no PR abertas após 2020 ou com capital acima de 1 mil"), [
      "ou",
    ]);
    assert.deepEqual(unmappedOf("padarias em SP sem atividade secundária"), [
      "atividade secundária",
    ]);
    const { assumptions } = probe.translate("padarias em SP só matriz, sem MEI").spec.explain;
    assert.deepEqual(
      assumptions.map(({ code }) => code),
      ["active_only"],
    );
    assert.deepEqual(unmappedOf("academias em SP com telefone ou do Simples"), ["ou"]);
  });

  for (const [text, code] of REPORTED) {
    it(`are reported: ${text} (${code})`, () => {
      const { assumptions, warnings, unmapped_constraints } = probe.translate(text).spec.explain;
      const all = [...assumptions, ...warnings, ...unmapped_constraints];
      const codes = all.map((note) => note.code);
      assert.ok(codes.includes(code), codes.join(" "));
      assert.ok(!codes.includes("unknown_words"), "and nothing of it is a word that nobody knows");
    });
  }

  it("are read alike with the spaces of pages and spreadsheets", () => {
    for (const text of [...READ.map(([phrase]) => phrase), "imobiliaria sao joao del rei"]) {
      const other = probe.spec(text.replaceAll(" ", "\u00a0"));
      assert.deepEqual(other.filters, probe.spec(text).filters, text);
    }
  });

  it("name a district after an article if a capital has more of it than a town", () => {
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
      it(`${uncertain ? "do not run" : "run"}: ${text}`, () => {
        assert.equal(isUncertain(probe.spec(text).explain.confidence), uncertain);
      });
    }
  }
});
