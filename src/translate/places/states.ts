/**
 * Lists common names of states, cities, their parts, and places abroad. Output: names with
 * abbreviations of states or IBGE codes.
 * Invariant: every abbreviation is one of the 27 states and every code a municipality. A name has
 * no other meaning, unless placewords.ts lists it as ambiguous. No filter takes a part of a place
 * or an area of several states. Such a name is read as the place around it, which a note reports.
 */
/** IBGE codes of the capitals by state. */
export const CAPITALS: Readonly<Record<string, string>> = {
  AC: "1200401",
  AL: "2704302",
  AM: "1302603",
  AP: "1600303",
  BA: "2927408",
  CE: "2304400",
  DF: "5300108",
  ES: "3205309",
  GO: "5208707",
  MA: "2111300",
  MG: "3106200",
  MS: "5002704",
  MT: "5103403",
  PA: "1501402",
  PB: "2507507",
  PE: "2611606",
  PI: "2211001",
  PR: "4106902",
  RJ: "3304557",
  RN: "2408102",
  RO: "1100205",
  RR: "1400100",
  RS: "4314902",
  SC: "4205407",
  SE: "2800308",
  SP: "3550308",
  TO: "1721000",
};

const NORTH = "AC AM AP PA RO RR TO";
const NORTHEAST = "AL BA CE MA PB PE PI RN SE";
const MIDWEST = "DF GO MS MT";
const SOUTHEAST = "ES MG RJ SP";
const SOUTH = "PR RS SC";

/** Names of the great regions with their states. The English names follow "the" in a sentence. */
export const REGIONS: Readonly<Record<string, string>> = {
  norte: NORTH,
  nordeste: NORTHEAST,
  "centro-oeste": MIDWEST,
  centroeste: MIDWEST,
  sudeste: SOUTHEAST,
  sul: SOUTH,
  north: NORTH,
  northern: NORTH,
  northeast: NORTHEAST,
  northeastern: NORTHEAST,
  midwest: MIDWEST,
  "central-west": MIDWEST,
  "center-west": MIDWEST,
  "centre-west": MIDWEST,
  southeast: SOUTHEAST,
  southeastern: SOUTHEAST,
  south: SOUTH,
  southern: SOUTH,
};

/**
 * Word that an earlier stage puts in place of "para" where it means the state of Pará and not the
 * preposition. It never occurs in texts.
 */
export const PARA_STATE = "paraestado";

/** Nicknames of states. */
export const STATE_NICKNAMES: Readonly<Record<string, string>> = {
  minas: "MG",
  rio: "RJ",
  matogrosso: "MT",
  "mato grosso sul": "MS",
  "rio grande norte": "RN",
  "federal district": "DF",
  [PARA_STATE]: "PA",
};

/** Adjectives of states and regions in the masculine singular. The other forms are derived. */
export const DEMONYMS: Readonly<Record<string, string>> = {
  acreano: "AC",
  acriano: "AC",
  alagoano: "AL",
  amapaense: "AP",
  amazonense: "AM",
  baiano: "BA",
  cearense: "CE",
  capixaba: "ES",
  "espírito-santense": "ES",
  goiano: "GO",
  maranhense: "MA",
  mineiro: "MG",
  paraense: "PA",
  paraibano: "PB",
  paranaense: "PR",
  pernambucano: "PE",
  piauiense: "PI",
  fluminense: "RJ",
  potiguar: "RN",
  "rio-grandense-do-norte": "RN",
  "norte-rio-grandense": "RN",
  gaúcho: "RS",
  "sul-rio-grandense": "RS",
  rondoniense: "RO",
  rondoniano: "RO",
  roraimense: "RR",
  catarinense: "SC",
  "barriga-verde": "SC",
  paulista: "SP",
  sergipano: "SE",
  tocantinense: "TO",
  "mato-grossense": "MT",
  "sul-mato-grossense": "MS",
  "mato-grossense-do-sul": "MS",
  nortista: NORTH,
  nordestino: NORTHEAST,
  sulista: SOUTH,
  sulino: SOUTH,
  sudestino: SOUTHEAST,
};

