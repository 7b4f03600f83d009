/**
 * Share capital and legal nature. What comes in: the query. What goes out: amounts in reais and
 * legal natures.
 * Invariant: amounts are read as the present language writes them; what is no amount is told at
 * its field and changes nothing.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { TextInput } from "../../parts/field.tsx";
import { change, query } from "../query.ts";
import { BOUNDS } from "../question.ts";
import { amountText, readAmount } from "./amount.ts";
import { mistakeAt } from "./fielderrors.ts";
import { FieldMistake } from "./fieldmistake.tsx";
import { NaturePicker } from "./naturepicker.tsx";

type Member = "share_capital_min" | "share_capital_max";

/** Capital from and to, and legal natures. */
export function FilterCapital(): VNode {
  const { find } = words.value;
  const { share_capital_min: min } = query.value.filters.company;
  return (
    <>
      <div class="pair">
        <Amount member="share_capital_min" label={find.capitalMin} />
        <Amount member="share_capital_max" label={find.capitalMax} least={min ?? 0} />
      </div>
      <NaturePicker />
      <FieldMistake text={mistakeAt("company/legal_nature_any_of")} />
    </>
  );
}

interface AmountProps {
  member: Member;
  label: string;
  least?: number;
}

/** One amount; what is typed stays as it is until the box is left. */
function Amount({ member, label, least = 0 }: AmountProps): VNode {
  const { find } = words.value;
  const asked = query.value.filters.company[member];
  const [text, setText] = useState(amountText(asked));
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    // Typing "1.50" must not turn into "1.5" under the cursor.
    if (readAmount(text) !== (asked ?? null)) setText(amountText(asked));
  }, [asked]);
  const type = (typed: string) => {
    setText(typed);
    const amount = readAmount(typed);
    const blank = typed.trim() === "";
    if (amount === null && !blank) return setWrong(find.capitalWrong);
    if (amount !== null && amount > BOUNDS.shareCapital) return setWrong(find.capitalTooMuch);
    if (amount !== null && amount < least) return setWrong(find.capitalOrder);
    setWrong(null);
    change(
      ({ filters: { company } }) => {
        if (amount === null) delete company[member];
        else company[member] = amount;
      },
      { typing: member },
    );
  };
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      autocomplete="off"
      value={text}
      error={wrong ?? mistakeAt(`company/${member}`)}
      onValue={type}
      onBlur={() => {
        if (wrong === null) setText(amountText(asked));
      }}
    />
  );
}
