/**
 * Sentences with places and what they become. What comes in: nothing. What goes out: tables of
 * sentences by construct, for the proof of places.
 * Invariant: written from what the words mean, with cities as `name/UF`; a row says everything
 * that is wished, and what is left over because of places.
 */
import { STATE_NAMES } from "../../../src/spec/states.ts";

/** Places of a sentence in short: states, cities as `name/UF`, a number of cities. */
export interface ExpectedPlaces {
  readonly ufs?: string;
  readonly cities?: string;
  readonly count?: number;
  /** Words left over because of places; others are not looked at. */
  readonly left?: readonly string[];
  readonly assumed?: readonly string[];
  readonly unknown?: boolean;
}

/** A sentence and its places. */
export type PlaceRow = readonly [text: string, expected: ExpectedPlaces];
const NORTHEAST = "AL BA CE MA PB PE PI RN SE";
const ALL = Object.keys(STATE_NAMES);
const but = (...ufs: string[]) => ALL.filter((uf) => !ufs.includes(uf)).join(" ");

const ASSUMED_OF_SEVERAL = ["region_of_several", "region_as_municipalities"];

const STATES: readonly PlaceRow[] = [
  ["padarias no Paraná", { ufs: "PR" }],
  ["padarias no Pará", { ufs: "PA" }],
  ["padarias do para", { ufs: "PA" }],
  ["padarias em Mato Grosso do Sul", { ufs: "MS" }],
  ["padarias em Mato Grosso", { ufs: "MT" }],
  ["padarias no Distrito Federal", { ufs: "DF" }],
  ["padarias em Goiás", { ufs: "GO" }],
  ["padarias em Tocantins", { ufs: "TO" }],
  ["padarias no estado do Rio", { ufs: "RJ" }],
  ["padarias em São Paulo (estado)", { ufs: "SP" }],
  ["padarias no estado de São Paulo", { ufs: "SP" }],
  ["padarias nos estados de São Paulo e Rio de Janeiro", { ufs: "RJ SP" }],
  ["padarias em Minas", { ufs: "MG" }],
  ["padarias em SP", { ufs: "SP" }],
  ["padarias em sp", { ufs: "SP" }],
  ["padarias mg", { ufs: "MG" }],
  ["padarias em pe", { ufs: "PE" }],
  ["padarias no am", { ufs: "AM" }],
  ["padarias sp/rj/mg", { ufs: "MG RJ SP" }],
  ["padarias em sp, rj, es e mg", { ufs: "ES MG RJ SP" }],
  ["padarias em SP, RJ e MG", { ufs: "MG RJ SP" }],
  ["empresas que se abrem to ce ma", { ufs: "" }],
  ["padarias em se tratando de pão", { ufs: "" }],
  ["padarias paulistas", { ufs: "SP" }],
  ["padarias mineiras e gaúchas", { ufs: "MG RS" }],
  ["padarias catarinenses", { ufs: "SC" }],
  ["padarias fluminenses", { ufs: "RJ" }],
  ["padarias que não são paulistas", { ufs: but("SP") }],
  ["padarias no Nordeste", { ufs: NORTHEAST }],
  ["padarias nordestinas", { ufs: NORTHEAST }],
  ["padarias no Sul e Sudeste", { ufs: "ES MG PR RJ RS SC SP" }],
  ["padarias na região Sul", { ufs: "PR RS SC" }],
  ["padarias no Centro-Oeste", { ufs: "DF GO MS MT" }],
  ["padarias no sul do Brasil", { ufs: "PR RS SC" }],
  ["padarias no Norte", { ufs: "AC AM AP PA RO RR TO" }],
  ["padarias em Minas Gerais, São Paulo e Paraná", { ufs: "MG PR SP" }],
  ["padarias em cidades de São Paulo", { ufs: "SP" }],
  ["padarias no Brasil", { ufs: "" }],
  ["padarias no exterior", { ufs: "EX" }],
  ["padarias fora do Brasil", { ufs: "EX" }],
  ["padarias em Portugal", { ufs: "EX", left: ["Portugal"] }],
  ["padarias em SP e no exterior", { ufs: "EX SP" }],
  ["bakeries in São Paulo state", { ufs: "SP" }],
  ["bakeries in the state of São Paulo", { ufs: "SP" }],
  ["bakeries in the south of Brazil", { ufs: "PR RS SC" }],
  ["bakeries in northeastern Brazil", { ufs: NORTHEAST }],
  ["bakeries abroad", { ufs: "EX" }],
];

