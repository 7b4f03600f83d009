/**
 * The words of a sample's names, addresses, and e-mails: lists of words, and invented words that
 * look Portuguese. A random number selects a word.
 * Invariant: words are upper case and without accents, as in the registry. Lists contain only parts
 * of names, which are combined at random. Invented words are as frequent as words in real text (G.
 * K. Zipf), so their number grows without limit (H. S. Heaps: draws to the power of 0.78). Each
 * invented word is a function of its number, so none is stored. Each choice draws one random
 * number, like a choice from a list. Invented words have at least three syllables, so that they are
 * not real names.
 */
import { hash, type Random, Weighted } from "./random.ts";
import { type RowBytes, words } from "./zip/bytes.ts";

/** Given names. */
export const GIVEN_NAMES = words(`
  MARIA JOSE ANA JOAO ANTONIO FRANCISCO CARLOS PAULO PEDRO LUCAS LUIZ MARCOS LUIS GABRIEL RAFAEL
  DANIEL MARCELO BRUNO EDUARDO FELIPE RODRIGO MANOEL MATEUS ANDRE FERNANDO FABIO LEONARDO GUSTAVO
  GUILHERME LEANDRO TIAGO ANDERSON RICARDO MARCIO JORGE ALEXANDRE ROBERTO EDSON DIEGO VITOR SERGIO
  CLAUDIO MATHEUS THIAGO GERALDO ADRIANO LUCIANO JULIO RENATO ALEX VINICIUS ROGERIO SAMUEL RONALDO
  MARIO FLAVIO IGOR DOUGLAS DAVI MANUEL CICERO ROBSON FABRICIO DANILO MAURICIO SEBASTIAO JULIANA
  ADRIANA FERNANDA PATRICIA ALINE SANDRA CAMILA AMANDA BRUNA JESSICA LETICIA VANESSA MARIANA
  GABRIELA VERA VITORIA LARISSA CLAUDIA BEATRIZ RITA LUANA SONIA RENATA ELIANE SIMONE CRISTINA
  ROSANGELA TATIANE DEBORA RAFAELA MONICA ANGELA NATALIA TEREZINHA CARLA DANIELA ROSA MARLENE
  VALERIA SUELI VIVIANE CAROLINA PRISCILA REGINA KELLY ELAINE TEREZA LUCIA GISELE MICHELE`);

/** Middle parts of persons' names; `_` is a space. */
export const MIDDLE_NAMES = words(`
  APARECIDA DA_SILVA DOS_SANTOS DE_SOUZA DE_OLIVEIRA CRISTINA HENRIQUE EDUARDO AUGUSTO DE_JESUS
  CONCEICAO REGINA ROBERTO CARLOS CESAR LUIZ PAULA FERNANDA ALVES PEREIRA DE_FATIMA DO_NASCIMENTO
  RODRIGUES FERREIRA DE_LIMA DE_ALMEIDA DA_COSTA GOMES MARTINS VIEIRA`);

/** Surnames. */
export const SURNAMES = words(`
  SILVA SANTOS OLIVEIRA SOUZA LIMA PEREIRA FERREIRA COSTA RODRIGUES ALMEIDA NASCIMENTO ALVES
  CARVALHO ARAUJO RIBEIRO GOMES MARTINS ROCHA BARBOSA DIAS FERNANDES ANDRADE BARROS FREITAS MENDES
  CARDOSO REIS RAMOS TEIXEIRA MOREIRA MONTEIRO CAVALCANTE MELO VIEIRA CORREIA PINTO NUNES LOPES
  CASTRO CAMPOS MOURA BATISTA DUARTE MACHADO FARIAS MIRANDA COELHO SALES AZEVEDO CUNHA PIRES
  TAVARES SIQUEIRA XAVIER BORGES MAIA AGUIAR GUIMARAES PAIVA BRITO MACEDO AMARAL BEZERRA QUEIROZ
  PEIXOTO PACHECO FONSECA MATOS LEITE SAMPAIO VASCONCELOS PRADO ASSIS TORRES PORTO BUENO DANTAS
  SCHMIDT MULLER WEBER ROSSI BIANCHI FERRARI TANAKA SATO NAKAMURA HOFFMANN KLEIN`);

