/**
 * Proves that a negating word negates its condition. Tests pairs of sentences that differ in that
 * word only, with all filters of each, and negations of lists. Does not prove that every negation
 * is known.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { UFS } from "../../../src/spec/fields.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

/**
 * A sentence with its condition, and the opposite sentence with its condition. If a sentence begins
 * with a blank, "padarias" is put before it. In a condition, `name:value` is a filter. `left`
 * requires that a part is reported as not understood, and `any` allows it. Otherwise such a report
 * is an error.
 */
type Pair = readonly [text: string, condition: string, opposite: string, its: string];

const CONTACTS: readonly Pair[] = [
  [" com telefone", "phone", " sem telefone", "lacks:phone"],
  [" com e-mail", "email", " sem e-mail", "lacks:email"],
  [" que tenham e-mail", "email", " que não tenham e-mail", "lacks:email"],
  [" com contato", "contact", " sem contato", "lacks:any"],
  [" com telefone e e-mail", "phone email", " sem telefone nem e-mail", "lacks:any"],
  [" com telefone ou e-mail", "contact", " com telefone e e-mail", "phone email"],
  [
    " com e-mail mas sem telefone",
    "email lacks:phone",
    " com telefone mas sem e-mail",
    "phone lacks:email",
  ],
  [
    " sem e-mail, com telefone",
    "phone lacks:email",
    " com e-mail, sem telefone",
    "email lacks:phone",
  ],
  [" em SP com telefone", "uf:SP phone", " em SP sem telefone", "uf:SP lacks:phone"],
  [" with phone", "phone", " without phone", "lacks:phone"],
  [" com algum contato", "contact", " sem nenhum contato", "lacks:any"],
];

const DATES: readonly Pair[] = [
  [" com mais de 2 anos", "before:2024-10-10", " com menos de 2 anos", "after:2024-10-10"],
  [" há mais de 5 anos", "before:2021-10-10", " há menos de 5 anos", "after:2021-10-10"],
  [" com no mínimo 3 anos", "before:2023-10-10", " com no máximo 3 anos", "after:2023-10-10"],
  [" com pelo menos 3 anos", "before:2023-10-10", " com até 3 anos", "after:2023-10-10"],
  [" com mais de um ano", "before:2025-10-10", " com menos de um ano", "after:2025-10-10"],
  [" há mais de 6 meses", "before:2026-04-10", " há menos de 6 meses", "after:2026-04-10"],
  [" abertas depois de 2020", "after:2021-01-01", " abertas antes de 2020", "before:2020-01-01"],
  [" após março de 2019", "after:2019-04-01", " antes de março de 2019", "before:2019-03-01"],
  [" a partir de 2020", "after:2020-01-01", " até 2020", "before:2021-01-01"],
  [" desde 2020", "after:2020-01-01", " até 2020", "before:2021-01-01"],
  [" a partir de 15/03/2021", "after:2021-03-15", " até 15/03/2021", "before:2021-03-16"],
  [" opened after 2020", "after:2021-01-01", " opened before 2020", "before:2020-01-01"],
  [" recém-abertas", "after:2025-10-10", " abertas há mais de um ano", "before:2025-10-10"],
  [
    ", mais novas primeiro",
    "sort:started_on.desc",
    ", mais antigas primeiro",
    "sort:started_on.asc",
  ],
];

const CAPITAL: readonly Pair[] = [
  [" com capital acima de 100 mil", "min:100000", " com capital abaixo de 100 mil", "max:100000"],
  [" com capital de mais de 50 mil", "min:50000", " com capital de menos de 50 mil", "max:50000"],
  [" com capital a partir de R$ 10.000", "min:10000", " com capital de até R$ 10.000", "max:10000"],
  [" com capital mínimo de 1 mil", "min:1000", " com capital máximo de 1 mil", "max:1000"],
  [
    " com capital não inferior a 1 mil",
    "min:1000",
    " com capital não superior a 1 mil",
    "max:1000",
  ],
];

