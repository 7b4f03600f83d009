/**
 * What the codes of a spec are called. What comes in: an opened snapshot. What goes out: names of
 * activities, natures, municipalities and states as its own tables have them.
 * Invariant: a code without a name stands for itself; names of the registry are not translated.
 */
import { TABLES, type TableName } from "../../../native-index/format/columns.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { catalogLookup, cnaeDigits } from "../../spec/catalog.ts";
import { STATE_NAMES } from "../../spec/states.ts";

/** Names of the codes of a spec; null where there is none. */
export interface RegistryNames {
  /** Activity as `NNNN-N/NN`. */
  activity(punctuated: string): string | null;
  /** Legal nature, 4 digits. */
  legalNature(code: string): string | null;
  /** Municipality by 7-digit IBGE or 4-digit TOM code, as `name/UF`. */
  municipality(code: string): string | null;
}

/** Name of a state or of EX. */
export function stateName(uf: string): string | null {
  return uf === "EX" ? "abroad" : (STATE_NAMES[uf] ?? null);
}

/** Reads the names of a snapshot; tables are read when they are first asked for. */
export function registryNames({ native, catalog }: Segment): RegistryNames {
  const named = (codes: readonly string[], table: TableName) => {
    let names: Map<string, string> | undefined;
    return (code: string): string | null => {
      // The tables of names are in the order of the dictionaries, which the catalog holds.
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
