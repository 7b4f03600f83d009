/**
 * The contact filters: which contacts an account must have, the kind of phone, whether other
 * companies may have the same contact, and exact values.
 * Invariant: the form offers "e-mail or phone" in addition to "e-mail" and "phone", because the
 * three are separate filters. A cleared optional filter is removed from the query.
 * Separate because the form has one file per group of filters.
 */
import type { VNode } from "preact";
import { MISSING_CONTACTS } from "../../../../spec/filters/wider.ts";
import type { Filters } from "../../app/answers.ts";
import { words } from "../../app/words.ts";
import { Checkbox, Checks } from "../../parts/field.tsx";
import { change, query } from "../query.ts";
import { TagField } from "./chips.tsx";
import { mistakeAt } from "./fielderrors.tsx";

type Contact = Filters["contact"];

/** A checkbox: its label, and functions that read and set its filter. */
interface Way {
  readonly label: string;
  readonly isSet: (contact: Contact) => boolean;
  readonly set: (contact: Contact, wanted: boolean) => void;
}

/** Shows the contact filters: e-mail, phone, or either, the kind of phone, and sharing. */
export function FilterContact(): VNode {
  const { contact } = query.value.filters;
  const { find } = words.value;
  return (
    <>
      <div class="checks">
        {ways().map(({ label, isSet, set }) => (
          <Checkbox
            key={label}
            label={label}
            checked={isSet(contact)}
            onChecked={(checked) => change(({ filters }) => set(filters.contact, checked))}
          />
        ))}
      </div>
      <Checks
        legend={find.missing}
        options={MISSING_CONTACTS.map((value) => ({
          value,
          label: find.described.missing[value],
        }))}
        values={contact.missing_any_of ?? []}
        onValues={(values) =>
          change(({ filters }) => {
            filters.contact.missing_any_of = values as typeof contact.missing_any_of & object;
          })
        }
      />
      <Values
        member="phone_any_of"
        label={find.thisPhone}
        hint="11 98765-4321"
        toValue={(text) => {
          const digits = text.replace(/\D/g, "").replace(/^0+/, "");
          return `+${digits.length > 11 ? "" : 55}${digits}`;
        }}
        form={/^\+55\d{9,11}$/}
      />
      <Values
        member="email_any_of"
        label={find.thisEmail}
        hint="ana@example.com"
        toValue={(text) => text.toLowerCase()}
        form={/^\S+@\S+\.\S+$/}
      />
    </>
  );
}

interface ValuesProps {
  member: "phone_any_of" | "email_any_of";
  label: string;
  /** An example. */
  hint: string;
  toValue: (text: string) => string;
  form: RegExp;
}

/**
 * Shows the box for exact phones or e-mail addresses. An account must have at least one of them.
 * The server may still reject a value, and the box then shows the server's error.
 */
function Values({ member, label, hint, toValue, form }: ValuesProps): VNode {
  return (
    <TagField
      label={label}
      hint={hint}
      values={query.value.filters.contact[member] ?? []}
      error={mistakeAt(`contact/${member}`)}
      read={(text) => {
        const value = toValue(text);
        return form.test(value) ? { value } : { wrong: words.value.find.likeThis(hint) };
      }}
      onValues={(values) =>
        change(({ filters }) => {
          filters.contact[member] = values;
        })
      }
    />
  );
}

function ways(): Way[] {
  const { find } = words.value;
  return [
    needed("require_email", find.email),
    needed("require_phone", find.phone),
    needed("require_any_contact", find.anyContact),
    used("require_mobile", true, find.mobile),
    used("require_landline", true, find.landline),
    used("require_own_domain", true, find.ownDomain),
    used("email_shared_max", 1, find.ownEmail),
    used("phone_shared_max", 1, find.ownPhone),
  ];
}

/** Returns a checkbox for a filter that every query contains as true or false. */
function needed(
  member: "require_email" | "require_phone" | "require_any_contact",
  label: string,
): Way {
  return {
    label,
    isSet: (contact) => contact[member],
    set: (contact, wanted) => {
      contact[member] = wanted;
    },
  };
}

/** Returns a checkbox for an optional filter. Unchecking it removes the filter from the query. */
function used<
  Member extends
    | "require_mobile"
    | "require_landline"
    | "require_own_domain"
    | "email_shared_max"
    | "phone_shared_max",
>(member: Member, value: NonNullable<Contact[Member]>, label: string): Way {
  return {
    label,
    isSet: (contact) => contact[member] === value,
    set: (contact, wanted) => {
      if (wanted) contact[member] = value as Contact[Member];
      else delete contact[member];
    },
  };
}
