/**
 * Recognizes requests that no filter takes: foreign trade, opening hours, hiring. Input: a sentence
 * before its numbers, places, and activities are read. Output: a note for each.
 * Invariant: a verb of foreign trade after a trade describes its companies ("vinícolas que
 * exportam"). Without a trade before it, the verb names the activity itself ("empresas que importam
 * vinho"). The words between such a verb and the next condition are not read as a place, name, or
 * activity.
 */
import { STATE_NAMES } from "../../spec/states.ts";
import { isNegatorWord } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { type Remark, TRADE_ABROAD } from "./phrase.ts";

const wordsOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const THAT = wordSet("que q that which who quem quienes");
/** Words that may stand between "que" and its verb. */
const ADVERBS = wordSet(
  "tambem ja so realmente diretamente direto directly also already actually currently tambien ya " +
    "nao no not dont do does podem possam can",
);
const FOREIGN_TRADE = wordSet(
  "importa importam importe importem importan importen import imports importing importando " +
    "exporta exportam exporte exportem exportan exporten export exports exporting exportando",
);
const HIRING = wordSet(
  "contratam contratem contrata contratando contratan contraten contratar hiring hires hire " +
    "recrutam recrutando recruiting reclutan",
);
/** Words that end the object of a verb. */
const ENDS = wordSet(
  "em no na nos nas in en com con with sem sin without e y and ou o or que that which abertas " +
    "abertos opened abiertas exceto except excepto mas but",
);
/** Maximum number of words of an object. */
const OBJECT_MAX = 5;
const HOURS = wordSet("hora horas h hs hrs hour hours");

const JOBS: Remark = {
  code: "hiring",
  pt: "A Receita não informa quem contrata.",
  en: "The registry does not tell who is hiring.",
};
const OPEN: Remark = {
  code: "opening_hours",
  pt: "A Receita não informa horários.",
  en: "The registry has no opening hours.",
};
const ROAD: Remark = {
  code: "street",
  pt: "Não há filtro por rua ou rodovia.",
  en: "No filter takes a street or a highway.",
};
const PERMIT: Remark = {
  code: "permit",
  pt: "A Receita não informa licenças, registros profissionais nem certificações.",
  en: "The registry has no licences, professional registrations, or certifications.",
};
const BORDER: Remark = {
  code: "part_of_place",
  pt: "Nenhum filtro toma a fronteira: a busca é no lugar inteiro.",
  en: "No filter takes a border: the whole place is searched.",
};
const STAFF: Remark = {
  code: "employees",
  pt: "A Receita não informa quantas pessoas trabalham ou estudam ali.",
  en: "The registry does not tell how many people work or study there.",
};
const INSOLVENT: Remark = {
  code: "insolvency",
  pt: "Nenhum filtro toma a recuperação judicial; o nome costuma dizê-la: “com judicial no nome”.",
  en: 'No filter takes insolvency; names often say it: "with judicial in the name".',
};
const KIND: Remark = {
  code: "kind",
  pt: "A Receita não separa este tipo.",
  en: "The registry does not separate this kind.",
};

interface RemarkContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
  /** Returns the end of the trade or goods that begin at a token. */
  readonly tradeEnd: (at: number) => number;
}

/** Adds a note for every request that no filter takes and marks the request as read. */
export function unmapUnsupported(context: RemarkContext): void {
  const { sentence, notes } = context;
  for (let at = 1; at < sentence.tokens.length; at++) {
    // Fast path: most words begin no such request, and a long text has hundreds of words.
    const { kind, folded = "" } = sentence.tokens[at] ?? {};
    if (!BEGINS.has(folded) && kind !== "number" && !folded.startsWith("br")) continue;
    const read = sentence.free(at) ? readAt(context, at) : null;
    if (read === null) continue;
    const { code, ...detail } = read.why;
    notes.addUnmapped(code, detail, sentence.claim(at, read.to, "unmapped"));
    sentence.name(at, read.to);
    at = read.to - 1;
  }
}

/** First words of these requests. Requests may also begin with a number. */
const BEGINS: ReadonlySet<string> = new Set([
  ...["fronteira", "frontera", "border", "divisa"],
  ...["em", "under", "in", "recuperacao", "judicial", "mais", "more", "over", "acima", "mas"],
  ...["hiring", "employing", "open"],
  ...["creci", "crea", "crm", "oab", "anvisa", "alvara", "iso", "sif", "inmetro", "mapa", "antt"],
  ...["certificacao", "certificado", "certification", "certificacion", "licenca", "licencia"],
  ...[...THAT, "boutique", "boutiques", "export", "exports", "import", "imports"],
]);

