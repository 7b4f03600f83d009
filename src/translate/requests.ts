/**
 * How people ask: "meu chefe pediu", "preciso de uma planilha com", "could you please send me".
 * What comes in: a sentence before anything is read in it. What goes out: nothing; such words at
 * its beginning and at its end are put aside, so that no stage reads them as what is sought.
 * Invariant: only whole phrases of the lists below, at the beginning before anything else, or at
 * the end behind everything; what goes on as the name of a trade ("pesquisa de mercado") stays.
 */
import { isFillerWord } from "./fillers.ts";
import { joins, Phrases } from "./words/phrases.ts";
import type { Sentence } from "./words/sentence.ts";

/** What requests begin with. */
const OPENINGS = phrasesOf(
  "tudo certo|tudo bem|tudo bem com vocês|pessoal|olá pessoal|fala pessoal|bom dia equipe|" +
    "boa tarde equipe|olá equipe|caros|caros senhores|senhores|prezados senhores|e aí|" +
    "estou atrás|tô atrás|ando atrás|tô procurando|tô precisando|tô querendo|tava querendo|" +
    "estava querendo|estou querendo|estava procurando|a gente quer|a gente precisa|" +
    "a gente busca|a gente procura|chefe pediu|meu chefe pediu|meu chefe quer|minha chefe pediu|" +
    "minha equipe precisa|nossa equipe precisa|minha equipe quer|nossa equipe quer|" +
    "equipe comercial|time comercial|meu time|nosso time|time de vendas|nosso time precisa|" +
    "meu time precisa|nosso time quer|nosso time comercial quer|nosso time comercial precisa|" +
    "time de vendas precisa|time de vendas quer|time comercial precisa|equipe de vendas|" +
    "equipe de vendas precisa|o quanto antes|preciso o quanto antes|se puder|se puderem|se der|" +
    "assim que puder|quando puder|me indica|me indique|me indiquem|indique|me recomenda|" +
    "me recomende|me sugere|me sugira|me fala|me fale|me diz|me diga|me informe|me informa|" +
    "informe|vocês teriam|teriam|seria possível|me fornecer|poderiam me fornecer|me forneça|" +
    "consegue levantar|conseguem levantar|contatar|entrar em contato|falar|conversar|" +
    "fazer contato|fazer uma campanha|fazer campanha|fazer um mailing|montar um mailing|" +
    "criar um mailing|mailing|montar uma base|montar uma lista|criar uma lista|base|" +
    "base de dados|uma base de dados|planilha|gera uma planilha|gere uma planilha|" +
    "gerar uma planilha|gerar planilha|gere um relatório|gera um relatório|" +
    "gerar um relatório|relatório|exporta|exportar|exporte|baixar|baixe|extrair|extraia|" +
    "faça um levantamento|fazer um levantamento|faz um levantamento|levantamento|" +
    "faça uma lista|faz uma lista|fazer uma lista|faça uma busca|faça uma pesquisa|" +
    "pesquisa|catálogo|cadastro|lista completa|relação completa|listagem completa|" +
    "lista atualizada|relação atualizada|listagem atualizada|número|quantidade|total|" +
    "qual o total|qual o número|qual a quantidade|procura se|filtro|leads quentes|" +
    "leads qualificados|clientes em potencial|possíveis clientes|empresas atuantes|" +
    "i am searching|am searching|i m looking|i m searching|i am looking|can you find|" +
    "can you list|can you give|can you send|can you show|could you list|could you find|" +
    "could you give|could you send|could you please send|could you please list|" +
    "could you please give|could you show|would like|would like to get|would like to see|" +
    "i would like to have|i d like|we d like|we are interested in|i am interested in|" +
    "i m interested in|tell|how many|what are|which|which are|estoy buscando|me gustaría ver|" +
    "me gustaría|quisiera|quisieramos|cuántas|cuántos|envíame|mándame|necesitaría",
);

/** What they end with. */
const CLOSINGS = phrasesOf(
  "obrigado desde já|obrigada desde já|desde já agradeço|desde já obrigado|" +
    "desde já obrigada|agradeço desde já|agradeço|agradecido|agradecida|valeu|vlw|abraços|" +
    "abraço|abs|att|atenciosamente|aguardo|aguardo retorno|fico no aguardo|existentes|" +
    "disponíveis|registradas na receita federal|cadastradas na receita federal|receita federal|" +
    "dados completos|com dados completos|favorzinho|thanks a lot|thank you very much|thank you|" +
    "are there|there|you have|hay|cheers|regards|best regards|gracias|muchas gracias",
);

/** What they are for, behind "para". */
const PURPOSES = phrasesOf(
  "contato comercial|ligar|ligar amanhã|eu ligar|a gente ligar|fazer parceria|parceria|" +
    "parcerias|oferecer nossos produtos|oferecer nosso produto|oferecer produtos",
);
const FOR = new Set(["para", "pra"]);

/** Words behind an opening that lead to what is sought. */
const LEADING = new Set("com de da do das dos para pra por in of for to me us".split(" "));
/** Most tokens of a phrase, and most of these at the end. */
const PHRASE_MAX = 9;

function phrasesOf(list: string): Phrases<true> {
  const phrases = new Phrases<true>();
  for (const name of list.split("|")) phrases.add(name, true);
  return phrases;
}

/** Puts aside how something is asked for; `tradeEnd` says where a known trade ends. */
export function leaveRequests(sentence: Sentence, tradeEnd: (at: number) => number): void {
  leaveOpenings(sentence, tradeEnd);
  for (let end = sentence.tokens.length; end > 0; ) {
    const at = closingAt(sentence, end);
    if (at < 0) break;
    sentence.claim(at, end, "filler");
    sentence.name(at, end);
    end = at;
  }
}

function leaveOpenings(sentence: Sentence, tradeEnd: (at: number) => number): void {
  const { length } = sentence.tokens;
  for (let at = 0; at < length; ) {
    const match = OPENINGS.longest(sentence.tokens, at);
    if (match === null || tradeEnd(at) > match.to) {
      const token = sentence.tokens[at];
      if (token === undefined || !isFillerWord(token)) return;
      at++;
      continue;
    }
    let { to } = match;
    while (to < length && LEADING.has(sentence.folded(to))) to++;
    // A request for nothing else is what is asked for itself.
    if (to >= length) return;
    sentence.claim(at, to, "filler");
    sentence.name(at, to);
    at = to;
  }
}

/** Where what a sentence ends with begins, the tokens up to `end` being left; -1 for nothing. */
function closingAt(sentence: Sentence, end: number): number {
  let last = end;
  while (last > 0 && sentence.tokens[last - 1]?.kind === "mark") last--;
  for (let at = Math.max(1, last - PHRASE_MAX); at < last; at++) {
    if (joins(sentence.tokens[at])) continue;
    if (CLOSINGS.longest(sentence.tokens, at)?.to === last) return at;
    const purpose = FOR.has(sentence.folded(at - 1));
    if (purpose && PURPOSES.longest(sentence.tokens, at)?.to === last) return at - 1;
  }
  return -1;
}
