/**
 * The filter of chains. What comes in: the query. What goes out: how many active establishments a
 * company has, as one of the usual spans or any other.
 * Invariant: the span that holds is always the one that is chosen, whatever brought it about; the
 * numbers of another one are asked for only where somebody wants one (chainends.tsx).
 * Apart because a filter of two ends is more than a choice among the company's.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { Segmented } from "../../parts/field.tsx";
import { change, query } from "../query.ts";
import { CHAIN_NAMES, CHAINS, chainOf, spanText } from "./chainspan.ts";
import { LazyGroup } from "./lazygroup.tsx";

const MEMBERS = ["establishments_min", "establishments_max"] as const;
const OTHER = "other";

/** The span. */
export function Chain(): VNode {
  const { find } = words.value;
  const { establishments_min: min, establishments_max: max } = query.value.filters.company;
  const [wanted, setWanted] = useState(false);
  const chosen = chainOf(min, max);
  const usual = CHAIN_NAMES.map((value) => ({ value: String(value), label: find.chains[value] }));
  const label = chosen === null ? spanText(min, max) : find.chainOther;
  const other = wanted || chosen === null;
  return (
    <>
      <Segmented
        legend={find.chain}
        value={other ? OTHER : chosen}
        options={[...usual, { value: OTHER, label }]}
        onValue={(next) => {
          const name = CHAIN_NAMES.find((one) => one === next);
          setWanted(name === undefined);
          if (name !== undefined) setSpan(CHAINS[name]);
        }}
      />
      {other ? <LazyGroup name="chain" /> : null}
    </>
  );
}

function setSpan(ends: readonly (number | null)[]): void {
  change(({ filters: { company } }) => {
    for (const [at, member] of MEMBERS.entries()) {
      const end = ends[at] ?? null;
      if (end === null) delete company[member];
      else company[member] = end;
    }
  });
}
