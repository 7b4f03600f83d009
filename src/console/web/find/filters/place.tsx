/**
 * The place filters: states, municipalities, districts, postal code prefixes, and area codes.
 * Invariant: a postal code is stored as digits, an area code as two digits. The form lists all 27
 * states and "abroad". A chosen municipality outside the chosen states matches nothing. The form
 * reports it and offers a button that fixes it. For a typed distance, such as "Campinas + 30 km",
 * one choice adds all municipalities within it. The district box appears once a municipality or
 * district is chosen, or after a press of its button.
 */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { UFS } from "../../../../spec/fields.ts";
import type { Filters, TranslateAnswer } from "../../app/answers.ts";
import { post } from "../../app/api.ts";
import { compact } from "../../app/format.ts";
import { language } from "../../app/language.ts";
import { words } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Combobox, type ComboOption } from "../../parts/combobox.tsx";
import { type CatalogBook, catalog, type PickerChoice } from "../catalog.ts";
import { change, query } from "../query.ts";
import { ChipList, TagField } from "./chips.tsx";
import { districtsWanted } from "./districtswanted.ts";
import { FieldMistake, mistakeAt } from "./fielderrors.tsx";
import { stateName } from "./filterwords.ts";
import { LazyGroup } from "./group.tsx";

/** The district box, or the button that opens it. */
function Districts(): VNode {
  const { municipality_ibge_any_of: cities, district_any_of: chosen } = query.value.filters.geo;
  if (districtsWanted.value || cities.length > 0 || chosen !== undefined) {
    return <LazyGroup name="districts" />;
  }
  const { find } = words.value;
  const want = () => {
    districtsWanted.value = true;
  };
  return (
    <Button small icon="plus" onClick={want}>
      {find.district}
    </Button>
  );
}

/** Places. */
export function FilterPlace(): VNode {
  const { find } = words.value;
  const { geo } = query.value.filters;
  const municipality = "geo/municipality_ibge_any_of";
  return (
    <>
      <StatePicker />
      <FieldMistake text={mistakeAt("geo/uf_any_of")} />
      <MunicipalityPicker />
      <FieldMistake text={mistakeAt(municipality) ?? mistakeAt("geo/municipality_tom_any_of")} />
      <Districts />
      <TagField
        label={find.postal}
        hint={find.postalHint}
        colour="place"
        inputMode="numeric"
        values={geo.postal_code_prefix_any_of ?? []}
        error={mistakeAt("geo/postal_code_prefix_any_of")}
        read={(text) => {
          const digits = text.replace(/[\s.-]/g, "");
          return /^\d{1,8}$/.test(digits) ? { value: digits } : { wrong: find.postalWrong(text) };
        }}
        onValues={(values) =>
          change(({ filters }) => {
            filters.geo.postal_code_prefix_any_of = values;
          })
        }
      />
      <TagField
        label={find.area}
        hint={find.areaHint}
        colour="place"
        inputMode="numeric"
        values={geo.area_code_any_of ?? []}
        error={mistakeAt("geo/area_code_any_of")}
        read={(text) => {
          const digits = text.replace(/[\s()]/g, "").replace(/^0/, "");
          const known = /^(1[1-9]|[2-9]\d)$/.test(digits);
          return known ? { value: digits } : { wrong: find.areaWrong(text) };
        }}
        onValues={(values) =>
          change(({ filters }) => {
            filters.geo.area_code_any_of = values;
          })
        }
      />
    </>
  );
}

const FOUND_MAX = 60;
/** Matches a typed distance. */
const DISTANCE = /\+?\s*(\d[\d.,]*\s*(?:km|quil|mi))/i;

/** Returns the municipalities within a typed distance of a city, as one choice. */
async function within(text: string, signal: AbortSignal): Promise<ComboOption[]> {
  const near = text.replace(DISTANCE, " raio de $1");
  const question = { query_text: near, language: language.peek() };
  const { spec, explain } = await post<TranslateAnswer>("/translate", question, { signal });
  const radius = explain.assumptions.find(({ code }) => code === "radius");
  const value = spec.filters.geo.municipality_ibge_any_of.join();
  return radius === undefined ? [] : [{ value, label: radius.detail }];
}

