/**
 * What comes in: the name of a member of one of the registry's zips, or a folder's name.
 * What goes out: which of the ten file types it is, its columns, part number and date token.
 * Invariant: this table is the only place that knows names, order and count of columns; the
 * scanner, the import and `peneira sample` all read it from here.
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

/** One of the ten file types. */
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

/** One of the six small tables. */
export type LookupType = (typeof LOOKUP_TYPES)[number];

/** What stands in a file type's zips. */
interface FileLayout {
  /** Beginning of the zip's name: `Empresas0.zip`, `Simples.zip`. */
  readonly zip: string;
  /** Part of the member's name that tells the type; it may stand in the middle. */
  readonly mark: string;
  /** Whether the type is cut into parts 0 to 9. */
  readonly parts: boolean;
  /** Column names in the order of the file; their number is the only valid column count. */
  readonly columns: readonly string[];
}

const LOOKUP_COLUMNS = ["codigo", "descricao"] as const;

/** Parts of the types that are cut into parts. */
export const PARTS = 10;

/** Layout of every file type; columns after the registry's own documentation. */
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

/** Columns of `estabelecimentos` by short name: the index to pass to a cleaner. */
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

/** Columns of `empresas` by short name. */
export const EMPRESA = {
  root: 0,
  name: 1,
  nature: 2,
  qualification: 3,
  capital: 4,
  size: 5,
  entity: 6,
} as const;

/** Columns of `simples` by short name. */
export const SIMPLES = {
  root: 0,
  simples: 1,
  simplesFrom: 2,
  simplesUntil: 3,
  mei: 4,
  meiFrom: 5,
  meiUntil: 6,
} as const;

/** What a member's name says. */
interface MemberName {
  readonly type: FileType;
  /** 0 to 9; null for the types that have one file. */
  readonly part: number | null;
  /** `D<y><MM><DD>`, or null when the name has none. */
  readonly token: string | null;
}

/**
 * Reads a member's name, such as `K3241.K03200Y0.D60808.ESTABELE` or
 * `F.K03200$W.SIMPLES.CSV.D60808`; null when it is none of the registry's files.
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

/** What a zip's own name says, such as `Empresas3.zip` or `Simples.zip`; null for others. */
export function readZipName(name: string): Omit<MemberName, "token"> | null {
  const match = /^([a-z]+)(\d*)(?:\.[a-z]+)?$/i.exec(name);
  const word = match?.[1]?.toLowerCase();
  const type = FILE_TYPES.find((candidate) => LAYOUTS[candidate].zip.toLowerCase() === word);
  const hasPart = match?.[2] !== "";
  if (match === null || type === undefined || hasPart !== LAYOUTS[type].parts) return null;
  return { type, part: hasPart ? Number(match[2]) : null };
}

/**
 * What a member is, by its name and, where that says nothing or no part, by the name of the file
 * that holds it; null when neither is the registry's.
 */
export function readNames(file: string, member: string): MemberName | null {
  const byMember = readMemberName(member);
  const byFile = readZipName(file);
  if (byMember === null) return byFile === null ? null : { ...byFile, token: tokenIn(member) };
  const lacksPart = byMember.part === null && byMember.type === byFile?.type;
  return lacksPart ? { ...byMember, part: byFile.part } : byMember;
}

/** The release label `YYYY-MM` in a folder's name (`2026-08`, `2026-08-09`), or null. */
export function readLabel(folderName: string): string | null {
  const match = /(?:^|\D)(\d{4}-(?:0[1-9]|1[0-2]))(?!\d)/.exec(folderName);
  return match?.[1] ?? null;
}

/**
 * Turns a token `D<y><MM><DD>` into `YYYY-MM-DD`. The token holds one digit of the year; the year
 * is the one with that last digit nearest to the label's. Null when it is no calendar date.
 */
export function readToken(token: string, label: string): string | null {
  const match = /^D(\d)(\d\d)(\d\d)$/.exec(token);
  const labelYear = Number(label.slice(0, 4));
  if (match === null || !Number.isInteger(labelYear)) return null;
  const behind = (labelYear - Number(match[1]) + 10) % 10;
  const year = behind <= 5 ? labelYear - behind : labelYear - behind + 10;
  const text = `${year}-${match[2]}-${match[3]}`;
  const date = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text ? null : text;
}

/** Names the member and the zip of a file as the registry does, for writing. */
export function memberNames(type: FileType, part: number, token: string): [string, string] {
  const { zip, mark, parts } = LAYOUTS[type];
  if (parts) return [`${zip}${part}.zip`, `K3241.K03200Y${part}.${token}.${mark}`];
  if (type === "simples") return [`${zip}.zip`, `F.K03200$W.SIMPLES.CSV.${token}`];
  return [`${zip}.zip`, `F.K03200$Z.${token}.${mark}`];
}
