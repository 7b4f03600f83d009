/**
 * Suggestions below the sentence: activities that ambiguous words may mean, with exact counts, and
 * other readings of doubtful words. A click on an activity replaces the current ones.
 * Invariant: order and titles come from suggested.ts. An activity replaces only the activities of
 * the same words. If the sentence has no other activity, the count on the button is the count of
 * the new results.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { TranslateAnswer } from "../app/answers.ts";
import { number } from "../app/format.ts";
import { words } from "../app/words.ts";
import { shortActivity } from "./catalog.ts";
import { change, query, submitSentence } from "./query.ts";
import { type OfferedActivities, offeredOf, readingOf } from "./suggested.ts";

/** Choices shown before expanding. */
const SHOWN = 4;

/** A row for each ambiguous part of the sentence. */
export function Suggestions({ answer }: { answer: TranslateAnswer }): VNode | null {
  if (answer.suggestions.length === 0) return null;
  const taken = answer.spec.filters.industry.cnae_any_of;
  return (
    <div class="suggestions">
      {answer.suggestions.map((one) => (
        <Choices
          key={one.start}
          suggestion={one}
          taken={taken}
          only={answer.suggestions.length === 1}
        />
      ))}
    </div>
  );
}

/** Shows doubtful words. A click submits the sentence with the other reading of these words. */
export function Doubts({ answer }: { answer: TranslateAnswer }): VNode | null {
  if (answer.doubts.length === 0) return null;
  return (
    <div class="suggestions">
      {answer.doubts.map(({ start, detail, query_text: text, matches }) => (
        <fieldset key={start} class="suggestion">
          <legend>{detail}</legend>
          <button
            type="button"
            class="suggested"
            title={text}
            onClick={() => void submitSentence(text)}
          >
            <span class="suggested-name">{text}</span>
            <span class="suggested-count">{number(matches)}</span>
          </button>
        </fieldset>
      ))}
    </div>
  );
}

interface ChoicesProps {
  suggestion: OfferedActivities;
  /** Activities that the translation of the sentence contains. */
  taken: readonly string[];
  /** True if the sentence has no other suggestions. */
  only: boolean;
}

function Choices({ suggestion, taken, only }: ChoicesProps): VNode {
  const [all, setAll] = useState(false);
  const { find } = words.value;
  const activities = offeredOf(suggestion, taken);
  const title = find.mayMean[readingOf(suggestion, taken)](suggestion.words);
  const selected = query.value.filters.industry.cnae_any_of;
  const own = activities.filter(({ code }) => selected.includes(code));
  const shown = all ? activities : activities.slice(0, SHOWN);
  const rest = activities.length - SHOWN;
  const choose = (code: string) =>
    change(({ filters: { industry } }) => {
      const codes = suggestion.activities.map((one) => one.code);
      const others = industry.cnae_any_of.filter((one) => !codes.includes(one));
      industry.cnae_any_of = only ? [code] : [...others, code];
    });
  return (
    <fieldset class="suggestion">
      <legend>{title}</legend>
      {shown.map(({ code, description, matches }) => (
        <button
          key={code}
          type="button"
          class="suggested"
          title={`${code} ${description}`}
          aria-pressed={own.length === 1 && own[0]?.code === code}
          onClick={() => choose(code)}
        >
          <span class="suggested-name">{shortActivity(code, description)}</span>
          <span class="suggested-count">{number(matches)}</span>
        </button>
      ))}
      {rest > 0 && (
        <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? find.mayMeanFewer : find.mayMeanMore(rest)}
        </button>
      )}
    </fieldset>
  );
}