/** Invented brand words for company and trade names. */
export const BRANDS = words(`
  ALFA ATLAS AURORA BELA_VISTA BOM_PRECO BRASIL CENTRAL CRISTAL DELTA DIAMANTE ECO ELITE ESTRELA
  EVOLUCAO FENIX FORTE FUTURA GLOBAL GOL HORIZONTE IDEAL IMPERIAL INOVA JARDIM KAIROS LIDER LUZ
  MASTER MAX MEGA MODELO MUNDIAL NACIONAL NORTE NOVA_ERA NOVO_MUNDO OASIS OESTE OMEGA OURO PARAISO
  PLANALTO POPULAR PREMIUM PRIMAVERA PRIME PROGRESSO REAL REDE SABOR SANTA_RITA SAO_JORGE SERRA SOL
  SOLAR SUL SUPREMA TOP TOTAL TROPICAL UNIAO UNIVERSAL VALE VERDE VIDA VITORIA VIVA ZENITE`);

/** Final parts of a limited company's name, by line of business. */
export const TRADES = words(`
  COMERCIO COMERCIO_E_SERVICOS SERVICOS INDUSTRIA_E_COMERCIO COMERCIO_E_REPRESENTACOES SOLUCOES
  EMPREENDIMENTOS PARTICIPACOES DISTRIBUIDORA COMERCIAL REPRESENTACOES CONSULTORIA PRESTADORA
  ADMINISTRACAO_DE_BENS IMPORTACAO_E_EXPORTACAO GESTAO_EMPRESARIAL`);

/** Street types with their shares in percent. The accented ones are rare in the registry. */
export const STREET_TYPES: readonly (readonly [string, number])[] = [
  ["RUA", 66],
  ["AVENIDA", 17],
  ["RODOVIA", 3],
  ["ESTRADA", 2],
  ["TRAVESSA", 3],
  ["ALAMEDA", 2],
  ["PRACA", 2],
  ["QUADRA", 2],
  ["SITIO", 0.7],
  ["VIA", 0.5],
  ["LARGO", 0.4],
  ["VILA", 0.4],
  ["PRA\u00c7A", 0.4],
  ["S\u00cdTIO", 0.2],
];

/** Names of streets. */
export const STREETS = words(`
  SAO_JOSE SANTO_ANTONIO GETULIO_VARGAS TIRADENTES SETE_DE_SETEMBRO QUINZE_DE_NOVEMBRO DAS_FLORES
  SAO_PAULO BAHIA MINAS_GERAIS PARANA SANTA_CATARINA RIO_BRANCO DUQUE_DE_CAXIAS DOM_PEDRO_II
  PRESIDENTE_KENNEDY JUSCELINO_KUBITSCHEK CASTRO_ALVES MACHADO_DE_ASSIS PRIMEIRO_DE_MAIO
  MARECHAL_DEODORO BENJAMIN_CONSTANT FLORIANO_PEIXOTO BRASIL AMAZONAS CEARA PERNAMBUCO SERGIPE
  GOIAS DOS_IPES DAS_PALMEIRAS DAS_ACACIAS DOS_PINHEIROS DAS_ROSAS DOS_LIRIOS DA_SAUDADE
  DO_COMERCIO DA_INDUSTRIA DA_PAZ PRINCESA_ISABEL VISCONDE_DE_MAUA BARAO_DO_RIO_BRANCO
  PADRE_ANCHIETA SANTOS_DUMONT OSVALDO_CRUZ RUI_BARBOSA JOSE_BONIFACIO EPITACIO_PESSOA
  NOSSA_SENHORA_APARECIDA SANTA_LUZIA SAO_FRANCISCO SAO_JOAO SAO_PEDRO BELA_VISTA BOA_ESPERANCA
  PROFESSOR_ARTHUR_LEITE CORONEL_JOAQUIM_PRADO DOUTOR_ANTONIO_SERRANO ENGENHEIRO_LUIZ_CAMPOS`);

