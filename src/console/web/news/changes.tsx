/**
 * Shows the changes of one kind, a line per company: its name with a link, its contacts, and old
 * and new values.
 * Invariant: no change is omitted. If a code has a name, the line shows the name instead of the
 * code. A dash stands for a value missing in the register.
 */
import type { VNode } from "preact";
import type { ChangeKind } from "../../../changes/kinds.ts";
import type { OutputField } from "../../../spec/fields.ts";
import type { Account, ChangeAnswer, Filters } from "../app/answers.ts";
import { cnpj, phone } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { CompanyLink } from "../app/router.ts";
import { words } from "../app/words.ts";
import type { ColumnId } from "../find/table/columnset.ts";
import { withPhoneFirst } from "../find/table/forquery.ts";
import { cellText, cityText, columnName, named, nameOf, textOf } from "../find/table/values.ts";

/** Maps a field to the column that formats its values. Other fields are shown unchanged. */
const SHOWN: Partial<Record<OutputField, ColumnId>> = {
  registration_status: "status",
  registration_status_date: "status_since",
  registration_status_reason: "status_reason",
  share_capital: "capital",
  started_on: "opened",
  cnae_primary: "cnae",
  cnae_secondary: "secondary",
  phone_1: "phone",
  phone_2: "second_phone",
  simples_opt_in: "simples",
  mei_opt_in: "mei",
  municipality_ibge: "city",
};
/** Fields that are not shown, because another field already names the same city. */
const IN_HEADING: readonly string[] = ["municipality_tom"];

/** Fields that each line may show. */
export const LINE_FIELDS: readonly OutputField[] = [
  "cnpj",
  "legal_name",
  "trade_name",
  "municipality_name",
  "uf",
  "foreign_city",
  "phone_1",
  "phone_2",
  "email",
  "legal_nature_description",
  "cnae_primary_description",
];
/** Maps a field with codes to the column that shows the names of these codes. */
const NAMED: Partial<Record<OutputField, ColumnId>> = {
  legal_nature: "legal_nature",
  cnae_primary: "activity",
};

interface ChangesProps {
  kind: ChangeKind;
  changes: ChangeAnswer[];
  /** The search's filters, which determine the phone to show. */
  filters: Filters;
}

/** The lines. */
export function Changes({ kind, changes, filters }: ChangesProps): VNode {
  return (
    <ul class="records news-list">
      {changes.map((change) => (
        <Line key={change.cnpj} kind={kind} change={change} filters={filters} />
      ))}
    </ul>
  );
}

interface LineProps extends Pick<ChangesProps, "kind" | "filters"> {
  change: ChangeAnswer;
}

function Line({ kind, change, filters }: LineProps): VNode {
  const known: Account = { ...(change.after ?? change.before), cnpj: change.cnpj };
  const account = withPhoneFirst(known, filters);
  const phoneNumber = textOf(account, "phone_1");
  const parts = [cnpj(change.cnpj), cityText(account)].concat(
    kind === "left" ? [] : [phoneNumber && phone(phoneNumber), textOf(account, "email")],
  );
  return (
    <li class="news-line">
      <CompanyLink cnpj={change.cnpj} class="record-title">
        {nameOf(account)}
      </CompanyLink>
      <p class="record-facts">
        {parts
          .filter((one) => one !== "")
          .map((one) => (
            <span key={one}>{one}</span>
          ))}
      </p>
      <What change={change} />
    </li>
  );
}

function What({ change }: { change: ChangeAnswer }): VNode {
  const { news } = lazyWords.value;
  const { before, after, changed_fields: fields } = change;
  if (before === null) return <p class="news-what">{news.isNew}</p>;
  if (after === null) return <p class="news-what">{news.isGone}</p>;
  return (
    <ul class="news-what">
      {fields
        .filter((field) => !IN_HEADING.includes(field))
        .map((field) => (
          <li key={field}>
            <span class="news-field">{fieldName(field)}</span> <s>{textIn(before, field)}</s>{" "}
            <span aria-hidden="true">→</span> <b>{textIn(after, field)}</b>
          </li>
        ))}
    </ul>
  );
}

/** Returns the name of a field, or of the column with the names of the field's codes. */
function fieldName(field: OutputField): string {
  const column = field === "municipality_ibge" ? "city" : NAMED[field];
  return column === undefined ? words.value.table.fields[field] : columnName(column);
}

function textIn(account: Account, field: OutputField): string {
  if (field === "company_size_code") {
    return named(words.value.codes.sizes, textOf(account, field)) || "–";
  }
  const column = NAMED[field];
  const name = column === undefined ? "" : cellText(column, account);
  if (name !== "") return name;
  // The column "street" also includes the number and the complement, so the field itself is shown.
  if (field === "street") return textOf(account, field) || "–";
  return cellText(SHOWN[field] ?? (field as ColumnId), account) || "–";
}