const REGIMES: readonly Pair[] = [
  [" só MEI", "mei:true", " exceto MEI", "mei:false"],
  [" MEI", "mei:true", " não MEI", "mei:false"],
  [" que sejam MEI", "mei:true", " que não sejam MEI", "mei:false"],
  ["apenas padarias MEI", "mei:true", ", menos as MEI", "mei:false"],
  [" que são MEI", "mei:true", " sem ser MEI", "mei:false"],
  [" somente MEI", "mei:true", " tirando as MEI", "mei:false"],
  [", inclusive MEI", "any", ", menos MEI", "mei:false"],
  [", MEI ou não", "any", " que não são MEI", "mei:false"],
  [" incluindo MEI", "any", " excluindo MEI", "mei:false"],
  [" não só MEI", "any", " só MEI", "mei:true"],
  [" dentro do Simples", "simples:true", " fora do Simples", "simples:false"],
  [" optantes pelo Simples", "simples:true", " não optantes pelo Simples", "simples:false"],
  [" do Simples Nacional", "simples:true", " exceto do Simples Nacional", "simples:false"],
  [" que estão no Simples", "simples:true", " que não estão no Simples", "simples:false"],
  [
    " do Simples e MEI",
    "simples:true mei:true",
    " fora do Simples e do MEI",
    "simples:false mei:false",
  ],
];

const KINDS: readonly Pair[] = [
  [" só matriz", "heads", " só filiais", "branches"],
  [" sem filiais", "heads", " com filiais", "units:2"],
  [" que tenham filiais", "units:2", " que não tenham filiais", "units:-1"],
  [" com mais de 3 lojas", "units:4", " que não tenham mais de 3 lojas", "units:-3"],
  [" com celular", "mobile", " sem celular", "lacks:mobile"],
  [" com gmail", "left", " sem gmail", "domain"],
  [" que não sejam filiais", "heads", " que não sejam matriz", "branches"],
  [", exceto filiais", "heads", ", exceto matrizes", "branches"],
  [" ativas", "", " não ativas", "status:1,3,4,8"],
  [" baixadas", "status:8", " não baixadas", "status:1,2,3,4"],
  [" suspensas", "status:3", " que não estejam suspensas", "status:1,2,4,8"],
  [" ativas e baixadas", "status:2,8", " nem ativas nem baixadas", "status:1,3,4"],
  [" inaptas", "status:4", " exceto inaptas e baixadas", "status:1,2,3"],
  [
    " MEI e baixadas",
    "mei:true status:8",
    " tirando as MEI e as baixadas",
    "mei:false status:1,2,3,4",
  ],
  [" que já foram MEI", "left", " que nunca foram MEI", "mei:false"],
  [" novas", "after:2025-10-10", " não tão novas", "before:2025-10-10"],
  [" microempresas", "size:01", " que não sejam microempresas", "size:00,03,05"],
  [" ME e EPP", "size:01,03", " exceto ME e EPP", "size:00,05"],
];

const PLACES: readonly Pair[] = [
  [" em SP", "uf:SP", " exceto SP", "notuf:SP"],
  [" em SP e no PR", "uf:PR,SP", " fora de SP e do PR", "notuf:PR,SP"],
  [" em Minas Gerais", "uf:MG", " fora de Minas Gerais", "notuf:MG"],
  [" só no Sul", "uf:PR,RS,SC", " exceto no Sul", "notuf:PR,RS,SC"],
  [" no Sul", "uf:PR,RS,SC", " no Sul, exceto no Paraná", "uf:RS,SC"],
  [" em todo o Brasil", "", " em todo o Brasil menos SP", "notuf:SP"],
  [" que sejam do RJ", "uf:RJ", " que não sejam do RJ", "notuf:RJ"],
  [" em Campinas", "city:3509502", " exceto Campinas", "notcity:3509502"],
  [" in SP", "uf:SP", " not in SP", "notuf:SP"],
  [" que ficam em SP", "uf:SP", " que não ficam em SP", "notuf:SP"],
  [" localizadas em SP", "uf:SP", " que não estejam localizadas em SP", "notuf:SP"],
  [" de Minas", "uf:MG", " fora de Minas", "notuf:MG"],
  [" não só em SP", "any", " só em SP", "uf:SP"],
];

