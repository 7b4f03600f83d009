/**
 * The company filters: status, size, head office or branch, number of establishments, Simples, and
 * MEI.
 * Invariant: a choice shows a count only if a click on it would lead to that count. Only the
 * current choice and the choices of an unset filter do. The current range of establishments is
 * always marked, even if it came from a link or a sentence. A button opens fields for another range
 * (closed.tsx).
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { compact } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Checkbox, Checks, Segmented } from "../../parts/field.tsx";
import { change, exploration, query } from "../query.ts";
import { CHAIN_NAMES, CHAINS, chainOf, spanText } from "./chainspan.ts";
import { FieldMistake, mistakeAt } from "./fielderrors.tsx";
import { LazyGroup } from "./group.tsx";

/** Statuses in the order that users expect: active first. */
const STATUS_ORDER = [2, 3, 4, 8, 1];
/** Sizes in the order that users expect: "not informed" last. */
const SIZE_ORDER = ["01", "03", "05", "00"];

/** Company filters. */
export function FilterCompany(): VNode {
  const { codes, find } = words.value;
  const { company } = query.value.filters;
  const statuses = company.registration_status_any_of.map(String);
  return (
    <>
      <Checks
        legend={find.status}
        options={STATUS_ORDER.map((code) => ({
          value: String(code),
          label: codes.statuses[code] ?? String(code),
          count: countOf("registration_status", String(code), statuses),
        }))}
        values={statuses}
        onValues={(values) =>
          change(({ filters }) => {
            filters.company.registration_status_any_of = values.map(Number);
          })
        }
      />
      <FieldMistake text={mistakeAt("company/registration_status_any_of")} />
      <Checks
        legend={find.size}
        options={SIZE_ORDER.map((code) => ({
          value: code,
          label: codes.sizes[code] ?? code,
          count: countOf("company_size", code, company.company_size_code_any_of),
        }))}
        values={company.company_size_code_any_of}
        onValues={(values) =>
          change(({ filters }) => {
            filters.company.company_size_code_any_of = values;
          })
        }
      />
      <FieldMistake text={mistakeAt("company/company_size_code_any_of")} />
      <Checkbox
        label={find.headquarters}
        checked={company.headquarters_only}
        onChecked={(checked) =>
          change(({ filters }) => {
            filters.company.headquarters_only = checked;
            if (checked) delete filters.company.branches_only;
          })
        }
      />
      <Checkbox
        label={find.branches}
        checked={company.branches_only === true}
        onChecked={(checked) =>
          change(({ filters }) => {
            if (!checked) delete filters.company.branches_only;
            else {
              filters.company.branches_only = true;
              filters.company.headquarters_only = false;
            }
          })
        }
      />
      <Chain />
      <OptIn member="simples_opt_in" legend={find.simples} />
      <OptIn member="mei_opt_in" legend={find.mei} />
    </>
  );
}

/** Offers the choices for a tax regime: any, yes, or no. */
function OptIn({ member, legend }: { member: "simples_opt_in" | "mei_opt_in"; legend: string }) {
  const { find } = words.value;
  const value = query.value.filters.company[member];
  return (
    <Segmented
      legend={legend}
      value={value === null ? "any" : value ? "yes" : "no"}
      options={[
        { value: "any", label: find.any },
        { value: "yes", label: find.yes },
        { value: "no", label: find.no },
      ]}
      onValue={(next) =>
        change(({ filters }) => {
          filters.company[member] = next === "any" ? null : next === "yes";
        })
      }
    />
  );
}

/** Returns a choice's short count. */
function countOf(facet: string, value: string, chosen: readonly string[]): string {
  if (chosen.length > 0 && !chosen.includes(value)) return "";
  const values = exploration.value.answer?.facets[facet]?.values ?? [];
  const found = values.find((one) => String(one.value) === value);
  return exploration.value.answer === null ? "" : compact(found?.count ?? 0);
}

const MEMBERS = ["establishments_min", "establishments_max"] as const;
const OTHER = "other";

/** The span. */
function Chain(): VNode {
  const { find } = words.value;
  const { establishments_min: min, establishments_max: max } = query.value.filters.company;
  const [wanted, setWanted] = useState(false);
  const chosen = chainOf(min, max);
  const usual = CHAIN_NAMES.map((value) => ({ value: String(value), label: find.chains[value] }));
  const label = chosen === null ? spanText(min, max) : find.chainOther;
  const other = wanted || chosen === null;
  return (
    <>
      <Segmented
        legend={find.chain}
        value={other ? OTHER : chosen}
        options={[...usual, { value: OTHER, label }]}
        onValue={(next) => {
          const name = CHAIN_NAMES.find((one) => one === next);
          setWanted(name === undefined);
          if (name !== undefined) setSpan(CHAINS[name]);
        }}
      />
      {other ? <LazyGroup name="chain" /> : null}
    </>
  );
}

function setSpan(ends: readonly (number | null)[]): void {
  change(({ filters: { company } }) => {
    for (const [at, member] of MEMBERS.entries()) {
      const end = ends[at] ?? null;
      if (end === null) delete company[member];
      else company[member] = end;
    }
  });
}
