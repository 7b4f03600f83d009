/**
 * Ends of companies: a date beside one is not that of the opening. What comes in: a sentence and
 * the place where the words of a date begin. What goes out: whether the date is one of an end.
 * Invariant: known from the words before it; places and trades between do not count ("baixadas em
 * Recife em 2023", "inactive bakeries since 2020"), another verb, "com" and a mark do.
 */
import { isInTrade, kindAt } from "../items.ts";
import type { Sentence } from "../words/sentence.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Words for an end; a date with them is no opening date. */
export const CLOSED = wordSet(
  "fechada fechadas fechado fechados fecharam fechou fecharem baixada baixadas baixado baixados " +
    "encerrada encerradas encerrado encerrados encerraram encerrou inapta inaptas inapto inaptos " +
    "suspensa suspensas suspenso suspensos extinta extintas extinto extintos closed suspended " +
    "inativa inativas inativo inativos inactive desativada desativadas desativado desativados " +
    "baixaram baixou baixa suspenderam falida falidas falido falidos faliram " +
    "cancelada canceladas cancelado cancelados paralisada paralisadas dissolvida " +
    "dissolvidas unfit dissolved bankrupt " +
    "shut " +
    "faturamento faturaram faturou receita crescimento cresceram contrataram lucro vendas revenue",
);
/** Small words between an end, a place or a trade, and a date. */
const BETWEEN = wordSet("de da do das dos em no na nos nas in of the que e o a os as que at down");
/** Most words between an end and its date. */
const REACH = 12;

/** Whether the words of a date that begin at a token say when something ended. */
export function isOfEnd(sentence: Sentence, from: number): boolean {
  for (let at = from - 1; at >= Math.max(0, from - REACH); at--) {
    const word = sentence.folded(at);
    const trade = isInTrade(sentence, at, at + 1);
    if (CLOSED.has(word) && !trade) return true;
    const apart = sentence.tokens[at]?.kind === "mark" && sentence.owner(at) !== "place";
    const passed = sentence.owner(at) === "place" || BETWEEN.has(word) || trade;
    if (apart || !(passed || kindAt(sentence, at) === "activity")) return false;
  }
  return false;
}
