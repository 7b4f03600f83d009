/**
 * The choices for a filled-in spreadsheet, and the bar that starts it with its cost.
 * Invariant: a file that the server would refuse cannot be started, and the bar shows why.
 */
import type { VNode } from "preact";
import type { EnrichmentPreview, Status } from "../app/answers.ts";
import { number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { exportRowsMax } from "../exports/draft.ts";
import { quotaHour } from "../exports/estimate.tsx";
import { Fields } from "../exports/fields.tsx";
import { Button } from "../parts/button.tsx";
import { Segmented } from "../parts/field.tsx";
import { Card } from "../parts/page.tsx";
import { type FillChoice, LABELS, labelsOf } from "./choice.ts";

interface ChoicesProps {
  status: Status;
  preview: EnrichmentPreview;
  choice: FillChoice;
  onChoice: (choice: FillChoice) => void;
}

/** Offers the columns, the format, and the language of the new file. */
export function Choices({ status, preview, choice, onChoice }: ChoicesProps): VNode {
  const { enrich, exports } = lazyWords.value;
  return (
    <Card title={enrich.choices}>
      <Fields
        allowed={status.field_allowlist}
        chosen={choice.fields}
        onChosen={(fields) => onChoice({ ...choice, fields })}
      />
      <div class="enrich-kinds">
        <Segmented
          legend={exports.format}
          value={choice.format ?? preview.format}
          options={(["xlsx", "csv"] as const).map((value) => ({
            value,
            label: exports.formats[value]?.[0] ?? value,
          }))}
          onValue={(format) => onChoice({ ...choice, format })}
        />
        <Segmented
          legend={enrich.labels}
          value={labelsOf(choice)}
          options={LABELS.map((value) => ({ value, label: enrich.labelNames[value] }))}
          onValue={(labels) => onChoice({ ...choice, labels })}
        />
      </div>
    </Card>
  );
}

interface StartProps {
  status: Status;
  preview: EnrichmentPreview;
  choice: FillChoice;
  busy: boolean;
  /** True while the file is being read again. */
  stale: boolean;
  onStart: () => void;
}

/** Shows the cost, and the button that starts the work. */
export function StartBar({ status, preview, choice, busy, stale, onStart }: StartProps): VNode {
  const { enrich } = lazyWords.value;
  const obstacle = obstacleText(status, preview, choice);
  const isOff = obstacle !== null || stale;
  return (
    <div class="enrich-start">
      <p class={obstacle === null ? "enrich-cost" : "enrich-cost export-bad"} role="status">
        {obstacle ?? costText(status, preview)}
      </p>
      <Button
        variant="primary"
        icon="download"
        busy={busy}
        aria-disabled={isOff}
        onClick={() => {
          if (!isOff) onStart();
        }}
      >
        {enrich.start(number(preview.rows))}
      </Button>
    </div>
  );
}

/** Returns why the server would refuse the file; null if it would not. */
function obstacleText(
  status: Status,
  { rows }: EnrichmentPreview,
  choice: FillChoice,
): string | null {
  const { enrich, exports } = lazyWords.value;
  const left = status.usage.export_rows_left;
  const most = exportRowsMax(status);
  if (choice.fields.length === 0) return exports.fieldsNone;
  if (rows > most) return enrich.tooMany(number(rows), number(most));
  if (left === null || rows <= left) return null;
  return exports.quotaShort(number(rows), number(left), quotaHour());
}

function costText(status: Status, { outcomes }: EnrichmentPreview): string {
  const { enrich } = lazyWords.value;
  const found = (outcomes.found ?? 0) + (outcomes.head_office ?? 0);
  const left = status.usage.export_rows_left;
  return left === null
    ? enrich.fills(number(found))
    : enrich.costs(number(found), number(left), quotaHour());
}
