/**
 * The filters on other public data: when and why a status changed, when a company left Simples or
 * MEI, sanctions, federal debt, and corporate owners.
 * Invariant: if the snapshot lacks the data of a filter, a line with the name of the data replaces
 * the filter. A root, the 8 characters that identify a company, is stored as on the server.
 */
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { analyzeWords } from "../../../../spec/analyzer.ts";
import type { OptionalData } from "../../../../spec/catalog.ts";
import { DEBT_KINDS, SANCTION_NAMES } from "../../../../spec/filters/wider.ts";
import { lazyWords } from "../../app/lazywords.ts";
import { words } from "../../app/words.ts";
import { Combobox } from "../../parts/combobox.tsx";
import { Checks, Segmented, Select } from "../../parts/field.tsx";
import { catalog } from "../catalog.ts";
import { change, query } from "../query.ts";
import { reasonNames } from "../table/values.ts";
import { Amount } from "./capital.tsx";
import { ChipList, TagField } from "./chips.tsx";
import { CountEnds } from "./countends.tsx";
import { FieldMistake, mistakeAt } from "./fielderrors.tsx";
import { DaySpan } from "./opened.tsx";

const LAST_MONTHS = [3, 12];
const DEPTHS = [1, 2, 3, 4, 5];

/** The filters of the record. */
export function FilterRecord(): VNode {
  const { record } = lazyWords.value;
  return (
    <>
      <Days legend={record.statusDays}>
        <DaySpan since="status_since" before="status_before" presets={LAST_MONTHS} />
      </Days>
      <Reasons />
      <Known data="exclusions" Body={Exclusions} />
      <Sanctions />
      <Known data="debts" Body={Debt} />
      <Known data="partners" Body={Owners} />
    </>
  );
}

function Exclusions(): VNode {
  const { record } = lazyWords.value;
  return (
    <>
      <Days legend={record.leftSimples}>
        <DaySpan
          since="simples_excluded_since"
          before="simples_excluded_before"
          presets={LAST_MONTHS}
        />
      </Days>
      <Days legend={record.leftMei}>
        <DaySpan since="mei_excluded_since" before="mei_excluded_before" presets={LAST_MONTHS} />
      </Days>
    </>
  );
}

function Days({ legend, children }: { legend: string; children: ComponentChildren }): VNode {
  return (
    <fieldset class="filter-days">
      <legend class="field-label">{legend}</legend>
      {children}
    </fieldset>
  );
}

function lacks(data: OptionalData): boolean {
  return catalog.value?.catalog.lacks.includes(data) ?? false;
}

/** Shows controls. If the snapshot lacks their data, shows a line that names the data instead. */
function Known({ data, Body }: { data: OptionalData; Body: ComponentType }): VNode {
  return lacks(data) ? <Lacking data={data} /> : <Body />;
}

function Lacking({ data }: { data: OptionalData }): VNode {
  const { record } = lazyWords.value;
  return <p class="field-hint">{record.lacking(record.data[data] ?? data)}</p>;
}

function Reasons(): VNode {
  const { record } = lazyWords.value;
  const names = reasonNames();
  const known = catalog.value?.catalog.used_reasons ?? [];
  const chosen = query.value.filters.company.status_reason_any_of ?? [];
  const set = (next: string[]) =>
    change(({ filters }) => {
      filters.company.status_reason_any_of = next;
    });
  const remove = (code: string) => set(chosen.filter((one) => one !== code));
  const choice = (value: string) => ({ value, label: names[value] ?? value, detail: value });
  const search = (text: string) => {
    const typed = analyzeWords(text);
    return known.map(choice).filter(({ value, label }) => {
      const own = analyzeWords(`${value} ${label}`);
      return typed.every((word) => own.some((one) => one.startsWith(word)));
    });
  };
  return (
    <div class="picker">
      <Combobox
        label={record.reason}
        placeholder={record.reasonPlaceholder}
        search={search}
        selected={chosen.map((value) => ({ value, label: value }))}
        onSelect={({ value }) => set([...chosen, value])}
        onRemove={remove}
        chips={false}
        empty={record.reasonNothing}
      />
      <ChipList
        label={record.reason}
        colour="company"
        chips={chosen.map((code) => ({ code, label: choice(code).label }))}
        onRemove={remove}
      />
      <FieldMistake text={mistakeAt("company/status_reason_any_of")} />
    </div>
  );
}