const CITIES: readonly PlaceRow[] = [
  ["padarias em São Paulo", { cities: "São Paulo/SP", assumed: ["city_not_state"] }],
  ["padarias no Rio de Janeiro", { cities: "Rio de Janeiro/RJ", assumed: ["city_not_state"] }],
  ["padarias na cidade de São Paulo", { cities: "São Paulo/SP", assumed: [] }],
  ["padarias do Rio", { cities: "Rio de Janeiro/RJ" }],
  ["padarias em BH, Rio e Sampa", { cities: "Belo Horizonte/MG Rio de Janeiro/RJ São Paulo/SP" }],
  ["padarias em Floripa", { cities: "Florianópolis/SC" }],
  ["padarias em POA", { cities: "Porto Alegre/RS" }],
  ["padarias em Poá", { cities: "Poá/SP" }],
  ["bares cariocas", { cities: "Rio de Janeiro/RJ" }],
  ["padarias em Brasília", { cities: "Brasília/DF" }],
  ["padarias na capital paulista", { cities: "São Paulo/SP" }],
  ["padarias em São Paulo capital", { cities: "São Paulo/SP" }],
  ["padarias em SP capital", { cities: "São Paulo/SP" }],
  ["padarias na capital do Paraná", { cities: "Curitiba/PR" }],
  ["padarias na capital federal", { cities: "Brasília/DF" }],
  ["padarias nas capitais do Sul", { cities: "Curitiba/PR Florianópolis/SC Porto Alegre/RS" }],
  ["padarias nas capitais", { count: 27 }],
  ["padarias com capital social acima de 100 mil", { cities: "" }],
  ["padarias em Campinas e Santos", { cities: "Campinas/SP Santos/SP" }],
  ["padarias em São Paulo, Campinas e Santos", { cities: "Campinas/SP Santos/SP São Paulo/SP" }],
  ["padarias no eixo Rio-São Paulo", { cities: "Rio de Janeiro/RJ São Paulo/SP" }],
  ["padarias em Campinas e no estado de SP", { ufs: "SP" }],
  ["padarias em Campinas SP", { cities: "Campinas/SP" }],
  ["padarias em Campinas/SP", { cities: "Campinas/SP" }],
  ["padarias em Campinas - SP", { cities: "Campinas/SP" }],
  ["padarias em Campinas, SP", { cities: "Campinas/SP" }],
  ["padarias em Campinas (SP)", { cities: "Campinas/SP" }],
  ["padarias em Campinas no estado de SP", { cities: "Campinas/SP" }],
  ["padarias no estado de SP, em Campinas", { cities: "Campinas/SP" }],
  ["padarias em Santos, São Paulo", { cities: "Santos/SP" }],
  ["padarias paulistas em Campinas", { cities: "Campinas/SP" }],
  ["padarias em Bom Jesus no Piauí", { cities: "Bom Jesus/PI" }],
  ["padarias em Bom Jesus/RS e Corrente/PI", { cities: "Bom Jesus/RS Corrente/PI" }],
  ["padarias em recife pe", { cities: "Recife/PE" }],
  ["padarias em fortaleza, ce", { cities: "Fortaleza/CE" }],
  ["padarias em Santa Luzia no Pará", { cities: "Santa Luzia do Pará/PA" }],
  ["padarias em Belém do Pará", { cities: "Belém/PA" }],
  ["padarias em Pará de Minas", { cities: "Pará de Minas/MG" }],
  ["hoteis em gramado e canela", { cities: "Canela/RS Gramado/RS" }],
  ["padarias com capital de giro em SP", { ufs: "SP" }],
  ["padarias em Curitiba, PR; Joinville, SC", { cities: "Curitiba/PR Joinville/SC" }],
  ["padarias em Tocantins/MG", { cities: "Tocantins/MG" }],
  ["padarias na cidade de Goiás", { cities: "Goiás/GO" }],
  ["padarias em Campinas e no Rio Grande do Sul", { count: 498 }],
  ["padarias em São Paulo e no Paraná", { count: 400 }],
  ["padarias em Campo Grande", { cities: "Campo Grande/MS", assumed: ["city_of_several_states"] }],
  ["padarias em São Caetano/SP", { cities: "São Caetano do Sul/SP" }],
  ["padarias em São Caetano/PE", { cities: "São Caitano/PE" }],
  ["padarias em São Bernardo/SP", { cities: "São Bernardo do Campo/SP" }],
  ["padarias em São Bernardo/MA", { cities: "São Bernardo/MA" }],
  ["padarias em Ji-Paraná", { cities: "Ji-Paraná/RO" }],
  ["padarias em Pingo d'Água", { cities: "Pingo-d'Água/MG" }],
  ["padarias em Moji-Guaçu", { cities: "Mogi Guaçu/SP" }],
  ["padarias em Mogi-Guaçu", { cities: "Mogi Guaçu/SP" }],
  ["padarias em Santa Bárbara do Oeste", { cities: "Santa Bárbara d'Oeste/SP" }],
  ["padarias em santa barbara doeste", { cities: "Santa Bárbara d'Oeste/SP" }],
  ["padarias em Sto. André/SP", { cities: "Santo André/SP" }],
  ["padarias em S. José dos Campos", { cities: "São José dos Campos/SP" }],
  ["padarias em Palma/MG", { cities: "Palma/MG" }],
  ["padarias em Palmas", { cities: "Palmas/TO" }],
  ["padarias em Natal", { cities: "Natal/RN" }],
  ["lojas de flores em Flores/PE", { cities: "Flores/PE" }],
  ["lojas de flores", { cities: "" }],
  ["bares em Óleo", { cities: "Óleo/SP" }],
  ["hotéis de Gramado", { cities: "Gramado/RS" }],
  ["marmorarias especializadas em granito", { cities: "" }],
  ["lojas sem peixe", { cities: "" }],
  ["padarias em Sem-Peixe", { cities: "Sem-Peixe/MG" }],
  ["fábricas de queijo minas", { cities: "" }],
  ["padarias com frota própria", { cities: "" }],
  ["lojas de decoração de natal", { cities: "" }],
  ["material de natal em Fortaleza", { cities: "Fortaleza/CE", unknown: true }],
  ["padarias em Mineiros", { cities: "Mineiros/GO" }],
  ["padarias em Marco", { cities: "Marco/CE" }],
  ["padarias abertas em março de 2020", { cities: "" }],
  ["padarias em Três Rios", { cities: "Três Rios/RJ" }],
  ["padaria são josé dos campos", { cities: "São José dos Campos/SP" }],
  ["comida mineira em Curitiba", { cities: "Curitiba/PR", ufs: "" }],
  ["bakeries in the city of Campinas", { cities: "Campinas/SP" }],
];

