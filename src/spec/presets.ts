/**
 * Layouts of files that other products import (`output.preset`). A layout determines the fields and
 * their order, the headings, and the delimiter.
 * Invariant: each field occurs once in a layout, and no heading needs quoting in a CSV file.
 * Headings are those that the product's importer recognizes, in the user's language. Fields that
 * the product does not have keep their names in this registry.
 * Product fields with a fixed list of words, such as an industry, are omitted, because the product
 * would refuse activity names or add all of them to its list. Added columns are empty (for notes),
 * or repeat the first value of some fields. No field may have the name of an added column.
 */
import type { OutputField } from "./fields.ts";

/** Names of the layouts. */
export const PRESET_NAMES = ["sales", "rd_station", "pipedrive", "hubspot", "salesforce"] as const;

/** Name of a layout. */
export type PresetName = (typeof PRESET_NAMES)[number];

type PresetColumn = readonly [field: OutputField, pt: string, en: string];

/** A column after the fields of a layout, with heading and explanation in both languages. */
interface AddedColumn {
  readonly name: string;
  /** The first of these fields that is not empty fills the column. Without fields it is empty. */
  readonly firstOf: readonly OutputField[];
  readonly pt: readonly [heading: string, sentence: string];
  readonly en: readonly [heading: string, sentence: string];
}

/** One layout. */
interface PresetRow {
  /** Delimiter of a csv file if the request names none, or null for the language's usual one. */
  readonly delimiter: "," | null;
  readonly columns: readonly PresetColumn[];
  readonly added?: readonly AddedColumn[];
}

/** Empty columns in which users note the result of a call. */
const CALL_RESULT: readonly AddedColumn[] = [
  {
    name: "call_result",
    firstOf: [],
    pt: ["Resultado do contato", "Vazia, para você anotar o resultado."],
    en: ["Call result", "Empty, for the result of the call."],
  },
  {
    name: "called_on",
    firstOf: [],
    pt: ["Data do contato", "Vazia, para você anotar a data."],
    en: ["Call date", "Empty, for the date of the call."],
  },
  {
    name: "call_note",
    firstOf: [],
    pt: ["Observações", "Vazia, para as suas observações."],
    en: ["Notes", "Empty, for your notes."],
  },
];

