/**
 * Replaces Spanish and some English words by Portuguese ones.
 * Input: a sentence. Output: the same sentence. If it contains words that exist only in Spanish,
 * its grammatical words ("y", "con"), the words of requests, and its trades become Portuguese
 * words. Trades that are not in the table change by their endings. A "no" that negates in English
 * or Spanish is replaced by an unambiguous negation.
 * Invariant: a sentence without such a word stays as it is, and the text itself never changes. In a
 * Portuguese sentence, "no" still means "in the" ("no Simples", "no MEI"). It becomes a negation
 * only if the words after it must be English or are not masculine singular. A place is never
 * negated.
 */
import spanishWords from "../../../data/spanish-words.json" with { type: "json" };
import { lexicon } from "../activities/lexicon.ts";
import { FILTER_PHRASES } from "../filters/table.ts";
import { kindAt } from "../items.ts";
import { isNegatorWord } from "../negators.ts";
import { languageOf } from "../notes.ts";
import type { Gazetteer } from "../places/gazetteer.ts";
import type { Sentence } from "../words/sentence.ts";
import { foldWord, reduce, type Token } from "../words/tokens.ts";
import { readSpanishPhrases } from "./spanishphrases.ts";

const wordsOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

const wordSet = (words: string) => new Set(words.split(" "));

/** Words that exist in Spanish but not in Portuguese or English. */
const SIGNS = new Set(
  (
    "con dame muestrame " +
    "muestreme quisiera quisieramos y en los las sin hace hasta abiertas abiertos abierta " +
    "tengan tienen sean esten " +
    "telefono correo nuevas nuevos tiendas ciudad nombre sucursales mayores millones quiero " +
    "necesito despues kilometros excepto solamente barrio"
  ).split(" "),
);

/**
 * Maps folded Spanish words to Portuguese ones: prepositions, articles and the like, words of
 * requests, and common trades.
 */
