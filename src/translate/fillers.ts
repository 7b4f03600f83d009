/**
 * Recognizes filler words and phrases, which do not filter: "empresas", "lista", "meu chefe pediu",
 * "preciso de uma planilha com", "could you please send me".
 * Input: a token, or a sentence that no other stage has read. Output: true if the token is a
 * filler. Filler phrases at the start and end of the sentence are marked as read, so that no stage
 * reads them as a request.
 * Invariant: this is the only list of fillers. None of them is an activity or a request without a
 * filter. A phrase must occur in full, at the start or end of the sentence. A phrase that continues
 * as the name of a trade ("pesquisa de mercado") is not a filler.
 */
import { joins, Phrases } from "./words/phrases.ts";
import type { Sentence } from "./words/sentence.ts";
import type { Token } from "./words/tokens.ts";

const FILLERS = new Set(
  (
    "empresa companhia firma negocio estabelecimento comercio cnpj lista listagem " +
    "relacao busca buscar busco buscam busque buscamos procuramos " +
    "procuro procurar procure quero queria gostaria preciso " +
    "precisamos encontre encontrar ache achar liste listar mostre mostrar traga trazer " +
    "m se possivel quanta quanto algum alguma alguns " +
    "me nos eu favor por todo toda tudo qualquer cada que quem qual quais onde ser sejam " +
    "seja sao e esta estao estejam ter tem tenham tenha possua possuam possuir existe " +
    "usam usem utilizam utilizem " +
    "existem ha aberta aberto abriu abriram registrada inscrita cadastrada localizada localizado " +
    "situada sediada fica ficam fique fiquem atuam atua atuem trabalham trabalha ramo area setor " +
    "segmento atividade tipo como mais muito bem so somente apenas tambem ainda ja " +
    "levantar mapear mapeando mapeamos entao ali hoje brasil brasileira pais nacional lead " +
    "cliente potencial prospect contato dado " +
    "informacao pode possam estado cidade regiao municipio nome find show list get me " +
    "cade quien quienes all any company companies business businesses establishments firm firms " +
    "abrir montar concorrente concorrentes competitor competitors that have has are is located " +
    "with " +
    "please want need give us i we looking search ola oi ei bom boa dia tarde noite prezado " +
    "prezada solicito solicitar solicitamos grato grata obrigado obrigada gentileza poderia " +
    "poderiam podem voce voces enviar envie mandar mande manda passar passe passa trabalho vendo " +
    "ofereco prospectar prospeccao interessado interessada interesse queremos necessito " +
    "necessitamos ajuda ajude ajudar inclusive incluindo inclusos urgente hi hello thanks " +
    "mas porem ou or but only possuem consegue " +
    "conseguem conseguiria saber possivel estou estamos procurando buscando gostariamos " +
    "desejo desejamos ver conhecer aqui ai minha meu nossa nosso meus minhas campanha " +
    "exista existam ve doing does do both ambos ambas enrolled dame muestrame an their its whose " +
    "mostra acha envia arruma arrume arranja arranje levanta levante puxa puxe traz separa " +
    "separe filtra filtre filtrar seleciona selecione selecionar receber receba recebo recebemos " +
    "instalada instalado la dentro pela pelo espalhada espalhado operam opera funcionam funciona " +
    "atuante domiciliada domiciliado estabelecida estabelecido afim etc seu seus sua suas delas " +
    "deles disponha disponham informe informem informam informaram valido valida preenchido " +
    "atualizado atualizada cujo cuja based headquartered registered kind operate having valid " +
    "address " +
    "obter obtenha conseguir consiga consultar consulte pesquisar pesquise acessar visualizar " +
    "lugar local pais todos aluno estudante " +
    // English.
    "can could would will may might should shall must you your pls plz thx hey dear in at on " +
    "to from by am be been being was were it those these them they there ones one each every " +
    "details established taxed size organizado organizada organizados organizadas brazilian " +
    "number numbers considerando considerar registration set up reach reached reachable " +
    "who which what where whom run runs running trade sector field line sort type some also " +
    "along across seeking pois porque because just here let my mine our ours interested pull " +
    "fetch export send tell provide w lists " +
    "listing related involved engaged dealing working active currently now today still " +
    "already " +
    // Spanish.
    "hola buenas buenos dias necesito necesitamos quiero quisiera deme denme envieme pasame " +
    "listado relacion gracias estoy soy somos los las el del al y con en este estan esten sea " +
    "sean tengan tenga tiene tienen hay haya un una unos unas negocios empresas comercios " +
    "locales rubro adherido adherida ubicado ubicada situado sus todas ciudad provincia " +
    "tendo teniendo pueblo actualmente tambien solo solamente inscripta inscripto inscriptas " +
    "unicamente seguem segue tributam tributan interessam yo inscrito podria podrias puede " +
    "puedes pueden dedica dedicam " +
    "dedique dediquem " +
    "estar uns umas outro outra otro otra other either exist exists anywhere everywhere " +
    "nationwide registrado mim galera facul precisando relacione relacionar indicar indique " +
    "region yes sim completa completo constituida constituido"
  ).split(" "),
);

