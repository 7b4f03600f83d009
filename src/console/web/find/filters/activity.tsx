/**
 * The filters for wanted and for excluded activities, each with its own text box. A group of
 * activities ("47") stands for all of its subclasses.
 * Invariant: the box for excluded activities is hidden until the query excludes one or the user
 * opens the box. If all activities of a group are chosen, one chip stands for the group. Removing
 * the chip removes exactly these activities.
 * Separate because the form has one file per group of filters.
 */
import type { VNode } from "preact";
import { useCallback, useState } from "preact/hooks";
import { compact } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Combobox, type ComboOption } from "../../parts/combobox.tsx";
import { compressActivities } from "../addressmembers.ts";
import { type CatalogBook, catalog, type PickerChoice, shortActivity } from "../catalog.ts";
import { change, query } from "../query.ts";
import { ChipList } from "./chips.tsx";
import { FieldMistake, mistakeAt } from "./fielderrors.tsx";

/** Activities and exceptions. */
export function FilterActivity(): VNode {
  const { find } = words.value;
  const { industry } = query.value.filters;
  const [isOpened, setOpened] = useState(false);
  const excluding = isOpened || industry.cnae_exclude.length > 0;
  return (
    <>
      <ActivityPicker
        label={find.activities}
        codes={industry.cnae_any_of}
        onCodes={(codes) =>
          change(({ filters }) => {
            filters.industry.cnae_any_of = codes;
          })
        }
      />
      <FieldMistake text={mistakeAt("industry/cnae_any_of")} />
      {excluding ? (
        <ActivityPicker
          label={find.activitiesExcluded}
          codes={industry.cnae_exclude}
          onCodes={(codes) =>
            change(({ filters }) => {
              filters.industry.cnae_exclude = codes;
            })
          }
        />
      ) : (
        <Button small variant="quiet" icon="ban" onClick={() => setOpened(true)}>
          {find.activitiesExcludedAdd}
        </Button>
      )}
      <FieldMistake text={mistakeAt("industry/cnae_exclude")} />
    </>
  );
}

/** Max choices that one search offers. */
const FOUND_MAX = 60;

interface ActivityPickerProps {
  label: string;
  codes: readonly string[];
  onCodes: (codes: string[]) => void;
}

/** Finds activities by code, name, and trade, and shows chips of the chosen activities. */
function ActivityPicker({ label, codes, onCodes }: ActivityPickerProps): VNode {
  const { find } = words.value;
  const book = catalog.value;
  const search = useCallback(
    (text: string) => book?.searchActivities(text, FOUND_MAX).map(optionOf) ?? [],
    [book],
  );
  const short = book === null ? codes : compressActivities(codes, book.lookup);
  const expand = (code: string) => book?.activities(code) ?? [code];
  const remove = (code: string) => {
    const gone = new Set(expand(code));
    onCodes(codes.filter((one) => !gone.has(one)));
  };
  const select = ({ value }: ComboOption) => {
    const below = expand(value);
    if (below.every((code) => codes.includes(code))) remove(value);
    else onCodes([...codes, ...below]);
  };
  return (
    <div class="picker">
      <Combobox
        label={label}
        placeholder={book === null ? find.catalogLoading : find.activitiesPlaceholder}
        search={search}
        // If a group is chosen, the list marks the group and each of its activities.
        selected={[...codes, ...short].map((value) => ({ value, label: value }))}
        onSelect={select}
        onRemove={remove}
        chips={false}
        empty={book === null ? find.catalogLoading : find.activitiesNothing}
      />
      <ChipList
        label={label}
        colour="activity"
        chips={short.map((code) => ({ code, label: chipText(code, book) }))}
        onRemove={remove}
      />
    </div>
  );
}

function optionOf({ code, name, accounts, codes, term }: PickerChoice): ComboOption {
  const { find } = words.value;
  const group = codes.length > 1;
  const detail = [
    name === "" ? "" : code,
    group ? find.activitiesOf(codes.length) : "",
    term ? find.term(term) : "",
  ];
  return {
    value: code,
    label: name === "" ? find.activitiesUnder(code) : name,
    detail: detail.filter(Boolean).join(" · "),
    count: compact(accounts),
  };
}

function chipText(code: string, book: CatalogBook | null): string {
  const { find } = words.value;
  const name = shortActivity(code, book?.activityName(code) ?? "");
  const below = book?.activities(code).length ?? 1;
  const several = below > 1 ? find.activitiesOf(below) : "";
  return [code, name, several].filter(Boolean).join(" · ");
}
