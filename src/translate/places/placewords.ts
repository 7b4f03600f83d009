/**
 * Defines the words that stand around names of places.
 * Input: a sentence and a position. Output: the words before a name that mark it as a place, and
 * how. Other functions and sets tell "capital" the money from the city, and list names that are
 * also ordinary words.
 * Invariant: the words before a name are read backwards, up to the first unrelated one. The few
 * words around "capital" decide its meaning, even if other stages have read them. No token is
 * marked as read here.
 */
import { isInTrade } from "../items.ts";
import type { Sentence } from "../words/sentence.ts";

/** Words after which "capital" is money: "capital social", "capital acima de". */
const MONEY_AFTER = new Set(
  (
    "social giro aberto fechado estrangeiro estrangeira minimo maximo integralizado " +
    "integralizada acima abaixo superior inferior entre maior menor ate humano inicial " +
    "registrado declarado stock above below over under between of and e pelo ao least up"
  ).split(" "),
);
const MONEY_BEFORE = new Set(
  "maior maiores menor menores com sem por pelo muito pouco alto baixo share mercado with".split(
    " ",
  ),
);

const AMOUNT_WORDS = new Set(
  "mil k mi milhao milhoes bilhao bilhoes reais crescente decrescente ordem".split(" "),
);

const MONEY_WORDS =
  /^(mil|k|mi|milhao|milhoes|bilhao|reais|real|thousand|millions?|billion|order)$/;

/** True if "capital" at a token is money and not a city. */
export function isMoney(sentence: Sentence, at: number): boolean {
  if (isInTrade(sentence, at, at + 1)) return true;
  const next = sentence.folded(at + 1);
  const after = next === "de" ? sentence.folded(at + 2) : next;
  const near = [1, 2, 3].some((step) => sentence.tokens[at + step]?.kind === "number");
  const amount = near || isCompared(sentence, at + 1);
  const joins = after === "e" || after === "and" || after === "of";
  // After an amount or a word for money, "de capital" is money: "100 mil de capital", "ordem
  // decrescente de capital".
  const of = ["de", "do", "of"].includes(sentence.folded(at - 1)) && sentence.tokens[at - 2];
  const isAmount = (word: string) => AMOUNT_WORDS.has(word) || MONEY_WORDS.test(word);
  const counted = of && (of.kind === "number" || isAmount(of.folded));
  // Comparing words may stand between the amount and "de capital": "100 mil ou mais de capital",
  // "100 mil+ de capital".
  const least = of && /^(mais|menos|more|less|\+)$/.test(of.folded);
  const joined = /^(ou|or)$/.test(sentence.folded(at - 3)) ? 4 : 3;
  const compared = least && isAmountToken(sentence, at - joined);
  if (compared) return true;
  // "in" and "em" may stand between the amount and "capital": "1 million in capital", "500 mil
  // reais em capital".
  const into = ["in", "em"].includes(sentence.folded(at - 1)) && sentence.tokens[at - 2];
  const amounts = into && (into.kind === "number" || MONEY_WORDS.test(into.folded));
  if (counted || amounts) return true;
  return amount || (MONEY_AFTER.has(after) && !joins) || MONEY_BEFORE.has(sentence.folded(at - 1));
}

const COMPARING = new Set(
  (
    "de no na ao pelo a o e que social minimo maximo menos mais acima abaixo superior inferior " +
    "maior menor partir ate seja r rs us of at least most over above under up to more less than " +
    "minimum al mas menos mayor desde hasta exceeding"
  ).split(" "),
);
const COMPARING_MAX = 7;

/** True if only comparing words separate a token from a number: "de no mínimo 10 milhões". */
function isCompared(sentence: Sentence, from: number): boolean {
  for (let at = from; at < from + COMPARING_MAX; at++) {
    if (sentence.tokens[at]?.kind === "number") return true;
    if (!COMPARING.has(sentence.folded(at)) && sentence.tokens[at]?.text !== "$") return false;
  }
  return false;
}

function isAmountToken(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  return token !== undefined && (token.kind === "number" || MONEY_WORDS.test(token.folded));
}

/** Prepositions of location. */
const IN = new Set("em no na nos nas in at within across throughout".split(" "));
/** Prepositions of origin. */
const OF = new Set("de do da dos das of from d".split(" "));
const STATE = new Set("estado uf state".split(" "));
const STATES = new Set("estados ufs states".split(" "));
const CITY = new Set("cidade municipio city capital town".split(" "));
const CITIES = new Set("cidades municipios cities towns".split(" "));
/** Words that may stand before a name and do not change how it is read. */
const SILENT = new Set(
  "o a os as the todo toda todos todas inteiro inteira regiao regioes brazilian".split(" "),
);
const OPENING = new Set(["/", "(", ":", "=", "–", "—", "|", "["]);

/** The words before the name of a place and what they say about it. */
export interface Lead {
  /** Index of the first of these words, or of the name if there are none. */
  readonly from: number;
  /** Kind of the nearest preposition before the name: "in" (location), "of" (origin), or "". */
  readonly kind: "in" | "of" | "";
  /** The preposition as written, folded. */
  readonly word: string;
  readonly state: boolean;
  /** True for "estados de", which applies to all names in the list. */
  readonly states: boolean;
  readonly city: boolean;
  readonly cities: boolean;
  /** True if "/", "(", or similar punctuation binds the name to the text before it. */
  readonly mark: boolean;
}

