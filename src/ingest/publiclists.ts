/**
 * The optional lists of an import: sanctions (CEIS, CNEP, CEPIM) and federal debts (PGFN). Input:
 * the options of an import. Output: the lists for the join, the provenance in the snapshot, and
 * warnings.
 * Invariant: a list that was not given is `not_available` in the provenance, and its columns are
 * null.
 */
import type { SnapshotMeta } from "../../native-index/format/snapshot/meta.ts";
import { wordFor } from "../text/amounts.ts";
import type { Debts } from "./debts.ts";
import { readSanctions, SANCTION_LISTS, type SanctionList, type Sanctions } from "./sanctions.ts";

/** Paths of the lists, as options of an import. */
export type ListOptions = Readonly<Partial<Record<SanctionList | "pgfn", string>>>;

/** The content of each list; null for a list that was not given. */
export interface PublicLists extends Readonly<Record<SanctionList, Sanctions | null>> {
  readonly debts: Debts | null;
}

/** Reads the lists of sanctions. Keeps the sanctions that are in force on a date. */
export async function readSanctionLists(
  options: ListOptions,
  date: string,
): Promise<Record<SanctionList, Sanctions | null>> {
  const found: Partial<Record<SanctionList, Sanctions | null>> = {};
  for (const list of SANCTION_LISTS) {
    const path = options[list];
    found[list] = path === undefined ? null : await readSanctions(path, date, list);
  }
  return found as Record<SanctionList, Sanctions | null>;
}

const NOT_AVAILABLE = "not_available";

type Provenance = SnapshotMeta["provenance"];

/**
 * Returns the date of each list. For a list that was not given, returns the date in `old`, the
 * metadata of the snapshot that the source file was made from.
 */
export function provenanceOf(
  { ceis, cnep, cepim, debts }: PublicLists,
  old?: Partial<Provenance>,
): Pick<
  Required<Provenance>,
  "ceis_as_of_date" | "cnep_as_of_date" | "cepim_as_of_date" | "pgfn_as_of_month"
> {
  return {
    ceis_as_of_date: ceis?.asOf ?? old?.ceis_as_of_date ?? NOT_AVAILABLE,
    cnep_as_of_date: cnep?.asOf ?? old?.cnep_as_of_date ?? NOT_AVAILABLE,
    cepim_as_of_date: cepim?.asOf ?? old?.cepim_as_of_date ?? NOT_AVAILABLE,
    pgfn_as_of_month: debts?.asOf ?? old?.pgfn_as_of_month ?? NOT_AVAILABLE,
  };
}

/** Returns warnings about skipped rows of the lists. */
export function listWarnings(lists: PublicLists): string[] {
  const sanctions = SANCTION_LISTS.flatMap((list) => {
    const { withoutCnpj: without = 0, wrongDates = 0 } = lists[list]?.counts ?? {};
    const what = wordFor(without, "sanctioned company has", "sanctioned companies have");
    const where = list === "ceis" ? "" : ` (${list.toUpperCase()})`;
    const dated = wordFor(wrongDates, "sanction has", "sanctions have");
    return [
      ...(without === 0 ? [] : [`${without} ${what} no 14-digit CNPJ; left out${where}`]),
      ...(wrongDates === 0
        ? []
        : [`${wrongDates} ${dated} a date that is not DD/MM/AAAA; it limits nothing${where}`]),
    ];
  });
  return [...sanctions, ...(lists.debts?.warnings ?? [])];
}
