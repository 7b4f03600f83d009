/**
 * Lists the short filter phrases, with the names of each phrase and the filter that it sets.
 * Invariant: a phrase defines its effect both when required and when negated, or states that no
 * filter can do that. Its names are in Portuguese and English.
 */
import { Phrases } from "../words/phrases.ts";
import { PhraseTable, type PhraseText, phraseText } from "../words/phrasetable.ts";
import { NATURES } from "./natures.ts";
import {
  type Apply,
  BEST,
  BRANCHES,
  contact,
  type FilterPhrase,
  LARGE,
  LEGAL,
  type Outcome,
  OWN_SITE,
  PER_PLACE,
  positive,
  RANDOM,
  REGIME,
  SITE,
  SITE_AS_DOMAIN,
  WHATSAPP,
} from "./phrase.ts";
import { OWN_DOMAIN, QUALITIES } from "./qualities.ts";

const never: Apply = () => "cannot";

/** Adds values to `to`. Returns "contradiction" if `other`, the opposite set, has one of them. */
function put<Value>(to: Set<Value>, other: Set<Value>, values: readonly Value[]): Outcome {
  if (values.some((value) => other.has(value))) return "contradiction";
  for (const value of values) to.add(value);
  return "set";
}

const status =
  (code: number): Apply =>
  ({ statuses, excludedStatuses }, negated) =>
    negated ? put(excludedStatuses, statuses, [code]) : put(statuses, excludedStatuses, [code]);

const size =
  (...codes: readonly string[]): Apply =>
  ({ sizes, excludedSizes }, negated) =>
    negated ? put(excludedSizes, sizes, codes) : put(sizes, excludedSizes, codes);

const nature = (codes: readonly string[]) =>
  positive(({ natures }) => {
    for (const code of codes) natures.add(code);
  });

const flag =
  (name: "mei" | "simples"): Apply =>
  (found, negated) => {
    if (found[name] === negated) return "contradiction";
    found[name] = !negated;
    return "set";
  };

const sorted = (
  field: string,
  direction: "asc" | "desc",
  { vague = false, implied = false } = {},
) => ({
  role: "sort" as const,
  apply: ((found, negated) => {
    if (negated) return "cannot";
    const wanted = found.direction ?? direction;
    found.direction = null;
    const same = found.sort.find((one) => one.field === field);
    if (same?.implied && !implied) same.direction = wanted;
    if (same !== undefined && same.direction !== wanted && !implied) return "contradiction";
    if (same === undefined) found.sort.push({ field, direction: wanted, vague, implied });
    else if (same.vague && !vague) found.sort[found.sort.indexOf(same)] = { ...same, vague };
    return "set";
  }) satisfies Apply,
});

const directed = (direction: "asc" | "desc") => ({
  role: "sort" as const,
  apply: positive((found) => {
    const last = found.sort.at(-1);
    if (last === undefined) found.direction = direction;
    else last.direction = direction;
  }),
});