function Sanctions(): VNode {
  const { record } = lazyWords.value;
  const there = SANCTION_NAMES.filter((name) => !lacks(name));
  return (
    <>
      {there.length > 0 && (
        <Checks
          legend={record.sanctions}
          options={there.map((value) => ({ value, label: record.sanctionNames[value] }))}
          values={query.value.filters.company.sanction_any_of ?? []}
          onValues={(values) =>
            change(({ filters }) => {
              filters.company.sanction_any_of = SANCTION_NAMES.filter((one) =>
                values.includes(one),
              );
            })
          }
        />
      )}
      {SANCTION_NAMES.filter(lacks).map((name) => (
        <Lacking key={name} data={name} />
      ))}
      <FieldMistake text={mistakeAt("company/sanction_any_of")} />
    </>
  );
}

function Debt(): VNode {
  const { find } = words.value;
  const { record } = lazyWords.value;
  const { has_federal_debt: wanted, federal_debt_min: min } = query.value.filters.company;
  return (
    <>
      <Segmented
        legend={record.debt}
        value={wanted === undefined ? "any" : wanted ? "yes" : "no"}
        options={[
          { value: "any", label: find.any },
          { value: "yes", label: find.yes },
          { value: "no", label: find.no },
        ]}
        onValue={(next) =>
          change(({ filters: { company } }) => {
            if (next === "any") delete company.has_federal_debt;
            else company.has_federal_debt = next === "yes";
          })
        }
      />
      <div class="pair">
        <Amount member="federal_debt_min" label={record.debtMin} />
        <Amount member="federal_debt_max" label={record.debtMax} least={min ?? 0} />
      </div>
      <Checks
        legend={record.debtKinds}
        options={DEBT_KINDS.map((value) => ({ value, label: find.described.debts[value] }))}
        values={query.value.filters.company.federal_debt_any_of ?? []}
        onValues={(values) =>
          change(({ filters: { company } }) => {
            company.federal_debt_any_of = DEBT_KINDS.filter((kind) => values.includes(kind));
          })
        }
      />
    </>
  );
}

/** Shows fields for owners' roots, the max number of ownership steps, and partnership counts. */
function Owners(): VNode {
  const { record } = lazyWords.value;
  const { owned_by_any_of: roots = [], owned_by_depth: depth = 1 } = query.value.filters.company;
  const read = (text: string) => {
    const plain = text.toUpperCase().replace(/[^0-9A-Z]/g, "");
    const fits = plain.length === 8 || plain.length === 14;
    return fits ? { value: plain.slice(0, 8) } : { wrong: record.ownerWrong };
  };
  return (
    <>
      <TagField
        label={record.ownedBy}
        hint={record.ownedByHint}
        values={roots}
        error={mistakeAt("company/owned_by_any_of")}
        read={read}
        onValues={(values) =>
          change(({ filters: { company } }) => {
            company.owned_by_any_of = values;
            if (values.length === 0) delete company.owned_by_depth;
          })
        }
      />
      {roots.length > 0 && (
        <Select
          label={record.depth}
          value={String(depth)}
          options={DEPTHS.map((value) => ({
            value: String(value),
            label: record.depths(value),
          }))}
          onValue={(value) =>
            change(({ filters: { company } }) => {
              if (value === "1") delete company.owned_by_depth;
              else company.owned_by_depth = Number(value);
            })
          }
        />
      )}
      <Days legend={record.ownedCompanies}>
        <CountEnds least="owned_companies_min" most="owned_companies_max" />
      </Days>
      <Days legend={record.ownerCompanies}>
        <CountEnds least="owner_companies_min" most="owner_companies_max" />
      </Days>
    </>
  );
}
