/**
 * The controls of the filter groups that are closed at first, bundled into one chunk. The chunk
 * also has the boxes for words in names and for the two ends of a range of establishments.
 * Invariant: a phrase has a letter or digit. It is stored as on the server: without accents, in one
 * case, each word once.
 * Separate because the first page does not load it (group.tsx).
 */
import type { ComponentType, VNode } from "preact";
import { analyzeWords } from "../../../../spec/analyzer.ts";
import { words } from "../../app/words.ts";
import { change, query } from "../query.ts";
import { BOUNDS } from "../question.ts";
import { FilterCapital } from "./capital.tsx";
import { TagField } from "./chips.tsx";
import { CountEnds } from "./countends.tsx";
import { FilterDistricts } from "./districts.tsx";
import { mistakeAt } from "./fielderrors.tsx";
import { FilterLists } from "./lists.tsx";
import { FilterOrder } from "./order.tsx";
import { FilterRecord } from "./record.tsx";

type ClosedName = "chain" | "capital" | "districts" | "name" | "lists" | "order" | "record";

/**
 * Components that load on demand, by name: the groups that are closed at first, and the fields for
 * districts and unusual ranges.
 */
export const CLOSED: Readonly<Record<ClosedName, ComponentType>> = {
  chain: ChainEnds,
  capital: FilterCapital,
  districts: FilterDistricts,
  name: FilterName,
  lists: FilterLists,
  order: FilterOrder,
  record: FilterRecord,
};

function ChainEnds(): VNode {
  return <CountEnds least="establishments_min" most="establishments_max" />;
}

/** Shows the box for phrases. A name must match at least one of them. */
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