/** Adjectives of cities, with their IBGE codes. */
export const CITY_DEMONYMS: Readonly<Record<string, string>> = {
  paulistano: "3550308",
  carioca: "3304557",
  soteropolitano: "2927408",
  recifense: "2611606",
  curitibano: "4106902",
  "belo-horizontino": "3106200",
  "porto-alegrense": "4314902",
  florianopolitano: "4205407",
  fortalezense: "2304400",
  manauara: "1302603",
  manauense: "1302603",
  belenense: "1501402",
  goianiense: "5208707",
  brasiliense: "5300108",
  candango: "5300108",
  natalense: "2408102",
  teresinense: "2211001",
  cuiabano: "5103403",
  aracajuano: "2800308",
  maceioense: "2704302",
  ludovicense: "2111300",
  "são-luisense": "2111300",
  macapaense: "1600303",
  pessoense: "2507507",
  "campo-grandense": "5002704",
  "porto-velhense": "1100205",
  "boa-vistense": "1400100",
  "rio-branquense": "1200401",
  palmense: "1721000",
  campineiro: "3509502",
  santista: "3548500",
  niteroiense: "3303302",
  joinvilense: "4209102",
  londrinense: "4113700",
  maringaense: "4115200",
  uberlandense: "3170206",
  "juiz-forano": "3136702",
  "juiz-de-forano": "3136702",
  guarulhense: "3518800",
  osasquense: "3534401",
  sorocabano: "3552205",
  blumenauense: "4202404",
};

/** Short names that several cities share, with the IBGE codes of all. */
export const CITY_SHORT_NAMES: Readonly<Record<string, string>> = {
  "são caetano": "2613107 3548807",
  "são bernardo": "3548708",
  "são luiz": "2111300 1400605",
  ribeirão: "3543402",
  "rio preto": "3549805",
  conquista: "2933307",
  "santa teresinha": "2928505",
};

/** Nicknames and old or common spellings of cities, with their IBGE codes. */
export const CITY_NICKNAMES: Readonly<Record<string, string>> = {
  sampa: "3550308",
  spo: "3550308",
  rio: "3304557",
  "cidade maravilhosa": "3304557",
  bh: "3106200",
  beagá: "3106200",
  belô: "3106200",
  floripa: "4205407",
  poa: "4314902",
  jampa: "2507507",
  cwb: "4106902",
  ctba: "4106902",
  curita: "4106902",
  bsb: "5300108",
  bhz: "3106200",
  belzonte: "3106200",
  ssa: "2927408",
  fpolis: "4205407",
  fln: "4205407",
  pvh: "1100205",
  rbr: "1200401",
  cgb: "5103403",
  cgr: "5002704",
  gyn: "5208707",
  pmw: "1721000",
  slz: "2111300",
  jpa: "2507507",
  mcz: "2704302",
  mcp: "1600303",
  bvb: "1400100",
  vix: "3205309",
  foz: "4108304",
  búzios: "3300233",
  jf: "3136702",
  sbc: "3548708",
  sjc: "3549904",
  sjrp: "3549805",
  "aparecida do norte": "3502507",
  prudente: "3541406",
  lafaiete: "3118304",
  valadares: "3127701",
  itaquá: "3523107",
  pinda: "3538006",
  jaboatão: "2607901",
  cachoeiro: "3201209",
  friburgo: "3303401",
  "são leo": "4318705",
  moc: "3143302",
  udi: "3170206",
  assu: "2400208",
  açu: "2400208",
  arês: "2401206",
  "fortaleza do tabocão": "1708254",
  "amparo da serra": "3102506",
  "boa saúde": "2405306",
  "campo grande": "2401305",
  "augusto severo": "2401305",
  "januário cicco": "2405306",
  "balneário de piçarras": "4212809",
  "bal camboriú": "4202008",
  "barão do monte alto": "3105509",
  brasópolis: "3108909",
  brazópolis: "3108909",
  "couto magalhães": "1706001",
  "couto de magalhães": "1706001",
  "dona euzébia": "3122900",
  "dona eusébia": "3122900",
  "eldorado dos carajás": "1502954",
  florínea: "3516101",
  florínia: "3516101",
  "graccho cardoso": "2802601",
  "gracho cardoso": "2802601",
  parati: "3303807",
  paraty: "3303807",
  "santana do livramento": "4317103",
  "santa isabel do pará": "1506500",
  "são caitano": "2613107",
  "são tomé das letras": "3165206",
  "são thomé das letras": "3165206",
  "são valério da natividade": "1720499",
  "são valério": "1720499",
  "embu das artes": "3515004",
  embu: "3515004",
  "moji-guaçu": "3530706",
  "moji mirim": "3530805",
  "moji das cruzes": "3530607",
};

/** Words that may begin the name of a part: "interior de SP", "zona sul de São Paulo". */
export const PART_STARTS = new Set(
  (
    "interior litoral zona norte sul leste oeste noroeste sudoeste nordeste sudeste extremo " +
    "centro sertao agreste serra vale baixada triangulo reconcavo regiao periferia arredores " +
    "arredor redondezas proximidades adjacencias entorno suburbio planalto pantanal campanha " +
    "fronteira costa mata cerrado recanto chapada metade grande greater countryside inland " +
    "coast coastal microrregiao mesorregiao northern southern eastern western north south " +
    "east west southwest northwest southwestern northwestern metropolitan downtown metro alto " +
    "medio baixo polo shopping shoppings mall malls ceasa ceagesp"
  ).split(" "),
);