/**
 * True for punctuation, joining words, and words that any request may contain. False for numbers.
 */
export function isFillerWord(token: Token): boolean {
  if (token.kind === "mark") return true;
  if (token.kind === "number") return false;
  return joins(token) || FILLERS.has(token.key) || FILLERS.has(token.folded);
}

/** Phrases at the beginning of requests. */
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
    "base de dados|uma base de dados|recorte|um recorte|planilha|gera uma planilha|" +
    "gere uma planilha|" +
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
    "i would like to have|i d like|we d like|i d like to see|we d like to see|i d like to get|" +
    "we are interested in|i am interested in|" +
    "mira|mire|oye|oiga|che|qué tal|q tal|hola qué tal|disculpe|disculpa|buen día|" +
    "alguém tem|alguém sabe|alguém sabe de|alguém conhece|alguém aí tem|alguém indica|" +
    "vê pra mim|vê para mim|ve pra mim|veja pra mim|vê aí|ve ai|dá uma olhada|da uma olhada|" +
    "dá uma procurada|me passa|me vê|faz favor|faça favor|anyone know|does anyone know|" +
    "anyone has|does anyone have|alguien tiene|alguien sabe|" +
    "i m interested in|tell|how many|what are|which|which are|want to contact|to contact|" +
    "contact|reach out to|estoy buscando|" +
    "me gustaría ver|" +
    "me gustaría|quisiera|quisieramos|cuántas|cuántos|envíame|mándame|necesitaría",
);

/** Phrases at the end of requests. */
const CLOSINGS = phrasesOf(
  "obrigado desde já|obrigada desde já|desde já agradeço|desde já obrigado|" +
    "desde já obrigada|agradeço desde já|agradeço|agradecido|agradecida|valeu|vlw|abraços|" +
    "ok|okay|tá|ta|viu|beleza|blz|certo|fechou|pode ser|né|hein|ta bom|tá bom|" +
    "tá ok|ta ok|tudo bem|please and thanks|tks|thx|por gentileza|aí|pra mim|para mim|" +
    "pra gente|" +
    "abraço|abs|att|atenciosamente|aguardo|aguardo retorno|fico no aguardo|existentes|" +
    "disponíveis|registradas na receita federal|cadastradas na receita federal|receita federal|" +
    "na receita|na receita federal|perante a receita|perante a receita federal|" +
    "no cadastro|no cadastro da receita|on file|on record|" +
    "dados completos|com dados completos|favorzinho|thanks a lot|thank you very much|thank you|" +
    "either is fine|either one is fine|any is fine|either works|any size|any size is fine|" +
    "qualquer um serve|qualquer tamanho|qualquer tamanho serve|qualquer porte|" +
    "qualquer porte serve|" +
    "tanto faz|tanto faz o tamanho|tanto faz o porte|cualquiera sirve|da igual|" +
    "are there|there|you have|hay|cheers|regards|best regards|gracias|muchas gracias",
);

/** Words for partners, after a verb of seeking. */
const PARTNERS =
  /^(?:socios?|parceir[oa]s?|parcerias?|partners?|partnerships?|aliados?|alianzas?|colaboradores)$/;
const SEEKING =
  /^(?:busco|buscamos|procuro|procuramos|seek|seeking|find|finding|for|quero|queremos)$/;
const OF_PARTNERS =
  /^(?:locais|locales|local|comerciais|comerciales|commercial|business|novos|nuevos)$/;

/** Marks "busco socios locales" after a request as filler, because it requests no companies. */
function claimPartners(sentence: Sentence): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    if (!PARTNERS.test(sentence.folded(at)) || !sentence.free(at)) continue;
    const isOf = (index: number) =>
      OF_PARTNERS.test(sentence.tokens[index]?.text.toLowerCase() ?? "");
    const isLed = isOf(at - 1);
    const verb = isLed ? at - 2 : at - 1;
    if (!SEEKING.test(sentence.folded(verb))) continue;
    let to = at + 1;
    while (isOf(to)) to++;
    sentence.claim(verb, to, "filler");
    sentence.name(verb, to);
  }
}

/** Marks "natureza jurídica" as filler. The words only announce the name of a legal form. */
function claimNature(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const word = sentence.folded(at);
    const next = sentence.folded(at + 1);
    const isNature = /^(?:natureza|naturaleza|forma|figura)$/.test(word) && /^juridica$/.test(next);
    if (!(isNature || (word === "legal" && /^(?:nature|form)$/.test(next))) || !sentence.free(at))
      continue;
    sentence.claim(at, at + 2, "filler");
    sentence.name(at, at + 2);
  }
}