const PARTS: readonly PlaceRow[] = [
  ["padarias na zona sul de São Paulo", { cities: "São Paulo/SP", left: ["zona sul"] }],
  ["padarias em São Paulo, zona leste", { cities: "São Paulo/SP", left: ["zona leste"] }],
  [
    "padarias em Praia Grande e São Vicente, litoral paulista",
    { cities: "Praia Grande/SP São Vicente/SP", assumed: ["region_of_cities"] },
  ],
  ["padarias em Bauru e arredores", { count: 22 }],
  ["padarias em Cuiabá e arredores", { count: 7 }],
  ["padarias em Rio Branco e região", { cities: "Rio Branco/AC", left: ["região"] }],
  ["padarias na região de Minas Gerais", { ufs: "MG", left: ["região"] }],
  ["padarias em Porto de Galinhas", { cities: "Ipojuca/PE", left: ["Porto de Galinhas"] }],
  ["padarias no interior", { unknown: true, left: ["interior"] }],
  ["padarias no bairro Moema em São Paulo", { cities: "São Paulo/SP", left: ["bairro Moema"] }],
  ["padarias na Avenida Paulista", { unknown: true, left: ["Avenida Paulista"] }],
];

/** Regions with the number of their municipalities. */
const REGIONS: readonly PlaceRow[] = [
  ["padarias no Norte de Minas", { count: 89, assumed: ["region_as_municipalities"] }],
  ["padarias no sul de Minas", { count: 146 }],
  ["padarias no norte do Paraná", { count: 125 }],
  ["padarias no litoral de SC", { count: 27 }],
  ["padarias no interior de SP", { count: 606 }],
  ["padarias no interior de São Paulo", { count: 606 }],
  ["padarias no interior paulista", { count: 606 }],
  ["padarias no interior do estado de SP", { count: 606 }],
  ["padarias em São Paulo, interior", { count: 606 }],
  ["padarias no oeste catarinense", { count: 118 }],
  ["padarias na região metropolitana de BH", { count: 34 }],
  ["padarias na Grande São Paulo", { count: 39, assumed: ["region_as_municipalities"] }],
  ["padarias na grande sp exceto a capital", { count: 38 }],
  ["padarias na Grande São Paulo, menos São Paulo e Osasco", { count: 37 }],
  ["padarias em São Paulo, menos a Grande São Paulo", { count: 606 }],
  ["padarias na Grande São Paulo e em Campinas", { count: 40 }],
  ["padarias no ABC paulista", { count: 7 }],
  ["padarias no abc", { count: 7 }],
  ["padarias ABC", { count: 7 }],
  ["padarias no Vale do Paraíba, RJ", { count: 12 }],
  ["padarias na Serra Gaúcha", { count: 40 }],
  ["padarias na Serra Gaúcha, em Gramado e Canela", { cities: "Canela/RS Gramado/RS" }],
  ["padarias em Campinas e região", { count: 20 }],
  ["padarias na região de Campinas", { count: 20 }],
  ["padarias em SP exceto o interior de SP", { count: 39 }],
  ["padarias em Pernambuco, exceto a Zona da Mata", { count: 142 }],
  ["padarias na Zona da Mata de Pernambuco", { count: 43 }],
  ["padarias na zona da mata (pe)", { count: 43 }],
  ["padarias em PE, na Zona da Mata", { count: 43 }],
  ["padarias na Zona da Mata", { count: 142, assumed: ASSUMED_OF_SEVERAL }],
  ["padarias no Agreste", { count: 222 }],
  ["padarias no litoral norte", { count: 4, assumed: ASSUMED_OF_SEVERAL }],
  ["padarias no litoral norte da Bahia", { count: 7 }],
  ["padarias no litoral norte gaúcho", { count: 20 }],
  ["padarias nos Campos Gerais", { count: 19 }],
  ["padarias em Campos Gerais", { cities: "Campos Gerais/MG" }],
  ["padarias no Entorno do DF", { count: 33 }],
  ["padarias no Entorno do DF, em Goiás", { count: 29 }],
  ["bakeries in Greater São Paulo", { count: 39 }],
  ["bakeries in the Campinas metropolitan area", { count: 20 }],
  ["bakeries in the countryside of SP", { count: 606 }],
  ["panaderías en el Gran São Paulo", { count: 39 }],
  ["vale refeição em SP", { ufs: "SP" }],
];

