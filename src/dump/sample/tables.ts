/**
 * The rows of the six small tables of a sample, code and description.
 * Invariant: as in the registry, the tables lack a few codes that rows use (country 008 and others,
 * reason 32, qualification 36). See `quirks.ts`.
 */
import { getLegalNatures } from "@brazilian-utils/brazilian-utils";
import { QUALIFICATIONS } from "../../spec/qualifications.ts";
import type { LookupType } from "../layout.ts";
import { buildActivities } from "./activities.ts";
import { buildCities } from "./cities.ts";

/** Reasons of a registration status, as used in the sample. */
const REASONS = `00 SEM MOTIVO|01 EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA|02 INCORPORACAO
03 FUSAO|04 CISAO TOTAL|05 ENCERRAMENTO DA FALENCIA|06 ENCERRAMENTO DA LIQUIDACAO
07 ELEVACAO A MATRIZ|15 INEXISTENCIA DE FATO|18 INAPTIDAO|21 PEDIDO DE BAIXA INDEFERIDO
54 EXTINCAO|63 OMISSAO DE DECLARACOES|67 REGISTRO CANCELADO
71 INAPTIDAO (LEI 11.941/2009 ART.54)|73 OMISSAO CONTUMAZ|80 BAIXA REGISTRADA NA JUNTA`;

/** Countries that the sample uses. */
const COUNTRIES = `023 ALEMANHA|063 ARGENTINA|087 BELGICA|097 BOLIVIA|105 BRASIL|149 CANADA
158 CHILE
160 CHINA|169 COLOMBIA|190 COREIA DO SUL|245 ESPANHA|249 ESTADOS UNIDOS|275 FRAN\u00c7A
386 ITALIA
399 JAPAO|493 MEXICO|573 PAISES BAIXOS|586 PARAGUAI|589 PERU|607 PORTUGAL|628 REINO UNIDO
767 SUICA|845 URUGUAI|850 VENEZUELA`;

/** Legal natures that the package lacks. */
const OWN_NATURES = `0000 Natureza Jur\u00eddica n\u00e3o informada
1350 Entidade do Servi\u00e7o Social Aut\u00f4nomo|8885 Natureza Jur\u00eddica n\u00e3o informada`;

function rows(text: string): [string, string][] {
  return text
    .split(/\||\n/)
    .map((line): [string, string] => [
      line.slice(0, line.indexOf(" ")),
      line.slice(line.indexOf(" ") + 1),
    ]);
}

/** Country codes used in rows. All are in the table. */
export const COUNTRY_CODES: readonly number[] = rows(COUNTRIES).map(([code]) => Number(code));

/** Returns the rows of one table, by code. */
export function tableRows(type: LookupType): [string, string][] {
  return readRows(type).sort(([a], [b]) => (a < b ? -1 : 1));
}

function readRows(type: LookupType): [string, string][] {
  if (type === "motivos") return rows(REASONS);
  if (type === "qualificacoes") return [...QUALIFICATIONS];
  if (type === "paises") return rows(COUNTRIES);
  if (type === "naturezas") return [...Object.entries(getLegalNatures()), ...rows(OWN_NATURES)];
  if (type === "cnaes") {
    return buildActivities().list.map(({ code, name }) => [String(code).padStart(7, "0"), name]);
  }
  return buildCities().list.map(({ tom, name }) => [String(tom).padStart(4, "0"), name]);
}