function readAt(context: RemarkContext, at: number): Read | null {
  const { sentence } = context;
  const verb = verbAt(sentence, at);
  // "empresas que importam vinho" names an activity, but a verb of hiring never does.
  if (verb !== null) return verb.why === JOBS || isAfterTrade(context, at) ? verb : null;
  return (
    staffAt(sentence, at) ??
    insolvencyAt(sentence, at) ??
    permitAt(sentence, at) ??
    borderAt(sentence, at) ??
    hoursAt(sentence, at) ??
    roadAt(sentence, at) ??
    kindAt(sentence, at)
  );
}

/** Maximum number of words before a verb that are searched for the trade it describes. */
const TRADE_REACH = 40;

function isAfterTrade({ sentence, tradeEnd }: RemarkContext, end: number): boolean {
  for (let at = end - 1; at >= Math.max(0, end - TRADE_REACH); at--) {
    if (tradeEnd(at) > at && sentence.free(at)) return true;
  }
  return false;
}

interface Read {
  readonly to: number;
  readonly why: Remark;
}

/** Reads "que importam direto da China", "that export", "that are hiring". */
function verbAt(sentence: Sentence, at: number): Read | null {
  // Reads the verb without "that": "Which bakeries in Recife export to the EU?"
  const isVerb = /^(?:ex|im)ports?$/.test(sentence.folded(at));
  if (isVerb && /^(?:to|from)$/.test(sentence.folded(at + 1))) {
    return { to: objectEnd(sentence, at + 1), why: TRADE_ABROAD };
  }
  if (!THAT.has(sentence.folded(at))) return null;
  let verb = at + 1;
  while (verb < at + 4 && (ADVERBS.has(sentence.folded(verb)) || isBeing(sentence, verb))) verb++;
  const word = sentence.folded(verb);
  if (HIRING.has(word)) return { to: objectEnd(sentence, verb + 1), why: JOBS };
  if (!FOREIGN_TRADE.has(word)) return null;
  return { to: objectEnd(sentence, verb + 1), why: TRADE_ABROAD };
}

function isBeing(sentence: Sentence, at: number): boolean {
  return /^(?:are|is|estao|esta|estan|estejam|esteja|esten|estiverem)$/.test(sentence.folded(at));
}

/** Returns the end of a verb's object: "direto da China", "ajo argentino", "from Argentina". */
function objectEnd(sentence: Sentence, from: number): number {
  let to = from;
  while (to < from + OBJECT_MAX && sentence.free(to)) {
    const { kind } = sentence.tokens[to] ?? { kind: "mark" };
    const word = sentence.folded(to);
    if (kind !== "word" || ENDS.has(word) || isNegatorWord(word)) break;
    to++;
  }
  return to;
}

/** Persons who work in a company, in the plural. */
const PERSONS = wordsOf(
  "lawyers doctors dentists teachers engineers drivers developers workers people persons " +
    "employees professionals agents salespeople staff advogados medicos dentistas professores " +
    "engenheiros motoristas desenvolvedores trabalhadores pessoas profissionais corretores " +
    "vendedores funcionarios empregados colaboradores abogados profesores ingenieros conductores " +
    "trabajadores personas profesionales empleados alunos estudantes students alumnos atendentes " +
    "operadores operarios operators",
);
/** Persons that name no trade. */
const STAFF_ONLY = wordsOf(
  "workers people persons employees staff trabalhadores pessoas funcionarios empregados " +
    "colaboradores trabajadores personas empleados alunos estudantes students alumnos atendentes",
);
const OVER = /^(?:mais|more|mas|over|acima)$/;
const HAS = /^(?:com|with|con|tenham?|tengan?|have|has|tem|tienen|possuam?|employing|hiring)$/;

/** Reads "with more than 50 lawyers", "com 50+ funcionários" behind the verb of having. */
function staffAt(sentence: Sentence, from: number): Read | null {
  const isLed = /^(?:employing|hiring)$/.test(sentence.folded(from));
  if (!isLed && !HAS.test(sentence.folded(from - 1))) return null;
  let at = isLed ? from + 1 : from;
  const isOver = OVER.test(sentence.folded(at));
  if (isOver) at++;
  if (/^(?:than|de|que)$/.test(sentence.folded(at))) at++;
  if (sentence.tokens[at]?.kind !== "number") return null;
  at++;
  const isPlus = sentence.tokens[at]?.text === "+";
  if (isPlus) at++;
  // "vc tem 50 dentistas" asks for 50 companies.
  const persons = isOver || isPlus || isLed ? PERSONS : STAFF_ONLY;
  return persons.test(sentence.folded(at)) ? { to: at + 1, why: STAFF } : null;
}

/** Reads "em recuperação judicial", "under judicial reorganization". */
function insolvencyAt(sentence: Sentence, from: number): Read | null {
  const at = /^(?:em|under|in)$/.test(sentence.folded(from)) ? from + 1 : from;
  const words = `${sentence.folded(at)} ${sentence.folded(at + 1)}`;
  const isTwo =
    words === "recuperacao judicial" || /^judicial (?:reorgani[sz]ation|recovery)$/.test(words);
  return isTwo ? { to: at + 2, why: INSOLVENT } : null;
}