const WORDS = new Map(
  (
    "en:em con:com y:e sin:sem el:o los:os la:a las:as del:do al:ao una:uma un:um unas:umas " +
    "unos:uns hasta:ate hace:ha sean:sejam sea:seja son:sao esten:estejam estan:estao " +
    "tengan:tenham tienen:tem tenga:tenha abiertas:abertas abiertos:abertos abierta:aberta " +
    "abierto:aberto creadas:criadas creados:criados fundadas:fundadas cerradas:fechadas " +
    "cerrados:fechados activas:ativas activos:ativos inactivas:inativas telefono:telefone " +
    "telefonos:telefone correo:email correos:email electronico:eletronico " +
    "electronicos:eletronicos movil:celular " +
    "medianas:medias mediana:media grandes:grandes nuevas:novas nuevos:novos nueva:nova " +
    "antiguas:antigas antiguos:antigos viejas:velhas mayor:maior mayores:maiores menores:menores " +
    "ultimos:ultimos ultimas:ultimas ultimo:ultimo ciudad:cidade ciudades:cidades solo:so " +
    "solamente:somente nombre:nome sucursales:filiais sucursal:filial millon:milhao " +
    "millones:milhoes medio:meio media:meia reales:reais despues:depois antes:antes " +
    "semanas:semanas mes:mes meses:meses ano:ano busco:busco buscamos:buscamos quiero:quero " +
    "queremos:queremos necesito:preciso necesitamos:precisamos muestrame:mostre dame:me " +
    "lista:lista " +
    "excepto:exceto menos:menos fuera:fora ordenadas:ordenadas ordenados:ordenados " +
    "regimen:regime " +
    "matriz:matriz casa:casa hoy:hoje este:este esta:esta primero:primeiro primeras:primeiras " +
    "propio:proprio propia:propria fijo:fixo fija:fixa san:sao pablo:paulo barrio:bairro " +
    "barrios:bairros locales:lojas fines:fins paneles:paineis panel:painel " +
    "asociaciones:associacoes asociacion:associacao " +
    "vino:vinho vinos:vinhos zapateria:sapataria zapaterias:sapatarias " +
    "floristeria:floricultura floristerias:floriculturas mueblerias:moveis muebleria:moveis " +
    "compartido:compartilhado compartidos:compartilhados compartida:compartilhada " +
    "compartidas:compartilhadas propios:proprios propias:proprias moviles:celulares " +
    "fijos:fixos fijas:fixas igual:igual dentro:dentro " +
    "manaos:manaus imprenta:grafica imprentas:graficas " +
    "todas:todas norte:norte sur:sul este:este oeste:oeste " +
    "noreste:nordeste panaderia:padaria panaderias:padarias carniceria:acougue " +
    "carnicerias:acougues ferreteria:ferragens ferreterias:ferragens libreria:livraria " +
    "librerias:livrarias peluqueria:cabeleireiro peluquerias:cabeleireiros abogado:advogado " +
    "abogados:advogados tienda:loja tiendas:lojas ropa:roupa zapatos:sapatos taller:oficina " +
    "talleres:oficinas mecanico:mecanica mecanicos:mecanica gimnasio:academia " +
    "gimnasios:academias " +
    "hoteles:hoteis escuela:escola escuelas:escolas muebles:moveis inmobiliarias:imobiliarias " +
    "inmobiliaria:imobiliaria constructora:construtora constructoras:construtoras " +
    "heladeria:sorveteria heladerias:sorveterias joyeria:joalheria joyerias:joalherias " +
    "floreria:floricultura florerias:floriculturas viajes:viagens viaje:viagem " +
    "hospitales:hospitais ingenieria:engenharia ingenieros:engenheiros coches:carros coche:carro " +
    "juguetes:brinquedos flores:flores limpieza:limpeza seguridad:seguranca belleza:beleza " +
    "peluquero:cabeleireiro gasolineras:postos gasolinera:posto bebidas:bebidas comida:comida " +
    "escritorios:escritorios lavadero:lavador lavaderos:lavadores autos:carros auto:carro " +
    "estacion:estacao estaciones:estacoes ganadero:criador ganaderos:criadores " +
    "isla:ilha islas:ilhas " +
    "o:ou u:ou pero:mas ni:nem " +
    "llamadas:chamadas llamados:chamados llamada:chamada pasado:passado " +
    "pasada:passada enero:janeiro febrero:fevereiro marzo:marco mayo:maio junio:junho " +
    "julio:julho septiembre:setembro octubre:outubro noviembre:novembro diciembre:dezembro " +
    "iglesia:igreja iglesias:igrejas cooperativas:cooperativas proveedor:fornecedor " +
    "proveedores:fornecedores proveedora:fornecedora proveedoras:fornecedoras acero:aco " +
    "bodega:vinicola bodegas:vinicolas jabon:sabao harina:farinha queso:queijo quesos:queijos " +
    "leche:leite carne:carne pescado:peixe pollo:frango aceite:oleo azucar:acucar " +
    "lejos:longe cerca:perto cercanas:proximas cercanos:proximos pasas:passa pasame:passe " +
    "alguien:alguem ayer:ontem electronica:eletronicos orden:ordem region:regiao cria:criacao " +
    "establecimientos:estabelecimentos establecimiento:estabelecimento " +
    "telas:tecidos tela:tecido licoreria:adega licorerias:adegas " +
    "cerraron:fecharam abrieron:abriram lleven:tenham llevan:tem lleva:tem lleve:tenha " +
    "tamano:porte cualquier:qualquer otros:outros otras:outras otro:outro otra:outra " +
    "posean:possuam poseen:possuem posea:possua posee:possui cadenas:redes cadena:rede " +
    "cuales:quais cual:qual cuyo:cujo cuya:cuja cuyos:cujos cuyas:cujas donde:onde " +
    "cuantos:quantos cuantas:quantas compartan:compartilhem comparten:compartilham " +
    "comparta:compartilhe comparte:compartilha usen:usem usan:usam nadie:ninguem " +
    "ninguna:nenhuma ningun:nenhum contactar:contatar dueno:dono duenos:donos duenas:donas " +
    "hagan:facam hacen:fazem haga:faca llamen:chamem llaman:chamam llame:chame llama:chama " +
    "dieron:deram dio:deu puertas:portas dedicadas:dedicadas dedicados:dedicados " +
    "encuentren:encontrem encuentran:encontram queden:fiquem quedan:ficam " +
    "cuenten:contem cuentan:contam cuente:conte cuenta:conta " +
    "contacto:contato contactos:contatos desean:desejam fecha:data apertura:abertura " +
    "alrededores:arredores cercanias:arredores fundaciones:fundacoes fundacion:fundacao " +
    "supere:supera superen:superam superan:superam encima:acima " +
    "inscriptas:inscritas inscriptos:inscritos acogidas:enquadradas acogidos:enquadrados " +
    "acogida:enquadrada acogido:enquadrado operen:operem " +
    "vecindario:bairro vecinos:moradores excluyendo:excluindo excluya:exclua excluyan:excluam " +
    "gran:grande antigua:antiga peligrosos:perigosos " +
    "peligrosas:perigosas peligrosa:perigosa peligroso:perigoso mercancias:mercadorias " +
    "generacion:geracao transmision:transmissao investigacion:pesquisa " +
    "deportivas:esportivas deportivos:esportivos deportiva:esportiva deportivo:esportivo " +
    "actividad:atividade ingresos:faturamento mejores:melhores mejor:melhor frenos:freios " +
    "suspensiones:suspensoes suspension:suspensao " +
    "yerba:erva perforacion:perfuracao pozos:pocos " +
    "cerrada:fechada cerrado:fechado cerro:fechou creada:criada creado:criado activa:ativa " +
    "activo:ativo inactiva:inativa inactivo:inativo inscripta:inscrita inscripto:inscrito " +
    "celu:celular celus:celulares mail:email mails:emails estrellas:estrelas estrella:estrela " +
    "calificacion:avaliacao calificaciones:avaliacoes calificados:avaliados " +
    "calificadas:avaliadas genera:gera generan:geram generen:gerem generadoras:geradoras " +
    "generadora:geradora empezando:comecando comenzando:comecando vieja:velha viejo:velho " +
    "viejos:velhos reciente:recente recientes:recentes aca:ca ya:ja " +
    "dejaron:deixaram dejo:deixou cesaron:cessaram ceso:cessou compania:companhia " +
    "companias:companhias anterioridad:anterioridade posterioridad:posterioridade " +
    "tiene:tem existen:existem existe:existe funcionan:funcionam operan:operam nuevo:novo " +
    "tractor:trator tractores:tratores interesan:interessam " +
    "direccion:endereco wsp:whatsapp algun:algum alguna:alguma algunos:alguns algunas:algumas " +
    "actividades:atividades cantidad:quantidade iniciaron:iniciaram crearon:criaram " +
    "fundaron:fundaram quebraron:faliram quebro:faliu siguen:seguem principio:comeco " +
    "anotados:inscritos anotadas:inscritas tributan:tributam debajo:abaixo ando:estou " +
    "llamar:ligar llamarlos:ligar riego:irrigacao " +
    "equipos:equipamentos estudio:estudo operaciones:operacoes"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/**
 * Maps Spanish words for trades and goods, folded. Used only in Spanish sentences, because in a
 * Portuguese one a word such as "vidrios" is a typo.
 */
const TRADE_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(spanishWords));

/** Matches words without accents, for which the accent checks can be skipped. */
const PLAIN = /^[a-z]*$/i;

/** Verbs before which "no" is a negation. */
const NEGATED = new Set(
  (
    "en sean sea son esten estan tengan tenga tienen es pertenezcan menor menores mayor mayores " +
    "superior superiores inferior inferiores mas menos"
  ).split(" "),
);

/** Words that show that "mas" before them means "mais" (more): "mas grandes". */
const MEASURED = new Set(
  (
    "grandes grande nuevas nuevos nueva nuevo antiguas antiguos antigua antiguo viejas viejos " +
    "pequenas pequenos de"
  ).split(" "),
);

/** Maps Spanish endings to Portuguese ones. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ciones$/, "coes"],
  [/cion$/, "cao"],
  [/siones$/, "soes"],
  [/sion$/, "sao"],
  [/eria(s?)$/, "aria$1"],
  [/dad$/, "dade"],
  [/dades$/, "dades"],
  [/ales$/, "ais"],
  [/ores$/, "ores"],
  [/ll/, "lh"],
  [/ie/, "e"],
  [/ue/, "o"],
];

/**
 * Maps small Spanish numbers. "dos" is also Portuguese for "of the". It is read as a number only
 * before a noun that can be counted ("dos años") or after a word that leads to a number ("hasta
 * dos").
 */
const NUMBERS: ReadonlyMap<string, string> = new Map(
  (
    "dos:dois tres:tres cuatro:quatro cinco:cinco seis:seis siete:sete ocho:oito nueve:nove " +
    "diez:dez once:onze doce:doze trece:treze catorce:catorze quince:quinze veinte:vinte " +
    "treinta:trinta cuarenta:quarenta cincuenta:cinquenta sesenta:sessenta setenta:setenta " +
    "ochenta:oitenta noventa:noventa cien:cem ciento:cento doscientos:duzentos " +
    "doscientas:duzentas trescientos:trezentos trescientas:trezentas " +
    "cuatrocientos:quatrocentos quinientos:quinhentos quinientas:quinhentas"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
const COUNTING = /^(?:menos|minimo|maximo|mas|mais|hasta|ate|entre|tengan|tienen|con|ultim[oa]s)$/;
/** Nouns that are counted; before them, "dos" is a number. */
const COUNTED = wordsOf(
  "anos? mes meses semanas dias locales sucursales filiales sedes unidades tiendas " +
    "mil mill?on(?:es)? establecimientos puntos",
);

/** Returns the number for a word, for "dos" only next to a counted noun or "hasta". */
function numberWord(sentence: Sentence, at: number): string | undefined {
  const word = sentence.folded(at);
  const number = NUMBERS.get(word);
  if (number === undefined || word !== "dos" || COUNTED.test(sentence.folded(at + 1))) {
    return number;
  }
  const before = /^(?:de|que)$/.test(sentence.folded(at - 1)) ? at - 2 : at - 1;
  return COUNTING.test(sentence.folded(before)) ? number : undefined;
}

/** Small words that a Spanish sentence never has. */
const NOT_SPANISH = wordSet(
  "em na nas nao com do da das dos um uma umas uns ao aos ou os as pela pelo mais muito tem" +
    "in with of the and or for from without at that by to near",
);
/** Words of `WORDS` that also exist in Portuguese or English, or in names. */
const SHARED = wordSet(
  "media medio mediana medianas mecanico mecanicos panel regimen excepto region bodega cerca " +
    "autos traje trajes carpa maquinaria arena pension baile oficina oficinas alcohol maleta " +
    "granja granjas fresa carton pinturas envase bolso telas pescado pescados aceite renta mayor",
);
/** Minimum length of a word that is enough to recognize Spanish. */
const TELLING_MIN = 5;

/**
 * True for a sentence that has a word known only in Spanish and no grammatical words of other
 * languages: "talleres cerca de Campinas".
 */
function isOnlySpanish(sentence: Sentence): boolean {
  const { tokens } = sentence;
  if (tokens.some(({ folded }) => NOT_SPANISH.has(folded))) return false;
  return tokens.some(({ folded, kind }) => {
    if (kind !== "word" || folded.length < TELLING_MIN || SHARED.has(folded)) return false;
    const read = WORDS.get(folded) ?? TRADE_WORDS.get(folded);
    return read !== undefined && read !== folded;
  });
}

/** Reads a Spanish sentence as Portuguese, word by word. Returns true if it is Spanish. */
export function readSpanish(sentence: Sentence, { places }: Gazetteer): boolean {
  const isSigned = sentence.tokens.some(({ folded, text }, at) => {
    const whole = PLAIN.test(text) ? "" : text.normalize("NFC");
    // "panaderías" shows that a sentence is Spanish, because Portuguese has no accent in this
    // ending. Nor does it have words in -ctores.
    return (
      SIGNS.has(folded) ||
      (folded === "mayor" && sentence.folded(at - 1) === "por") ||
      /ñ|^m[áÁ]s$|\p{L}{2}erías?$/iu.test(whole) ||
      /ctor(es|as?)$|\p{L}cion(es)?$/u.test(folded)
    );
  });
  if (!isSigned && !isOnlySpanish(sentence)) return false;
  readSpanishPhrases(sentence);
  let named = 0;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (isInPlace(sentence, places, at) || at < named) continue;
    named = Math.max(named, namedUpTo(sentence, at));
    if (at < named) continue;
    const read = readingOf(sentence, at);
    if (read !== null) sentence.readAs(at, read);
  }
  return true;
}

/** True if a word belongs to a place name of several words, such as "São Bento do Una". */
function isInPlace(sentence: Sentence, places: Gazetteer["places"], at: number): boolean {
  for (let from = Math.max(0, at - PLACE_REACH); from <= at; from++) {
    const match = places.longest(sentence.tokens, from);
    if (match !== null && match.words > 1 && match.to > at) return true;
  }
  return false;
}

/** Returns the end of the trade name of several words that begins at a token, or `at`. */
function namedUpTo(sentence: Sentence, at: number): number {
  const match = lexicon().trades.longest(sentence.tokens, at);
  if (match === null || match.words < 2) return at;
  // "fábricas de telas" must still be translated: "tela" is cloth in Spanish but wire mesh in
  // Portuguese.
  const isOther = sentence.tokens.slice(at, match.to).some(({ folded }) => FRIENDS.has(folded));
  return isOther ? at : match.to;
}

/** Words that have different meanings in the two languages. */
const FRIENDS = new Set(["tela", "telas"]);

/** Maximum words of a place name before one of its words. */
const PLACE_REACH = 5;

function readingOf(sentence: Sentence, at: number): string | null {
  const token = sentence.tokens[at] as Token;
  const { kind, folded, text } = token;
  if (kind !== "word") return null;
  if (folded === "no") {
    // "MEI o no"
    const either = sentence.folded(at - 1) === "ou";
    return either || NEGATED.has(sentence.folded(at + 1)) || isVerbLike(sentence, at + 1)
      ? "nao"
      : null;
  }
  if (folded === "mas") {
    // "mas" before these words means "more", because people omit the accent of "más".
    const more = MEASURED.has(sentence.folded(at + 1)) || /á/iu.test(text.normalize("NFC"));
    return more ? "mais" : null;
  }
  // In "dos o más locales", "dos" means two. Elsewhere it is the Portuguese word for "of the".
  if (folded === "dos" && sentence.folded(at + 1) === "o") {
    return sentence.folded(at + 2) === "mas" ? "dois" : null;
  }
  // "al por mayor" means wholesale, "al por menor" retail.
  if (folded === "mayor" && sentence.folded(at - 1) === "por") return "atacado";
  if (folded === "menor" && sentence.folded(at - 1) === "por") return "varejo";
  if (folded === "correo" && sentence.folded(at + 1).startsWith("electronic")) return "correio";
  // "bodegas de vino" is a trade with a meaning of its own. "proveedores de internet" are internet
  // providers and not suppliers of goods.
  const behind = sentence.folded(at + 1) === "de" ? sentence.folded(at + 2) : "";
  if (/^bodegas?$/.test(folded) && behind !== "") return null;
  if (/^proveedore?s?$/.test(folded) && behind === "internet") return folded.replace("ee", "e");
  // "repuestos de motos" are not car parts.
  if (/^repuestos?$/.test(folded) && OTHER_VEHICLES.test(sentence.folded(at + 2))) return "pecas";
  // "deuda activa" is the name of a debt, not a status.
  if (folded === "activa" && sentence.folded(at - 1) === "deuda") return null;
  const known = numberWord(sentence, at) ?? WORDS.get(folded) ?? TRADE_WORDS.get(folded);
  if (known !== undefined) return known;
  const other = /(ciones|cion|siones|sion|dad|dades)$/.test(folded) ? byEnding(token) : null;
  return other ?? (isTradeWord(folded) ? null : byEnding(token));
}

/** Vehicles and machines that are no cars. */
const OTHER_VEHICLES = /^(?:motos?|motocicletas?|bicis?|bicicletas?|tractor(?:es)?|maquinaria)$/;

/** Nouns after a Portuguese "no" in a sentence of both languages: "no interior". */
const IN_THE = wordSet(
  "interior centro litoral norte nordeste sul sudeste sur estado bairro barrio municipio brasil " +
    "pais oeste leste este",
);

/**
 * True for a lowercase word after "no" that looks like a verb: "no posean", "no comparten". Such a
 * word names no filter or activity.
 */
function isVerbLike(sentence: Sentence, at: number): boolean {
  const { text = "", kind } = sentence.tokens[at] ?? {};
  if (kind !== "word" || text !== text.toLowerCase() || IN_THE.has(text)) return false;
  return /[aeo]n?$|[aeo]s$/.test(text) && ["small", "other"].includes(kindAt(sentence, at));
}

function byEnding({ folded, text }: Token): string | null {
  const nasal = /ñ/iu.test(text.normalize("NFC"))
    ? foldWord(text.normalize("NFC").replace(/ñ/giu, "nh"))
    : folded;
  if (nasal !== folded && isTradeWord(nasal)) return nasal;
  for (const [ending, instead] of ENDINGS) {
    const read = nasal.replace(ending, instead);
    if (read !== nasal && isTradeWord(read)) return read;
  }
  return null;
}

function isTradeWord(folded: string): boolean {
  const { trades, goods } = lexicon();
  const key = reduce(folded);
  return [trades, goods].some((names) => names.written(key) !== undefined);
}

/**
 * Words after which a "no" before them must be a negation, because they are English or never follow
 * the Portuguese "no".
 */
const NEVER_IN = wordSet(
  "phone phones email emails mail contact contacts branch branches mobile mobiles cell cellphone " +
    "cellphones landline landlines filiais filial sucursales meis matrizes telefones celulares " +
    "franchises",
);
/** Words that also occur after a Portuguese "no": "com silva no email" filters by the address. */
const EITHER = wordSet("email emails mail");
/** English words that may stand between "no" and the excluded noun. */
const BETWEEN = wordSet(
  "own sole individual shared valid fixed small large medium public personal",
);
/** Comparatives before "than". */
const COMPARES = wordSet("more less fewer later earlier older younger bigger larger smaller");

/** Matches a quality of a contact that a "no" after the contact negates: "correo no compartido". */
const QUALITY = /^(?:compartilhad|repetid)[oa]s?$/;

/** Replaces every negating "no" by an unambiguous word. `spanish`: the sentence is Spanish. */
export function readNegativeNo(sentence: Sentence, spanish: boolean): void {
  const { tokens } = sentence;
  const isNo = (at: number) => tokens[at]?.text.toLowerCase() === "no";
  if (!tokens.some((_, at) => isNo(at) && sentence.folded(at) === "no")) return;
  const others = tokens.filter((_, at) => !isNo(at)).map(({ folded }) => folded);
  const english = !spanish && languageOf(others) === "en";
  for (let at = 0; at < tokens.length; at++) {
    if (!isNo(at) || sentence.folded(at) !== "no") continue;
    const compares = COMPARES.has(sentence.folded(at + 1)) && sentence.folded(at + 2) === "than";
    if (compares) sentence.readAs(at, "not");
    // "correo no compartido"
    else if (spanish && QUALITY.test(sentence.folded(at + 1))) sentence.readAs(at, "nao");
    if (sentence.folded(at) !== "no" || !isNegative(sentence, at, spanish || english)) continue;
    const trade = kindAt(sentence, at + 1) === "activity";
    const [es, en] = trade ? ["exceto", "except"] : ["sem", "without"];
    sentence.readAs(at, spanish ? es : en);
  }
}

/** Nouns for a contact. */
const CONTACTS = wordSet(
  "phone phones email emails mail e contact contacts mobile website landline telefone celular",
);
const LACKING = /^(?:missing|lacking|neither)$/;

/** Reads "missing an email", "with neither phone nor email" as "without" them. */
export function readLacking(sentence: Sentence): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    if (!LACKING.test(sentence.folded(at))) continue;
    let noun = at + 1;
    while (/^(?:an?|the|their|any|valid|registered)$/.test(sentence.folded(noun))) noun++;
    if (!CONTACTS.has(sentence.folded(noun))) continue;
    sentence.readAs(at, "without");
    const other = sentence.folded(noun + 1) === "nor" ? noun + 1 : noun + 2;
    if (sentence.folded(other) === "nor") sentence.readAs(other, "or");
  }
}

