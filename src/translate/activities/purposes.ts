/**
 * Reads purposes of goods: "remédios para uso veterinário", "máquinas para a indústria têxtil",
 * "aluguel de tratores com operador", "pepinos em conserva". Input: a sentence, and a reading of
 * the goods before the purpose. Output: the same reading, now with the codes for the purpose and
 * ending after its words.
 * Invariant: a purpose replaces only the codes that its table lists. If the reading has none of
 * them, it is unchanged. So "padarias" in "software para padarias" remains a customer. Words of a
 * purpose become part of the activity, never another activity.
 */
import { joins, type Match, Phrases } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import type { GoodsReading } from "./goods.ts";

/**
 * Maps codes for a general purpose to the code for a specific purpose. A key is one or more codes
 * separated by spaces.
 */
type Replaced = Readonly<Record<string, string>>;

type Codes = ReadonlyMap<string, string>;

/** Codes for making, selling, repairing, and renting machines in general. */
const MAKERS = "2829199 2869100 2840200";
const SELLERS = "4663000 4669999";
const MENDERS = "3314710 3314799";
const RENTERS = "7739099";

/** Names of purposes, separated by "|", and for each row the codes to replace. */
const PURPOSES: readonly (readonly [names: string, codes: Replaced])[] = [
  [
    "veterinário|veterinária|medicina veterinária|animal|animal de estimação|pet|bovino|equino|" +
      "suíno|ave|gado|cavalo|cão|gato|cachorro|animal doméstico",
    {
      "2110600 2121101 2121102 2121103 2123800": "2122000",
      "4644301": "4644302",
      "4771701 4771702 4771703": "4771704",
      "8622400": "7500100",
    },
  ],
  [
    "humano|humana|pessoas",
    {
      "2110600 2121101 2121102 2121103 2123800": "2121101",
      "4644301 4644302": "4644301",
    },
  ],
  [
    "odontológico|odontologia|odontológica|dental|dentista|obturação|obturação dentária|" +
      "consultório odontológico",
    {
      "2320600 2330399 2392300 1094500": "3250705",
      "4645101 4674500": "4645103",
    },
  ],
  ["osso|reconstrução óssea|reconstituição óssea|ortopedia", { "2320600": "2123800" }],
  [
    "agrícola|agropecuário|agropecuária|agropastoril|agricultura|lavoura|pecuária|roça|fazenda|" +
      "produtor rural|horta|pomar",
    {
      [MAKERS]: "2833000",
      [SELLERS]: "4661300",
      [MENDERS]: "3314711",
      [RENTERS]: "7731400",
      "7731400": "7731400",
      "2052500": "2051700",
      "4649408 4684299": "4683400",
      "4789005": "4771704",
    },
  ],
  [
    "alimento|alimentício|alimentícia|bebida|fumo|cigarro|cervejeira|cerveja|cervejaria|gelo|pão|" +
      "panificação|padaria|panificadora|queijo|laticínio|leite|carne|frigorífico|fecularia|" +
      "açúcar|açucareira|chocolate|sorvete|sorveteria|biscoito|café|arroz|trigo|cereal|vinho|" +
      "salgado|doce|bala|osso|ração|moinho|usina de açúcar|engenho",
    { [MAKERS]: "2862300", [MENDERS]: "3314719" },
  ],
  [
    "têxtil|tecelagem|tecido|fiação|fio|malharia|estamparia de tecido|tear",
    { [MAKERS]: "2863100", [MENDERS]: "3314720" },
  ],
  [
    "calçado|sapato|couro|curtume|vestuário|confecção|costura|roupa|casear|bordar|" +
      "reparação de calçado",
    { [MAKERS]: "2864000", [MENDERS]: "3314720" },
  ],
  [
    "papel|celulose|papelão|corrugar papel|papel e papelão",
    { [MAKERS]: "2865800", [MENDERS]: "3314721" },
  ],
  ["plástico|termoplástico", { [MAKERS]: "2866600", [MENDERS]: "3314722" }],
  [
    "metalurgia|metalúrgica|siderurgia|siderúrgica|fundição|aciaria|laminação",
    { [MAKERS]: "2861500", [MENDERS]: "3314718" },
  ],
  ["solda|soldar|soldagem|usinagem|usinar metal|marcenaria", { [MENDERS]: "3314713" }],
  [
    "mineração|extração mineral|mina|minério|pedreira|garimpo|britagem|marmoraria|mineradora",
    { [MAKERS]: "2852600", [SELLERS]: "4662100", [MENDERS]: "3314715" },
  ],
  [
    "construção|construção civil|obra|terraplenagem|terraplanagem|pavimentação|construtora",
    {
      [MAKERS]: "2854200",
      [SELLERS]: "4662100",
      [MENDERS]: "3314717",
      [RENTERS]: "7732201",
      "7732201": "7732201",
      "7732202": "7732202",
    },
  ],
  [
    "petróleo|extração de petróleo|prospecção de petróleo|poço de petróleo|petróleo e gás",
    { [MAKERS]: "2851800", [MENDERS]: "3314714" },
  ],
  [
    "saneamento|saneamento básico|tratamento de água|tratamento de esgoto|tratamento de efluente|" +
      "tratamento do ar",
    { [MAKERS]: "2825900" },
  ],
  ["calefação|aquecimento industrial", { [MAKERS]: "2821601" }],
  [
    "hospital|hospitalar|médico|médica|clínica|consultório médico|odontologia",
    { [SELLERS]: "4664800", [RENTERS]: "7739002" },
  ],
  ["atletismo|esporte", { [MAKERS]: "3230200", [SELLERS]: "4649499" }],
];

