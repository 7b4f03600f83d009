/**
 * Defines the layouts of the registry's files, and finds the type, the part number, and the date
 * token in their names.
 * Invariant: names, order, and number of columns are defined only here. The scanner, the import,
 * and `peneira sample` use this table.
 */

/** The ten file types of a monthly release. */
export const FILE_TYPES = [
  "empresas",
  "estabelecimentos",
  "socios",
  "simples",
  "cnaes",
  "motivos",
  "municipios",
  "naturezas",
  "paises",
  "qualificacoes",
] as const;

/** A file type. */
export type FileType = (typeof FILE_TYPES)[number];

/** The six small tables of code and description. */
export const LOOKUP_TYPES = [
  "cnaes",
  "motivos",
  "municipios",
  "naturezas",
  "paises",
  "qualificacoes",
] as const;

/** A small table. */
export type LookupType = (typeof LOOKUP_TYPES)[number];

interface FileLayout {
  /** Beginning of the zip's name: `Empresas0.zip`, `Simples.zip`. */
  readonly zip: string;
  /** Text that identifies the type, anywhere in a member's name. */
  readonly mark: string;
  /** True if the type has parts 0 to 9. */
  readonly parts: boolean;
  /** Column names in file order. No other number of columns is valid. */
  readonly columns: readonly string[];
}

const LOOKUP_COLUMNS = ["codigo", "descricao"] as const;

/** Number of parts. */
export const PARTS = 10;

/** Layout of every file type; columns as in the registry's own documentation. */
export const LAYOUTS: Readonly<Record<FileType, FileLayout>> = {
  empresas: {
    zip: "Empresas",
    mark: "EMPRECSV",
    parts: true,
    columns: [
      "cnpj_basico",
      "razao_social",
      "natureza_juridica",
      "qualificacao_responsavel",
      "capital_social",
      "porte",
      "ente_federativo_responsavel",
    ],
  },
  estabelecimentos: {
    zip: "Estabelecimentos",
    mark: "ESTABELE",
    parts: true,
    columns: [
      "cnpj_basico",
      "cnpj_ordem",
      "cnpj_dv",
      "identificador_matriz_filial",
      "nome_fantasia",
      "situacao_cadastral",
      "data_situacao_cadastral",
      "motivo_situacao_cadastral",
      "nome_cidade_exterior",
      "pais",
      "data_inicio_atividade",
      "cnae_fiscal_principal",
      "cnae_fiscal_secundaria",
      "tipo_logradouro",
      "logradouro",
      "numero",
      "complemento",
      "bairro",
      "cep",
      "uf",
      "municipio",
      "ddd_1",
      "telefone_1",
      "ddd_2",
      "telefone_2",
      "ddd_fax",
      "fax",
      "correio_eletronico",
      "situacao_especial",
      "data_situacao_especial",
    ],
  },
  socios: {
    zip: "Socios",
    mark: "SOCIOCSV",
    parts: true,
    columns: [
      "cnpj_basico",
      "identificador_de_socio",
      "nome_socio",
      "cnpj_cpf_do_socio",
      "qualificacao_do_socio",
      "data_entrada_sociedade",
      "pais",
      "representante_legal",
      "nome_do_representante",
      "qualificacao_do_representante_legal",
      "faixa_etaria",
    ],
  },
  simples: {
    zip: "Simples",
    mark: "SIMPLES",
    parts: false,
    columns: [
      "cnpj_basico",
      "opcao_pelo_simples",
      "data_opcao_pelo_simples",
      "data_exclusao_do_simples",
      "opcao_pelo_mei",
      "data_opcao_pelo_mei",
      "data_exclusao_do_mei",
    ],
  },
  cnaes: { zip: "Cnaes", mark: "CNAECSV", parts: false, columns: LOOKUP_COLUMNS },
  motivos: { zip: "Motivos", mark: "MOTICSV", parts: false, columns: LOOKUP_COLUMNS },
  municipios: { zip: "Municipios", mark: "MUNICCSV", parts: false, columns: LOOKUP_COLUMNS },
  naturezas: { zip: "Naturezas", mark: "NATJUCSV", parts: false, columns: LOOKUP_COLUMNS },
  paises: { zip: "Paises", mark: "PAISCSV", parts: false, columns: LOOKUP_COLUMNS },
  qualificacoes: { zip: "Qualificacoes", mark: "QUALSCSV", parts: false, columns: LOOKUP_COLUMNS },
};

