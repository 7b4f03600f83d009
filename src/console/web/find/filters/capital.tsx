/**
 * The filters for share capital (in reais) and for legal nature.
 * Invariant: amounts follow the current language's format. An invalid amount is reported at its
 * field and changes nothing. A chip shows a legal nature's code and name. Removing the chip removes
 * exactly that code.
 */
import type { VNode } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { compact } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Combobox } from "../../parts/combobox.tsx";
import { TextInput } from "../../parts/field.tsx";
import { catalog } from "../catalog.ts";
import { change, query } from "../query.ts";
import { BOUNDS } from "../question.ts";
import { amountText, readAmount } from "./amount.ts";
import { ChipList } from "./chips.tsx";
import { FieldMistake, mistakeAt } from "./fielderrors.tsx";

type Member = "share_capital_min" | "share_capital_max" | "federal_debt_min" | "federal_debt_max";

/** Shows the controls for the capital range and the legal natures. */
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

/** Field for an amount. The text stays as typed until the field loses focus. */
export function Amount({ member, label, least = 0 }: AmountProps): VNode {
  const { find } = words.value;
  const applied = query.value.filters.company[member];
  const [text, setText] = useState(amountText(applied));
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    // The text is not reformatted while its amount stays the same. Otherwise, "1.50" would turn
    // into "1.5" while the user types.
    if (readAmount(text) !== (applied ?? null)) setText(amountText(applied));
  }, [applied]);
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
        if (wrong === null) setText(amountText(applied));
      }}
    />
  );
}

function NaturePicker(): VNode {
  const { find } = words.value;
  const book = catalog.value;
  const codes = query.value.filters.company.legal_nature_any_of ?? [];
  const search = useCallback(
    (text: string) =>
      book?.searchNatures(text, 100).map(({ code, name, accounts }) => ({
        value: code,
        label: name,
        detail: code,
        count: compact(accounts),
      })) ?? [],
    [book],
  );
  const set = (next: string[]) =>
    change(({ filters }) => {
      filters.company.legal_nature_any_of = next;
    });
  const remove = (code: string) => set(codes.filter((one) => one !== code));
  return (
    <div class="picker">
      <Combobox
        label={find.nature}
        placeholder={book === null ? find.catalogLoading : find.naturePlaceholder}
        search={search}
        selected={codes.map((value) => ({ value, label: value }))}
        onSelect={({ value }) => set([...codes, value])}
        onRemove={remove}
        chips={false}
        empty={book === null ? find.catalogLoading : find.natureNothing}
      />
      <ChipList
        label={find.nature}
        colour="company"
        chips={codes.map((code) => ({
          code,
          label: [code, book?.natureName(code) ?? ""].filter(Boolean).join(" · "),
        }))}
        onRemove={remove}
      />
    </div>
  );
}