/** In Portuguese, "no" means "in the". In English and Spanish, it negates. */
const NO: readonly Pair[] = [
  [
    " no Simples em Recife",
    "simples:true city:2611606",
    "bakeries in SP no Simples",
    "simples:false uf:SP",
  ],
  [" no MEI em SP", "mei:true uf:SP", "bakeries in SP, no MEI", "mei:false uf:SP"],
  ["bakeries in SP, MEI only", "mei:true uf:SP", "no MEI bakeries in SP", "mei:false uf:SP"],
  [
    "panaderías en Recife con MEI",
    "mei:true city:2611606",
    "panaderías en Recife no MEI",
    "mei:false city:2611606",
  ],
  [
    "panaderías en Recife, solo filiales",
    "branches city:2611606",
    "panaderías en SP no filiales",
    "heads uf:SP",
  ],
  ["bakeries with branches", "units:2", "bakeries no branches no e-mail", "heads lacks:email"],
  ["bakeries in SP with email", "uf:SP email", "bakeries in SP no email", "uf:SP lacks:email"],
  [
    "bakeries in SP with mobile phone",
    "uf:SP mobile",
    "bakeries in SP no mobile phone",
    "uf:SP lacks:mobile",
  ],
  [
    "bakeries in SP opened after 2020",
    "uf:SP after:2021-01-01",
    "bakeries in SP opened no later than 2020",
    "uf:SP before:2021-01-01",
  ],
  [
    "bakeries in SP more than 5 years old",
    "uf:SP before:2021-10-10",
    "bakeries in SP no more than 5 years old",
    "uf:SP after:2021-10-10",
  ],
  [
    "bakeries with more than 3 stores",
    "units:4",
    "bakeries with no more than 3 stores",
    "units:-3",
  ],
];

const PAIRS = [...CONTACTS, ...DATES, ...CAPITAL, ...REGIMES, ...KINDS, ...PLACES, ...NO];

/** Sentences that test to which words a negation applies. */
const SCOPES: readonly (readonly [text: string, condition: string])[] = [
  ["bakeries no Paraná", "uf:PR"],
  [" exceto MEI e SP", "mei:false notuf:SP"],
  [" exceto SP e MEI", "mei:false notuf:SP"],
  [" exceto SP, RJ e MG", "notuf:SP,RJ,MG"],
  [" nem MEI nem ME", "mei:false size:00,03,05"],
  [" sem MEI e com telefone", "mei:false phone"],
  [" que não sejam MEI e tenham telefone", "mei:false phone"],
  [" que não sejam MEI e que tenham e-mail", "mei:false email"],
  [" exceto MEI, em SP", "mei:false uf:SP"],
  [" exceto MEI, com telefone", "mei:false phone"],
  [" exceto microempreendedores individuais (MEI) com telefone", "mei:false phone"],
  [" não MEI no Paraná", "mei:false uf:PR"],
  [" sem telefone em SP", "uf:SP lacks:phone"],
  [" no PR, exceto Curitiba e Londrina", "notcity:4106902,4113700:PR"],
  [" no PR, exceto Curitiba, com telefone", "notcity:4106902:PR phone"],
  [" exceto MEI, abertas desde 2020", "mei:false after:2020-01-01"],
  [" exceto MEI. Só com telefone", "mei:false phone"],
  [" não MEI, mas do Simples", "mei:false simples:true"],
  [" no Simples mas não MEI", "mei:false simples:true"],
  [" não optantes pelo Simples com telefone", "simples:false phone"],
  [" que não deixem de ter telefone", "phone any"],
  [" com e-mail e que não sejam filiais", "email heads"],
  ["sem MEI, padarias em MG", "mei:false uf:MG"],
  ["fora do Simples: padarias no RS", "simples:false uf:RS"],
  [" com mais de 2 e menos de 5 anos", "after:2021-10-10 before:2024-10-10"],
  [" com mais de 2 anos, menos MEI", "before:2024-10-10 mei:false"],
  [" que não estejam no Simples nem sejam MEI", "simples:false mei:false"],
  [" sem MEI nem filiais", "mei:false heads"],
  [" não baixadas e não MEI", "status:1,2,3,4 mei:false"],
  [" depois de 2015 mas antes de 2020", "after:2016-01-01 before:2020-01-01"],
  [" que não tenham aberto antes de 2020", "after:2020-01-01"],
  [" que tenham telefone mas não e-mail", "phone lacks:email"],
  [" fora do Sul e do Sudeste", "notuf:PR,RS,SC,ES,MG,RJ,SP"],
  [" em todo o Brasil, menos as de SP", "notuf:SP"],
  [" de todo o país, menos de SP", "notuf:SP"],
  [" exceto microempresas e MEI no Simples", "size:00,03,05 mei:false simples:true"],
];