/** Goods in vinegar or tins come from a factory, not from a field. */
const PRESERVED: Replaced = {
  "0119901 0119902 0119903 0119905 0119909 0121101 0139301": "1032599",
  "0133401 0133402 0133403 0133404 0133407 0133408 0133409 0133410 0133499 0131800": "1031700",
  "0119904 0132600": "1031700",
  "1020101": "1020102",
  "4724500 4722902": "4729699",
  "4633801": "4637199",
};

/** Machines, vehicles and vessels that are rented with operators. */
const OPERATED: Replaced = {
  "7731400": "0161099",
  "7732201": "4313400",
  "7719502": "5112901",
  "7711000": "4923002",
  "4756300": "9001906",
};

const FOR = tableOf(PURPOSES);
const PRESERVING = tableOf([["conserva", PRESERVED]]);
const MANNED = tableOf([
  ["operador|operadora|tripulação|tripulante|piloto|motorista|condutor|operação", OPERATED],
]);
/** Words between "para" and the purpose: "para a indústria de bebidas". */
const BETWEEN = new Set(
  (
    "uso usos fim fins industria industrias fabrica fabricas fabricacao fabricar processar " +
    "processamento producao produzir beneficiar beneficiamento setor ramo fazer trabalhar " +
    "inspecionar serrar injetar moldar estamparia limpeza preparar reparacao"
  ).split(" "),
);
const BETWEEN_MAX = 6;

/**
 * Returns the reading of goods with the codes of the purpose that follows them. Returns the same
 * reading if no purpose follows.
 */
export function withPurpose(sentence: Sentence, reading: GoodsReading): GoodsReading {
  const first = onePurpose(sentence, reading);
  // A second purpose may follow, as in "máquinas agrícolas com operador".
  return first === reading ? reading : onePurpose(sentence, first);
}

/**
 * Reads a purpose that stands without its goods, which were named earlier: "as de uso veterinário"
 * in "distribuidoras de medicamentos, menos as de uso veterinário". Returns null if the purpose
 * changes none of the codes.
 */
export function readElidedPurpose(
  sentence: Sentence,
  at: number,
  codes: readonly string[],
): GoodsReading | null {
  const before = { codes, also: [], to: at, certainty: 0.9 };
  return replaced(sentence, before, FOR, purposeFrom(sentence, at));
}

function onePurpose(sentence: Sentence, reading: GoodsReading): GoodsReading {
  const lead = sentence.folded(reading.to);
  if (lead === "em") return replaced(sentence, reading, PRESERVING, reading.to + 1) ?? reading;
  if (lead === "com") return replaced(sentence, reading, MANNED, reading.to + 1) ?? reading;
  if (lead === "para" || lead === "pra") {
    return replaced(sentence, reading, FOR, purposeFrom(sentence, reading.to + 1)) ?? reading;
  }
  const isUse = lead === "de" && /^(?:uso|use)$/.test(sentence.folded(reading.to + 1));
  const from = isUse ? purposeFrom(sentence, reading.to + 1) : reading.to;
  return replaced(sentence, reading, FOR, from) ?? reading;
}

/** Returns the position where the name of a purpose begins after "para". */
function purposeFrom(sentence: Sentence, from: number): number {
  let at = from;
  while (at < from + BETWEEN_MAX) {
    if (!joins(sentence.tokens[at]) && !BETWEEN.has(sentence.folded(at))) break;
    at++;
  }
  return at;
}

/** Returns the reading with the codes for the purpose at a token, or null if no code changes. */
function replaced(
  sentence: Sentence,
  reading: GoodsReading,
  table: Phrases<Codes>,
  at: number,
): GoodsReading | null {
  const match = table.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (match === null) return null;
  const changed = (codes: readonly string[]) => [
    ...new Set(codes.flatMap((code) => match.value.get(code) ?? [])),
  ];
  // "máquinas para padarias" names no role: it means the seller and possibly the maker.
  const made = changed(reading.codes);
  const codes = made.length === 0 && reading.assumed === true ? reading.codes : made;
  const also = changed(reading.also).filter((code) => !codes.includes(code));
  if (codes.length === 0 || made.length + also.length === 0) return null;
  return { ...reading, codes, also, to: listEnd(sentence, match, table) };
}

/** Returns the end of a list of names for one purpose, such as "cães e gatos" after "para". */
function listEnd(sentence: Sentence, { to, value }: Match<Codes>, table: Phrases<Codes>): number {
  if (!/^(?:e|ou|,)$/.test(sentence.tokens[to]?.folded ?? sentence.tokens[to]?.text ?? ""))
    return to;
  const next = table.longest(sentence.tokens, to + 1, (index) => sentence.free(index));
  if (next === null || [...next.value].join() !== [...value].join()) return to;
  return listEnd(sentence, next, table);
}

function tableOf(purposes: readonly (readonly [names: string, codes: Replaced])[]): Phrases<Codes> {
  const table = new Phrases<Codes>();
  for (const [names, codes] of purposes) {
    const byCode = new Map(
      Object.entries(codes).flatMap(([from, to]) => from.split(" ").map((code) => [code, to])),
    );
    const merge = (old: Codes) => new Map([...byCode, ...old]);
    for (const name of names.split("|")) table.add(name, byCode, merge);
  }
  return table;
}