/** Column indexes of `estabelecimentos` by short name, for cleaners. */
export const ESTAB = {
  root: 0,
  branch: 1,
  check: 2,
  headquarters: 3,
  tradeName: 4,
  status: 5,
  statusDate: 6,
  reason: 7,
  foreignCity: 8,
  country: 9,
  startedOn: 10,
  cnaePrimary: 11,
  cnaeSecondary: 12,
  streetType: 13,
  street: 14,
  number: 15,
  complement: 16,
  district: 17,
  postalCode: 18,
  uf: 19,
  municipality: 20,
  area1: 21,
  phone1: 22,
  area2: 23,
  phone2: 24,
  faxArea: 25,
  fax: 26,
  email: 27,
  specialStatus: 28,
  specialDate: 29,
} as const;

/** Column indexes of `empresas` by short name. */
export const EMPRESA = {
  root: 0,
  name: 1,
  nature: 2,
  qualification: 3,
  capital: 4,
  size: 5,
  entity: 6,
} as const;

/** Column indexes of `simples` by short name. */
export const SIMPLES = {
  root: 0,
  simples: 1,
  simplesFrom: 2,
  simplesUntil: 3,
  mei: 4,
  meiFrom: 5,
  meiUntil: 6,
} as const;

/** Column indexes of `socios` by short name, as far as corporate partners need them. */
export const SOCIO = { root: 0, kind: 1, document: 3, qualification: 4, since: 5 } as const;

interface MemberName {
  readonly type: FileType;
  /** 0 to 9; null for types with one file. */
  readonly part: number | null;
  /** `D<y><MM><DD>`, or null if the name has none. */
  readonly token: string | null;
}

/**
 * Parses a member's name, such as `K3241.K03200Y0.D60808.ESTABELE` or
 * `F.K03200$W.SIMPLES.CSV.D60808`, or null if it is no file of the registry.
 */
export function readMemberName(name: string): MemberName | null {
  const upper = name.toUpperCase();
  const type = FILE_TYPES.find((candidate) => upper.includes(LAYOUTS[candidate].mark));
  if (type === undefined) return null;
  const part = /Y(\d+)\./.exec(upper)?.[1];
  return {
    type,
    part: part !== undefined && LAYOUTS[type].parts ? Number(part) : null,
    token: tokenIn(name),
  };
}

function tokenIn(name: string): string | null {
  return /(?:^|\.)(D\d{5})(?=\.|$)/.exec(name.toUpperCase())?.[1] ?? null;
}

/** Parses a zip's own name, such as `Empresas3.zip`. Returns null for other names. */
export function readZipName(name: string): Omit<MemberName, "token"> | null {
  const match = /^([a-z]+)(\d*)(?:\.[a-z]+)?$/i.exec(name);
  const word = match?.[1]?.toLowerCase();
  const type = FILE_TYPES.find((candidate) => LAYOUTS[candidate].zip.toLowerCase() === word);
  const hasPart = match?.[2] !== "";
  if (match === null || type === undefined || hasPart !== LAYOUTS[type].parts) return null;
  return { type, part: hasPart ? Number(match[2]) : null };
}

/**
 * Identifies a member by its name. If the name lacks the type or the part, uses the zip's name.
 * Returns null if both names are unknown.
 */
export function readNames(file: string, member: string): MemberName | null {
  const byMember = readMemberName(member);
  const byFile = readZipName(file);
  if (byMember === null) return byFile === null ? null : { ...byFile, token: tokenIn(member) };
  const lacksPart = byMember.part === null && byMember.type === byFile?.type;
  return lacksPart ? { ...byMember, part: byFile.part } : byMember;
}

/** Returns the release label `YYYY-MM` in a folder's name (`2026-08`, `2026-08-09`), or null. */
export function readLabel(folderName: string): string | null {
  const match = /(?:^|\D)(\d{4}-(?:0[1-9]|1[0-2]))(?!\d)/.exec(folderName);
  return match?.[1] ?? null;
}

/**
 * Converts a token `D<y><MM><DD>` to `YYYY-MM-DD`. The token has only the last digit of the year.
 * Therefore the year with this digit that is nearest to the label's year is used. Returns null if
 * the result is not a calendar date.
 */
export function readToken(token: string, label: string): string | null {
  const match = /^D(\d)(\d\d)(\d\d)$/.exec(token);
  const labelYear = Number(label.slice(0, 4));
  if (match === null || !Number.isInteger(labelYear)) return null;
  const age = (labelYear - Number(match[1]) + 10) % 10;
  const year = age <= 5 ? labelYear - age : labelYear - age + 10;
  const text = `${year}-${match[2]}-${match[3]}`;
  const date = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text ? null : text;
}

/** Returns the registry's names of a member and its zip, for writing. */
export function memberNames(type: FileType, part: number, token: string): [string, string] {
  const { zip, mark, parts } = LAYOUTS[type];
  if (parts) return [`${zip}${part}.zip`, `K3241.K03200Y${part}.${token}.${mark}`];
  if (type === "simples") return [`${zip}.zip`, `F.K03200$W.SIMPLES.CSV.${token}`];
  return [`${zip}.zip`, `F.K03200$Z.${token}.${mark}`];
}
