/**
 * The layout of a file: columns of one's own, or those that another product takes in. What comes
 * in: the fields of the plan, the layout so far. What goes out: another layout, and which columns
 * it has.
 * Invariant: only what the plan allows whole is offered; where that is none there is no choice.
 * Apart because it alone knows the columns of other products.
 */
import type { VNode } from "preact";
import { PRESETS, type PresetName } from "../../../spec/presets.ts";
import { language } from "../app/language.ts";
import { laterWords } from "../app/laterwords.ts";
import { Select } from "../parts/field.tsx";
import { layoutsOf } from "./draft.ts";

interface LayoutProps {
  readonly allowed: readonly string[];
  readonly layout: PresetName | null;
  readonly onLayout: (layout: PresetName | null) => void;
}

/** Chooses a layout and shows its columns as the file will have them. */
export function LayoutChoice({ allowed, layout, onLayout }: LayoutProps): VNode | null {
  const { exports } = laterWords.value;
  const offered = layoutsOf(allowed);
  if (offered.length === 0) return null;
  const heading = language.value === "pt" ? 1 : 2;
  return (
    <div class="export-layout">
      <Select
        label={exports.layout}
        value={layout ?? ""}
        options={[
          { value: "", label: exports.layoutOwn },
          ...offered.map((name) => ({ value: name, label: exports.layouts[name] })),
        ]}
        onValue={(value) => onLayout(offered.find((name) => name === value) ?? null)}
      />
      {layout !== null && (
        <p class="field-hint">
          {exports.layoutColumns(PRESETS[layout].columns.map((one) => one[heading]).join(" · "))}
        </p>
      )}
    </div>
  );
}
