/**
 * The parts of generated requests: trades with their codes, requests with their filters, requests
 * that no filter covers, and the frames that people put around them, in Portuguese and English.
 * Invariant: labeled from the official tables and the meaning of the words, independently of the
 * translator's own tables, and never changed because of a translator's result.
 */
import type { Expected, ExpectedCodes } from "./sentences.ts";

/** A language of a request. */
export type RequestLanguage = "pt" | "en";

/** The names of a trade, and its required and permitted codes. */
export interface Trade extends ExpectedCodes {
  readonly names: readonly string[];
}

/** A condition in a request: its texts, and what they add to the expected result. */
export interface Condition {
  /** Subject of the condition. A request has at most one condition about each subject. */
  readonly about: string;
  readonly phrases: readonly string[];
  readonly expect: Expected;
}

/**
 * Parses lines in the form `names: must; may`, with codes of seven digits. `a|b` means that either
 * code is right.
 */
function trades(lines: string): readonly Trade[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [names = "", must = "", may = ""] = line.trim().split(/[:;]/);
      const list = (text: string) => text.trim().split(" ").filter(Boolean);
      return { names: names.split(", "), must: list(must), may: list(may) };
    });
}

/** Trades by language. */
export const TRADES: Readonly<Record<RequestLanguage, readonly Trade[]>> = {
  pt: trades(`
    padarias, panificadoras: 4721102|1091102; 4721102 1091102 1091101
    farmácias, drogarias: 4771701; 4771702 4771703
    supermercados: 4711302; 4711301
    restaurantes: 5611201
    lanchonetes: 5611203
    dentistas, clínicas odontológicas: 8630504
    escritórios de advocacia, advogados: 6911701
    escritórios de contabilidade, contadores: 6920601; 6920602
    academias, academias de ginástica: 9313100
    salões de beleza, cabeleireiros: 9602501; 9602502
    pet shops: 4789004; 9609208
    clínicas veterinárias, veterinários: 7500100
    imobiliárias: 6821801; 6821802 6822600 6810201 6810202
    construtoras: 4120400; 4110700
    transportadoras, transportadoras de carga: 4930202; 4930201 4930203 4930204
    hotéis: 5510801; 5510802 5510803
    pousadas: 5590699|5510801; 5510801 5590601 5590699
    postos de gasolina, postos de combustível: 4731800
    oficinas mecânicas: 4520001; 4520002 4520003 4520004 4520005 4520006 4520007 4520008 4543900
    autoescolas: 8599601
    óticas: 4774100
    floriculturas: 4789002
    papelarias: 4761003
    livrarias: 4761001
    açougues: 4722901
    peixarias: 4722902
    hortifrutis, quitandas: 4724500
    lojas de roupas: 4781400
    lojas de calçados, sapatarias: 4782201
    lojas de móveis: 4754701
    lojas de material de construção: 4744099|4744005; 4744001 4744002 4744003 4744005 4744099
    lojas de ferragens: 4744001; 4744099
    lojas de tintas: 4741500
    lojas de brinquedos: 4763601
    lojas de bicicletas: 4763603
    joalherias: 4783101; 4783102
    lojas de cosméticos, perfumarias: 4772500
    lojas de eletrodomésticos: 4753900
    lojas de informática: 4751201; 4751202
    concessionárias de veículos: 4511101; 4511102 4511103 4511104 4511105 4511106
    lojas de autopeças, autopeças: 4530703; 4530701 4530702 4530704 4530705 4541206
    borracharias: 4520006; 4530705
    lava-jatos: 4520005
    agências de viagens: 7911200; 7912100
    agências de publicidade: 7311400; 7312200 7319002 7319003 7319004 7319099
    gráficas: 1813099|1813001; 1811301 1811302 1812100 1813001 1813099
    hospitais: 8610101; 8610102
    laboratórios de análises clínicas: 8640202; 8640201
    psicólogos: 8650003
    fisioterapeutas, clínicas de fisioterapia: 8650004
    nutricionistas: 8650002
    creches: 8511200
    escolas de idiomas, escolas de inglês: 8593700
    escolas de música: 8592903
    escolas de dança: 8592901
    provedores de internet: 6190601; 6110803 6141800 6190699 6110899
    corretoras de seguros: 6622300
    funerárias: 9603304; 9603303 9603399
    lavanderias: 9601701; 9601702 9601703
    estacionamentos: 5223100
    distribuidoras de bebidas: 4635402|4635499|4723700; 4635401 4635402 4635403 4635499 4723700
    fábricas de móveis: 3101200; 3102100 3103900
    marcenarias: 3101200|1622602; 3101200 1622602 1622699 4330402
    serralherias: 2542000; 2512800 2511000 2599301
    vidraçarias: 4743100|2319200|4330405; 4743100 2319200 4330405
    confecções de roupas: 1412601; 1412602 1412603 1411801 1413401 1413402 1413403
    frigoríficos: 1011201; 1011202 1011203 1011204 1011205 1012101 1012102 1012103 1013901
    laticínios: 1052000; 1051100 1053800
    cervejarias: 1113502; 1113501
    vinícolas: 1112700
    serrarias: 1610203; 1610204
    locadoras de veículos: 7711000
    empresas de segurança, empresas de vigilância: 8011101; 8011102 8012900 8020001
    empresas de limpeza: 8121400; 8122200 8129000
    escritórios de arquitetura, arquitetos: 7111100
    empresas de engenharia: 7112000
    fotógrafos: 7420001; 7420002 7420004
    chaveiros: 9529102
    casas de repouso: 8711502; 8711501 8711504 8711503
    sorveterias: 5611203|4729699|1053800; 5611203 4729699 1053800
    pizzarias: 5611201; 5611203
    bares: 5611204|5611205; 5611204 5611205
    lotéricas, casas lotéricas: 8299706
    dedetizadoras: 8122200
    gesseiros: 4330403|4330402; 4330403
    eletricistas: 4321500
    encanadores: 4322301
    produtores de soja: 0115600
    criadores de gado: 0151201; 0151202 0151203
    mercearias, minimercados: 4712100
  `),
  en: trades(`
    bakeries: 4721102|1091102; 4721102 1091102 1091101
    pharmacies, drugstores: 4771701; 4771702 4771703
    supermarkets: 4711302; 4711301
    restaurants: 5611201
    dentists, dental clinics: 8630504
    law firms, lawyers: 6911701
    accounting firms, accountants: 6920601; 6920602
    gyms: 9313100
    beauty salons, hairdressers: 9602501; 9602502
    pet shops: 4789004; 9609208
    veterinary clinics: 7500100
    real estate agencies: 6821801; 6821802 6822600 6810201 6810202
    hotels: 5510801; 5510802 5510803
    gas stations: 4731800
    driving schools: 8599601
    bookstores: 4761001
    shoe stores: 4782201
    clothing stores: 4781400
    furniture stores: 4754701
    toy stores: 4763601
    travel agencies: 7911200; 7912100
    hospitals: 8610101; 8610102
    psychologists: 8650003
    language schools: 8593700
    insurance brokers: 6622300
    laundries: 9601701; 9601702 9601703
    breweries: 1113502; 1113501
    wineries: 1112700
    car rental companies: 7711000
    architects: 7111100
    pizzerias: 5611201; 5611203
    butcher shops: 4722901
  `),
};