/** Sentences, each with the activities that it includes and those that it excludes. */
const EXCLUDED: readonly (readonly [text: string, wanted: string, excluded: string])[] = [
  ["restaurantes exceto bares", "restaurantes", "bares"],
  ["lojas de roupas, menos lojas de calçados", "lojas de roupas", "lojas de calçados"],
  ["dentistas que não sejam veterinários", "dentistas", "veterinários"],
  ["papelarias exceto farmácias e padarias", "papelarias", "farmácias e padarias"],
  ["padarias, fora sorveterias", "padarias", "sorveterias"],
  ["restaurantes em vez de bares", "restaurantes", "bares"],
  ["restaurantes ao invés de bares", "restaurantes", "bares"],
  ["dentistas que não trabalham com construção", "dentistas", "construção"],
];

/** For each name in a condition, the members of the spec that it sets. */
const FILTERS: Readonly<Record<string, (value: string) => Record<string, unknown>>> = {
  phone: () => ({ "contact.require_phone": true }),
  email: () => ({ "contact.require_email": true }),
  contact: () => ({ "contact.require_any_contact": true }),
  after: (day) => ({ "company.started_after": day }),
  before: (day) => ({ "company.started_before": day }),
  min: (reais) => ({ "company.share_capital_min": Number(reais) }),
  max: (reais) => ({ "company.share_capital_max": Number(reais) }),
  mei: (value) => ({ "company.mei_opt_in": value === "true" }),
  simples: (value) => ({ "company.simples_opt_in": value === "true" }),
  heads: () => ({ "company.headquarters_only": true }),
  status: (codes) => ({ "company.registration_status_any_of": codes.split(",").map(Number) }),
  size: (codes) => ({ "company.company_size_code_any_of": codes.split(",") }),
  branches: () => ({ "company.branches_only": true }),
  mobile: () => ({ "contact.require_mobile": true }),
  domain: () => ({ "contact.require_own_domain": true }),
  units: (count) =>
    count.startsWith("-")
      ? { "company.establishments_max": -Number(count) }
      : { "company.establishments_min": Number(count) },
  uf: (list) => ({ "geo.uf_any_of": list.split(",").sort() }),
  notuf: (list) => ({
    "geo.uf_any_of": UFS.filter((uf) => uf !== "EX" && !list.includes(uf)).sort(),
  }),
  city: (code) => ({ "geo.municipality_ibge_any_of": [code] }),
  sort: (key) => ({ sort: [key] }),
  lacks: (kind) => ({ "contact.missing_any_of": [kind] }),
};

