/**
 * The words that negations are made of. What comes in: nothing. What goes out: sets of folded
 * words, by what they do in a negation.
 * Invariant: a word of three languages stands where it does the same; Spanish ones are read as the
 * Portuguese ones before.
 */
const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words that negate a verb or an item. */
export const NOT = wordSet(
  "nao nem nunca not non don doesn aren isn dont doesnt arent isnt never neither nor cannot " +
    "cant mustn mustnt shouldn shouldnt",
);
/** Words that say that something is not had. */
export const WITHOUT = wordSet("sem without");
/** Words that leave something out. */
export const EXCLUDE = wordSet(
  "exceto excepto excetuando salvo menos fora afora excecao excluindo excluir exclua excluam " +
    "excluidas excluidos tirando tire tirar desconsiderando desconsidere desconsiderar ignorando " +
    "outside beyond desenquadrada desenquadradas desenquadrado desenquadrados sairam saiu " +
    "ignore ignorar remova removendo remover descarte descartando retire retirando except " +
    "excluding exclude ignoring deixaram deixou",
);
/** Those that say how something is, and not what to do with it. */
export const IS_OUT =
  /^(fora|afora|outside|beyond|desenquadrad[ao]s?|sairam|saiu|deixaram|deixou)$/;
/** Words that negate with those behind them: "em vez de", "nada de". */
export const MAY_NEGATE = wordSet("em ao no nada instead");
/** Words that say by themselves that something does not matter. */
export const REGARDLESS = wordSet("independente independentemente regardless indiferente");
/** Words that may stand between a negator and what it excludes. */
export const BETWEEN = wordSet(
  "que seja sejam sao e esteja estejam esta estao tenha tenham tem possua possuam possui " +
    "possuem ser " +
    "sendo ter estar estiverem forem de da do das dos o a os as em no na nos nas para pra pelo " +
    "pela um uma com inclua incluir incluam incluindo inclui quero queremos quer lista liste " +
    "listar traga trazer mostre mostrar considere considerar contar optam aquelas aqueles " +
    "estado estados cidade cidades municipio municipios regiao quem qualquer nenhum nenhuma " +
    "tipo numero empresas empresa cadastrado informado ja the is " +
    "are any that which do have has an those in t include including with companies want " +
    "fique fiquem fica ficam localizada localizadas localizado localizados situada situadas " +
    "situado situados sediada sediadas sediado sediados foi foram fosse fossem atua atuam atue " +
    "states state of cities city on enrolled facam " +
    "fazem parte pertencam pertencem located based situated part a usam use " +
    "usem usa usar utilizam utilize utilizem utilizar using " +
    "pode podem possa possam deve devem devam poder dever can could may must should be been " +
    "atuem trabalha trabalham trabalhe trabalhem tao muito vez inves lugar instead",
);
/** Verbs of a wish; behind a join they begin a new one. */
export const VERBS = wordSet(
  "seja sejam esteja estejam tenha tenham tem possua possuam possui estao fiquem ficam have has " +
    "are is quero queremos",
);
/** Words that end what a negation reaches. */
export const ENDS = wordSet(
  "mas porem contudo sim apenas somente so que ha com por para desde abertas abertos aberta " +
    "aberto fundadas criadas abriram but only since opened with ordenado ordenadas ordenados " +
    "ordene limite top",
);
/** Words that join items of a list. */
export const JOINS = wordSet("e ou and or");
/** Those of them that name an alternative. */
export const ALTERNATIVES = wordSet("ou or");
/** Verbs between a negator and what a company is. */
export const BEING = wordSet("seja sejam sao e eh ser foram fosse fossem esteja estejam are is be");
/** "De" in its forms. */
export const OF = wordSet("de do da dos das");
/** Articles. */
export const ARTICLES = wordSet("o a os as the");
/** Negators of places, and of the regime that one is in. */
export const OUTSIDE = wordSet("fora afora outside beyond");
/** Prepositions of places. */
export const PLACE_LEADS = wordSet("em no na nos nas in at");
/** After these a negator says that a wish does not matter: "não precisa ter telefone". */
export const OPENERS = wordSet(
  "precisa precisam exigem exija requer requerem importa importam importando exijo exige " +
    "exigir exigencia necessariamente " +
    "obrigatoriamente necessidade necessario restricao distincao so apenas somente only need " +
    "needed necessarily matter",
);
/** Nouns for companies of any trade. */
export const SUBJECTS = wordSet(
  "empresas empresa companhias firmas negocios estabelecimentos comercios companies company " +
    "businesses business firms firm establishments",
);