const PERMITS = wordsOf(
  "creci crea crm oab anvisa alvara iso sif inmetro antt " +
    "certifica(?:cao|do|tion|cion) licen[cs]i?a",
);
const HAVING = /^(?:com|with|con|tenham?|tengan?|have|has|tem|possuam?|sem|without|sin|n[ao]|em)$/;

/** Reads "com CRECI ativo", "com alvará da prefeitura", "with ISO 9001 certification". */
function permitAt(sentence: Sentence, at: number): Read | null {
  if (!PERMITS.test(sentence.folded(at)) || !HAVING.test(sentence.folded(at - 1))) return null;
  let to = at + 1;
  while (to < at + 4 && (sentence.tokens[to]?.kind === "number" || VALID.test(sentence.folded(to))))
    to++;
  return { to, why: PERMIT };
}

const VALID = wordsOf(
  "ativ[ao] valid[ao] vigente em dia active valid certification certified activo " +
    "regular sanitari[ao] ambiental",
);

/** Reads "frontera con Uruguay", "divisa com Goiás", "border with Paraguay". */
function borderAt(sentence: Sentence, at: number): Read | null {
  if (!/^(?:fronteira|frontera|border|divisa)$/.test(sentence.folded(at))) return null;
  const { text = "" } = sentence.tokens[at] ?? {};
  // "em Fronteira com capital acima de 100 mil" names the town.
  if (text !== text.toLowerCase() || /^(?:em|in|de)$/.test(sentence.folded(at - 1))) return null;
  if (!/^(?:com|con|with|entre|between|d[eo]|of)$/.test(sentence.folded(at + 1))) return null;
  const from = /^(?:o|a|el|la|the)$/.test(sentence.folded(at + 2)) ? at + 3 : at + 2;
  return { to: objectEnd(sentence, from), why: BORDER };
}

/** Reads "24 horas", "24h", "24/7" after a word. */
function hoursAt(sentence: Sentence, at: number): Read | null {
  if (sentence.folded(at) === "open") return openAt(sentence, at + 1);
  const { kind, text = "" } = sentence.tokens[at] ?? {};
  if (kind !== "number" || at === 0) return null;
  if (text === "24/7") return { to: at + 1, why: OPEN };
  if (text !== "24" || !HOURS.has(sentence.folded(at + 1))) return null;
  return { to: at + 2, why: OPEN };
}

/** Reads "on weekends", "24 hours", "late", "at night" behind "open". */
function openAt(sentence: Sentence, from: number): Read | null {
  let at = from;
  while (/^(?:on|at|all|until|till|late|during)$/.test(sentence.folded(at))) at++;
  if (sentence.tokens[at]?.kind === "number") {
    return HOURS.has(sentence.folded(at + 1)) ? { to: at + 2, why: OPEN } : null;
  }
  const isDay = /^(?:weekends?|weekdays?|sundays?|saturdays?|holidays?|nights?|day|midnight|late)$/;
  if (isDay.test(sentence.folded(at))) return { to: at + 1, why: OPEN };
  return sentence.folded(at - 1) === "late" ? { to: at, why: OPEN } : null;
}

/**
 * Reads the name of a road: "BR-101", "BR 163". In "SP-330", only the number is part of the result,
 * because "SP" names the state.
 */
function roadAt(sentence: Sentence, at: number): Read | null {
  const { kind, text = "", start = 0 } = sentence.tokens[at] ?? {};
  const isNumber = (index: number) => {
    const token = sentence.tokens[index];
    return token?.kind === "number" && /^\d{3}$/.test(token.text);
  };
  if (text.toLowerCase() === "br") return isNumber(at + 1) ? { to: at + 2, why: ROAD } : null;
  if (/^br-?\d{3}$/i.test(text)) return { to: at + 1, why: ROAD };
  if (kind !== "number" || !isNumber(at) || sentence.text.charAt(start - 1) !== "-") return null;
  const isState = Object.hasOwn(STATE_NAMES, sentence.tokens[at - 1]?.text ?? "");
  return isState ? { to: at + 1, why: ROAD } : null;
}

/** Reads "boutique" after a hotel. */
function kindAt(sentence: Sentence, at: number): Read | null {
  const isBoutique = /^bouti(?:que|ques)$/.test(sentence.folded(at));
  const isHotel = /^(?:hotel|hotels|hoteis|hoteles|pousadas?|posadas?)$/.test(
    sentence.folded(at - 1),
  );
  return isBoutique && isHotel ? { to: at + 1, why: KIND } : null;
}
