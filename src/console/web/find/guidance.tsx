/**
 * The guidance that replaces the results if a query is too broad, matches nothing, or failed. Its
 * buttons add or remove filters and show exact counts.
 * Invariant: all counts are from the server. Each button changes exactly the filter on its label.
 */
import type { ComponentChildren, VNode } from "preact";
import type { ExploreAnswer } from "../app/answers.ts";
import { number } from "../app/format.ts";
import { words } from "../app/words.ts";
import { Button } from "../parts/button.tsx";
import { EmptyState, ErrorNotice, Notice } from "../parts/notice.tsx";
import { catalog } from "./catalog.ts";
import { allMistakes } from "./filters/fielderrors.tsx";
import { describeFilter, stateName } from "./filters/filterwords.ts";
import { SimilarNames } from "./offered.tsx";
import { change, clearAll, exploration, query, retry } from "./query.ts";
import { clearPointer } from "./question.ts";

/** Maximum states and activities offered. */
const OFFERED = 6;

/** True if guidance replaces the results. */
export function needsGuidance(): boolean {
  const { state, answer } = exploration.value;
  if (state === "failed") return true;
  return answer !== null && (answer.too_broad || answer.total === 0);
}

/** The next step. */
export function Guidance(): VNode | null {
  const { state, answer, error } = exploration.value;
  const { find } = words.value;
  if (state === "failed") {
    const mistakes = allMistakes();
    if (mistakes.length > 0) {
      return (
        <Notice kind="error" title={find.invalidTitle}>
          <p>{find.invalidText}</p>
          <ul>
            {mistakes.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      );
    }
    return <ErrorNotice title={find.failedTitle} error={error} onRetry={retry} />;
  }
  if (answer === null) return null;
  return answer.total === 0 ? <Nothing answer={answer} /> : <TooBroad answer={answer} />;
}

function Nothing({ answer }: { answer: ExploreAnswer }): VNode {
  const { find } = words.value;
  const { drops } = answer;
  // Words in names must match as typed. The suggestions below allow misspellings.
  const [name] = query.value.filters.industry.text_hints;
  return (
    <EmptyState
      icon="filter"
      title={find.noneTitle}
      action={
        <Button icon="close" onClick={clearAll}>
          {find.clearAll}
        </Button>
      }
    >
      {name !== undefined && <SimilarNames text={name} />}
      <p>{drops.length === 0 ? find.noneHopeless : find.noneText}</p>
      <ul class="offers">
        {drops.map(({ filter, pointers, total }) => (
          <Offer
            key={filter}
            label={find.without(describeFilter(filter, query.value, catalog.value))}
            count={total}
            onPick={() =>
              change((draft) => {
                for (const pointer of pointers) clearPointer(draft, pointer);
              })
            }
          />
        ))}
      </ul>
    </EmptyState>
  );
}

function TooBroad({ answer }: { answer: ExploreAnswer }): VNode {
  const { find } = words.value;
  const { uf, cnae_subclass: activities } = answer.facets;
  return (
    <EmptyState icon="pin" title={find.broadTitle}>
      <p>{find.broadText}</p>
      <div class="offers-two">
        <Offers title={find.broadStates}>
          {uf?.values.slice(0, OFFERED).map(({ value, count }) => (
            <Offer
              key={value}
              label={stateName(String(value))}
              count={count}
              onPick={() =>
                change(({ filters }) => {
                  filters.geo.uf_any_of = [String(value)];
                })
              }
            />
          ))}
        </Offers>
        <Offers title={find.broadActivities}>
          {activities?.values.slice(0, OFFERED).map(({ value, label, count }) => (
            <Offer
              key={value}
              label={label ?? String(value)}
              count={count}
              onPick={() =>
                change(({ filters }) => {
                  filters.industry.cnae_any_of = [String(value)];
                })
              }
            />
          ))}
        </Offers>
      </div>
    </EmptyState>
  );
}

function Offers({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section>
      <h2 class="offers-title">{title}</h2>
      <ul class="offers">{children}</ul>
    </section>
  );
}

interface OfferProps {
  label: string;
  count: number;
  onPick: () => void;
}

function Offer({ label, count, onPick }: OfferProps): VNode {
  return (
    <li>
      <button type="button" class="offer" onClick={onPick}>
        <span class="offer-label">{label}</span>
        <span class="offer-count">{number(count)}</span>
      </button>
    </li>
  );
}