/** Names of districts. */
export const DISTRICTS = words(`
  CENTRO CENTRO CENTRO CENTRO CENTRO CENTRO CENTRO CENTRO JARDIM_AMERICA JARDIM_EUROPA VILA_NOVA
  BOA_VISTA SAO_JOSE SANTO_ANTONIO INDUSTRIAL SANTA_LUZIA BELA_VISTA JARDIM_PRIMAVERA NOVA_ESPERANCA
  SAO_FRANCISCO PLANALTO PARQUE_INDUSTRIAL CIDADE_NOVA ALTO_DA_SERRA VILA_MARIANA SANTA_CRUZ
  JARDIM_DAS_FLORES SAO_CRISTOVAO NOSSA_SENHORA_DE_FATIMA CONJUNTO_HABITACIONAL_NORTE ZONA_RURAL
  SETOR_CENTRAL SETOR_BUENO ASA_NORTE ASA_SUL BARRA IPIRANGA PINHEIROS LIBERDADE BOM_RETIRO
  PARQUE_DAS_NACOES JARDIM_PAULISTA VILA_SAO_PEDRO MORADA_DO_SOL RESIDENCIAL_PARAISO SAO_JOAO
  DISTRITO_INDUSTRIAL PRAIA_GRANDE VARZEA MARACANA TIJUCA COPACABANA_NOVA CRISTO_REI AGUA_VERDE`);

/** Domains of the free mail providers with their shares in percent. */
export const FREE_MAIL: readonly (readonly [string, number])[] = [
  ["GMAIL.COM", 49],
  ["HOTMAIL.COM", 24],
  ["YAHOO.COM.BR", 4.3],
  ["OUTLOOK.COM", 2.2],
  ["UOL.COM.BR", 1.3],
  ["BOL.COM.BR", 1.2],
  ["TERRA.COM.BR", 0.8],
  ["ICLOUD.COM", 0.7],
  ["LIVE.COM", 0.6],
  ["IG.COM.BR", 0.5],
];

/** Invalid e-mail texts of the registry. */
export const MAIL_JUNK = ["000", ".", "NAO TEM", "www.semsite", "a@ b", "NAO@TEM", "X@Y..COM"];

