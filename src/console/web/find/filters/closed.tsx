/**
 * The controls of the filter groups that are closed at first, in one chunk. They include words in
 * the name, and the two ends of an unusual range of establishments.
 * Invariant: a phrase has a letter or digit and is stored as on the server: folded, each word once.
 * A text that is no number is reported at its box and changes nothing. Apart because the first page
 * does not load it (group.tsx).
 */
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { analyzeWords } from "../../../../spec/analyzer.ts";
import { words } from "../../app/words.ts";
import { TextInput } from "../../parts/field.tsx";
import { change, query } from "../query.ts";
import { BOUNDS } from "../question.ts";
import { FilterCapital } from "./capital.tsx";
import { readCount } from "./chainspan.ts";
import { TagField } from "./chips.tsx";
import { FilterDistricts } from "./districts.tsx";
import { mistakeAt } from "./fielderrors.tsx";
import { FilterLists } from "./lists.tsx";
import { FilterOrder } from "./order.tsx";
import { FilterRecord } from "./record.tsx";

type ClosedName = "chain" | "capital" | "districts" | "name" | "lists" | "order" | "record";

/** The controls of these groups, and those for districts and ranges, which are rarely used. */
export const CLOSED: Readonly<Record<ClosedName, ComponentType>> = {
  chain: ChainEnds,
  capital: FilterCapital,
  districts: FilterDistricts,
  name: FilterName,
  lists: FilterLists,
  order: FilterOrder,
  record: FilterRecord,
};

type Member = "establishments_min" | "establishments_max";

/** Fields for both ends of the interval. */
function ChainEnds(): VNode {
  const { find } = words.value;
  return (
    <div class="pair">
      <End member="establishments_min" label={find.chainMin} />
      <End member="establishments_max" label={find.chainMax} />
    </div>
  );
}

/** A field for one end; the typed text stays until the field loses focus. */
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

/** Phrases, any of which may match a name. */
function FilterName(): VNode {
  const { find } = words.value;
  const hints = query.value.filters.industry.text_hints;
  const read = (text: string) => {
    const value = [...new Set(analyzeWords(text))].join(" ");
    if (value === "") return { wrong: find.namesWrong };
    if (hints.length >= BOUNDS.nameWords) return { wrong: find.namesMany };
    return [...value].length > BOUNDS.nameWordsLength ? { wrong: find.namesLong } : { value };
  };
  return (
    <TagField
      label={find.names}
      hint={find.namesHint}
      values={hints}
      error={mistakeAt("industry/text_hints")}
      read={read}
      onValues={(values) =>
        change(({ filters }) => {
          filters.industry.text_hints = values;
        })
      }
    />
  );
}
