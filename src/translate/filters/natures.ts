/**
 * Lists legal natures by their usual names, with their codes in the registry.
 * Invariant: a name that is also an activity ("igreja") has `trade` set. It is a legal nature only
 * if the sentence names no activity, because a spec would require both.
 */

/** Usual names of a legal nature. */
interface NatureRow {
  readonly names: string;
  readonly codes: readonly string[];
  /** True if the names of the nature are also trades. */
  readonly trade?: true;
}

/** Public foundations of the union, states, and cities, of public and of private law. */
const PUBLIC_FOUNDATIONS = ["1139", "1147", "1155", "1252", "1260", "1279"];

/** All legal natures with usual names. */
export const NATURES: readonly NatureRow[] = [
  {
    names:
      "ltda|ltdas|limitada|limitadas|sociedade limitada|sociedade empresária limitada|" +
      "empresa limitada|responsabilidade limitada|limited liability company|limited liability|" +
      "limited liability companies|llc|llcs|limited company|limited companies|" +
      "sociedade de responsabilidade limitada|sociedades de responsabilidade limitada|" +
      "sociedades de responsabilidad limitada|private limited company|private limited companies",
    codes: ["2062"],
  },
  {
    names:
      "sa|sociedade anônima|sociedade por ações|capital aberto ou fechado|" +
      "capital aberto e fechado|" +
      "capital fechado ou aberto|abertas ou fechadas|aberta ou fechada|" +
      "companhia aberta e fechada|corporation|" +
      "corporations|joint stock company|joint stock companies|public limited company",
    codes: ["2046", "2054"],
  },
  {
    names:
      "capital aberto|sa aberta|sa de capital aberto|sociedade anônima aberta|companhia aberta|" +
      "sociedade anônima de capital aberto|publicly traded|publicly listed|listed company|" +
      "listed companies|publicly held corporation|publicly held corporations|" +
      "publicly traded corporation|publicly traded corporations|public corporation|" +
      "public corporations|listed corporation|listed corporations|publicly traded company|" +
      "publicly traded companies|publicly held",
    codes: ["2046"],
  },
  {
    names:
      "capital fechado|sa fechada|sa de capital fechado|sociedade anônima fechada|" +
      "companhia fechada|sociedade anônima de capital fechado",
    codes: ["2054"],
  },
  {
    names:
      "eireli|eirelis|empresa individual de responsabilidade limitada|" +
      "individual de responsabilidade limitada",
    codes: ["2305", "2313"],
  },
  {
    names:
      "EI|empresário individual|empresária individual|firma individual|empresa individual|" +
      "sole proprietorship|sole proprietor|sole proprietors|sole trader|sole traders|" +
      "individual entrepreneur|individual entrepreneurs|empresario individual|" +
      "individual business owner|individual business owners",
    codes: ["2135"],
  },
  {
    names:
      "empresa estrangeira|sociedade estrangeira|firma estrangeira|foreign company|" +
      "foreign companies",
    codes: ["2178"],
  },
  { names: "sociedade simples|sociedade simples limitada", codes: ["2232", "2240"] },
  {
    names:
      "sociedade unipessoal|sociedade unipessoal de advocacia|unipessoal de advocacia|" +
      "advocacia unipessoal|" +
      "one-person law firm|one-person law firms|one person law firm|one person law firms|" +
      "single-person law firm|single-person law firms|solo law firm|solo law firms",
    codes: ["2321"],
  },
  { names: "cooperativa|cooperative|cooperatives", codes: ["2143", "2330"] },
  {
    names: "cooperativa de consumo|cooperativas de consumo|consumer cooperative",
    codes: ["2330"],
  },
  { names: "sociedade de economia mista|economia mista", codes: ["2038"] },
  {
    names:
      "empresa pública|estatal|state owned company|state owned companies|" +
      "state owned enterprise|state owned enterprises|public enterprise|public enterprises",
    codes: ["2011"],
  },
  { names: "sociedade em nome coletivo|nome coletivo", codes: ["2070"] },
  { names: "grupo de sociedades|grupos de sociedades", codes: ["2160"] },
  { names: "inova simples|empresa simples de inovação", codes: ["2348"] },
  { names: "leiloeiro pessoa física", codes: ["4111"] },
  { names: "segurado especial|segurados especiais", codes: ["4022"] },
  { names: "contribuinte individual|contribuintes individuais", codes: ["4081"] },
  { names: "comunidade indígena|indigenous community|indigenous communities", codes: ["3239"] },
  { names: "organização social|organizações sociais", codes: ["3301"] },
  { names: "fundação pública|public foundation|public foundations", codes: PUBLIC_FOUNDATIONS },
  { names: "órgão público federal|órgãos públicos federais", codes: ["1015", "1040", "1074"] },
  { names: "autarquia", codes: ["1104", "1112", "1120"] },
  { names: "autarquia federal|autarquias federais", codes: ["1104"] },
  { names: "autarquia estadual|autarquias estaduais", codes: ["1112"] },
  { names: "autarquia municipal|autarquias municipais", codes: ["1120"] },
  // Since 2016, municipalities register with the nature "Município" (1244). Before, they registered
  // as a body of the municipal executive (1031).
  { names: "prefeitura|prefeitura municipal|prefeituras municipais", codes: ["1244", "1031"] },
  {
    names:
      "câmara municipal|câmaras municipais|câmara de vereadores|city council|city councils|" +
      "poder legislativo municipal",
    codes: ["1066"],
  },
  { names: "assembleia legislativa|assembleias legislativas", codes: ["1058"] },
  {
    names:
      "consórcio público|consórcio público intermunicipal|consórcio intermunicipal|" +
      "consórcios públicos intermunicipais|consórcios intermunicipais|public consortium|" +
      "public consortia",
    codes: ["1210", "1228"],
  },
  { names: "sociedade em conta de participação|scp", codes: ["2127"] },
  { names: "consórcio de sociedades", codes: ["2151"] },
  {
    names:
      "produtor rural pessoa física|pessoa física|pessoas físicas|natural person|" +
      "natural persons|persona física|personas físicas|persona natural|personas naturales",
    codes: ["4120"],
  },
  { names: "serviço social autônomo", codes: ["3077"] },
  {
    names:
      "associação privada|private association|private associations|" +
      "associação sem fins lucrativos|associação civil|" +
      "associação sem fins de lucro|" +
      "non-profit association|non-profit associations|nonprofit association|nonprofit associations",
    codes: ["3999"],
  },
  {
    names:
      "entidade sem fins lucrativos|organização sem fins lucrativos|" +
      "instituição sem fins lucrativos|" +
      "non-profit|non-profits|nonprofit|nonprofits|non-profit organization|" +
      "non-profit organizations|nonprofit organization|nonprofit organizations|" +
      "sem fins lucrativos|sem fins de lucro|entidade sem fins de lucro|" +
      "organização sem fins de lucro|instituição sem fins de lucro",
    codes: ["3999", "3069"],
  },
  { names: "fundação privada|private foundation|private foundations", codes: ["3069"] },
  { names: "condomínio edilício", codes: ["3085"] },
  { names: "associação|association|associations", codes: ["3999"], trade: true },
  { names: "fundação|foundation|foundations", codes: ["3069"], trade: true },
  { names: "condomínio|condominium", codes: ["3085"], trade: true },
  {
    names:
      "organização religiosa|entidade religiosa|religious organization|religious organizations",
    codes: ["3220"],
    trade: true,
  },
  { names: "entidade sindical", codes: ["3131"], trade: true },
  // Every "cartório" also has the activity of the same name, by which people usually search for it.
  { names: "serviço notarial e registral", codes: ["3034"] },
  {
    names: "partido político|partido",
    codes: ["3255", "3263", "3271"],
    trade: true,
  },
];