/** Reads "that list a phone number" as "that have" it, and "at least one phone" as "a phone". */
export function readHaving(sentence: Sentence): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const phrase = [at, at + 1, at + 2].map((one) => sentence.folded(one)).join(" ");
    const isListing = /^(?:that|which|who) lists? (?:an?|their|the)$/.test(phrase);
    if (isListing && CONTACTS.has(sentence.folded(at + 3))) sentence.readAs(at + 1, "have");
    const isOne = /^(?:at least one|pelo menos um|ao menos um)$/.test(phrase);
    if (!isOne || !CONTACTS.has(sentence.folded(at + 3))) continue;
    for (const one of [at, at + 1, at + 2]) sentence.readAs(one, "a");
  }
}

/** Reads "but" as "except" after words for all places: "anywhere but São Paulo". */
export function readAnywhereBut(sentence: Sentence): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    // "in the state but not in the capital" negates once.
    const isBut = sentence.tokens[at]?.folded === "but" && sentence.folded(at + 1) !== "not";
    if (isBut && ALL_PLACES.test(sentence.folded(at - 1))) sentence.readAs(at, "except");
  }
}

/** Maximum words of a place name before a word that negates elsewhere. */
const KEPT_REACH = 4;

/** Keeps the negating words of place names: "Fora" in "Juiz de Fora", "Não" in "Não-Me-Toque". */
export function keepPlaceWords(sentence: Sentence, { places }: Gazetteer): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!isNegatorWord(sentence.folded(at))) continue;
    for (let from = Math.max(0, at - KEPT_REACH); from <= at; from++) {
      const match = places.longest(sentence.tokens, from);
      if (match !== null && match.words > 1 && match.to > at) sentence.keep(at);
    }
  }
}