/** Every layout. */
export const PRESETS: Readonly<Record<PresetName, PresetRow>> = {
  // The layout for users who call accounts or write to them.
  sales: {
    delimiter: null,
    columns: [
      ["legal_name", "Razão social", "Legal name"],
      ["trade_name", "Nome fantasia", "Trade name"],
      ["cnpj", "CNPJ", "CNPJ"],
      ["phone_1", "Telefone", "Phone"],
      ["phone_2", "Segundo telefone", "Second phone"],
      ["whatsapp", "WhatsApp", "WhatsApp"],
      ["email", "E-mail", "E-mail"],
      ["cnae_primary_description", "Atividade principal", "Main activity"],
      ["company_size_code", "Porte", "Size"],
      ["started_on", "Abertura", "Opened"],
      ["municipality_name", "Cidade", "City"],
      ["uf", "Estado", "State"],
      ["district", "Bairro", "District"],
      ["street", "Logradouro", "Street"],
      ["street_number", "Número", "Number"],
      ["postal_code", "CEP", "Postal code"],
    ],
    added: CALL_RESULT,
  },
  // Each row is a contact. RD Station identifies contacts by e-mail address.
  rd_station: {
    delimiter: ",",
    columns: [
      ["email", "Email", "Email"],
      ["trade_name", "Nome", "Name"],
      ["legal_name", "Empresa", "Company"],
      ["phone_1", "Telefone", "Phone"],
      ["phone_2", "Segundo telefone", "Second phone"],
      ["municipality_name", "Cidade", "City"],
      ["uf", "Estado", "State"],
      ["cnpj", "CNPJ", "CNPJ"],
      ["cnae_primary_description", "Segmento", "Segment"],
    ],
  },
  // Each row is an organization with a person, because in Pipedrive only persons have phones and
  // e-mail addresses. Each person needs a name. Pipedrive recognizes the kind of object by the text
  // before the hyphen.
  pipedrive: {
    delimiter: ",",
    columns: [
      ["legal_name", "Organização - Nome", "Organization - Name"],
      ["street", "Organização - Endereço", "Organization - Address"],
      ["street_number", "Organização - Número", "Organization - House number"],
      ["district", "Organização - Bairro", "Organization - District"],
      ["municipality_name", "Organização - Cidade", "Organization - City"],
      ["uf", "Organização - Estado", "Organization - State"],
      ["postal_code", "Organização - CEP", "Organization - ZIP code"],
      ["trade_name", "Organização - Nome fantasia", "Organization - Trade name"],
      ["cnpj", "Organização - CNPJ", "Organization - CNPJ"],
      ["phone_1", "Pessoa - Telefone", "Person - Phone"],
      ["email", "Pessoa - E-mail", "Person - Email"],
      ["cnae_primary_description", "Organização - Atividade", "Organization - Activity"],
    ],
    added: [
      {
        name: "person_name",
        firstOf: ["trade_name", "legal_name"],
        pt: ["Pessoa - Nome", "Nome fantasia ou, sem ele, razão social."],
        en: ["Person - Name", "Trade name, or the legal name without one."],
      },
    ],
  },
  // Companies.
  hubspot: {
    delimiter: ",",
    columns: [
      ["legal_name", "Nome da empresa", "Company name"],
      ["phone_1", "Número de telefone", "Phone number"],
      ["street", "Endereço", "Street address"],
      ["address_complement", "Endereço 2", "Street address 2"],
      ["municipality_name", "Cidade", "City"],
      ["uf", "Estado/Região", "State/Region"],
      ["postal_code", "CEP", "Postal code"],
      ["cnae_primary_description", "Atividade principal", "Main activity"],
      ["email", "E-mail", "Email"],
      ["trade_name", "Nome fantasia", "Trade name"],
      ["cnpj", "CNPJ", "CNPJ"],
    ],
  },
  // Accounts.
  salesforce: {
    delimiter: ",",
    columns: [
      ["legal_name", "Nome da conta", "Account Name"],
      ["cnpj", "Número da conta", "Account Number"],
      ["phone_1", "Telefone", "Phone"],
      ["street", "Rua de cobrança", "Billing Street"],
      ["municipality_name", "Cidade de cobrança", "Billing City"],
      ["uf", "Estado/Província de cobrança", "Billing State/Province"],
      ["postal_code", "CEP/Código postal de cobrança", "Billing Zip/Postal Code"],
      ["cnae_primary_description", "Descrição da conta", "Account Description"],
      ["trade_name", "Nome fantasia", "Trade name"],
      ["email", "E-mail", "Email"],
    ],
  },
};

/** Returns the columns that follow the fields of a layout. */
export function addedColumns(preset: PresetName | undefined): readonly AddedColumn[] {
  return (preset && PRESETS[preset].added) ?? [];
}

/** The fields of a layout, in the order of its columns. */
export function presetFields(preset: PresetName): readonly OutputField[] {
  return PRESETS[preset].columns.map(([field]) => field);
}

/** The layouts whose fields are all allowed. */
export function presetsWithin(allowed: readonly string[]): PresetName[] {
  return PRESET_NAMES.filter((name) => presetFields(name).every((one) => allowed.includes(one)));
}

/** The headings of a layout's columns, in the file's language; empty without a layout. */
export function presetHeadings({
  preset,
  labels,
}: {
  readonly preset?: PresetName | undefined;
  readonly labels?: string | undefined;
}): string[] {
  if (preset === undefined) return [];
  const isEnglish = labels === "en";
  return [
    ...PRESETS[preset].columns.map(([, pt, en]) => (isEnglish ? en : pt)),
    ...addedColumns(preset).map(({ pt, en }) => (isEnglish ? en : pt)[0]),
  ];
}
