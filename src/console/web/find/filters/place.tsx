/**
 * The place filters. What comes in: the query. What goes out: states, municipalities, districts,
 * beginnings of postal codes and area codes.
 * Invariant: a postal code is kept as digits, an area code as two of them. The box of districts
 * comes with the first municipality or district, or when it is asked for.
 */
import type { VNode } from "preact";
import { words } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { change, query } from "../query.ts";
import { districtsWanted } from "./districtswanted.ts";
import { mistakeAt } from "./fielderrors.ts";
import { FieldMistake } from "./fieldmistake.tsx";
import { LazyGroup } from "./lazygroup.tsx";
import { MunicipalityPicker, StatePicker } from "./placepicker.tsx";
import { TagField } from "./tagfield.tsx";

/** The box of districts, or what brings it. */
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
