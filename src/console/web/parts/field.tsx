/**
 * Form controls: native controls with label, hint, and error tied to them.
 *
 * - Field: label; hint?; error?; hideLabel?; children: (control: {id, "aria-describedby",
 *   "aria-invalid"}) => VNode
 * - TextInput: label; value; onValue(text); hint?; error?; hideLabel?; suffix?: children after
 *   it (a button); inputRef?
 * - Select: label; value; onValue(value); options: {value, label, disabled?}[]; hint?; error?;
 *   hideLabel?
 * - Checkbox: label; checked; onChecked(boolean); hint?; count?: text at the right; disabled?
 * - Checks: legend; options: {value, label, hint?, count?, disabled?}[]; values;
 *   onValues(values); hideLegend?
 * - Segmented: legend; value; onValue(value); options: {value, label}[]; hideLegend?
 * - focusInvalid(form): moves the focus to the first control with an error, once it is drawn
 *
 * Invariant: every control has a name and refers to its error, which is announced.
 */
import type {
  ComponentChildren,
  InputHTMLAttributes,
  Ref,
  SelectHTMLAttributes,
  VNode,
} from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** Attributes that tie a control to its label, hint, and error. */
interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": "true" | undefined;
}

/** Props of a field. */
interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | null | undefined;
  hideLabel?: boolean | undefined;
}

/** Label, control, hint, and error. */
export function Field(props: FieldProps & { children: (control: ControlProps) => VNode }): VNode {
  const id = useId();
  const { label, hint, error, hideLabel, children } = props;
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""]
    .filter(Boolean)
    .join(" ");
  const control: ControlProps = {
    id,
    "aria-describedby": described || undefined,
    "aria-invalid": error ? "true" : undefined,
  };
  return (
    <div class="field">
      <label class={hideLabel ? "visually-hidden" : "field-label"} for={id}>
        {label}
      </label>
      {children(control)}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          <Icon name="error" />
          {error}
        </p>
      )}
    </div>
  );
}

/** Props of a text input. */
export interface TextInputProps
  extends FieldProps,
    // `onInput` is omitted, because only one of the two handlers would be called.
    Omit<InputHTMLAttributes<HTMLInputElement>, "label" | "value" | "onInput"> {
  value: string;
  onValue: (text: string, input: HTMLInputElement) => void;
  suffix?: ComponentChildren;
  inputRef?: Ref<HTMLInputElement>;
}

/** A line of text. */
export function TextInput(props: TextInputProps): VNode {
  const { label, hint, error, hideLabel, value, onValue, suffix, inputRef, ...rest } = props;
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(control) => (
        <div class={`input${suffix ? " input-suffixed" : ""}`}>
          <input
            type="text"
            {...(rest as object)}
            {...control}
            ref={inputRef ?? null}
            value={value}
            onInput={({ currentTarget: input }) => onValue(input.value, input)}
          />
          {suffix}
        </div>
      )}
    </Field>
  );
}

/** A choice of a select. */
interface SelectChoice {
  value: string;
  label: string;
  disabled?: boolean;
  hint?: ComponentChildren;
  count?: ComponentChildren;
}

/** Props of a select. */
interface SelectProps
  extends FieldProps,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, "label" | "value"> {
  value: string;
  onValue: (value: string) => void;
  options: readonly SelectChoice[];
}

/** A native select. */
export function Select(props: SelectProps): VNode {
  const { label, hint, error, hideLabel, value, onValue, options, ...rest } = props;
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(control) => (
        <div class="select">
          <select
            {...(rest as object)}
            {...control}
            value={value}
            onChange={(event) => onValue(event.currentTarget.value)}
          >
            {options.map((one) => (
              <option key={one.value} value={one.value} disabled={one.disabled}>
                {one.label}
              </option>
            ))}
          </select>
          <Icon name="chevronDown" />
        </div>
      )}
    </Field>
  );
}

/** Props of a checkbox. */
interface CheckboxProps {
  label: ComponentChildren;
  checked: boolean;
  onChecked: (checked: boolean) => void;
  hint?: ComponentChildren;
  count?: ComponentChildren;
  disabled?: boolean | undefined;
}

/** A checkbox with its label. */
export function Checkbox(props: CheckboxProps): VNode {
  const { label, checked, onChecked, hint, count, disabled } = props;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <span class="check-label">
        {label}
        {hint && <span class="check-hint">{hint}</span>}
      </span>
      {count !== undefined && <span class="check-count">{count}</span>}
    </label>
  );
}

interface ChecksProps {
  legend: string;
  options: readonly SelectChoice[];
  values: readonly string[];
  onValues: (values: string[]) => void;
  hideLegend?: boolean;
}

/** A group of checkboxes. Values are in the order of the options. */
export function Checks({ legend, options, values, onValues, hideLegend }: ChecksProps): VNode {
  const toggle = (value: string, checked: boolean) => {
    const wanted = (one: SelectChoice) =>
      one.value === value ? checked : values.includes(one.value);
    onValues(options.filter(wanted).map((one) => one.value));
  };
  return (
    <fieldset class="checks">
      <legend class={hideLegend ? "visually-hidden" : "field-label"}>{legend}</legend>
      {options.map((one) => (
        <Checkbox
          key={one.value}
          label={one.label}
          hint={one.hint}
          count={one.count}
          disabled={one.disabled}
          checked={values.includes(one.value)}
          onChecked={(checked) => toggle(one.value, checked)}
        />
      ))}
    </fieldset>
  );
}

interface SegmentedProps<T extends string> {
  legend: string;
  value: T;
  onValue: (value: T) => void;
  options: readonly { value: T; label: string }[];
  hideLegend?: boolean;
}

/** Exclusive choices in a row, as radio buttons for keyboards and screen readers. */
export function Segmented<T extends string>(props: SegmentedProps<T>): VNode {
  const { legend, value, onValue, options, hideLegend } = props;
  const name = useId();
  return (
    <fieldset class="segmented">
      <legend class={hideLegend ? "visually-hidden" : "field-label"}>{legend}</legend>
      <div class="segments">
        {options.map((one) => (
          <label key={one.value} class="segment">
            <input
              type="radio"
              name={name}
              value={one.value}
              checked={one.value === value}
              onChange={() => onValue(one.value)}
            />
            <span>{one.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Focuses the first control with an error, once it is drawn. */
export function focusInvalid(form: Element | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), 20);
}
