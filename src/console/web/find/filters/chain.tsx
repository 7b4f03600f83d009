/**
 * The filter of chains. What comes in: the query. What goes out: how many active establishments a
 * company has, as one of the usual spans or from and to any number.
 * Invariant: the span that holds is always the one that is chosen, whatever brought it about; what
 * is no number is shown at its field and changes nothing.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { Segmented, TextInput } from "../../parts/field.tsx";
import { change, query } from "../query.ts";
import { CHAIN_NAMES, CHAINS, chainOf, readCount, spanText } from "./chainspan.ts";
import { mistakeAt } from "./fielderrors.ts";

const MEMBERS = ["establishments_min", "establishments_max"] as const;
const OTHER = "other";

/** The span. */
export function Chain(): VNode {
  const { find } = words.value;
  const { establishments_min: min, establishments_max: max } = query.value.filters.company;
  const chosen = chainOf(min, max);
  const usual = CHAIN_NAMES.map((value) => ({ value: String(value), label: find.chains[value] }));
  const other = chosen === null ? [{ value: OTHER, label: spanText(min, max) }] : [];
  return (
    <>
      <Segmented
        legend={find.chain}
        value={chosen ?? OTHER}
        options={[...usual, ...other]}
        onValue={(next) => {
          const name = CHAIN_NAMES.find((one) => one === next);
          if (name !== undefined) setSpan(CHAINS[name]);
        }}
      />
      <div class="pair">
        <End member="establishments_min" label={find.chainMin} />
        <End member="establishments_max" label={find.chainMax} />
      </div>
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

/** One end; what is typed stays as it is until the box is left. */
function End({ member, label }: { member: (typeof MEMBERS)[number]; label: string }): VNode {
  const { find } = words.value;
  const { company } = query.value.filters;
  const asked = company[member];
  const from = company.establishments_min ?? 0;
  const written = asked === undefined ? "" : String(asked);
  const [text, setText] = useState(written);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    if (readCount(text) !== (asked ?? null)) setText(written);
    setWrong(null);
  }, [asked]);
  const type = (typed: string) => {
    setText(typed);
    const count = readCount(typed);
    if (count === null && typed.trim() !== "") return setWrong(find.chainWrong);
    const isBelow = member === "establishments_max" && (count ?? Infinity) < from;
    if (isBelow) return setWrong(find.chainOrder);
    setWrong(null);
    change(
      ({ filters }) => {
        if (count === null) delete filters.company[member];
        else filters.company[member] = count;
      },
      { typing: member },
    );
  };
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      autocomplete="off"
      value={text}
      error={wrong ?? mistakeAt(`company/${member}`)}
      onValue={type}
      onBlur={() => {
        if (wrong === null) setText(written);
      }}
    />
  );
}