const condition = (about: string, phrases: readonly string[], expect: Expected): Condition => ({
  ...{ about, phrases, expect },
});

/** Conditions for which a filter exists, by language. */
export const CONDITIONS: Readonly<Record<RequestLanguage, readonly Condition[]>> = {
  pt: [
    condition("phone", ["com telefone", "que tenham telefone"], {
      contact: { require_phone: true },
    }),
    condition("phone", ["com celular"], { contact: { require_mobile: true } }),
    condition("phone", ["com telefone fixo"], { contact: { require_landline: true } }),
    condition("email", ["com e-mail", "com email", "que tenham e-mail"], {
      contact: { require_email: true },
    }),
    condition("mei", ["que não sejam MEI", "exceto MEI", "sem MEI"], {
      company: { mei_opt_in: false },
    }),
    condition("mei", ["somente MEI", "que sejam MEI"], { company: { mei_opt_in: true } }),
    condition("simples", ["do Simples Nacional", "optantes pelo Simples"], {
      company: { simples_opt_in: true },
    }),
    condition("simples", ["fora do Simples", "não optantes pelo Simples"], {
      company: { simples_opt_in: false },
    }),
    condition("opened", ["abertas desde 2020", "abertas a partir de 2020"], {
      company: { started_after: "2020-01-01" },
    }),
    condition("opened", ["abertas em 2022", "fundadas em 2022"], {
      company: { started_after: "2022-01-01", started_before: "2023-01-01" },
    }),
    condition("opened", ["abertas antes de 2015", "criadas antes de 2015"], {
      company: { started_before: "2015-01-01" },
    }),
    condition("opened", ["com mais de 5 anos", "há mais de 5 anos no mercado"], {
      company: { started_before: "-P5Y" },
      unmapped_may: ["mercado"],
    }),
    condition("opened", ["com menos de 2 anos", "abertas nos últimos 2 anos"], {
      company: { started_after: "-P2Y" },
    }),
    condition(
      "capital",
      ["com capital acima de 100 mil", "com capital social maior que R$ 100.000"],
      {
        company: { share_capital_min: 100_000 },
      },
    ),
    condition(
      "capital",
      ["com capital de até 50 mil reais", "com capital social abaixo de 50 mil"],
      {
        company: { share_capital_max: 50_000 },
      },
    ),
    condition("capital", ["com capital entre 10 mil e 1 milhão"], {
      company: { share_capital_min: 10_000, share_capital_max: 1_000_000 },
    }),
    condition("size", ["de pequeno porte"], { company: { company_size_code_any_of: ["03"] } }),
    condition("size", ["microempresas"], { company: { company_size_code_any_of: ["01"] } }),
    condition("office", ["só matriz", "apenas matrizes"], { company: { headquarters_only: true } }),
    condition("office", ["só filiais", "somente filiais"], { company: { branches_only: true } }),
    condition("status", ["baixadas", "já fechadas"], {
      company: { registration_status_any_of: [8] },
    }),
    condition("status", ["inaptas"], { company: { registration_status_any_of: [4] } }),
    condition("sort", ["por maior capital", "ordenadas pelo maior capital social"], {
      sort: ["share_capital desc"],
    }),
    condition("sort", ["ordenadas por nome", "em ordem alfabética"], { sort: ["legal_name asc"] }),
    condition("sort", ["mais novas primeiro", "das mais novas para as mais antigas"], {
      sort: ["started_on desc"],
    }),
    condition("limit", ["no máximo 50", "limite de 50"], { limit: 50 }),
    condition("nature", ["LTDA"], { company: { legal_nature_any_of: ["2062"] } }),
    condition("email", ["com e-mail de domínio próprio"], {
      contact: { require_email: true, require_own_domain: true },
    }),
    condition("units", ["com 5 ou mais lojas", "com pelo menos 5 unidades"], {
      company: { establishments_min: 5 },
    }),
    condition("name", ["com sol no nome"], { words: ["sol"] }),
  ],
  en: [
    condition("phone", ["with a phone number", "with phone"], { contact: { require_phone: true } }),
    condition("phone", ["with a cell phone"], { contact: { require_mobile: true } }),
    condition("email", ["with e-mail", "that have an email"], { contact: { require_email: true } }),
    condition("mei", ["excluding MEI", "that are not MEI"], { company: { mei_opt_in: false } }),
    condition("opened", ["opened since 2020"], { company: { started_after: "2020-01-01" } }),
    condition("opened", ["opened before 2015"], { company: { started_before: "2015-01-01" } }),
    condition("opened", ["older than 5 years"], { company: { started_before: "-P5Y" } }),
    condition("capital", ["with share capital above 100 thousand"], {
      company: { share_capital_min: 100_000 },
    }),
    condition("office", ["headquarters only", "head offices only"], {
      company: { headquarters_only: true },
    }),
    condition("status", ["that are closed"], { company: { registration_status_any_of: [8] } }),
    condition("sort", ["sorted by name"], { sort: ["legal_name asc"] }),
    condition("sort", ["newest first"], { sort: ["started_on desc"] }),
    condition("limit", ["limit 50", "at most 50"], { limit: 50 }),
    condition("units", ["with at least 5 stores"], { company: { establishments_min: 5 } }),
  ],
};

