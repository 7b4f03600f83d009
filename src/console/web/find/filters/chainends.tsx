/**
 * The numbers of a span of establishments that is none of the usual ones. What comes in: the query.
 * What goes out: a box for each end.
 * Invariant: what is no number is shown at its box and changes nothing.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { TextInput } from "../../parts/field.tsx";
import { change, query } from "../query.ts";
import { readCount } from "./chainspan.ts";
import { mistakeAt } from "./fielderrors.tsx";

type Member = "establishments_min" | "establishments_max";

/** Both ends. */
export function ChainEnds(): VNode {
  const { find } = words.value;
  return (
    <div class="pair">
      <End member="establishments_min" label={find.chainMin} />
      <End member="establishments_max" label={find.chainMax} />
    </div>
  );
}

/** One end; what is typed stays as it is until the box is left. */
function End({ member, label }: { member: Member; label: string }): VNode {
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
