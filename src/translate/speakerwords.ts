/**
 * Lists the folded words by which speaker.ts recognizes clauses about the speaker.
 * Invariant: each set has the words of all languages for its function.
 * Separate from the reader of clauses because it is a word list; speaker.ts reads the clauses.
 */
const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Verbs of selling in the first person, with or without a pronoun. */
export const SELLING = wordSet(
  "vendo vendemos ofereco oferecemos forneco fornecemos presto prestamos comercializo " +
    "comercializamos represento representamos distribuo distribuimos fabrico fabricamos " +
    "produzo produzimos alugo alugamos revendo revendemos importo importamos exporto exportamos " +
    "instalo instalamos trabalhamos desenvolvo desenvolvemos fazemos faco confecciono " +
    "confeccionamos ofrezco ofrecemos proveemos distribuyo fabricamos vendese compro compramos " +
    "atendo atendemos",
);
/** Verbs of selling in the third person: "a gente vende", "minha empresa vende". */
export const SELLS = wordSet(
  "vende oferece fornece presta comercializa representa distribui fabrica produz aluga revende " +
    "importa exporta instala trabalha atua atende serves desenvolve faz ofrece fabrica " +
    "distribuye trabaja " +
    "sell sells offer offers provide provides supply supplies make makes produce produces " +
    "manufacture manufactures distribute distributes represent represents import imports export " +
    "exports buy buys purchase purchases source sources " +
    "rent rents install installs build builds run runs own owns operate " +
    "operates work " +
    "works recruit recruits hire hires train trains manage manages teach teaches advise serve " +
    "write writes publish organize deal lead coordinate handle " +
    "design designs develop develops create creates",
);
/** Infinitives of selling, after "para", "quero", or "to", or at the beginning of a sentence. */
export const TO_SELL = wordSet(
  "vender oferecer fornecer prestar comercializar divulgar apresentar anunciar promover " +
    "propor revender ofrecer presentar sell offer provide supply promote pitch",
);
/** Gerunds of selling. */
export const SELLING_NOW = wordSet("vendendo oferecendo fornecendo selling offering supplying");
/** Words that may stand before an infinitive of selling. */
export const WISHING = wordSet(
  "quero queremos queria queriamos vou vamos preciso precisamos pretendo pretendemos para pra " +
    "gostaria gostariamos quisiera quisieramos quiero queremos deseo desejo desejamos want to for",
);
/** Words before customers and purposes. */
export const FOR = wordSet("para pra pras pros to for");
/** Verbs of being in the first person. */
export const BEING = wordSet("sou somos");
/** Verbs of living and working in the first person, before the speaker's place. */
export const WHERE = wordSet(
  "moro resido vivo vivemos moramos trabalho trabajo trabajamos atuo atuamos live work",
);
/** Words other than prepositions of place after a verb of working: "trabalho com". */
export const WORKING = wordSet("com para with for as como");
/** Verbs that say where something is. */
export const BE = wordSet("fica ficam esta estao localiza situa funciona is are");
/** Prepositions of place. */
export const IN = wordSet("em no na nos nas numa num in at de da do from based located");
/** Pronouns of the first person. */
export const PRONOUNS = wordSet("eu nos i we yo nosotros");
/** Possessives in the singular. */
export const OWN = wordSet("minha meu nossa nosso my our mi nuestra nuestro");
/** All possessives. */
export const OWN_ALL = wordSet(
  `${[...OWN].join(" ")} meus minhas nossos nossas mis nuestros nuestras`,
);
/** General words for goods and services. */
export const GENERIC = wordSet(
  "produto produtos servico servicos solucao solucoes products services solutions product " +
    "productos servicios",
);
/** Articles and possessives before a noun. */
export const ARTICLES = wordSet(
  "um uma uns umas o a os as the an meu minha meus minhas nosso nossa my",
);
/** Nouns for the speaker's company or role in it, and small words between them. */
export const OF_COMPANY = wordSet("empresa firma dono dona de do da owner of representante");
/** Words that join a clause to a request. */
export const JOINS = wordSet("e y and mas but pois porque que ai entao so tambem also");
/** Words that begin a request and so end a clause about the speaker. */
export const REQUESTS = wordSet(
  "procuro procuramos procurando busco buscamos buscando quero queremos queria queriamos preciso " +
    "precisamos precisando necessito necessitamos gostaria gostariamos desejo desejamos manda " +
    "mande envia envie liste mostre mostra traga traz ache acha encontre encontra passe gere " +
    "puxe " +
    "filtre quais quantas quantos looking look want need find show list give send which " +
    "searching " +
    "seeking dame atras interessam mapeando levantando mapear levantar",
);
/** Third-person verbs of requesting, which may follow a noun for the speaker. */
export const REQUEST_VERBS = wordSet(
  "procura busca precisa quer seeks needs wants looking necesita quiere",
);
/** Nouns for a speaker's role. Punctuation or "aqui" must follow. */
export const PERSONS = wordSet(
  "representante vendedor vendedora corretor corretora consultor consultora contador contadora " +
    "jornalista estudante journalist salesman salesperson rep broker consultant accountant " +
    "student researcher pesquisador pesquisadora analista gerente comprador compradora buyer " +
    "seller freelancer autonomo autonoma marketing periodista",
);
/** Words that may follow the role of a speaker. */
export const HERE = wordSet("aqui here");
/** Words for customers that name no trade. */
export const CUSTOMERS = wordSet(
  "empresas empresa clientes lojas lojistas quem comercios negocios firmas companies businesses " +
    "firms clients customers meis mei micro microempresas pequenas pequenos comerciantes",
);
/** Words that end a purpose that stands after the request. */
export const PURPOSE_END = wordSet(
  "com sem que em no na nos nas abertas abertos with without that in opened e and quero preciso",
);
/** Words before a verb such as "vendo" or "am" that show that it does not describe the speaker. */
export const NOT_SELF = wordSet("que estou to estamos tou estava tava nao quem who not dont");
/** Gerunds of seeking. They begin a request and do not describe the speaker. */
export const SOUGHT_NOW = wordSet(
  "looking searching seeking trying interested after procurando buscando querendo",
);

