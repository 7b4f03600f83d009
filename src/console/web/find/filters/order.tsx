/**
 * The order of results: the ranking, the seed of a random sample, and up to three sort keys.
 * Invariant: a random sample always has a seed. No two sort keys use the same field. The last sort
 * key cannot be removed, because results always need an order.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SCORING_STRATEGIES, SORT_FIELDS } from "../../../../spec/fields.ts";
import { words } from "../../app/words.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Select, TextInput } from "../../parts/field.tsx";
import { change, query } from "../query.ts";
import { BOUNDS } from "../question.ts";
import { FieldMistake, orderMistake } from "./fielderrors.tsx";

/** Ranking and sort keys. */
export function FilterOrder(): VNode {
  const { find } = words.value;
  const { scoring, sort } = query.value;
  const choose = (strategy: string) =>
    change((draft) => {
      draft.scoring.strategy = strategy;
      if (strategy === "random") draft.scoring.random_seed ??= drawSeed();
      else draft.scoring.random_seed = null;
    });
  return (
    <>
      <Select
        label={find.strategy}
        hint={find.strategyHints[scoring.strategy]}
        value={scoring.strategy}
        onValue={choose}
        options={SCORING_STRATEGIES.map((value) => ({
          value,
          label: find.strategies[value] ?? value,
        }))}
      />
      {(scoring.strategy === "random" || scoring.random_seed !== null) && <Seed />}
      {sort.map((_, at) => (
        <SortRow key={at} at={at} />
      ))}
      {sort.length < BOUNDS.sortKeys && (
        <Button small variant="quiet" icon="plus" onClick={() => change(addKey)}>
          {find.sortAdd}
        </Button>
      )}
      <FieldMistake text={orderMistake()} />
    </>
  );
}

/** Shows the field for the seed, which is optional unless the ranking needs it. */
function Seed(): VNode {
  const { find } = words.value;
  const { random_seed: seed, strategy } = query.value.scoring;
  const [text, setText] = useState(`${seed ?? ""}`);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    setText(`${seed ?? ""}`);
    setWrong(null);
  }, [seed, strategy]);
  const type = (typed: string) => {
    setText(typed);
    const blank = typed.trim() === "";
    const value = /^\s*\d+\s*$/.test(typed) ? Number(typed) : Number.NaN;
    const needed = blank && strategy === "random";
    if (needed || (!blank && !Number.isSafeInteger(value))) return setWrong(find.seedWrong);
    setWrong(null);
    change(
      (draft) => {
        draft.scoring.random_seed = blank ? null : value;
      },
      { typing: "seed" },
    );
  };
  return (
    <TextInput
      label={find.seed}
      hint={find.seedHint}
      inputMode="numeric"
      autocomplete="off"
      value={text}
      error={wrong}
      onValue={type}
      suffix={
        <IconButton
          icon="refresh"
          label={find.seedDraw}
          onClick={() =>
            change((draft) => {
              draft.scoring.random_seed = drawSeed();
            })
          }
        />
      }
    />
  );
}

function SortRow({ at }: { at: number }): VNode {
  const { find } = words.value;
  const { sort } = query.value;
  const key = sort[at] ?? { field: "score", direction: "desc" as const };
  const name = find.sortFields[key.field] ?? key.field;
  const others = sort.filter((_, place) => place !== at).map(({ field }) => field);
  const down = key.direction === "desc";
  return (
    <div class="sort-row">
      <Select
        label={at === 0 ? find.sortBy : find.sortThen}
        value={key.field}
        onValue={(field) =>
          change((draft) => {
            draft.sort[at] = { field, direction: directionOf(field) };
          })
        }
        options={SORT_FIELDS.map((value) => ({
          value,
          label: find.sortFields[value] ?? value,
          disabled: others.includes(value),
        }))}
      />
      <IconButton
        icon={down ? "arrowDown" : "arrowUp"}
        label={down ? find.descending(name) : find.ascending(name)}
        onClick={() =>
          change((draft) => {
            draft.sort[at] = { ...key, direction: down ? "asc" : "desc" };
          })
        }
      />
      {sort.length > 1 && (
        <IconButton
          icon="close"
          label={find.sortRemove(name)}
          onClick={() => change((draft) => void draft.sort.splice(at, 1))}
        />
      )}
    </div>
  );
}

/** Returns a field's initial direction: ascending for names and CNPJs, else descending. */
function directionOf(field: string): "asc" | "desc" {
  return field === "legal_name" || field === "cnpj" ? "asc" : "desc";
}

function addKey(draft: { sort: { field: string; direction: "asc" | "desc" }[] }): void {
  const field = SORT_FIELDS.find((one) => !draft.sort.some((key) => key.field === one));
  if (field !== undefined) draft.sort.push({ field, direction: directionOf(field) });
}

/** Draws a seed short enough to read aloud. */
function drawSeed(): number {
  return Math.floor(Math.random() * 1_000_000);
}