/** Words for a trade name by activity code, or by its first two digits. */
export const TRADE_WORDS: Readonly<Record<string, string>> = {
  "4721102": "PADARIA PANIFICADORA CONFEITARIA",
  "5611201": "RESTAURANTE CHURRASCARIA CANTINA PIZZARIA",
  "5611203": "LANCHONETE SORVETERIA CAFETERIA HAMBURGUERIA",
  "5611204": "BAR BOTECO CHOPERIA",
  "5620104": "MARMITARIA SALGADOS DOCES_E_SALGADOS",
  "4781400": "MODAS BOUTIQUE CONFECCOES LOJA_DE_ROUPAS",
  "9602501": "SALAO_DE_BELEZA CABELEIREIRO BARBEARIA STUDIO_HAIR",
  "9602502": "ESTETICA ESPACO_DE_BELEZA STUDIO_DE_UNHAS",
  "4520001": "OFICINA_MECANICA AUTO_CENTER MECANICA",
  "4530703": "AUTO_PECAS DISTRIBUIDORA_DE_PECAS",
  "4712100": "MERCADO MERCEARIA MINIMERCADO MERCADINHO",
  "4711302": "SUPERMERCADO",
  "4744099": "MATERIAIS_DE_CONSTRUCAO DEPOSITO CASA_DO_CONSTRUTOR",
  "4771701": "FARMACIA DROGARIA",
  "8630504": "ODONTOLOGIA CLINICA_ODONTOLOGICA",
  "8630503": "CLINICA_MEDICA CONSULTORIO",
  "6920601": "CONTABILIDADE ESCRITORIO_CONTABIL",
  "6911701": "ADVOCACIA ADVOGADOS_ASSOCIADOS",
  "9313100": "ACADEMIA FITNESS CROSSFIT",
  "9609208": "PET_SHOP BANHO_E_TOSA",
  "7500100": "CLINICA_VETERINARIA",
  "4321500": "ELETRICA INSTALACOES_ELETRICAS",
  "4399103": "CONSTRUCOES REFORMAS OBRAS",
  "4930201": "TRANSPORTES FRETES",
  "4930202": "TRANSPORTES LOGISTICA",
  "5320202": "ENTREGAS_RAPIDAS EXPRESS",
  "7319002": "PROMOCOES MARKETING",
  "8599604": "TREINAMENTOS CURSOS",
  "8219999": "ESCRITORIO APOIO_ADMINISTRATIVO",
  "9430800": "ASSOCIACAO_COMUNITARIA",
  "01": "FAZENDA SITIO AGROPECUARIA",
  "10": "ALIMENTOS INDUSTRIA_DE_ALIMENTOS",
  "14": "CONFECCOES FACCAO",
  "41": "CONSTRUTORA INCORPORADORA",
  "43": "REFORMAS PINTURAS CONSTRUCOES",
  "45": "VEICULOS MOTOS AUTO_CENTER",
  "46": "ATACADO DISTRIBUIDORA REPRESENTACOES",
  "47": "LOJA COMERCIO VARIEDADES",
  "49": "TRANSPORTES TURISMO",
  "55": "HOTEL POUSADA",
  "56": "RESTAURANTE LANCHES SABORES",
  "62": "SISTEMAS TECNOLOGIA SOFTWARE INFORMATICA",
  "63": "DIGITAL DADOS",
  "68": "IMOVEIS IMOBILIARIA",
  "71": "ENGENHARIA PROJETOS",
  "73": "PUBLICIDADE PROPAGANDA",
  "82": "APOIO EVENTOS",
  "85": "ESCOLA CENTRO_EDUCACIONAL CURSOS",
  "86": "CLINICA SAUDE",
  "94": "ASSOCIACAO IGREJA INSTITUTO",
  "95": "ASSISTENCIA_TECNICA CONSERTOS",
  "96": "BELEZA LAVANDERIA",
};

/** Words for a trade name of other activities. */
export const TRADE_WORDS_OTHER = "SERVICOS COMERCIO GRUPO CASA CENTRO";

/**
 * Number of words in the first group, which has the most frequent words. Each further group has
 * twice as many words, which are drawn less often.
 */
const FIRST_GROUP = 64;
const GROUPS = 24;
/**
 * 2^-0.28, the ratio of consecutive groups. Frequency then falls with rank to the power of -1.28.
 */
const GROUP_RATIO = 0.8236;
/** The same constants for the districts of one city, which has only about five hundred. */
const CITY_GROUP = 4;
const CITY_GROUPS = 7;
const CITY_RATIO = 0.55;

const SYLLABLES = words(`
  BA BE BI BO CA CE CI CO DA DE DI DO FA FE FI FO GA GUE GI GO LA LE LI LO MA ME MI MO NA NE NI NO
  PA PE PLI PO RA RE RI RO SA SE SI SO TA TE TI TO VA VE VI VO BRA TRE CRI PRO LHA NHE JU JO ZA ZE
  QUI XO`);
/** Syllables as numbers: length << 24, and up to three letters, the first in the lowest byte. */
const PACKED = Int32Array.from(SYLLABLES, (letters) =>
  letters.reduce((sum, letter, i) => sum | (letter << (8 * i)), letters.length << 24),
);
const SYLLABLE_BITS = 6;
/**
 * A syllable takes six bits, so words of three, four, and five syllables have 18, 24, and 30 bits.
 */
