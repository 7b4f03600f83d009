/**
 * Two fields for the minimum and maximum of a count. The counts are a company's establishments, the
 * companies that it owns, and the companies that own it.
 * Invariant: a text that is not a number, or a maximum below the minimum, is reported at its field
 * and changes nothing.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { TextInput } from "../../parts/field.tsx";
import { change, query } from "../query.ts";
import { readCount } from "./chainspan.ts";
import { mistakeAt } from "./fielderrors.tsx";

type Counted = "establishments" | "owned_companies" | "owner_companies";
type Least = `${Counted}_min`;
type Most = `${Counted}_max`;

/** Shows fields for the minimum and maximum of a count. */
export function CountEnds({ least, most }: { least: Least; most: Most }): VNode {
  const { find } = words.value;
  const from = query.value.filters.company[least] ?? 0;
  return (
    <div class="pair">
      <End member={least} label={find.chainMin} from={0} />
      <End member={most} label={find.chainMax} from={from} />
    </div>
  );
}

interface EndProps {
  member: Least | Most;
  label: string;
  /** The smallest count that the field accepts. */
  from: number;
}

/** Shows the minimum or maximum field. The text stays as typed until the field loses focus. */
function End({ member, label, from }: EndProps): VNode {
  const { find } = words.value;
  const { company } = query.value.filters;
  const applied = company[member];
  const written = applied === undefined ? "" : String(applied);
  const [text, setText] = useState(written);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    if (readCount(text) !== (applied ?? null)) setText(written);
    setWrong(null);
  }, [applied]);
  const type = (typed: string) => {
    setText(typed);
    const count = readCount(typed);
    if (count === null && typed.trim() !== "") return setWrong(find.chainWrong);
    if ((count ?? Infinity) < from) return setWrong(find.chainOrder);
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