/** True for a preposition of location, such as "em". */
export function isIn(word: string): boolean {
  return IN.has(word);
}

/** True for a preposition of origin, such as "de". */
export function isOf(word: string): boolean {
  return OF.has(word);
}

const KINDS: ReadonlySet<string> = new Set([...STATE, ...STATES, ...CITY, ...CITIES]);

/** True for a word such as "estado" or "cidade". */
export function isKindOfPlace(word: string): boolean {
  return KINDS.has(word);
}

/** Words before "de" that request places near the named one: "perto de". */
const NEAR = new Set(
  "perto pertinho proximo proxima proximos proximas close near cerca".split(" "),
);

/** True if the words before a name mean near the place: "perto de", "a 30 km de". */
export function isNear(sentence: Sentence, { from, kind }: Lead): boolean {
  const before = sentence.folded(from - 1);
  return kind === "of" && (NEAR.has(before) || before === "km");
}

/** All words that may introduce a name. */
const LEADING: ReadonlySet<string> = new Set([...IN, ...OF, ...KINDS, ...SILENT]);

/** Maximum words read before a name. Keeps the time for "capital capital …" linear. */
const LEAD_MAX = 12;

/** Reads the words before the name that begins at a token. */
export function leadOf(sentence: Sentence, at: number): Lead {
  let from = at;
  let kind: Lead["kind"] = "";
  let word = "";
  const seen = { state: false, states: false, city: false, cities: false, mark: false };
  for (; from > Math.max(0, at - LEAD_MAX) && sentence.free(from - 1); from--) {
    const before = sentence.folded(from - 1);
    if (!LEADING.has(before)) {
      if (!OPENING.has(sentence.tokens[from - 1]?.text ?? "")) break;
      seen.mark = true;
    } else if (IN.has(before) || OF.has(before)) {
      if (kind === "") {
        kind = IN.has(before) ? "in" : "of";
        word = before;
      }
    } else if (STATE.has(before)) seen.state = true;
    else if (STATES.has(before)) seen.states = true;
    else if (CITY.has(before) && isPlaceWord(sentence, from - 1)) seen.city = true;
    else if (CITIES.has(before)) seen.cities = true;
    else if (!SILENT.has(before)) break;
  }
  // An article introduces the name only after a preposition.
  while (from < at && SILENT.has(sentence.folded(from)) && !isRegionWord(sentence, from)) from++;
  const { state, states, city, cities, mark } = seen;
  return { from, kind, word, state, states, city, cities, mark };
}

/** True unless the word is "capital" in the sense of money: "maior capital em Goiás". */
function isPlaceWord(sentence: Sentence, at: number): boolean {
  return sentence.folded(at) !== "capital" || !isMoney(sentence, at);
}

function isRegionWord(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  return word.startsWith("regi") || word.startsWith("tod");
}

/** Words before the name of a street or district, which may also be the name of a city. */
export const STREETS = new Set(
  (
    "bairro bairros distrito rua ruas avenida avenidas av praca alameda rodovia estrada " +
    "shopping edificio condominio loteamento galeria aeroporto neighbourhood neighborhood " +
    "district street avenue"
  ).split(" "),
);

/**
 * Words that begin the name of a district after an article, as in "na Vila Madalena". After "em",
 * they begin the name of a city.
 */
export const QUARTERS = new Set(["vila", "jardim", "parque", "conjunto", "residencial"]);

/** First words of names of districts that may end with the name of a town: "Jardim da Luz". */
export const QUARTER_HEADS = new Set(
  (
    "vila vl jardim jd parque pq conjunto conj residencial porto alto morro barra praia ilha " +
    "ponta " +
    "recanto chacara chacaras bosque lago mirante loteamento quinta"
  ).split(" "),
);

/** Words after which "em" introduces the subject of a business and not its location. */
export const DEALING = new Set(
  (
    "especializada especializado especializadas especializados especialista especialistas " +
    "focada focado focadas focados foco atua atuam atuar atuando atuante atuantes trabalha " +
    "trabalham artigos produtos comercio servico servicos consultoria assessoria assistencia " +
    "curso cursos treinamento formacao engenharia profissional profissionais tecnico tecnica " +
    "solucoes investimento empreendimentos negocios industria comercializacao tratamento " +
    "gestao ramo setor area interessadas interessados base peixe peixes camarao camaroes pesca " +
    "aquicultura piscicultura specialized specializing working"
  ).split(" "),
);

/** Nouns after which the adjective of a state means a style: "comida mineira", "queijo mineiro". */
export const STYLED = new Set(
  (
    "comida cozinha culinaria gastronomia prato pratos queijo queijos pao churrasco pizza doce " +
    "doces tempero temperos musica danca cafe feijao tropeiro moqueca bolo sabor sabores " +
    "tipico tipica tipicos tipicas estilo tradicao iguarias artesanato culinarias carne " +
    "acaraje buffet food cuisine avenida av rua campeonato"
  ).split(" "),
);

