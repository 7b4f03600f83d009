/**
 * The contact filters. What comes in: the query. What goes out: which ways of contact are needed.
 * Invariant: "e-mail or phone" is there beside the two, since the three are filters of their own.
 * Apart because the form has one file per group of filters.
 */
import type { VNode } from "preact";
import { words } from "../../app/words.ts";
import { Checkbox } from "../../parts/field.tsx";
import { change, query } from "../query.ts";

/** E-mail, phone, or either. */
export function FilterContact(): VNode {
  const { find } = words.value;
  const { contact } = query.value.filters;
  const rows = [
    ["require_email", find.email],
    ["require_phone", find.phone],
    ["require_any_contact", find.anyContact],
  ] as const;
  return (
    <div class="checks">
      {rows.map(([member, label]) => (
        <Checkbox
          key={member}
          label={label}
          checked={contact[member]}
          onChecked={(checked) =>
            change(({ filters }) => {
              filters.contact[member] = checked;
            })
          }
        />
      ))}
    </div>
  );
}