const written = (text: string) =>
  text.startsWith(" ") || text.startsWith(",") ? `padarias${text}` : text;

/** Returns the filters and the order of a spec as texts, by name. */
function membersOf({ filters, sort }: AccountQuerySpec): Map<string, string> {
  const groups = Object.entries(filters).flatMap(([group, members]) =>
    Object.entries(members).map(([name, value]) => [`${group}.${name}`, value] as const),
  );
  const order = sort.map(({ field, direction }) => `${field}.${direction}`);
  const all = [...groups, ["sort", order] as const];
  return new Map(all.map(([name, value]) => [name, JSON.stringify(value)]));
}

describe("polarity", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  /**
   * Returns the filter for all municipalities (of a state) but the given ones, because no filter
   * excludes a municipality.
   */
  function others(value: string): Record<string, unknown> {
    const [list = "", state] = value.split(":");
    const codes = probe.segment.catalog.municipalities.flatMap(({ ibge, uf }) => {
      const here = uf !== null && uf !== "EX" && (state === undefined || state === uf);
      return ibge === null || !here || list.includes(ibge) ? [] : [ibge];
    });
    return { "geo.municipality_ibge_any_of": [...new Set(codes)].sort() };
  }

  function mistakesOf(short: string, condition: string): string[] {
    const text = written(short);
    const words = condition.split(" ").filter((word) => word !== "");
    const expected = membersOf(probe.spec("padarias"));
    for (const word of words) {
      const [name = "", value = ""] = word.split(/:(.*)/);
      const members = name === "notcity" ? others(value) : (FILTERS[name]?.(value) ?? {});
      for (const [member, set] of Object.entries(members))
        expected.set(member, JSON.stringify(set));
    }
    const seen = membersOf(probe.spec(text));
    const mistakes = [...new Set([...expected.keys(), ...seen.keys()])]
      .filter((name) => expected.get(name) !== seen.get(name))
      .map((name) => `${text}: ${name} is ${seen.get(name)}, not ${expected.get(name)}`);
    const unmapped = probe.unmapped(text);
    const allowed = words.includes("any") || words.includes("left") === unmapped.length > 0;
    return allowed ? mistakes : [...mistakes, `${text}: not mapped: ${JSON.stringify(unmapped)}`];
  }

  it("yields exactly the filters of both members of a pair", () => {
    const mistakes = PAIRS.flatMap(([text, condition, opposite, its]) => [
      ...mistakesOf(text, condition),
      ...mistakesOf(opposite, its),
    ]);
    assert.equal(mistakes.join("\n"), "");
  });

  it("never yields the same for both members of a pair", () => {
    const membersText = (text: string) => JSON.stringify([...membersOf(probe.spec(written(text)))]);
    const same = PAIRS.filter(([text, , opposite]) => membersText(text) === membersText(opposite));
    assert.deepEqual(
      same.filter(([, condition]) => condition !== "left"),
      [],
    );
  });

  it("applies to joined items and ends at the next condition", () => {
    const mistakes = SCOPES.flatMap(([text, condition]) => mistakesOf(text, condition));
    assert.equal(mistakes.join("\n"), "");
  });

  it("excludes activities", () => {
    const codes = (text: string) => probe.spec(text).filters.industry.cnae_any_of;
    for (const [text, wanted, excluded] of EXCLUDED) {
      const { industry } = probe.spec(text).filters;
      assert.deepEqual(industry.cnae_exclude, codes(excluded), text);
      assert.deepEqual(industry.cnae_any_of, codes(wanted), text);
    }
    const both = [...codes("padarias"), ...codes("restaurantes")].sort();
    for (const text of [
      "padarias e restaurantes",
      "não só padarias, mas também restaurantes",
      "não mais que 50 padarias e restaurantes",
    ]) {
      assert.deepEqual(codes(text), both, text);
      assert.deepEqual(probe.spec(text).filters.industry.cnae_exclude, [], text);
    }
  });
});
