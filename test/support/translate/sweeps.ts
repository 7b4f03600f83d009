/**
 * Systematic tests (sweeps): sentences that need no labels, because their meaning follows from that
 * of other sentences. Each case is a text with the texts that it must agree with.
 * Invariant: a text must have the places of one text and everything else of another. The same
 * snapshot yields the same cases in the same order.
 */
import { STATE_NAMES } from "../../../src/spec/states.ts";
import { namesByCode } from "../../../src/translate/activities/lexicon.ts";
import { FILTER_NAMES } from "../../../src/translate/filters/table.ts";
import { loadSentences } from "./sentences.ts";

/** One case of a sweep. */
export interface SweepCase {
  readonly text: string;
  /** Text that must have the same translation, except for the places. */
  readonly like: string;
  /** The text that has the same places. */
  readonly where: string;
}

/** A municipality with the names that sweeps use. */
export interface SweepCity {
  readonly name: string;
  readonly uf: string;
}

/** Conditions to write after a place. */
export const SWEEP_CONDITIONS: readonly string[] = [
  ...[" com telefone", " com e-mail", " com mais de 5 anos", " com capital acima de 100 mil"],
  ...[" que não sejam MEI", " do Simples", " de pequeno porte", " abertas desde 2020"],
  ...[" só matriz", " há menos de 2 anos", " por maior capital", " exceto MEI"],
  ...[" fora do Simples", " baixadas", ", no máximo 50", " sem filiais"],
];

/** Names of one or more words that are no places. Some begin like real places. */
const MADE_UP: readonly string[] = [
  ...["Xurupita", "Nárnia", "Zimbabum", "Nova Qualquer", "Qualquer Nova", "Vila Xurupita"],
  ...["Santa Zurupema", "São Quiproquó", "Porto Xurupita", "Lagoa Zimbabum", "Governador Trololó"],
  ...["Alto Xurupita", "Serra Zurupema", "Jardim Trololó", "Xurupita da Nárnia"],
];

/** Words before a place. */
const LEADS: readonly string[] = [
  ...["em", "na cidade de", "no município de", "perto de", "num raio de 50 km de"],
  ...["exceto em", "com e-mail em"],
];

/** Regions or adjectives to write after a name, with the words that connect them. */
const WIDE_ENDS: readonly string[] = [
  ...["do Norte", "do Sul", "do Nordeste", "do Sudeste", "do Centro-Oeste", "de Minas"],
  ...["Paulista", "Mineiro", "Gaúcha", "Catarinense", "do interior de SP", "do litoral paulista"],
  ...["do norte do Pará", "do Sul de Minas", "do estado de Goiás"],
];

/** Yields texts with invented names that end like names of real places but are no places. */
export function* inventedPlaces(regions: readonly string[]): Generator<string> {
  const states = Object.entries(STATE_NAMES).flatMap(([uf, name]) => (uf === "EX" ? [] : [name]));
  const joins = [...states, ...regions];
  const ends = [...WIDE_ENDS, ...joins.flatMap((end) => [`de ${end}`, `da ${end}`])];
  for (const end of ends) {
    for (const name of MADE_UP) {
      for (const lead of LEADS) yield `padarias ${lead} ${name} ${end}`;
    }
  }
}

/** Functions that write a city next to its state, without "em" between the two. */
const ADJACENT: readonly ((city: string, uf: string) => string)[] = [
  (city, uf) => `padaria ${plain(city)} ${uf.toLowerCase()}`,
  (city, uf) => `padaria ${plain(city)} - ${uf.toLowerCase()}`,
  (city, uf) => `${plain(city)} ${uf.toLowerCase()} padarias`,
  (city, uf) => `padarias em ${plain(city)} ${uf.toLowerCase()}`,
  (city, uf) => `Padarias ${city} ${uf}`,
  (city, uf) => `padarias ${plain(city)}/${uf.toLowerCase()}`,
  (city, uf) => `PADARIA ${city.toUpperCase()} ${uf}`,
  (city, uf) => `padarias ${uf.toLowerCase()} ${plain(city)}`,
  (city, uf) => `padarias (${city}, ${uf})`,
];

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const inCity = ({ name, uf }: SweepCity) => `padarias em ${name}/${uf}`;

/** Every municipality, named with its state, with every condition. */
export function* citiesWithState(cities: readonly SweepCity[]): Generator<SweepCase> {
  for (const city of cities) {
    for (const condition of SWEEP_CONDITIONS) {
      const like = `padarias em Curitiba/PR${condition}`;
      yield { text: `${inCity(city)}${condition}`, like, where: inCity(city) };
    }
  }
}

