/**
 * The column chooser of a file.
 * Invariant: only fields of the plan are offered, and the number of excluded fields is shown. The
 * order can be changed by keyboard, and each change is announced.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { OUTPUT_FIELD_NAMES, type OutputField } from "../../../spec/fields.ts";
import { number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { words } from "../app/words.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Checks } from "../parts/field.tsx";
import { FIELD_SETS, hasContact, type Preset, presetFields } from "./draft.ts";

interface FieldsProps {
  readonly allowed: readonly string[];
  readonly chosen: readonly string[];
  readonly onChosen: (fields: string[]) => void;
}

/** Returns the name of a field for people. */
function fieldName(field: string): string {
  return words.value.table.fields[field as OutputField] ?? field;
}

/** Chooses columns and their order. */
export function Fields({ allowed, chosen, onChosen }: FieldsProps): VNode {
  const { exports } = lazyWords.value;
  const left = OUTPUT_FIELD_NAMES.filter((field) => !allowed.includes(field)).length;
  return (
    <fieldset class="export-fields">
      <legend class="field-label">{exports.fields}</legend>
      <div class="export-presets">
        <Presets allowed={allowed} chosen={chosen} onChosen={onChosen} />
        <span class="export-chosen" role="status">
          {exports.fieldsChosen(number(chosen.length), number(allowed.length))}
        </span>
      </div>
      <details class="export-more">
        <summary>{exports.chooseFields}</summary>
        <div class="export-groups">
          {FIELD_SETS.map(([group, fields]) => (
            <Group
              key={group}
              group={group}
              fields={fields.filter((field) => allowed.includes(field))}
              chosen={chosen}
              onChosen={onChosen}
            />
          ))}
        </div>
      </details>
      {left > 0 && <p class="field-hint">{exports.fieldsPlan(number(left))}</p>}
      <Order chosen={chosen} onChosen={onChosen} />
    </fieldset>
  );
}

function Presets({ allowed, chosen, onChosen }: FieldsProps): VNode {
  const { exports } = lazyWords.value;
  const sets = presetFields(allowed);
  const names: readonly (readonly [Preset, string])[] = [
    ...(hasContact(allowed) ? [["contact", exports.presetContact] as const] : []),
    ["default", exports.presetDefault],
    ["all", exports.presetAll],
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is already inside a fieldset
    <div class="export-preset-buttons" role="group" aria-label={exports.presets}>
      {names.map(([preset, name]) => (
        <Button
          key={preset}
          small
          aria-pressed={sets[preset].join() === chosen.join()}
          onClick={() => onChosen([...sets[preset]])}
        >
          {name}
        </Button>
      ))}
    </div>
  );
}

interface GroupProps {
  group: string;
  fields: readonly string[];
  chosen: readonly string[];
  onChosen: (fields: string[]) => void;
}

/** A group of fields. Newly chosen fields go to the end; others stay in place. */
function Group({ group, fields, chosen, onChosen }: GroupProps): VNode | null {
  if (fields.length === 0) return null;
  const change = (values: string[]) => {
    const retained = chosen.filter((field) => !fields.includes(field) || values.includes(field));
    onChosen([...retained, ...values.filter((field) => !chosen.includes(field))]);
  };
  return (
    <Checks
      legend={lazyWords.value.exports.fieldGroups[group] ?? group}
      options={fields.map((field) => ({ value: field, label: fieldName(field) }))}
      values={chosen.filter((field) => fields.includes(field))}
      onValues={change}
    />
  );
}

function Order({ chosen, onChosen }: Pick<FieldsProps, "chosen" | "onChosen">): VNode | null {
  const { exports } = lazyWords.value;
  const [announcement, announce] = useState("");
  if (chosen.length < 2) return null;
  const move = (at: number, by: number) => {
    const next = [...chosen];
    const [field = ""] = next.splice(at, 1);
    next.splice(at + by, 0, field);
    onChosen(next);
    announce(exports.moved(fieldName(field), number(at + by + 1)));
  };
  return (
    <details class="export-more">
      <summary>{exports.order}</summary>
      <ol class="export-order">
        {chosen.map((field, at) => (
          <li key={field}>
            <span class="export-order-name">{fieldName(field)}</span>
            <IconButton
              small
              icon="arrowUp"
              label={exports.moveUp(fieldName(field))}
              aria-disabled={at === 0}
              onClick={() => at > 0 && move(at, -1)}
            />
            <IconButton
              small
              icon="arrowDown"
              label={exports.moveDown(fieldName(field))}
              aria-disabled={at === chosen.length - 1}
              onClick={() => at < chosen.length - 1 && move(at, 1)}
            />
            <IconButton
              small
              icon="close"
              label={exports.dropField(fieldName(field))}
              onClick={() => onChosen(chosen.filter((other) => other !== field))}
            />
          </li>
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
    </details>
  );
}
