/**
 * What stands in place of results where a sentence was not understood. What comes in: its
 * translation. What goes out: that it was not, what may have been meant, companies whose names are
 * like it, and three sentences that find something.
 * Invariant: no number is shown that answers another question; who wants the rest of the sentence
 * asked anyway says so, and filters changed by hand are asked at once.
 */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { analyzeWords } from "../../../spec/analyzer.ts";
import type { TranslateAnswer } from "../app/answers.ts";
import { words } from "../app/words.ts";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/notice.tsx";
import { examples } from "./catalog.ts";
import { SimilarNames } from "./offered.tsx";
import { noteOf } from "./parttext.ts";
import { ask, change, edited, query, sentence, translation } from "./query.ts";
import { BOUNDS, emptyQuery, queryOf, sameFilters } from "./question.ts";

/** The translation that somebody wants to be asked as it is. */
const accepted = signal<TranslateAnswer | null>(null);

/** Whether a translation misread its sentence; one that is only too broad did not. */
export function isMisread({ explain }: TranslateAnswer): boolean {
  const { warnings, unmapped_constraints } = explain;
  const isUncertain = warnings.some((one) => noteOf(one).code === "uncertain");
  return isUncertain && warnings.length + unmapped_constraints.length > 1;
}

/** Whether the sentence that is shown was not understood, and nobody wants it asked anyway. */
export function isNotUnderstood(): boolean {
  const { value } = translation;
  if (value === null || sentence.value === "" || edited.value) return false;
  return accepted.value !== value && isMisread(value);
}

/** What to do next. */
export function NotUnderstood(): VNode {
  const { find } = words.value;
  const name = nameIn(sentence.value);
  return (
    <EmptyState icon="unmapped" title={find.notUnderstood}>
      <p>{find.notUnderstoodText}</p>
      <SimilarNames text={sentence.value} />
      <div class="offers-row">
        {name !== null && (
          <Button icon="search" onClick={() => askName(name)}>
            {find.askAsName(sentence.value)}
          </Button>
        )}
        {understoodSome() && (
          <Button
            onClick={() => {
              accepted.value = translation.peek();
            }}
          >
            {find.askAnyway}
          </Button>
        )}
      </div>
      {examples.value.length > 0 && (
        <section>
          <h2 class="offers-title">{find.examplesTitle}</h2>
          <ul class="offers">
            {examples.value.map((example) => (
              <li key={example}>
                <button type="button" class="offer" onClick={() => void ask(example)}>
                  <span class="offer-label">{example}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </EmptyState>
  );
}

/** A text as words of a name; null where it has none, or more than the filter takes. */
export function nameIn(text: string): string | null {
  const phrase = [...new Set(analyzeWords(text))].join(" ");
  return phrase === "" || phrase.length > BOUNDS.nameWordsLength ? null : phrase;
}

/** Asks for a name and nothing else. */
function askName(name: string): void {
  change((draft) => {
    draft.filters = emptyQuery().filters;
    draft.filters.industry.text_hints = [name];
  });
}

/** Whether anything but what is assumed of every sentence was understood. */
function understoodSome(): boolean {
  const { value } = translation;
  if (value === null) return false;
  const usual = emptyQuery();
  usual.filters.company.registration_status_any_of =
    query.value.filters.company.registration_status_any_of;
  return !sameFilters(queryOf(value.spec), usual);
}