/**
 * Yields every municipality without its state, with every condition. A name that several
 * municipalities have must mean the same as without a condition.
 */
export function* citiesAlone(cities: readonly SweepCity[]): Generator<SweepCase> {
  const names = [...new Set(cities.map(({ name }) => name))];
  for (const name of names) {
    const where = `padarias em ${name}`;
    for (const condition of SWEEP_CONDITIONS) {
      yield { text: `${where}${condition}`, like: `padarias em Curitiba${condition}`, where };
    }
  }
}

/** Every municipality next to its state, in every usual spelling. */
export function* citiesNextTo(cities: readonly SweepCity[]): Generator<SweepCase> {
  for (const city of cities) {
    for (const write of ADJACENT) {
      const text = write(city.name, city.uf);
      yield { text, like: "padarias", where: inCity(city) };
    }
  }
}

/** Every state with every condition, by its letters and by its name. */
export function* states(): Generator<SweepCase> {
  for (const [uf, name] of Object.entries(STATE_NAMES)) {
    if (uf === "EX") continue;
    for (const condition of SWEEP_CONDITIONS) {
      const like = `padarias em PR${condition}`;
      yield { text: `padarias em ${uf}${condition}`, like, where: `padarias em ${uf}` };
      const led = `padarias no estado de ${name}`;
      yield { text: `${led}${condition}`, like, where: `padarias em ${uf}` };
    }
  }
}

/** Trades of every activity with every condition, before or after the place. */
export function* activities(): Generator<SweepCase> {
  const trades = [...namesByCode().values()].flatMap(({ trades }) => trades.slice(0, 1));
  for (const trade of trades) {
    for (const condition of SWEEP_CONDITIONS) {
      if (condition.startsWith(",")) continue;
      const first = `${trade} em Curitiba${condition}`;
      yield {
        text: `${trade}${condition}, em Curitiba`,
        like: first,
        where: "padarias em Curitiba",
      };
      yield {
        text: `em Curitiba, ${trade}${condition}`,
        like: first,
        where: "padarias em Curitiba",
      };
    }
  }
}

const ORDERED = [
  "com telefone",
  "abertas desde 2020",
  "que não sejam MEI",
  "com capital acima de 100 mil",
];
const ORDERED_MORE = ["de pequeno porte", "em Campinas", "só matriz", "do Simples", "com e-mail"];

/** Parts of a sentence, of every kind, after which a contact may be named. */
const ITEMS: readonly string[] = [
  ...["em Recife", "em Bom Jesus/PI", "em SP", "no estado de São Paulo", "no Nordeste"],
  ...["na Baixada Santista", "no interior de SP", "em Xurupita", "em Campinas e região"],
  ...["no bairro Boa Viagem em Recife", "num raio de 50 km de Campinas"],
  ...["com DDD 11", "com DDD 11 ou 21", "com CEP 01310", "CEP começando com 800"],
  ...["ativas", "baixadas", "de pequeno porte", "micro", "do Simples", "fora do Simples"],
  ...["só MEI", "exceto MEI", "LTDA", "S/A", "de capital aberto", "só matriz", "só filiais"],
  ...["abertas desde 2020", "há mais de 5 anos", "entre 2018 e 2020", "em março de 2021"],
  ...["com capital acima de 100 mil", "com mais de 3 filiais", "com uma unidade só"],
  ...["com silva no nome", "chamadas Sol Nascente", "por maior capital", "no máximo 50"],
  ...["com mais de 10 funcionários", "com faturamento acima de 1 milhão", "CNAE 5611-2/01"],
];
/** Words for a contact. A contact without a filter is reported as not understood. */
const CONTACTS: readonly string[] = [
  ...["e-mail", "email", "telefone", "celular", "celulares", "telefone fixo", "fixo", "site"],
  ...["whatsapp", "contato", "instagram", "telefone e e-mail", "celular, site e e-mail"],
];
/** Words and signs that connect the previous part to a contact, in three languages. */
const CONTACT_JOINS: readonly string[] = [
  ...[" e ", ", ", ", e ", " e com ", ", com ", " mais ", " tendo ", " / ", " + ", "; "],
  ...[" and ", " and with ", " with ", " & "],
];
const SUBJECTS: readonly string[] = ["empresas", "padarias"];

