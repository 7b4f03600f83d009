/**
 * Reports municipalities whose names in the dump differ from the IBGE's.
 * Invariant: every municipality that was not matched by its own name is reported with name and
 * code.
 */
import { wordFor } from "../../text/amounts.ts";

/** How the municipality of a TOM code was found; `none` if it was not. */
export type Finding = "code" | "spelling" | "contradiction" | "none";

/** A municipality that was not found by its name alone. */
export interface OddMunicipality {
  readonly tom: string;
  /** Name in the dump's table; empty if the table lacks the code. */
  readonly name: string;
  readonly how: Finding;
  /** Code of the chosen municipality, and (`taken`) its `Name/UF`; null if none was found. */
  readonly ibge: string | null;
  readonly taken: string | null;
  /** `Name/UF` of the code's official municipality if the dump's name contradicts it, else null. */
  readonly byCode: string | null;
  readonly accounts: number;
}

/** Max municipalities in a sentence; the report contains all. */
const NAMED_MAX = 40;

const NO_CODE =
  "Their accounts have no municipality_ibge. Give the official table of TOM and IBGE codes with " +
  "--municipalities, and import again";

/** Returns the warnings about these municipalities, one sentence for each value of `how`. */
export function municipalityWarnings(odd: readonly OddMunicipality[]): string[] {
  const describe = (how: Finding, one: string, more: string, end = ""): string[] => {
    const found = odd.filter((municipality) => municipality.how === how);
    if (found.length === 0) return [];
    const count = found.length.toLocaleString("en-US");
    const shown = found.slice(0, NAMED_MAX).map(wordsOf).join("; ");
    const rest = found.length - NAMED_MAX;
    const others = rest > 0 ? `; and ${rest} more, all in --report` : "";
    const what = wordFor(found.length, `municipality ${one}`, `municipalities ${more}`);
    return [`${count} ${what}: ${shown}${others}.${end === "" ? "" : ` ${end}.`}`];
  };
  return [
    ...describe(
      "none",
      "of the dump is known neither by its name nor by its code",
      "of the dump are known neither by their name nor by their code",
      NO_CODE,
    ),
    ...describe(
      "code",
      "has another name in the dump's table and was taken by its TOM code",
      "have other names in the dump's table and were taken by their TOM codes",
    ),
    ...describe(
      "spelling",
      "is spelled otherwise in the dump's table and was taken for the one of its state with the " +
        "nearest name that no other code has",
      "are spelled otherwise in the dump's table and were taken for those of their states with " +
        "the nearest names that no other code has",
      "Check them, or give the official table of TOM and IBGE codes with --municipalities",
    ),
    ...describe(
      "contradiction",
      "has a name and a TOM code that contradict each other, and was taken by its name",
      "have names and TOM codes that contradict each other, and were taken by their names",
    ),
  ];
}

function wordsOf({ tom, name, taken, byCode, accounts }: OddMunicipality): string {
  const given = name === "" ? "without a name" : JSON.stringify(name);
  const rows = `${accounts.toLocaleString("en-US")} ${wordFor(accounts, "account")}`;
  const as = taken === null ? "" : ` as ${taken}`;
  const against = byCode === null ? "" : `, not ${byCode}`;
  return `${tom} ${given}${as}${against} (${rows})`;
}
