/**
 * Parts of states and cities, and what lies abroad. What comes in: nothing. What goes out: words
 * that cut a part out of a place, areas with the states they lie in, countries.
 * Invariant: no filter knows these areas: they stand for the place they lie in, and the rest is
 * said to be left.
 */

/** Words that begin the name of a part of a place: "interior de SP", "zona sul de São Paulo". */
export const PART_STARTS = new Set(
  (
    "interior litoral zona norte sul leste oeste noroeste sudoeste nordeste sudeste extremo " +
    "centro sertao agreste serra vale baixada triangulo reconcavo regiao periferia arredores " +
    "arredor redondezas proximidades adjacencias entorno suburbio planalto pantanal campanha " +
    "fronteira costa mata cerrado recanto chapada metade grande greater countryside inland " +
    "coast coastal microrregiao mesorregiao northern southern eastern western north south " +
    "east west metropolitan downtown metro alto medio baixo"
  ).split(" "),
);

/** Words that may follow in such a name. */
export const PART_WORDS = new Set(
  (
    "norte sul leste oeste noroeste sudoeste nordeste sudeste central rural portuaria " +
    "metropolitana serrana oriental ocidental centro interior litoral extremo meio region area " +
    "side mata serra imediata intermediaria geografica metropolitan " +
    "sertao expandido historico fluvial zona coast part"
  ).split(" "),
);

/** Parts of a city rather than of a state. */
export const CITY_PARTS = new Set(
  (
    "zona centro metropolitana metropolitan grande greater periferia arredores arredor " +
    "suburbio downtown metro entorno recanto"
  ).split(" "),
);

/** Parts that are named without the place they are of, behind a preposition. */
export const LONE_PARTS = new Set(
  "interior litoral periferia suburbio countryside inland zona".split(" "),
);

/** Parts that are named behind their place: "Campinas e região". */
export const SURROUNDINGS = new Set(
  "regiao arredores arredor redondezas proximidades adjacencias entorno".split(" "),
);

/** Words after which a point of the compass is no region: "zona sul", "asa norte". */
export const NOT_REGION = new Set(
  "zona asa ala lado polo eixo litoral america mar rua avenida bloco shopping cone side".split(" "),
);

/** Areas that are states, or a part of the one municipality of a state, with the states. */
export const AREAS: Readonly<Record<string, string>> = {
  "amazônia legal": "AC AM AP MA MT PA RO RR TO",
  amazônia: "AC AM AP MA MT PA RO RR TO",
  ceilândia: "DF",
  "plano piloto": "DF",
  "asa sul": "DF",
  "asa norte": "DF",
  "lago sul": "DF",
  "lago norte": "DF",
};

/** Divisions of the statistics, which only a file of places can name. */
export const STATISTICAL = /^(micro|meso)rregiao|^regiao (geografica )?(imediata|intermediaria)/;

/** Names of Brazil; asking for it asks for nothing. */
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

/** Abroad at large and other countries, in Portuguese and English. */
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