/** Reads "on Copacabana" as "in Copacabana". */
export function readOnPlaces(sentence: Sentence, { places }: Gazetteer): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.folded !== "on") continue;
    const { text = "", kind } = sentence.tokens[at + 1] ?? {};
    const isName = kind === "word" && text !== text.toLowerCase() && text !== text.toUpperCase();
    const isKnown = isName && places.longest(sentence.tokens, at + 1) !== null;
    const isListed = /^(?:and|,)$/.test(sentence.tokens[at + 2]?.text ?? "");
    if (isKnown || (isName && isListed)) sentence.readAs(at, "in");
  }
}

const ALL_PLACES = /^(?:anywhere|everywhere|nationwide|brazil|states?)$/;

/**
 * Marks the possessive "s" after a place as read, as in "Salvador's hotels". Otherwise it would
 * separate the place from the trade.
 */
export function readPossessives(sentence: Sentence, { places }: Gazetteer): void {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const { start = 0, folded } = sentence.tokens[at] as Token;
    if (folded !== "s" || !/^['’]$/.test(sentence.text.charAt(start - 1))) continue;
    let from = Math.max(0, at - POSSESSOR_MAX);
    // An apostrophe is not a token, so the name before it ends at the "s".
    while (from < at && places.longest(sentence.tokens, from)?.to !== at) from++;
    if (from < at) sentence.claim(at, at + 1, "filler");
  }
}

/** Maximum number of words of a place before a possessive "s". */
const POSSESSOR_MAX = 4;

function isNegative(sentence: Sentence, at: number, foreign: boolean): boolean {
  const next = sentence.folded(at + 1);
  if (next === "") return false;
  if (NEVER_IN.has(next) && (foreign || !EITHER.has(next))) return true;
  // ", no MEI please": after a comma, a Portuguese "no MEI" would have a verb before it.
  const isLast = /^(?:please|thanks|pls|)$/.test(sentence.folded(at + 2));
  if (next === "mei" && sentence.tokens[at - 1]?.text === "," && isLast) return true;
  if (!foreign) return false;
  const own = BETWEEN.has(next) ? at + 2 : at + 1;
  if (sentence.folded(own) === "e" && sentence.folded(own + 1) === "mail") return true;
  const condition = FILTER_PHRASES.longest(sentence.tokens, own);
  if (condition !== null) return condition.value.role !== "sort";
  if (kindAt(sentence, own) !== "activity") return false;
  const trade = lexicon().trades.longest(sentence.tokens, own);
  return sentence.folded(trade === null ? own : trade.to - 1).endsWith("s");
}