/** What nobody knows, or nobody has said the municipalities of. */
const LOST: readonly PlaceRow[] = [
  ["padarias no Vale do Xyz", { unknown: true, left: ["no Vale do Xyz"] }],
  ["padarias no vale do xyz com telefone", { unknown: true, left: ["no vale do xyz"] }],
  [
    "padarias na região dos Pireneus imaginários",
    { unknown: true, left: ["na região dos Pireneus imaginários"] },
  ],
  ["padarias no Planalto Imaginário", { unknown: true, left: ["no Planalto Imaginário"] }],
  ["padarias em SP, no Vale do Xyz", { ufs: "SP", unknown: true, left: ["no Vale do Xyz"] }],
  ["padarias em SP exceto o Vale do Xyz", { ufs: "SP", unknown: true, left: ["Vale do Xyz"] }],
  ["padarias em Campinas e no Vale do Xyz", { cities: "Campinas/SP", left: ["no Vale do Xyz"] }],
  ["padarias no norte do Pará", { ufs: "PA", unknown: true, left: ["norte"] }],
  ["padarias em SP exceto o centro de SP", { ufs: "SP", unknown: true, left: ["centro de SP"] }],
  [
    "padarias na microrregião de Campinas",
    { cities: "Campinas/SP", unknown: true, left: ["microrregião"] },
  ],
  [
    "padarias na Baixada Santista, RJ",
    { ufs: "RJ", unknown: true, left: ["na Baixada Santista, RJ"] },
  ],
];