/** Words before "de natal" that show that Christmas is meant and not the city of Natal. */
export const FESTIVE = new Set(
  (
    "decoracao decoracoes material materiais " +
    "enfeite enfeites arvore arvores cesta cestas artigos produtos " +
    "presente presentes festa festas ceia luzes papai cartao cartoes brindes feira"
  ).split(" "),
);

/** Municipalities whose names are ordinary words. They need a sign that a place is meant. */
export const ORDINARY = new Set(
  (
    "agronomica agrestina alegre alegria alianca almas altos aluminio alvorada amargosa " +
    "americana amparo andorinha aparecida arame arara arcos areado areal areia areias armazem " +
    "arraial aurora bagre baixio baliza balsamo balsas bananal bandeira bandeirante " +
    "bandeirantes barao barra barracao barras barreira barreiras barro barrocas bastos batalha " +
    "bebedouro belterra bicas bombinhas bonito brasil brasileira breves brejo cabeceiras " +
    "cachoeira cachoeirinha caldas calcado campanha campanario campestre canela canoas capela " +
    "capelinha capim capitao caracol caridade casca caseiros casinhas castelo centenario " +
    "central chacara chale chapada charqueada chaves choro colina colinas coluna combinado " +
    "comercinho concordia condado conde condor congo conquista consolacao contagem contenda " +
    "coqueiral cordeiro coroados corrente correntes cortes crato cristais cristal cruz " +
    "cruzeiro cunha custodia damiao datas delta descanso descoberto desterro diamante divino " +
    "dobrada dormentes dourada dourado dourados emas encantado encanto encruzilhada ermo " +
    "escada esmeralda esmeraldas esperanca esplanada espumoso estacao esteio estiva estreito " +
    "estrela estancia extrema fama faro farol fartura fatima feliz fenix ferreiros ferros " +
    "figueira flores floresta florestal florida formiga formosa formoso fortuna franca " +
    "fronteira fronteiras frutal garca gentil gloria graca gramado granito granja grossos " +
    "guarani guaranis harmonia horizonte imaculada imigrante imperatriz inconfidentes " +
    "independencia indiana inocencia ipe itau jardim joia jordao juazeiro juramento ladainha " +
    "lagoa laje lajes lapa laranjal laranjeiras lastro lavras leme liberdade limoeiro " +
    "livramento logradouro lontra lourdes luminarias luz machado malta manga maravilha " +
    "maravilhas marco mascote mata matina mercedes merces messias milagres milha minas " +
    "mineiros mirador miradouro mirante missal modelo moeda montadas montanha montanhas moreno " +
    "morros mostardas mutum natal natividade navegantes nobres normandia nordestina novo " +
    "obidos olaria oleo oliveira oratorios oriente ouro ouvidor painel palma palmeira " +
    "palmeiras palmital palmitos panelas panorama papagaios passagem passos patos patrocinio " +
    "pavao pedra pedras pedreira pedreiras peixe pendencias penha pequi perola pescador " +
    "pesqueira pilar pimenta pimenteiras pinhal pinhao placas planalto platina pombal pombos " +
    "pontal portal porto portao posse pote pracinha prado prados prata presidente primavera " +
    "princesa propria progresso promissao pureza quadra queimadas queimados quilombo " +
    "quitandinha raposa realeza recreio redencao reduto regeneracao registro remanso " +
    "renascenca reserva resplendor restinga ribeira ribeirao rio riqueza rochedo rodeio " +
    "rosario roseira roteiro sacramento salgado salinas salto santana saudade saudades saude " +
    "seara segredo serio serra serrana serraria sertao socorro soledade solidao sombrio sonora " +
    "sorriso sossego sulina surubim tabuleiro talisma tanquinho telha terra tesouro tiros " +
    "torres touros travesseiro trindade triunfo tubarao tucano turmalina uniao una vale " +
    "valente vargem varzea vassouras vazante vera vereda vertentes viadutos vigia virginia " +
    "paulista paulistas paulistana capixaba potiguar mineiro goiana brasilia-legal foz acre"
  ).split(" "),
);

/** Pairs of words that name a place but are usually ordinary words. */
export const ORDINARY_PAIRS = new Set(
  (
    "casa nova|casa branca|agua doce|agua boa|agua fria|agua limpa|agua branca|agua comprida|" +
    "pao acucar|ponto novo|ponto belo|pedra preta|pedra branca|terra boa|terra nova|bom sucesso|" +
    "boa hora|boa nova|campo novo|nova era|alta floresta|porto real|porto seguro|ouro branco|" +
    "ouro verde|campo verde|terra rica|mar vermelho|barra velha|vila nova|nova esperanca|" +
    "passa fica|venha ver|sem peixe|nao toque|varre sai|ipe amarelo|capao bonito|boa esperanca|" +
    "bela vista|vista alegre|alto alegre|agua clara|rio novo|ponte alta|serra branca|" +
    "sete setembro|dois irmaos|primeiro maio|paraiso norte|paraiso sul|sul brasil"
  ).split("|"),
);
