/**
 * TOM codes of the registry matched with the IBGE's municipalities.
 * What comes in: the release's table (TOM code, name without state), the IBGE list of the
 * brazilian-utils package, the reviewed exceptions, and how many rows each state and code have.
 * What goes out: the IBGE code of a (state, TOM code) pair; the municipality of every TOM code.
 * Invariant: an account's municipality follows from its own state and the name of its TOM code,
 * never from a guess; only the table of TOM codes, which says no state, needs the evidence of rows
 * and of neighbouring codes (the registry numbered states in blocks, odd codes apart from even).
 */
import { getMunicipalities } from "@brazilian-utils/brazilian-utils";
import exceptions from "../../data/municipality-exceptions.json" with { type: "json" };
import type { SnapshotMunicipality } from "../../native-index/format/meta.ts";
import { UFS } from "../spec/fields.ts";
import { TOM_CODES } from "./establishments.ts";

/** TOM code of "EXTERIOR". */
export const TOM_ABROAD = "9707";

/** Name without marks, upper case, everything but letters and digits as one blank. */
export function foldPlace(name: string): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toUpperCase();
  return plain.replace(/[^A-Z0-9]+/g, " ").trim();
}

interface Place {
  readonly uf: string;
  readonly ibge: string;
  readonly name: string;
}

/** How many neighbouring codes are looked at on each side. */
const NEIGHBOURS = 20;

/** The registry's municipalities and the IBGE's, matched. */
export class Municipalities {
  private readonly placesByName = new Map<string, Place[]>();
  private readonly placesByIbge = new Map<string, Place>();
  private readonly exceptions = new Map<string, Place>();
  private readonly names: ReadonlyMap<string, string>;

  /** `names` is the release's table, by 4-digit TOM code. */
  constructor(names: ReadonlyMap<string, string>) {
    this.names = names;
    for (const { code, name, stateCode } of getMunicipalities()) {
      const place = { uf: stateCode, ibge: code, name };
      this.placesByIbge.set(code, place);
      const key = foldPlace(name);
      this.placesByName.set(key, [...(this.placesByName.get(key) ?? []), place]);
    }
    for (const [tom, { uf, ibge, name }] of Object.entries(exceptions.municipalities)) {
      this.exceptions.set(tom, this.placesByIbge.get(ibge) ?? { uf, ibge, name });
    }
  }

  /** Every IBGE code that is known, unsorted. */
  get ibgeCodes(): Iterable<string> {
    return this.placesByIbge.keys();
  }

  /** IBGE code of a TOM code in a state; null when that state has no such municipality. */
  ibgeOf(uf: string, tom: string): string | null {
    return this.candidates(tom).find((place) => place.uf === uf)?.ibge ?? null;
  }

  /** IBGE ordinals by `uf * toms.length + tom`; `missing` where there is none. */
  ibgeTable(toms: readonly string[], ibges: readonly string[], missing: number): Uint16Array {
    const ordinals = new Map(ibges.map((code, ordinal) => [code, ordinal]));
    const table = new Uint16Array(UFS.length * toms.length).fill(missing);
    toms.forEach((tom, column) => {
      for (const { uf, ibge } of this.candidates(tom)) {
        const ordinal = ordinals.get(ibge);
        const row = UFS.indexOf(uf);
        if (ordinal !== undefined && row >= 0) table[row * toms.length + column] = ordinal;
      }
    });
    return table;
  }

  /**
   * What stands behind every TOM code. `rowCounts` holds rows per state and code, as
   * `establishments.ts` counts them; `populations` is by IBGE code.
   */
  describe(
    toms: readonly string[],
    rowCounts: Uint32Array,
    populations: ReadonlyMap<string, number>,
  ): SnapshotMunicipality[] {
    const chosen = this.chooseStates(toms, rowCounts);
    return toms.map((tom) => {
      const place = chosen.get(tom);
      const name = place?.name ?? this.names.get(tom) ?? "";
      if (place === undefined) return [tom, name, null, tom === TOM_ABROAD ? "EX" : null, null];
      return [tom, name, place.ibge, place.uf, populations.get(place.ibge) ?? null];
    });
  }

  private candidates(tom: string): readonly Place[] {
    const exception = this.exceptions.get(tom);
    if (exception !== undefined) return [exception];
    const name = this.names.get(tom);
    return name === undefined ? [] : (this.placesByName.get(foldPlace(name)) ?? []);
  }

  /** One place for each code, no place twice; the best evidence is settled first. */
  private chooseStates(toms: readonly string[], rowCounts: Uint32Array): Map<string, Place> {
    const certain = toms.filter((tom) => this.candidates(tom).length === 1);
    const pairs: { tom: string; place: Place; evidence: number }[] = [];
    for (const tom of toms) {
      const candidates = this.candidates(tom);
      for (const place of candidates) {
        const rows = rowCounts[UFS.indexOf(place.uf) * TOM_CODES + Number(tom)] ?? 0;
        const isCertain = candidates.length === 1;
        const evidence = isCertain ? Infinity : rows * 1000 + this.likeness(tom, place.uf, certain);
        pairs.push({ tom, place, evidence });
      }
    }
    pairs.sort((a, b) => b.evidence - a.evidence || (a.tom < b.tom ? -1 : 1));
    const chosen = new Map<string, Place>();
    const taken = new Set<string>();
    for (const { tom, place } of pairs) {
      if (chosen.has(tom) || taken.has(place.ibge)) continue;
      chosen.set(tom, place);
      taken.add(place.ibge);
    }
    return chosen;
  }

  /** How much the codes around a code speak for a state. */
  private likeness(tom: string, uf: string, certain: readonly string[]): number {
    const code = Number(tom);
    let low = 0;
    while (low < certain.length && Number(certain[low]) < code) low++;
    let sum = 0;
    for (const near of certain.slice(Math.max(0, low - NEIGHBOURS), low + NEIGHBOURS)) {
      const distance = Math.abs(Number(near) - code);
      if (distance % 2 === 0 && this.candidates(near)[0]?.uf === uf) sum += 1 / (1 + distance);
    }
    return sum;
  }
}
