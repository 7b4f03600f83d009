/**
 * Adjusts the table to the query: which columns to draw, which to request, and which phone of an
 * account comes first.
 * Invariant: if the query requires a mobile phone, the phone column shows a mobile. No phone is
 * lost or shown twice. No column chosen by the user is left out.
 */
import type { Account, Filters } from "../../app/answers.ts";
import type { ColumnChoice, ColumnId } from "./columnset.ts";

/** Matches mobile numbers, by the same rule as native-index/format/column_value.h. */
const MOBILE = /^\+55(?:1[1-9]|[2-9]\d)9\d{8}$/;
const LANDLINE = /^\+55(?:1[1-9]|[2-9]\d)\d{7,8}$/;

/** Returns the pattern of the phone to show first, or null if any phone may be first. */
function wantedPhone({ contact }: Filters): RegExp | null {
  if (contact.require_mobile) return MOBILE;
  return contact.require_landline ? LANDLINE : null;
}

/** Pairs of fields that are swapped together with the phones. */
const PAIRS = [
  ["phone_1", "phone_2"],
  ["phone_1_kind", "phone_2_kind"],
  ["phone_1_shared", "phone_2_shared"],
] as const;

/** Swaps an account's two phones if only the second is of the kind that the filters require. */
export function withPhoneFirst<Values extends Account>(account: Values, filters: Filters): Values {
  const wanted = wantedPhone(filters);
  const isWanted = (phone: unknown) => wanted?.test(String(phone ?? "")) === true;
  if (isWanted(account.phone_1) || !isWanted(account.phone_2)) return account;
  const turned = PAIRS.filter(([one, other]) => one in account || other in account);
  const swapped = turned.flatMap(([one, other]) => [
    [one, account[other] ?? null],
    [other, account[one] ?? null],
  ]);
  return { ...account, ...Object.fromEntries(swapped) };
}

/**
 * Returns the columns to draw. If the query filters companies by their number of establishments, it
 * adds the head office column, which distinguishes the rows of a company.
 */
export function choiceFor(choice: ColumnChoice, { company }: Filters): ColumnChoice {
  const { establishments_min: min, establishments_max: max } = company;
  const isChain = (min !== undefined || max !== undefined) && max !== 1;
  const [first, ...rest] = choice.shown;
  if (!isChain || first === undefined || rest.includes("headquarters")) return choice;
  return { ...choice, shown: [first, "headquarters", ...rest] };
}

/**
 * Returns the columns to request. Either phone may be of a required kind, so both are requested.
 */
export function columnsToRequest(choice: ColumnChoice, filters: Filters): ColumnChoice {
  const columns = choiceFor(choice, filters);
  if (wantedPhone(filters) === null) return columns;
  const [, ...others] = PAIRS;
  const requested = others.filter((pair) => pair.some((one) => columns.shown.includes(one)));
  const phones: ColumnId[] = ["phone", "second_phone", ...requested.flat()];
  return { ...columns, shown: [...new Set([...columns.shown, ...phones])] };
}