/** Words that may continue the name of a part. */
export const PART_WORDS = new Set(
  (
    "norte sul leste oeste noroeste sudoeste nordeste sudeste central rural portuaria " +
    "metropolitana serrana oriental ocidental centro interior litoral extremo meio region area " +
    "side mata serra imediata intermediaria geografica metropolitan " +
    "sertao expandido historico fluvial zona zone coast part industrial tecnologico " +
    "mall malls center centers centre centres"
  ).split(" "),
);

/** Words for parts that only a city has, not a state. */
export const CITY_PARTS = new Set(
  (
    "zona centro metropolitana metropolitan grande greater periferia arredores arredor " +
    "suburbio downtown metro entorno recanto zone polo shopping shoppings mall malls"
  ).split(" "),
);

/** Words for parts that may follow a preposition without the name of a place: "no interior". */
export const LONE_PARTS = new Set(
  "interior litoral periferia suburbio countryside inland zona".split(" "),
);

/** Words for surroundings, which stand after the place: "Campinas e região". */
export const SURROUNDINGS = new Set(
  (
    "regiao arredores arredor redondezas proximidades adjacencias entorno surroundings " +
    "alrededores"
  ).split(" "),
);

/** Words before a direction that names no great region: "zona sul", "asa norte". */
export const NOT_REGION = new Set(
  "zona zone asa ala lado polo eixo litoral america mar rua avenida bloco shopping cone side".split(
    " ",
  ),
);

/** Areas that extend over several states, with these states. */
export const AREAS: Readonly<Record<string, string>> = {
  matopiba: "MA TO PI BA",
  "amazônia legal": "AC AM AP MA MT PA RO RR TO",
  amazônia: "AC AM AP MA MT PA RO RR TO",
};

/** Matches statistical regions. They are known only if the operator supplied a file of places. */
export const STATISTICAL = /^(micro|meso)rregiao|^regiao (geografica )?(imediata|intermediaria)/;

/** Names of Brazil, which do not filter. */
export const HERE: readonly string[] = [
  "Brasil",
  "Brazil",
  "Brasil inteiro",
  "país",
  "país inteiro",
  "território nacional",
  "território brasileiro",
  "âmbito nacional",
  "nível nacional",
];

/** Words for abroad, and other countries, in Portuguese and English. */
export const COUNTRIES: readonly string[] = (
  "exterior|estrangeiro|abroad|overseas|Portugal|Espanha|Spain|França|France|Itália|Italy|" +
  "Alemanha|Germany|Inglaterra|England|Reino Unido|United Kingdom|Escócia|Irlanda|Ireland|Suíça|" +
  "Switzerland|Suécia|Sweden|Noruega|Norway|Dinamarca|Denmark|Finlândia|Finland|Bélgica|Belgium|" +
  "Holanda|Países Baixos|Netherlands|Áustria|Austria|Polônia|Poland|Grécia|Greece|Turquia|Turkey|" +
  "Rússia|Russia|Ucrânia|Ukraine|Estados Unidos|Estados Unidos da América|EUA|USA|United States|" +
  "Canadá|Canada|México|Mexico|Argentina|Uruguai|Uruguay|Paraguai|Paraguay|Chile|Bolívia|Bolivia|" +
  "Peru|Venezuela|Guiana|Guyana|Suriname|Guiana Francesa|Cuba|República Dominicana|Costa Rica|" +
  "Guatemala|Honduras|Nicarágua|El Salvador|Porto Rico|Ilhas Cayman|Cayman Islands|Bahamas|China|" +
  "Japão|Japan|Coreia do Sul|South Korea|Coreia|Índia|India|Israel|Emirados Árabes|" +
  "Emirados Árabes Unidos|Arábia Saudita|Egito|Egypt|África do Sul|South Africa|Nigéria|Nigeria|" +
  "Marrocos|Morocco|Moçambique|Mozambique|Cabo Verde|Austrália|Australia|Nova Zelândia|" +
  "New Zealand|Singapura|Singapore|Hong Kong|Taiwan|Tailândia|Thailand|Vietnã|Vietnam|Filipinas|" +
  "Luxemburgo|Luxembourg|Andorra|Mônaco|Europa|Europe|América Latina|Latin America|" +
  "América do Norte|América do Sul|Ásia|Asia|África|Africa|Oceania|Londres|London|Paris|Lisboa|" +
  "Lisbon|Miami|Orlando|Madri|Madrid|Berlim|Roma|Milão|Tóquio|Tokyo|Xangai|Montevidéu|Assunção"
).split("|");