const PHRASES: readonly (readonly [names: string, phrase: FilterPhrase])[] = [
  [
    "still open|still active|still operating|still in business|currently open|in business|" +
      "ativo|ativa|em atividade|em funcionamento|funcionando|em operação|operando|operante|" +
      "situação ativa|situação cadastral ativa|active|operating",
    { role: "status", apply: status(2) },
  ],
  [
    "inativo|inativa|inactive",
    {
      role: "status",
      apply: ({ statuses, excludedStatuses }, negated) =>
        negated
          ? put(statuses, excludedStatuses, [2])
          : put(statuses, excludedStatuses, [1, 3, 4, 8]),
    },
  ],
  [
    "situação cadastral baixada|baixado|baixada|cancelado|cancelada|" +
      "fechado|fechada|encerrado|encerrada|extinto|extinta|desativado|desativada|" +
      "closed|shut|shut down|closed down|dissolved|went out of business|" +
      "dado de baja|dada de baja|dados de baja|dadas de baja|de baja|" +
      "fecharam|encerraram|deram baixa|encerraram atividades|situação baixada|" +
      "fecharam as portas|fechou as portas|encerraram as atividades|" +
      "encerrou as atividades|encerraram suas atividades|dada como baixada|dado como baixado|" +
      "deram de baja|deu de baja|com baja|baja|closed their doors|deregistered|struck off|" +
      "wound up|liquidated|ceased operations|out of business|encerraram operações|" +
      "deixaram de funcionar|deixaram de operar|pararam de funcionar|deixaram de existir|" +
      "deixou de existir|deixou de funcionar|deixou de operar|fecharam suas portas|" +
      "fechou suas portas|encerraram suas portas|encerraram as portas|encerrou suas portas|" +
      "cessaram atividades|cessaram as atividades|cessaram suas atividades|" +
      "cessaram operações|cessou atividades|não existem mais|não existe mais|" +
      "não funcionam mais|não operam mais|já não existem|já não existe|já não funcionam|" +
      "já não operam",
    { role: "status", apply: status(8) },
  ],
  [
    "situação cadastral suspensa|suspenso|suspensa|suspended|suspendido|suspendida|" +
      "situação suspensa",
    { role: "status", apply: status(3) },
  ],
  [
    "situação cadastral inapta|inapto|inapta|unfit|situação inapta|situação de inaptidão|inaptidão",
    { role: "status", apply: status(4) },
  ],
  ["nula|situação nula|cadastro nulo|cnpj nulo", { role: "status", apply: status(1) }],
  [
    "qualquer situação|qualquer situação cadastral|qualquer status|todas as situações|" +
      "todas as situações cadastrais|todos os status|independente da situação|any status|" +
      "ativas e inativas|ativas ou inativas|inativas e ativas",
    {
      role: "status",
      apply: positive((found) => {
        found.anyStatus = true;
      }),
    },
  ],
  [
    "microempresa|micro empresa|micro|ME|MEs|porte micro|micro porte|micro negócio|" +
      "micro company|micro companies|microbusiness|microbusinesses",
    { role: "size", apply: size("01") },
  ],
  [
    "empresa de pequeno porte|EPP|pequeno porte|pequena empresa|pequena|pequeno|porte pequeno|" +
      "pequeno negócio|tamaño EPP|size EPP|EPP size|EPP sized",
    { role: "size", apply: size("03") },
  ],
  [
    "micro e pequena|micro e pequena empresa|micro ou pequena|micro e pequeno porte|" +
      "micro e pequeno negócio|microempresa e pequena empresa|MPE|MPEs|small business|" +
      "small businesses|small company|small companies|micro and small|small|small size|" +
      "small sized",
    { role: "size", apply: size("01", "03") },
  ],
  [
    "média|médio|grande|médio porte|grande porte|média empresa|grande empresa|porte médio|" +
      "porte grande|médias e grandes|médio e grande porte|large|large company|large companies|" +
      "larger|larger company|larger companies|" +
      "medium|medium sized|midsize|demais portes|porte demais",
    { role: "size", apply: size("05"), warning: LARGE },
  ],
  [
    "larger than micro|bigger than micro|above micro|maior que micro|maior que microempresa|" +
      "maior do que microempresa|acima de micro|acima de microempresa|mayor que micro",
    { role: "size", apply: size("03", "05"), warning: LARGE },
  ],
  [
    "PME|PMEs|pequenas e médias|pequenas e médias empresas|pequeno e médio porte",
    { role: "size", apply: size("03", "05"), warning: LARGE },
  ],
  [
    "porte não informado|sem porte informado|porte desconhecido",
    { role: "size", apply: size("00") },
  ],
  [
    "MEI|MEIs|individual micro entrepreneur|one person micro entrepreneur|" +
      "sole microentrepreneur|sole microentrepreneurs|sole micro entrepreneur|" +
      "sole micro entrepreneurs|" +
      "micro entrepreneur|individual microentrepreneur|microentrepreneur|" +
      "one person microentrepreneur|microempreendedor individual|microempreendedor|" +
      "micro empreendedor individual|" +
      "micro empreendedor|microempreendedora individual|microempreendedora|SIMEI|optante MEI|" +
      "optante pelo MEI|optante pelo SIMEI|optante SIMEI|enquadrada MEI|enquadrado MEI",
    { role: "regime", apply: flag("mei") },
  ],
  [
    "Simples Nacional|simples|optante simples|optante simples nacional|optante|regime simples|" +
      "regime simples nacional|enquadrada simples|enquadrado simples|supersimples|super " +
      "simples|optam simples|" +
      "optam simples nacional|optante pelo simples|optante pelo simples nacional|optam pelo " +
      "simples|optaram pelo simples|optaram pelo simples nacional|" +
      "opted for simples|opt for simples|opting for simples|opted into simples|opted simples|" +
      "simples tax regime|simples regime|simples nacional tax regime|in simples|" +
      "in simples nacional|in simples tax regime|under simples|under simples regime|" +
      "under simples tax regime|in simples regime|under simples nacional|" +
      "optam pelo simples nacional|dentro simples|dentro simples nacional|tributada pelo simples",
    { role: "regime", apply: flag("simples") },
  ],
  [
    "lucro presumido|lucro real|lucro arbitrado|regime normal|lucro presumido ou real|" +
      "lucro real ou presumido|regime lucro presumido|regime lucro real|tributada pelo lucro " +
      "real|" +
      "tributado pelo lucro real|tributada pelo lucro presumido|tributado pelo lucro presumido",
    {
      role: "regime",
      apply: (found, negated) => (negated ? "cannot" : flag("simples")(found, true)),
      wider: REGIME,
    },
  ],
  [
    "matriz|matrizes|casa matriz|sede matriz|sede central|casa central|sede principal|" +
      "escritório central|central office|main headquarters|" +
      "estabelecimento matriz|sede|headquarters|headquarter|head office|main office",
    {
      role: "headquarters",
      apply: (found, negated) => {
        if (negated ? found.headquarters : found.branches) return "contradiction";
        found[negated ? "branches" : "headquarters"] = true;
        return "set";
      },
    },
  ],
  [
    "filial|filiais|sucursal|branch|branches|branch office|branch offices",
    {
      role: "headquarters",
      cannot: BRANCHES,
      apply: (found, negated) => {
        if (negated ? found.branches : found.headquarters) return "contradiction";
        found[negated ? "headquarters" : "branches"] = true;
        return "set";
      },
    },
  ],
  [
    "matriz e filial|matrizes e filiais|filiais e matrizes|matriz ou filial|matrizes ou filiais",
    { role: "headquarters", apply: positive(() => {}) },
  ],
  [
    "email|e-mail|correio eletrônico|endereço de e-mail|endereço de email|contato por e-mail|" +
      "contato por email|" +
      "email address|endereço eletrônico",
    contact("email"),
  ],
  [
    "telefone|fone|número de telefone|phone|phone number|phone numbers|tel|telephone|" +
      "contato telefônico|" +
      "contato por telefone|telefone de contato|telefone comercial",
    contact("phone"),
  ],
  [
    "celular|telefone celular|telefone móvel|número de celular|mobile|cell phone|mobile phone|" +
      "cellphone|mobile number|mobile numbers|cell phone number|cell phone numbers|cell number|" +
      "cell numbers|mobile phone number|cell|cel|telefone de celular|" +
      "tel celular|fone celular|smartphone|" +
      "contato por celular|contato via celular|contato pelo celular",
    contact("mobile"),
  ],
  [
    "landline required|telefone fixo|tel fixo|fone fixo|fixo|linha fixa|landline|" +
      "landline phone|fixed line|fixed telephone|fixed line phone|fixed line telephone|" +
      "fixed line number|fixed phone line|landline number|landline telephone|" +
      "número fixo|número de telefone fixo|land line|" +
      "telefone de linha fixa|telefone convencional|fixed phone|contato por telefone fixo",
    contact("landline"),
  ],
  ...QUALITIES,
  [
    "whatsapp|whats|zap|zapzap|wpp|whats app|" +
      "contato por whatsapp|contato via whatsapp|contato pelo whatsapp|contato por whats|" +
      "contato via whats|contato pelo whats|contato por zap|contato via zap|contato pelo zap",
    { ...contact("mobile"), assumption: WHATSAPP },
  ],
  [
    "contato|dado de contato|dados para contato|meio de contato|forma de contato|contact|" +
      "contact details|contact information|informação de contato|canal de contato|" +
      "algum contato|algum meio de contato|alguma forma de contato|some contact|any contact|" +
      "any means of contact|" +
      "some form of contact|some kind of contact|some contact information|" +
      "some contact details|any contact information|algun contacto",
    contact("contact"),
  ],
  [
    "site próprio|website próprio|own site|own website|own web site|website of its own|" +
      "website of their own|sitio web próprio|página web própria|sitio próprio|página própria",
    { ...OWN_DOMAIN, assumption: OWN_SITE },
  ],
  [
    "site|website|web site|site na internet|site da empresa|sitio web|página web|webpage|" +
      "página en internet|home page|homepage|página na internet|página da internet|web page",
    { ...OWN_DOMAIN, contact: "site", wider: SITE_AS_DOMAIN, cannot: SITE },
  ],
  [
    "instagram|facebook|linkedin|rede social|social media|redes sociales|tiktok|youtube",
    { role: "contact", contact: "site", apply: never, cannot: SITE },
  ],
  [
    "mais nova|mais novo|mais nova primeiro|mais novo primeiro|mais recente|" +
      "mais recente primeiro|mais recente topo|mais nova topo|mais jovem|newest|newest first|" +
      "most recent|most recent first|" +
      "primeiro mais nova|primeiro mais recente|recém abertas primeiro",
    sorted("started_on", "desc"),
  ],
  [
    "mais antiga|mais antigo|mais antiga primeiro|mais antigo primeiro|mais velha|mais velho|" +
      "mais velha primeiro|mais antiga topo|oldest|oldest first|primeiro mais antiga|" +
      "primeiro mais velha",
    sorted("started_on", "asc"),
  ],
  [
    "idade|antiguidade|antigüedad|tempo de mercado|seniority|data de abertura|" +
      "data de fundação|data de apertura|fecha de apertura|data de início|ordem de abertura|" +
      "opening date|age",
    { ...sorted("started_on", "asc", { implied: true }), led: true },
  ],
  [
    "descending order of capital|descending order of share capital|" +
      "highest to lowest capital|largest to smallest capital|maior para menor capital|" +
      "maior pro menor capital|maior ao menor capital|maior para o menor capital social|" +
      "maior para o menor capital|maior para menor capital social|mayor a menor capital|" +
      "mais capital|mais capital social|maior capital|maiores capitais|maior capital social|" +
      "maiores capitais sociais|" +
      "maior capital primeiro|highest capital|largest capital|highest capital first|" +
      "largest capital first|highest share capital|largest share capital",
    sorted("share_capital", "desc"),
  ],
  ["ordem cronológica|cronológica|cronologicamente", sorted("started_on", "asc")],
  [
    "menor capital|menores capitais|menor capital social|lowest capital|lowest capital first",
    sorted("share_capital", "asc"),
  ],
  [
    "capital|capital social|share capital",
    { ...sorted("share_capital", "desc", { implied: true }), led: true },
  ],
  [
    "maior|maiores|mais grandes|maiores primeiro|maiores topo|largest|biggest|largest first",
    sorted("share_capital", "desc", { vague: true }),
  ],
  [
    "menor|menores|menores primeiro|smallest|smallest first",
    sorted("share_capital", "asc", { vague: true }),
  ],
  [
    "ordem alfabética|alfabética|alfabético|alfabeticamente|alphabetical|alphabetical order|" +
      "alphabetically",
    sorted("legal_name", "asc"),
  ],
  [
    "nome|razão social|name|legal name|company name|business name|ordem de nome|Z",
    { ...sorted("legal_name", "asc", { implied: true }), led: true },
  ],
  [
    "porte|tamanho|size|company size",
    { ...sorted("company_size", "desc", { implied: true }), led: true },
  ],
  [
    "população|população da cidade|população do município|population|city population",
    { ...sorted("municipality_population", "desc", { implied: true }), led: true },
  ],
  ["cnpj", { ...sorted("cnpj", "asc", { implied: true }), led: true }],
  [
    "score|relevância|pontuação|relevance",
    { ...sorted("score", "desc", { implied: true }), led: true },
  ],
  [
    "highest to lowest|high to low|largest to smallest|biggest to smallest|" +
      "descending from highest|" +
      "decrescente|inversa|inverso|ordem inversa|reverse|ordem decrescente|descending|desc|" +
      "descending order",
    directed("desc"),
  ],
  [
    "crescente|ordem crescente|ascending|asc|ascending order|lowest to highest|low to high|" +
      "smallest to largest|smallest to biggest",
    directed("asc"),
  ],
  [
    "cidade|município|estado|uf|bairro|region|city|state",
    { role: "sort", apply: never, cannot: PER_PLACE, led: true },
  ],
  [
    "ordem aleatória|aleatoriamente|random order|randomly",
    { role: "sort", apply: never, cannot: RANDOM },
  ],
  ["melhor|melhores|best", { role: "sort", apply: never, cannot: BEST }],
  ...NATURES.map(({ names, codes, trade = false }): [string, FilterPhrase] => {
    return [names, { role: "nature", apply: nature(codes), cannot: LEGAL, trade }];
  }),
];

/** The names of every phrase, in table order. */
export const FILTER_NAMES = PHRASES.map(([names, { role, led = false }]) => {
  return { names: names.split("|"), role, led };
});

/** The phrases, inlined by the bundler (src/executable/bundle.mjs). */
declare const BUILD_PHRASES: string | undefined;

/**
 * Returns the table of all phrases as a text, keyed by name. Each value is the index of a row of
 * `PHRASES`.
 */
export function requestText(): PhraseText {
  const phrases = new Phrases<number>();
  for (const [at, [names]] of PHRASES.entries()) {
    for (const name of names.split("|")) phrases.add(name, at);
  }
  return phraseText(phrases);
}

const TEXT = typeof BUILD_PHRASES === "string" ? BUILD_PHRASES : requestText();

/** All filter phrases, looked up by name. */
export const FILTER_PHRASES = new PhraseTable<FilterPhrase>(TEXT, (at) => {
  const row = PHRASES[at as number];
  if (row === undefined) throw new Error("the table of wishes is of another build");
  return row[1];
});