const EXCLUDED: readonly PlaceRow[] = [
  ["farmácias em todo o Brasil exceto SP", { ufs: but("SP") }],
  ["padarias em todos os estados exceto SP e RJ", { ufs: but("SP", "RJ") }],
  ["padarias na Bahia que não sejam de Salvador", { count: 416 }],
  ["padarias fora do Nordeste", { ufs: but(...NORTHEAST.split(" ")) }],
  ["padarias que não seja em SP", { ufs: but("SP") }],
  ["padarias que não sejam em SP nem em MG", { ufs: but("SP", "MG") }],
  ["bakeries outside SP", { ufs: but("SP") }],
  ["padarias no Sul exceto o Paraná", { ufs: "RS SC" }],
  ["padarias no Sudeste exceto São Paulo", { ufs: "ES MG RJ", assumed: ["state_not_city"] }],
  ["padarias fora de São Paulo", { ufs: but("SP"), assumed: ["state_not_city"] }],
  ["padarias fora do estado de São Paulo", { ufs: but("SP"), assumed: [] }],
  ["padarias em SP exceto Campinas", { count: 644, assumed: ["states_as_municipalities"] }],
  ["padarias em SP, menos a capital", { count: 644 }],
  ["padarias em São Paulo, menos a capital", { count: 644 }],
  ["padarias no Sul exceto Curitiba", { count: 1190 }],
  ["padarias exceto em São Paulo", { count: 5570 }],
  ["padarias em MG menos BH e Uberlândia", { count: 851 }],
  ["padarias em SP exceto MG", { ufs: "SP" }],
  ["padarias em Campinas exceto SP", { cities: "Campinas/SP", unknown: true }],
];

const UNKNOWN: readonly PlaceRow[] = [
  ["padarias em Nárnia", { unknown: true, left: ["em Nárnia"] }],
  ["padarias em narnia", { unknown: true, left: ["em narnia"] }],
  ["padarias na cidade de Xyz", { unknown: true, left: ["na cidade de Xyz"] }],
  ["padarias em Nárnia, SP", { ufs: "SP", unknown: true, left: ["em Nárnia"] }],
  ["padarias em Campinas e em Nárnia", { cities: "Campinas/SP", left: ["em Nárnia"] }],
  ["padarias em Vila Nova do Nada", { unknown: true, left: ["em Vila Nova do Nada"] }],
  [
    "padarias na Barra da Tijuca, Rio de Janeiro",
    { cities: "Rio de Janeiro/RJ", left: ["Barra da Tijuca"] },
  ],
  ["padarias em Campinas/RJ", { ufs: "RJ", unknown: true, left: ["em Campinas/RJ"] }],
  ["padarias em Taguatinga, DF", { ufs: "DF", left: ["em Taguatinga, DF"] }],
];

/** The tables by construct. */
export const PLACE_TABLES = { STATES, CITIES, PARTS, REGIONS, LOST, EXCLUDED, UNKNOWN };
