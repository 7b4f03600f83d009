/**
 * The activity filters. What comes in: the query. What goes out: activities that are wanted and
 * activities that are left out.
 * Invariant: the exceptions are hidden until there are some or somebody asks for them.
 * Apart because the form has one file per group of filters.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { change, query } from "../query.ts";
import { ActivityPicker } from "./activitypicker.tsx";
import { mistakeAt } from "./fielderrors.ts";
import { FieldMistake } from "./fieldmistake.tsx";

/** Activities, and exceptions from them. */
export function FilterActivity(): VNode {
  const { find } = words.value;
  const { industry } = query.value.filters;
  const [asked, setAsked] = useState(false);
  const excluding = asked || industry.cnae_exclude.length > 0;
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
        <Button small variant="quiet" icon="ban" onClick={() => setAsked(true)}>
          {find.activitiesExcludedAdd}
        </Button>
      )}
      <FieldMistake text={mistakeAt("industry/cnae_exclude")} />
    </>
  );
}