/** Yields texts with a contact after any other part, which must be required as after "com". */
export function* contactsBehind(): Generator<SweepCase> {
  for (const subject of SUBJECTS) {
    for (const item of ITEMS) {
      const where = `${subject} ${item}`;
      for (const contact of CONTACTS) {
        const like = `${subject} com ${contact}, ${item}`;
        for (const join of CONTACT_JOINS) {
          // Skips "exceto MEI with telefone", because it may also mean only MEI with a phone, and
          // such a translation does not run.
          if (item.startsWith("exceto") && join.trim() === "with") continue;
          yield { text: `${where}${join}${contact}`, like, where };
        }
      }
    }
  }
}

/** Two to four conditions in every order. */
export function* orders(): Generator<SweepCase> {
  const all = [...ORDERED, ...ORDERED_MORE];
  for (const some of subsets(all, 4)) {
    const like = `padarias ${some.join(", ")}`;
    for (const order of permutations(some)) {
      yield { text: `padarias ${order.join(", ")}`, like, where: like };
    }
  }
}

function* subsets(all: readonly string[], most: number): Generator<readonly string[]> {
  for (let bits = 1; bits < 1 << all.length; bits++) {
    const some = all.filter((_, at) => (bits >> at) & 1);
    if (some.length > 1 && some.length <= most) yield some;
  }
}

function* permutations(all: readonly string[]): Generator<readonly string[]> {
  if (all.length < 2) yield all;
  for (const [at, one] of all.entries()) {
    if (all.length < 2) return;
    const others = all.filter((_, i) => i !== at);
    for (const rest of permutations(others)) yield [one, ...rest];
  }
}

/**
 * Yields every name of every condition in the table, which must mean the same as the first name of
 * the condition.
 */
export function* tableNames(): Generator<SweepCase> {
  for (const { names, role, led } of FILTER_NAMES) {
    const say = (name: string) => {
      if (name === "Z") return "padarias em Curitiba ordenadas de A a Z";
      if (led) return `padarias em Curitiba ordenadas por ${name}`;
      if (role === "nature") return `${name} em Curitiba`;
      if (role === "contact") return `padarias em Curitiba com ${name}`;
      return `padarias em Curitiba, ${name}`;
    };
    for (const name of names) {
      yield { text: say(name), like: say(names[0] as string), where: "padarias em Curitiba" };
    }
  }
}

const WRITINGS: readonly ((text: string) => string)[] = [
  (text) => text.normalize("NFD").replace(/\p{M}/gu, ""),
  (text) => `Olá, bom dia! ${text}`,
  (text) => `${text}.`,
  (text) => `${text}?`,
  (text) => `  ${text.replace(/ /g, "  ")} `,
  (text) => `Por favor, ${text}`,
  (text) => `${text}, obrigado`,
  (text) => `${text}!!!`,
];

/** Groups of sentences in which unknown names are recognized only by their capital letters. */
const BY_CAPITALS = new Set(["unknown-place", "part-of-place"]);

/**
 * Yields the project's sentences in other spellings: without accents, with greetings, punctuation,
 * or more blanks, and in lower case.
 */
export function* respellings(): Generator<SweepCase> {
  for (const { text, group } of loadSentences("development")) {
    for (const write of WRITINGS) yield { text: write(text), like: text, where: text };
    if (BY_CAPITALS.has(group)) continue;
    yield { text: text.toLowerCase(), like: text, where: text };
    yield { text: text.toUpperCase(), like: text, where: text };
  }
}

/** Requests to which other words are added. */
const REQUESTS: readonly string[] = [
  ...["padarias em Natal", "hotéis em Gramado com telefone", "50 dentistas em Campinas"],
  ...["oficinas no Pará abertas desde 2020", "lojas de tintas em Recife que não sejam MEI"],
  ...["restaurantes em Olinda e Recife com e-mail", "farmácias no Norte exceto Pará"],
];
/** Phrases in which speakers introduce themselves before a request. */
const SPEAKERS: readonly string[] = [
  ...["vendo embalagens: ", "vendo café e chá, procuro ", "ofereço seguros. Quero ", "sou MEI, "],
  ...["sou contador em Manaus e busco ", "somos uma gráfica e precisamos de ", "moro em Belém; "],
  ...["minha empresa fica em Londrina, quero ", "a gente vende farinha; ", "represento tintas: "],
  ...["para vender uniformes: ", "trabalho com software, me mande ", "vendo celulares para "],
  ...["nossa loja está em Santos e queremos ", "jornalista aqui: ", "pesquisa da faculdade: "],
  ...["gráfica em Santos procura ", "tenho uma padaria em Belém e quero "],
];