/** The states as small checkboxes. */
function StatePicker(): VNode {
  const { find } = words.value;
  const chosen = query.value.filters.geo.uf_any_of;
  const toggle = (uf: string, wanted: boolean) =>
    change(({ filters: { geo } }) => {
      geo.uf_any_of = wanted ? [...geo.uf_any_of, uf] : geo.uf_any_of.filter((one) => one !== uf);
    });
  return (
    <fieldset class="states">
      <legend class="field-label">{find.states}</legend>
      <div class="states-grid">
        {UFS.map((uf) => (
          <label key={uf} class="state" title={stateName(uf)}>
            <input
              type="checkbox"
              aria-label={stateName(uf)}
              checked={chosen.includes(uf)}
              onChange={(event) => toggle(uf, event.currentTarget.checked)}
            />
            <span aria-hidden="true">{uf}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function MunicipalityPicker(): VNode {
  const { find } = words.value;
  const book = catalog.value;
  const { geo } = query.value.filters;
  const states = geo.uf_any_of.join(",");
  const search = useCallback(
    (text: string, signal: AbortSignal) => {
      if (DISTANCE.test(text)) return within(text, signal);
      const inside = states === "" ? [] : states.split(",");
      return book?.searchMunicipalities(text, FOUND_MAX, inside).map(optionOf) ?? [];
    },
    [book, states],
  );
  const codes = [...geo.municipality_ibge_any_of, ...geo.municipality_tom_any_of];
  const chips = codes.map((code) => ({ code, label: chipText(code, book) }));
  return (
    <div class="picker">
      <Combobox
        label={find.municipalities}
        placeholder={book === null ? find.catalogLoading : find.municipalitiesPlaceholder}
        search={search}
        selected={chips.map(({ code, label }) => ({ value: code, label }))}
        onSelect={({ value }) =>
          change(({ filters }) => {
            filters.geo.municipality_ibge_any_of.push(...value.split(","));
          })
        }
        onRemove={(code) => change(({ filters }) => removeCode(filters.geo, code))}
        chips={false}
        empty={book === null ? find.catalogLoading : find.municipalitiesNothing}
      />
      <ChipList
        label={find.municipalities}
        colour="place"
        chips={chips}
        onRemove={(code) => change(({ filters }) => removeCode(filters.geo, code))}
      />
      <Outside geo={geo} book={book} />
    </div>
  );
}

/** Warns of municipalities outside the chosen states. */
function Outside({ geo, book }: { geo: Filters["geo"]; book: CatalogBook | null }): VNode | null {
  const { find } = words.value;
  const codes = [...geo.municipality_ibge_any_of, ...geo.municipality_tom_any_of];
  const outside = codes
    .flatMap((code) => book?.municipality(code) ?? [])
    .filter(({ uf }) => geo.uf_any_of.length > 0 && !geo.uf_any_of.includes(uf));
  if (outside.length === 0) return null;
  const names = outside.map(({ name, uf }) => `${name}/${uf}`);
  return (
    <div class="picker-warning" role="status">
      <p>{find.municipalitiesOutside(names, geo.uf_any_of)}</p>
      <Button
        small
        onClick={() =>
          change(({ filters }) => {
            filters.geo.uf_any_of.push(...outside.map(({ uf }) => uf));
          })
        }
      >
        {find.municipalitiesOutsideFix}
      </Button>
    </div>
  );
}

function removeCode(geo: Filters["geo"], code: string): void {
  const others = (list: string[]) => list.filter((one) => one !== code);
  geo.municipality_ibge_any_of = others(geo.municipality_ibge_any_of);
  geo.municipality_tom_any_of = others(geo.municipality_tom_any_of);
}

function optionOf({ code, name, uf, accounts }: PickerChoice): ComboOption {
  return { value: code, label: name, detail: uf ?? "", count: compact(accounts) };
}

function chipText(code: string, book: CatalogBook | null): string {
  const found = book?.municipality(code);
  return found === undefined ? code : `${found.name}/${found.uf}`;
}
