/**
 * The names that a snapshot's tables give to the codes of a spec.
 * Invariant: a code without a name is shown as it is. Names of the registry are not translated.
 */
import { TABLES, type TableName } from "../../../native-index/format/columns.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { catalogLookup, cnaeDigits } from "../../spec/catalog.ts";
import { STATE_NAMES } from "../../spec/states.ts";

/** Names of the codes of a spec, or null if a code has none. */
export interface RegistryNames {
  /** Returns the name of an activity. Its code has the form `NNNN-N/NN`. */
  activity(punctuated: string): string | null;
  /** Legal nature, 4 digits. */
  legalNature(code: string): string | null;
  /** Returns a municipality by 7-digit IBGE or 4-digit TOM code, as `name/UF`. */
  municipality(code: string): string | null;
}

/** Returns the name of a state or of EX. */
export function stateName(uf: string): string | null {
  return uf === "EX" ? "abroad" : (STATE_NAMES[uf] ?? null);
}

/** Returns the names of a snapshot. Each table is read on first use. */
export function registryNames({ native, catalog }: Segment): RegistryNames {
  const named = (codes: readonly string[], table: TableName) => {
    let names: Map<string, string> | undefined;
    return (code: string): string | null => {
      // The tables of names have the same order as the catalog's dictionaries.
      names ??= new Map(
        guarded(() => native.table(TABLES.indexOf(table))).map((name, i) => [codes[i] ?? "", name]),
      );
      return names.get(code) || null;
    };
  };
  const activity = named(catalog.cnaeCodes, "cnae_description");
  return {
    activity: (punctuated) => activity(cnaeDigits(punctuated)),
    legalNature: named(catalog.legalNatures, "legal_nature_description"),
    municipality(code) {
      const lookup = catalogLookup(catalog);
      const found =
        code.length === 4 ? lookup.municipalityByTom(code) : lookup.municipalityByIbge(code);
      if (found === undefined) return null;
      return found.uf === null ? found.name : `${found.name}/${found.uf}`;
    },
  };
}