/** Yields every request after every introduction of a speaker, which must add no filter. */
export function* speakers(): Generator<SweepCase> {
  for (const request of REQUESTS) {
    for (const speaker of SPEAKERS) {
      // In "vendo celulares para 50 dentistas", the number belongs to the speaker's sentence: the
      // speaker sells to 50 dentists.
      if (speaker.endsWith("para ") && /^\d/.test(request)) continue;
      yield { text: `${speaker}${request}`, like: request, where: request };
    }
  }
}

/** How people begin and end requests. */
const BEGINNINGS: readonly string[] = [
  ...["", "oi, ", "bom dia! ", "qro ", "me manda aí ", "bota aí ", "alguém tem ", "vc tem "],
  ...["dá uma olhada em ", "preciso mt de ", "tô atrás de ", "por favor, ", "blz? "],
];
const ENDINGS: readonly string[] = [
  ...["", ", ok?", " pfv", " vlw", " tks", ", beleza?", ", por favor", "!!", " viu"],
];

/** Yields requests with polite phrases, which must not change the translation. */
export function* politeRequests(): Generator<SweepCase> {
  for (const request of REQUESTS) {
    for (const begin of BEGINNINGS) {
      for (const end of ENDINGS) {
        yield { text: `${begin}${request}${end}`, like: request, where: request };
      }
    }
  }
}

/** Words, each with its spelling in chats. */
const TYPED: readonly (readonly [whole: string, typed: string])[] = [
  ...([
    [" de ", " d "],
    [" com ", " c/ "],
    [" com ", " c "],
    [" que ", " q "],
  ] as const),
  ...([
    [" não ", " n "],
    [" não ", " ñ "],
    ["depois de ", "dps d "],
    ["desde ", "desd "],
  ] as const),
];
const CHATTED: readonly string[] = [
  ...["loja de tintas em natal com telefone", "padaria em natal que não seja MEI"],
  ...["fábrica de gelo em recife com e-mail", "oficina em campinas com mais de 5 anos"],
  ...["hotel em gramado aberto depois de 2020", "dentista em santos aberto desde 2019"],
];

/** Yields requests in chat spelling, which must mean the same as the complete words. */
export function* chats(): Generator<SweepCase> {
  for (const request of CHATTED) {
    for (let bits = 1; bits < 1 << TYPED.length; bits++) {
      const some = TYPED.filter((_, at) => (bits >> at) & 1);
      const text = some.reduce(
        (phrase, [whole, typed]) => phrase.replaceAll(whole, typed),
        request,
      );
      // The letter "c" stands for "com" only directly before the object of "com".
      if (text === request || / c (?!mais|telefone|e-mail)/.test(text)) continue;
      yield { text, like: request, where: request };
    }
  }
}

/** Comparisons in words, each followed by equivalent spellings. */
const COMPARISONS: readonly (readonly string[])[] = [
  [" abertas desde 2021", " abertas >= 2021", " abertas a partir de 2021", " abertura >= 2021"],
  [" abertas depois de 2021", " abertas > 2021", " abertas após 2021"],
  [" abertas antes de 2015", " abertas < 2015"],
  [" com mais de 5 anos", " > 5 anos", " +5 anos", " com +5 anos", " idade > 5 anos"],
  [" com menos de 3 anos", " < 3 anos", " com < 3 anos"],
  [" com até 3 anos", " max 3 anos", " <= 3 anos", " max. 3 anos"],
  [" com capital acima de 200 mil", " capital > 200 mil", " capital +200 mil", " capital > 200k"],
  [" com capital até 50 mil", " capital <= 50 mil", " com capital <= R$ 50.000"],
  [" abertas semana passada", " abertas na semana passada", " opened last week"],
  [" com telefone e e-mail", " (telefone e e-mail)", " telefone + e-mail"],
];

/**
 * Yields comparisons in words and in signs, after every trade and place. All spellings of one must
 * mean the same.
 */
export function* comparisons(): Generator<SweepCase> {
  for (const trade of ["padarias", "dentistas", "lojas de tintas", "fábricas de móveis"]) {
    for (const place of ["em Natal", "no Paraná", "em Olinda e Recife"]) {
      const where = `${trade} ${place}`;
      for (const [first, ...others] of COMPARISONS) {
        for (const other of others) {
          yield { text: `${where}${other}`, like: `${where}${first}`, where };
        }
      }
    }
  }
}

/** Pairs of conditions. Each condition excludes exactly the accounts that the other includes. */
export const COMPLEMENTS: readonly (readonly [one: string, other: string])[] = [
  ["que sejam MEI", "que não sejam MEI"],
  ["do Simples", "fora do Simples"],
  ["abertas antes de 2018", "abertas desde 2018"],
  ["só matrizes", "só filiais"],
];
