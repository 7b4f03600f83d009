/**
 * What a query does to the table. What comes in: its filters, the columns that somebody chose,
 * accounts as the server answers them. What goes out: the columns to draw and to ask for, and the
 * accounts with the phone first that was asked for.
 * Invariant: whoever asks for mobiles sees a mobile as the phone of each account; no phone is lost
 * or shown twice. Nothing that somebody chose is left out.
 */
import type { Account, Filters } from "../../app/answers.ts";
import type { ColumnChoice, ColumnId } from "./columnset.ts";

/** As in native-index/format/column_value.h; held equal to the filters' rule by a test. */
const MOBILE = /^\+55(?:1[1-9]|[2-9]\d)9\d{8}$/;
const LANDLINE = /^\+55(?:1[1-9]|[2-9]\d)\d{7,8}$/;

/** The kind of phone that is shown first; null where any will do. */
function wantedPhone({ contact }: Filters): RegExp | null {
  if (contact.require_mobile) return MOBILE;
  return contact.require_landline ? LANDLINE : null;
}

/** Fields of an account that change places with the phones. */
const PAIRS = [
  ["phone_1", "phone_2"],
  ["phone_1_kind", "phone_2_kind"],
  ["phone_1_shared", "phone_2_shared"],
] as const;

/** The account with its phones in the order in which the filters ask for them. */
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

/** The columns to draw: of chains also whether a row is the head office, which tells rows apart. */
export function choiceFor(choice: ColumnChoice, { company }: Filters): ColumnChoice {
  const { establishments_min: min, establishments_max: max } = company;
  const isChain = (min !== undefined || max !== undefined) && max !== 1;
  const [first, ...rest] = choice.shown;
  if (!isChain || first === undefined || rest.includes("headquarters")) return choice;
  return { ...choice, shown: [first, "headquarters", ...rest] };
}

/** The columns to ask for: with a kind of phone both phones, for either may be of that kind. */
export function askedFor(choice: ColumnChoice, filters: Filters): ColumnChoice {
  const asked = choiceFor(choice, filters);
  if (wantedPhone(filters) === null) return asked;
  const [, ...others] = PAIRS;
  const told = others.filter((pair) => pair.some((one) => asked.shown.includes(one)));
  const phones: ColumnId[] = ["phone", "second_phone", ...told.flat()];
  return { ...asked, shown: [...new Set([...asked.shown, ...phones])] };
}
