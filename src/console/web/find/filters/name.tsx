/**
 * Words in the name. What comes in: the query. What goes out: phrases of which one must be met.
 * Invariant: a phrase has a letter or digit and is as the server keeps it: folded, each word once.
 * Apart because the form has one file per group of filters.
 */
import type { VNode } from "preact";
import { analyzeWords } from "../../../../spec/analyzer.ts";
import { words } from "../../app/words.ts";
import { change, query } from "../query.ts";
import { BOUNDS } from "../question.ts";
import { TagField } from "./chips.tsx";
import { mistakeAt } from "./fielderrors.tsx";

/** Phrases, any of which may be in a name. */
export function FilterName(): VNode {
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
