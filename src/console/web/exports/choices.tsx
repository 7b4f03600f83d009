/**
 * The export dialog's choices: format, layout, fields, and rows.
 * Invariant: only what the plan and the format allow can be chosen. Each format states its purpose.
 * A layout is offered only if the plan allows all its fields; if none is, there is no choice.
 */
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { COMPRESSIONS } from "../../../spec/fields.ts";
import type { PresetName } from "../../../spec/presets.ts";
import type { Status } from "../app/answers.ts";
import { number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { query } from "../find/query.ts";
import { Checkbox, Select, TextInput } from "../parts/field.tsx";
import {
  type CsvStyle,
  type Draft,
  exportRowsMax,
  FORMATS,
  hasLabels,
  isForPeople,
  isText,
  layoutOf,
  limitOf,
  TITLE_MAX,
  titleOf,
} from "./draft.ts";
import { Fields } from "./fields.tsx";

interface ChoicesProps {
  readonly draft: Draft;
  readonly status: Status;
  readonly edit: (change: Partial<Draft>) => void;
}

/** Shows all choices. `columns` are the headings of the layout's columns. */
export function Choices({
  draft,
  status,
  edit,
  columns,
}: ChoicesProps & { readonly columns: readonly string[] }): VNode {
  const { exports } = lazyWords.value;
  const layout = layoutOf(draft);
  return (
    <div class="export-choices">
      <Options
        legend={exports.format}
        value={draft.format}
        options={FORMATS.filter((format) => status.export_formats.includes(format)).map(
          (format) => [format, ...(exports.formats[format] ?? [format, ""])] as const,
        )}
        onValue={(format) => edit({ format })}
      />
      {isForPeople(draft.format) && (
        <LayoutChoice
          offered={status.presets}
          columns={columns}
          layout={layout}
          onLayout={(chosen) => edit({ layout: chosen })}
        />
      )}
      {layout === null && draft.format === "csv" && <Csv draft={draft} edit={edit} />}
      {layout === null && hasLabels(draft) && (
        <Checkbox
          label={exports.people}
          hint={exports.peopleHint}
          checked={draft.people}
          onChecked={(people) => edit({ people })}
        />
      )}
      {isText(draft.format) && <Compression draft={draft} edit={edit} />}
      <TextInput
        label={exports.title}
        autocomplete="off"
        maxLength={TITLE_MAX}
        value={titleOf(draft)}
        onValue={(title) => edit({ title })}
      />
      {layout === null && (
        <Fields
          allowed={status.field_allowlist}
          chosen={draft.fields}
          onChosen={(fields) => edit({ fields })}
        />
      )}
      <Rows draft={draft} status={status} edit={edit} />
    </div>
  );
}

interface OptionsProps<Value extends string> {
  legend: string;
  hint?: string;
  value: Value;
  options: readonly (readonly [value: Value, name: string, purpose: string])[];
  onValue: (value: Value) => void;
}

/** Exclusive choices, each with a one-line purpose. */
function Options<Value extends string>(props: OptionsProps<Value>): VNode {
  const { legend, hint, value, options, onValue } = props;
  const name = useId();
  return (
    <fieldset class="options" aria-describedby={hint === undefined ? undefined : `${name}-hint`}>
      <legend class="field-label">{legend}</legend>
      {hint !== undefined && (
        <p class="field-hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <div class="options-list">
        {options.map(([one, title, purpose]) => (
          <label key={one} class="option">
            <input
              type="radio"
              name={name}
              value={one}
              checked={one === value}
              onChange={() => onValue(one)}
            />
            <span class="option-text">
              <span class="option-name">{title}</span>
              <span class="option-purpose">{purpose}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Csv({ draft, edit }: Omit<ChoicesProps, "status">): VNode {
  const { exports } = lazyWords.value;
  const styles: readonly (readonly [CsvStyle, string, string])[] = [
    ["excel", exports.csvExcel, exports.csvExcelHint],
    ["standard", exports.csvStandard, exports.csvStandardHint],
    ["own", exports.csvOther, exports.csvOtherHint],
  ];
  return (
    <>
      <Options
        legend={exports.csvOptions}
        value={draft.csv}
        options={styles}
        onValue={(csv) => edit({ csv })}
      />
      {draft.csv === "own" && (
        <div class="export-own">
          <Select
            label={exports.delimiter}
            value={draft.delimiter}
            options={[
              { value: ",", label: exports.delimiterComma },
              { value: ";", label: exports.delimiterSemicolon },
            ]}
            onValue={(value) => edit({ delimiter: value === ";" ? ";" : "," })}
          />
          <Checkbox label={exports.bom} checked={draft.bom} onChecked={(bom) => edit({ bom })} />
        </div>
      )}
    </>
  );
}

/** Chooses the compression of a text file. Other formats are compressed internally. */
function Compression({ draft, edit }: Omit<ChoicesProps, "status">): VNode {
  const { exports } = lazyWords.value;
  return (
    <Select
      label={exports.compression}
      hint={exports.compressionHint}
      value={draft.compression}
      options={COMPRESSIONS.map((value) => ({ value, label: exports.compressions[value] }))}
      onValue={(value) => {
        edit({ compression: COMPRESSIONS.find((one) => one === value) ?? "none" });
      }}
    />
  );
}

function Rows({ draft, status, edit }: ChoicesProps): VNode {
  const { exports } = lazyWords.value;
  const most = exportRowsMax(status);
  const wrong = limitOf(draft, most) === undefined;
  const modes = status.limits.secondary_cnae_full
    ? (["off", "fallback", "full"] as const)
    : (["off", "fallback"] as const);
  return (
    <>
      <TextInput
        label={exports.limit}
        inputMode="numeric"
        autocomplete="off"
        class="export-limit"
        value={draft.limit}
        hint={exports.limitHint(number(most))}
        error={wrong ? exports.limitWrong(number(most)) : null}
        onValue={(limit) => edit({ limit })}
      />
      <Checkbox
        label={exports.explain}
        hint={exports.explainHint}
        checked={draft.explain}
        onChecked={(explain) => edit({ explain })}
      />
      {byActivity() && (
        <Options
          legend={exports.mode}
          hint={exports.modeHint}
          value={draft.mode}
          options={modes.map((mode) => [mode, ...(exports.modes[mode] ?? [mode, ""])] as const)}
          onValue={(mode) => edit({ mode })}
        />
      )}
    </>
  );
}

/** True if secondary activities matter, because the query names activities. */
function byActivity(): boolean {
  const { cnae_any_of: wanted, cnae_exclude: excluded } = query.peek().filters.industry;
  return wanted.length + excluded.length > 0;
}

interface LayoutProps {
  readonly offered: readonly PresetName[];
  readonly columns: readonly string[];
  readonly layout: PresetName | null;
  readonly onLayout: (layout: PresetName | null) => void;
}

/** Chooses a layout and shows its columns as in the file. */
function LayoutChoice({ offered, columns, layout, onLayout }: LayoutProps): VNode | null {
  const { exports } = lazyWords.value;
  if (offered.length === 0) return null;
  return (
    <div class="export-layout">
      <Select
        label={exports.layout}
        value={layout ?? ""}
        options={[
          { value: "", label: exports.layoutOwn },
          ...offered.map((value) => ({ value, label: exports.layouts[value] })),
        ]}
        onValue={(value) => onLayout(offered.find((name) => name === value) ?? null)}
      />
      {layout !== null && columns.length > 0 && (
        <p class="field-hint">{exports.layoutColumns(columns.join(" · "))}</p>
      )}
    </div>
  );
}