/** Marks "pode ser de qualquer tamanho" or "any size" in any position as filler. */
function claimAnySize(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const isEqual = sentence.folded(at) === "tanto" && sentence.folded(at + 1) === "faz";
    if (isEqual && sentence.free(at)) sentence.claim(at, at + 2, "filler");
    if (!/^(?:qualquer|cualquier|any)$/.test(sentence.folded(at)) || !sentence.free(at)) continue;
    if (!/^(?:tamanho|tamano|porte|size|ramo|rubro)$/.test(sentence.folded(at + 1))) continue;
    const from = /^(?:de|of)$/.test(sentence.folded(at - 1)) ? at - 1 : at;
    sentence.claim(from, at + 2, "filler");
    sentence.name(from, at + 2);
  }
}

/** Purposes after "para". */
const PURPOSES = phrasesOf(
  "contato comercial|ligar hoje|eu ligar hoje|ligar|ligar amanhã|eu ligar|a gente ligar|" +
    "fazer parceria|parceria|" +
    "parcerias|oferecer nossos produtos|oferecer nosso produto|oferecer produtos",
);
const FOR = new Set(["para", "pra"]);

/**
 * Words after an opening phrase that are filler with it: "com" in "estou atrás de empresas com".
 */
const LEADING = new Set("com de da do das dos para pra por in of for to me us".split(" "));
const PHRASE_MAX = 9;

function phrasesOf(list: string): Phrases<true> {
  const phrases = new Phrases<true>();
  for (const name of list.split("|")) phrases.add(name, true);
  return phrases;
}

/**
 * Marks the phrases at the start and end of a request that do not filter, such as "could you please
 * send me", as filler. `tradeEnd` returns the end of the known trade at a token.
 */
export function claimRequestWords(sentence: Sentence, tradeEnd: (at: number) => number): void {
  leaveOpenings(sentence, tradeEnd);
  claimPartners(sentence);
  claimNature(sentence);
  claimAnySize(sentence);
  claimReceita(sentence);
  for (let end = sentence.tokens.length; end > 0; ) {
    const at = closingAt(sentence, end);
    if (at < 0) break;
    sentence.claim(at, end, "filler");
    sentence.name(at, end);
    end = at;
  }
}

/** Marks "Receita (Federal)" in "na Receita Federal", which means the registry, as filler. */
function claimReceita(sentence: Sentence): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const isLed = /^(?:na|pela|a|da|en|la)$/.test(sentence.folded(at - 1));
    if (sentence.folded(at) !== "receita" || !isLed || !sentence.free(at)) continue;
    const isWhole = sentence.folded(at + 1) === "federal";
    // "receita da empresa" is its revenue.
    if (!isWhole && /^(?:d[aeo]s?|acima|anual|bruta|de)$/.test(sentence.folded(at + 1))) continue;
    const isWritten = sentence.tokens[at]?.text.startsWith("R");
    if (!isWhole && !isWritten && sentence.folded(at - 1) !== "na") continue;
    const to = isWhole ? at + 2 : at + 1;
    sentence.claim(at - 1, to, "filler");
    sentence.name(at - 1, to);
  }
}

/** Returns the end of an imperative such as "bota aí" or "taca aí", or `at` if there is none. */
function imperativeEnd(sentence: Sentence, at: number): number {
  if (sentence.tokens[at]?.kind !== "word") return at;
  const isThere = /^(ai|la)$/.test(sentence.folded(at + 1));
  const isVerb = /[aei]$/.test(sentence.folded(at)) && sentence.free(at);
  return isThere && isVerb && sentence.tokens.length > at + 2 ? at + 2 : at;
}

function leaveOpenings(sentence: Sentence, tradeEnd: (at: number) => number): void {
  const { length } = sentence.tokens;
  for (let at = 0; at < length; ) {
    // Skips a clause about the speaker that an earlier step has read: "sou analista e preciso de um
    // recorte das óticas".
    if (!sentence.free(at)) {
      at++;
      continue;
    }
    const imperative = imperativeEnd(sentence, at);
    if (imperative > at) {
      sentence.claim(at, imperative, "filler");
      sentence.name(at, imperative);
      at = imperative;
      continue;
    }
    const match = OPENINGS.longest(sentence.tokens, at);
    // "with any contact: …" is a request, "contact dentists" is not.
    const isHad = /^(?:any|with|w)$/.test(sentence.folded(at - 1));
    if (match === null || isHad || tradeEnd(at) > match.to) {
      const token = sentence.tokens[at];
      if (token === undefined || !isFillerWord(token)) return;
      at++;
      continue;
    }
    let { to } = match;
    while (to < length && LEADING.has(sentence.folded(to))) to++;
    // In "dá uma olhada em 50 dentistas", "em" belongs to the opening phrase.
    if (/^(em|nas|nos)$/.test(sentence.folded(to)) && sentence.tokens[to + 1]?.kind === "number") {
      to++;
    }
    // If nothing follows the phrase, it is the request itself and not filler.
    if (to >= length) return;
    sentence.claim(at, to, "filler");
    sentence.name(at, to);
    at = to;
  }
}

/** Returns the start of a closing phrase that ends at `end`, or -1. */
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