/** Words that may stand before a gerund about the speaker's plans. */
export const STARTING_LEADS = wordSet("to tou estou estamos tamos ando estoy estamos");
/** Gerunds about the speaker's plans. */
export const STARTING = wordSet(
  "lancando abrindo criando iniciando comecando expandindo inaugurando divulgando lanzando " +
    "abriendo creando",
);

/** Infinitives of what the speaker does with the result. */
export const SUPPLYING = wordSet(
  "abastecer equipar mobiliar reformar decorar revender revenda usar utilizar presentear " +
    "atender visitar contatar contactar entrevistar pesquisar estudar mapear fiscalizar auditar " +
    "supply equip furnish visit interview contact study survey " +
    "abastecer equipar visitar entrevistar estudiar investigar",
);

/** Infinitives of the speaker's plans, such as "abrir". A request must follow. */
export const PLANNING = wordSet(
  "abrir montar iniciar comecar criar inaugurar lancar open start launch emprender iniciar " +
    "instalar poner",
);
/** Words before an infinitive of a plan. */
export const PLANNING_LEADS = wordSet(
  "quero queremos queria vou vamos pretendo pretendemos penso pensamos desejo quiero queremos " +
    "voy want plan planning going pienso",
);

/** Infinitives of buying after "preciso" or "quero". */
export const BUYING = wordSet(
  "cotar orcar comprar contratar adquirir encomendar licitar buy order",
);
/** Words that may stand before an infinitive of buying. */
export const BUYS_LED = wordSet(
  "quero queremos queria preciso precisamos pretendo vou vamos want need to",
);