const SHORT = 1 << 18;
const MIDDLE = SHORT + (1 << 24);
/** Endings of company words, and of surnames. */
const ENDINGS = words("N R S L X TEC LAR MAX");
const SURNAME_ENDINGS = words("NES LINI RES ZANI DEIRO LHAES NELLI RANO");
/** Prefixes of district names; usually none. */
const DISTRICT_KINDS = words("JARDIM_ VILA_ PARQUE_ CONJUNTO_");
/** Number out of sixteen company words that get an ending, such as TEC. */
const ENDED = 6;

/** Returns the shares of groups. Each is the previous one times `ratio`. */
function shares(groups: number, ratio: number): Weighted {
  const weights: number[] = [];
  for (let weight = 1; weights.length < groups; weight *= ratio) weights.push(weight);
  return new Weighted(weights);
}

const SHARES = shares(GROUPS, GROUP_RATIO);
const CITY_SHARES = shares(CITY_GROUPS, CITY_RATIO);

/** Returns a word's number (0 is the most frequent) for 32 random bits. */
function rankOf(draw: number, first: number, groups: Weighted): number {
  const size = first * 2 ** groups.at(draw * 2 ** -32);
  return size - first + Math.floor(hash(draw, 3, first) * 2 ** -32 * size);
}

/** Writes a company's word. */
export function writeCompanyWord(row: RowBytes, random: Random): void {
  const rank = rankOf(random.next(), FIRST_GROUP, SHARES);
  const bits = hash(rank, 1, 0);
  writeSyllables(row, rank);
  if ((bits & 15) < ENDED) row.word(ENDINGS[(bits >>> 4) & 7] as Uint8Array);
}

/** Writes a surname. */
export function writeSurname(row: RowBytes, random: Random): void {
  const rank = rankOf(random.next(), FIRST_GROUP, SHARES);
  writeSyllables(row, rank);
  row.word(SURNAME_ENDINGS[hash(rank, 2, 0) & 7] as Uint8Array);
}

/** Writes the word of an office, unique for each `number` from 0 to 2^24 - 1. */
export function writeOfficeWord(row: RowBytes, number: number): void {
  writeSyllables(row, SHORT + number);
}

/** Writes a district name unique to a city. */
export function writeCityDistrict(row: RowBytes, random: Random, city: number): void {
  const rank = rankOf(random.next(), CITY_GROUP, CITY_SHARES);
  const bits = hash(city, 4, rank);
  const kind = DISTRICT_KINDS[bits >>> 29];
  if (kind !== undefined) row.word(kind);
  writeSyllables(row, bits % SHORT);
}

/** Writes the syllables of word number `rank`, unique per word. */
function writeSyllables(row: RowBytes, rank: number): void {
  if (rank < SHORT) writeBits(row, rank, 3);
  else if (rank < MIDDLE) writeBits(row, rank - SHORT, 4);
  else writeBits(row, rank - MIDDLE, 5);
}

function writeBits(row: RowBytes, index: number, syllables: number): void {
  const bits = syllables * SYLLABLE_BITS;
  const mask = 2 ** bits - 1;
  // Invertible steps: consecutive numbers give different words, and no word is repeated.
  let mixed = Math.imul(index, 0x2c9277b5) & mask;
  mixed ^= mixed >>> (bits >> 1);
  mixed = Math.imul(mixed, 0x4a7c15f5) & mask;
  const { bytes } = row;
  let at = row.length;
  for (let shift = 0; shift < bits; shift += SYLLABLE_BITS) {
    const packed = PACKED[(mixed >>> shift) & 63] as number;
    bytes[at] = packed;
    bytes[at + 1] = packed >>> 8;
    bytes[at + 2] = packed >>> 16;
    at += packed >>> 24;
  }
  row.length = at;
}
