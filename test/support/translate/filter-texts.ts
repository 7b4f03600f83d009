/**
 * Colloquial texts for every filter. All texts of one row mean the same.
 * Invariant: a filter without an entry does not compile. An entry of null means that no sentence
 * can set the filter. Every text is about bakeries in Curitiba.
 */
import type { FilterName } from "../../../src/spec/filters/table.ts";

/** The texts of a filter. */
export interface FilterTexts {
  /** Rows of texts that mean the same. `@` stands for "padarias em Curitiba". */
  readonly rows: readonly (readonly string[])[];
  /** Filters that "padarias em Curitiba" sets, but that these texts do not set. */
  readonly not?: readonly FilterName[];
}

/** The texts for every filter, or null if no sentence can set the filter. */
export const FILTER_TEXTS = {
  cnae_any_of: {
    rows: [
      ["@", "padaria em Curitiba", "panificadoras em Curitiba", "bakeries in Curitiba"],
      ["CNAE 5611-2/01 em Curitiba", "cnae 5611201 em Curitiba", "restaurantes em Curitiba"],
    ],
  },
  cnae_exclude: {
    rows: [
      ["@ exceto lanchonetes", "@, menos lanchonetes", "@ que não sejam lanchonetes"],
      ["@ sem CNAE 5611-2/03", "@ exceto CNAE 5611203"],
    ],
  },
  secondary_cnae_mode: null,
  text_hints: {
    rows: [
      ["@ com silva no nome", "@ chamadas Silva", '@ "silva"', "@ com a palavra silva no nome"],
      ["@ cujo nome contém silva", "bakeries in Curitiba with silva in the name"],
    ],
  },
  cnae_secondary_any_of: {
    rows: [
      [
        "@ com atividade secundária de lanchonete",
        "@ com lanchonete como atividade secundária",
        "@ com CNAE secundário 5611-2/03",
        "@ que tenham lanchonete na atividade secundária",
        "bakeries in Curitiba with snack bar as a secondary activity",
      ],
    ],
  },
  uf_any_of: {
    rows: [["padarias no PR", "padarias no Paraná", "padarias em pr", "bakeries in Paraná state"]],
    not: ["municipality_ibge_any_of"],
  },
  municipality_ibge_any_of: {
    rows: [["@", "padarias em Curitiba/PR", "padaria curitiba pr", "padarias curitibanas"]],
  },
  municipality_tom_any_of: {
    rows: [["padarias em Curitiba e no exterior"]],
  },
  district_any_of: {
    rows: [
      [
        "padarias no bairro Centro em Curitiba",
        "padarias no bairro Centro, Curitiba",
        "padarias em Curitiba, bairro Centro",
        "bakeries in the Centro district of Curitiba",
      ],
    ],
  },
  postal_code_prefix_any_of: {
    rows: [["@ CEP 801", "@ com cep começando em 801", "@ com CEP 801", "@, zip code 801"]],
  },
  area_code_any_of: {
    rows: [
      ["@ ddd 41", "@ com DDD 41", "@ com ddd (41)", "@, area code 41", "@ código de área 41"],
    ],
  },
  registration_status_any_of: {
    rows: [
      ["@ baixadas", "@ fechadas", "closed bakeries in Curitiba"],
      ["@ inaptas", "@ com situação inapta"],
    ],
  },
  company_size_code_any_of: {
    rows: [
      ["@ de pequeno porte", "@ pequenas", "@ EPP", "@ porte pequeno"],
      ["@ microempresas", "@ ME", "@ de porte micro"],
    ],
  },
  headquarters_only: {
    rows: [
      ["@ só matriz", "@ apenas matrizes", "@ sem filiais", "@ exceto filiais", "@, head offices"],
    ],
  },
  branches_only: {
    rows: [
      ["@ só filiais", "filiais de padarias em Curitiba", "@, somente filiais", "@, branches"],
    ],
  },
  simples_opt_in: {
    rows: [
      ["@ do Simples", "@ optantes pelo Simples Nacional", "@ no simples", "@ in Simples"],
      ["@ fora do Simples", "@ que não sejam do Simples", "@ not in Simples"],
    ],
  },
  mei_opt_in: {
    rows: [
      ["@ MEI", "@ que sejam MEI", "@ só MEI"],
      ["@ exceto MEI", "@ que não sejam MEI", "@ sem MEI", "@ excluding MEI"],
    ],
  },
  started_after: {
    rows: [["@ abertas desde 2020", "@ abertas a partir de 2020", "@ opened since 2020"]],
  },
  started_before: {
    rows: [["@ abertas antes de 2010", "@ fundadas até 2009", "@ opened before 2010"]],
  },
  share_capital_min: {
    rows: [
      [
        "@ com capital acima de 500 mil",
        "@ com capital social de pelo menos R$ 500.000",
        "@ com capital acima de meio milhão",
        "@ with capital over 500k",
      ],
    ],
  },
  share_capital_max: {
    rows: [["@ com capital até 10 mil", "@ com capital de no máximo dez mil reais"]],
  },
  legal_nature_any_of: {
    rows: [
      ["@ LTDA", "@ limitadas", "@ que sejam sociedade limitada", "@ ltda."],
      ["@ S/A", "@ S.A.", "@ sociedades anônimas"],
    ],
  },
  status_since: {
    rows: [
      ["@ fechadas desde 2024", "@ baixadas desde 2024", "bakeries closed since 2024 in Curitiba"],
      ["@ fechadas nos últimos 3 meses", "@ que fecharam nos últimos 3 meses"],
    ],
  },
  status_before: {
    rows: [["@ baixadas há mais de 2 anos", "@ fechadas há mais de 2 anos"]],
  },
  status_reason_any_of: null,
  simples_excluded_since: {
    rows: [["@ que saíram do Simples", "@ excluídas do Simples", "@ desenquadradas do Simples"]],
  },
  simples_excluded_before: {
    rows: [["@ que saíram do Simples antes de 2020", "@ excluídas do Simples até 2019"]],
  },
  mei_excluded_since: {
    rows: [
      ["@ que saíram do MEI", "@ que deixaram de ser MEI", "bakeries in Curitiba that left MEI"],
    ],
  },
  mei_excluded_before: { rows: [["@ que saíram do MEI antes de 2020"]] },
  // The snapshot of these tests contains no public lists and no partners; see records.test.ts.
  sanction_any_of: null,
  has_federal_debt: null,
  federal_debt_min: null,
  federal_debt_max: null,
  federal_debt_any_of: null,
  owned_by_any_of: null,
  owned_by_depth: null,
  owned_companies_min: null,
  owned_companies_max: null,
  owner_companies_min: null,
  owner_companies_max: null,
  missing_any_of: {
    rows: [
      ["@ sem e-mail", "@ que não tenham e-mail", "bakeries in Curitiba without email"],
      ["@ sem telefone e sem e-mail", "@ sem contato", "@ sem telefone nem e-mail"],
    ],
  },
  establishments_min: {
    rows: [
      [
        "@ com 5 ou mais lojas",
        "@ com pelo menos 5 unidades",
        "@ com mais de 4 estabelecimentos",
        "@ com cinco ou mais lojas",
        "redes de padarias em Curitiba com no mínimo 5 lojas",
        "bakeries in Curitiba with at least 5 stores",
      ],
      ["@ com filiais", "@ que tenham filiais", "@ com mais de uma loja"],
    ],
  },
  establishments_max: {
    rows: [
      ["@ com uma unidade só", "@ de loja única", "@ com apenas 1 loja", "@ com um só endereço"],
      ["@ com até 3 lojas", "@ com no máximo 3 unidades", "@ que não tenham mais de 3 lojas"],
    ],
  },
  require_email: {
    rows: [["@ com e-mail", "@ com email", "@ que tenham e-mail", "@ with e-mail"]],
  },
  require_phone: { rows: [["@ com telefone", "@ que tenham telefone", "@ with a phone"]] },
  require_any_contact: {
    rows: [["@ com contato", "@ com telefone ou e-mail", "@ with phone or e-mail"]],
  },
  require_mobile: {
    rows: [["@ com celular", "@ com telefone celular", "@ que tenham celular", "@ with a mobile"]],
  },
  require_landline: {
    rows: [
      ["@ com telefone fixo", "@ com fixo", "@ que tenham telefone fixo", "@ with a landline"],
    ],
  },
  require_own_domain: {
    rows: [
      ["@ com domínio próprio", "@ sem gmail", "@ with own domain", "@ com domínio da empresa"],
    ],
  },
  email_shared_max: {
    rows: [["@ sem e-mail de contador", "@ sem e-mail compartilhado", "@ without shared e-mail"]],
  },
  phone_shared_max: {
    rows: [
      [
        "@ sem telefone de contador",
        "@ sem telefone compartilhado",
        "@ excluindo telefones compartilhados",
      ],
    ],
  },
  phone_any_of: {
    rows: [
      [
        "@ com o telefone (11) 98765-4321",
        "@ com telefone 11987654321",
        "@ cujo número é +55 11 98765-4321",
        "bakeries in Curitiba with the phone 11 98765-4321",
      ],
    ],
  },
  email_any_of: {
    rows: [
      [
        "@ com o e-mail ana@example.com",
        "@ com email Ana@Example.com",
        "bakeries in Curitiba with the e-mail ana@example.com",
      ],
    ],
  },
  any_of: null,
  exclude: null,
} satisfies Readonly<Record<FilterName, FilterTexts | null>>;

/** Returns the text with `@` replaced. */
export function spoken(saying: string): string {
  return saying.replace(/@(?!example)/, "padarias em Curitiba");
}