/** Conditions for which no filter exists, each with the word that must be reported. */
const INEXPRESSIBLE: Readonly<Record<RequestLanguage, string>> = {
  pt:
    "com mais de 20 funcionários>funcionários|que faturem mais de 1 milhão>faturem|" +
    "perto do metrô>perto do metrô|que façam entrega>entrega|com estacionamento próprio>" +
    "estacionamento|que aceitem cartão>cartão|bem avaliadas no Google>avaliadas|" +
    "que abrem aos domingos>domingos|que atendam empresas>atendam|com boa reputação>reputação|" +
    "que tenham Facebook>Facebook|com Instagram ativo>Instagram|sem dívidas>dívidas|" +
    "que precisem de um sistema>sistema|com frota própria>frota|que exportem>exportem|" +
    "de alto padrão>padrão|que ofereçam parcelamento>parcelamento|com wi-fi>wi-fi|" +
    "que estejam contratando>contratando|com certificação ISO>certificação|24 horas>24 horas|" +
    "com preço baixo>preço|que trabalhem com crianças>crianças|recomendadas>recomendadas",
  en:
    "with more than 20 employees>employees|with revenue above 1 million>revenue|" +
    "near the beach>near the beach|that deliver>deliver|with good reviews>reviews|" +
    "that accept cards>cards|open on Sundays>Sundays|with a LinkedIn page>LinkedIn|" +
    "that are hiring>hiring|with parking>parking|highly recommended>recommended",
};

/** Properties without a filter. */
export const LEFT: Readonly<Record<RequestLanguage, readonly Condition[]>> = {
  pt: left("pt"),
  en: left("en"),
};

function left(language: RequestLanguage): readonly Condition[] {
  return INEXPRESSIBLE[language].split("|").map((one) => {
    const [say = "", reported = ""] = one.split(">");
    const unmapped_may = say.split(" ").filter((word) => word.length > 2);
    return condition("left", [say], { unmapped: [reported], unmapped_may });
  });
}

/** Polite phrases around a request. `*` stands for the request. */
export const FRAMES: Readonly<Record<RequestLanguage, readonly string[]>> = {
  pt: [
    ...["*", "*", "*", "*", "quero *", "lista de *", "preciso de uma lista de *", "me mostre *"],
    ...["Bom dia, quero *", "busco *", "todas as *", "empresas: *", "procuro *, por favor"],
    ...["gostaria de encontrar *", "quais *?", "oi, você pode me enviar *?", "*."],
  ],
  en: [
    ...["*", "*", "*", "list of *", "show me *", "I need *", "find *", "please give me *"],
    ...["I'm looking for *", "all *", "*."],
  ],
};
