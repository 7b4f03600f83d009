/**
 * Replaces the results if a sentence was not understood: a notice, companies with similar names,
 * and example sentences.
 * Invariant: no numbers of another query are shown. The user can run the understood part
 * explicitly. Filters changed by hand take effect immediately.
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
import { change, edited, query, sentence, submitSentence, translation } from "./query.ts";
import { BOUNDS, emptyQuery, queryOf, sameFilters } from "./question.ts";

/** The translation that the user chose to run anyway. */
const accepted = signal<TranslateAnswer | null>(null);

/**
 * True if the translator misunderstood or ignored a part of the sentence. A sentence that is only
 * too broad does not count.
 */
export function isMisread({ explain }: TranslateAnswer): boolean {
  const { warnings, unmapped_constraints } = explain;
  const isUncertain = warnings.some((one) => noteOf(one).code === "uncertain");
  return isUncertain && warnings.length + unmapped_constraints.length > 1;
}

/** True if the current sentence was not understood and the user did not run it anyway. */
export function isNotUnderstood(): boolean {
  const { value } = translation;
  if (value === null || sentence.value === "" || edited.value) return false;
  return accepted.value !== value && isMisread(value);
}

/** The next step. */
export function NotUnderstood(): VNode {
  const { find } = words.value;
  const name = nameIn(sentence.value);
  return (
    <EmptyState icon="unmapped" title={find.notUnderstood}>
      <p>{find.notUnderstoodText}</p>
      <SimilarNames text={sentence.value} />
      <div class="offers-row">
        {name !== null && (
          <Button icon="search" onClick={() => searchByName(name)}>
            {find.searchAsName(sentence.value)}
          </Button>
        )}
        {understoodSome() && (
          <Button
            onClick={() => {
              accepted.value = translation.peek();
            }}
          >
            {find.searchAnyway}
          </Button>
        )}
      </div>
      {examples.value.length > 0 && (
        <section>
          <h2 class="offers-title">{find.examplesTitle}</h2>
          <ul class="offers">
            {examples.value.map((example) => (
              <li key={example}>
                <button type="button" class="offer" onClick={() => void submitSentence(example)}>
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

/**
 * Returns the distinct words of a text for a search by name. Returns null if there are no words or
 * too many letters.
 */
export function nameIn(text: string): string | null {
  const phrase = [...new Set(analyzeWords(text))].join(" ");
  return phrase === "" || phrase.length > BOUNDS.nameWordsLength ? null : phrase;
}

/** Searches only for a name. */
function searchByName(name: string): void {
  change((draft) => {
    draft.filters = emptyQuery().filters;
    draft.filters.industry.text_hints = [name];
  });
}

/** True if a sentence added filters beyond the defaults. */
function understoodSome(): boolean {
  const { value } = translation;
  if (value === null) return false;
  const usual = emptyQuery();
  usual.filters.company.registration_status_any_of =
    query.value.filters.company.registration_status_any_of;
  return !sameFilters(queryOf(value.spec), usual);
}
