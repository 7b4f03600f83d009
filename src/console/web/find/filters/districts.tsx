/**
 * The district picker: a text box that finds districts, and chips of the chosen districts with
 * their municipalities.
 * Invariant: the box offers only districts with accounts, and shows their counts. If the text
 * changes during the debounce, the older text is not sent. A chosen district outside the chosen
 * places matches nothing. The form reports it and offers a button that fixes it.
 */
import type { VNode } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { districtTitle, foldDistrict } from "../../../../spec/districtname.ts";
import type { Filters } from "../../app/answers.ts";
import { ApiError, get } from "../../app/api.ts";
import { compact } from "../../app/format.ts";
import { lazyWords } from "../../app/lazywords.ts";
import type { DistrictsFound } from "../../app/listanswers.ts";
import { words } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Combobox, type ComboOption } from "../../parts/combobox.tsx";
import { type CatalogBook, catalog } from "../catalog.ts";
import { change, query } from "../query.ts";
import { ChipList } from "./chips.tsx";
import { districtQuestion } from "./districtsearch.ts";
import { districtsWanted } from "./districtswanted.ts";
import { FieldMistake, mistakeAt } from "./fielderrors.tsx";

type District = NonNullable<Filters["geo"]["district_any_of"]>[number];

/** Debounce before a request. */
const SETTLE_MS = 120;

const MEMBER = "geo/district_any_of";

/** Shows a text box that finds districts, and chips of the chosen ones. */
export function FilterDistricts(): VNode {
  const { districts: text } = lazyWords.value;
  const label = words.value.find.district;
  const book = catalog.value;
  const { geo } = query.value.filters;
  const { search, failure } = useDistricts(geo, book);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that had the focus no longer exists, so the box takes the focus.
    if (districtsWanted.peek()) root.current?.querySelector("input")?.focus();
  }, []);
  const chosen = geo.district_any_of ?? [];
  const chips = chosen.map((one) => ({ code: codeOf(one), label: chipText(one, book) }));
  const remove = (code: string) =>
    setDistricts((list) => list.filter((one) => codeOf(one) !== code));
  return (
    <div class="picker" ref={root}>
      <Combobox
        label={label}
        placeholder={text.placeholder}
        hint={text.hint}
        search={search}
        selected={chips.map(({ code, label: name }) => ({ value: code, label: name }))}
        onSelect={({ value }) => setDistricts((list) => [...list, districtOf(value)])}
        onRemove={remove}
        chips={false}
        empty={failure ?? text.nothing}
      />
      <ChipList label={label} colour="place" chips={chips} onRemove={remove} />
      <FieldMistake text={mistakeAt(MEMBER)} />
      <Outside geo={geo} book={book} />
    </div>
  );
}

/** Returns a function that searches districts, and the error of its last call. */
function useDistricts(geo: Filters["geo"], book: CatalogBook | null) {
  const { districts: text } = lazyWords.value;
  const [failed, setFailed] = useState<unknown>(null);
  const places = JSON.stringify([geo.uf_any_of, geo.municipality_ibge_any_of]);
  // Only the place filters restrict which districts are found.
  const search = useCallback(
    async (typed: string, signal: AbortSignal): Promise<ComboOption[]> => {
      if (book === null) return [];
      const question = districtQuestion(typed, query.peek().filters.geo, book);
      await new Promise((settled) => setTimeout(settled, SETTLE_MS));
      if (signal.aborted) return [];
      try {
        const found = await districtsFound(question, signal);
        setFailed(null);
        return found.map((one) => optionOf(one, book, question.cities.length > 1));
      } catch (error) {
        if (!signal.aborted) setFailed(error);
        return [];
      }
    },
    [book, places],
  );
  const lacking =
    failed instanceof ApiError && failed.errors.some(({ code }) => code === "not_in_snapshot");
  const failure = lacking ? text.lacking : text.failed;
  return { search, failure: failed === null ? null : failure };
}

/** Requests the districts of some municipalities. */
async function districtsFound(
  { name, cities }: ReturnType<typeof districtQuestion>,
  signal: AbortSignal,
): Promise<DistrictsFound["districts"]> {
  if (cities.length === 0) return [];
  const path = `/districts?municipality_ibge=${cities.join(",")}&q=${encodeURIComponent(name)}`;
  return (await get<DistrictsFound>(path, { signal })).districts;
}

/** Warns of districts outside the chosen places. */
function Outside({ geo, book }: { geo: Filters["geo"]; book: CatalogBook | null }): VNode | null {
  const { districts: text } = lazyWords.value;
  const { municipality_ibge_any_of: cities, uf_any_of: states } = geo;
  const whole = cities.length + geo.municipality_tom_any_of.length;
  const outside = (geo.district_any_of ?? []).filter(({ municipality_ibge: ibge }) => {
    const uf = book?.municipality(ibge)?.uf;
    const isOther = states.length > 0 && uf !== undefined && !states.includes(uf);
    return isOther || (whole > 0 && !cities.includes(ibge));
  });
  if (outside.length === 0) return null;
  const fix = () =>
    change(({ filters }) => {
      for (const { municipality_ibge: ibge } of outside) {
        const uf = book?.municipality(ibge)?.uf;
        if (whole > 0) filters.geo.municipality_ibge_any_of.push(ibge);
        if (states.length > 0 && uf !== undefined) filters.geo.uf_any_of.push(uf);
      }
    });
  return (
    <div class="picker-warning" role="status">
      <p>{text.outside(outside.map((one) => chipText(one, book)))}</p>
      <Button small onClick={fix}>
        {text.outsideFix}
      </Button>
    </div>
  );
}

function setDistricts(next: (list: readonly District[]) => District[]): void {
  change(({ filters: { geo } }) => {
    const list = next(geo.district_any_of ?? []);
    if (list.length === 0) delete geo.district_any_of;
    else geo.district_any_of = list;
  });
}

/** Encodes a district as a string, which `districtOf` decodes. */
function codeOf({ municipality_ibge: ibge, name }: District): string {
  return `${ibge} ${name}`;
}

function districtOf(value: string): District {
  const at = value.indexOf(" ");
  return { municipality_ibge: value.slice(0, at), name: value.slice(at + 1) };
}

function optionOf(
  { municipality_ibge, name, accounts }: DistrictsFound["districts"][number],
  book: CatalogBook,
  isNamed: boolean,
): ComboOption {
  const folded = foldDistrict(name);
  return {
    value: codeOf({ municipality_ibge, name: folded }),
    label: districtTitle(folded),
    ...(isNamed ? { detail: cityText(municipality_ibge, book) } : {}),
    count: compact(accounts),
  };
}

function chipText({ municipality_ibge: ibge, name }: District, book: CatalogBook | null): string {
  return `${districtTitle(name)}, ${cityText(ibge, book)}`;
}

function cityText(ibge: string, book: CatalogBook | null): string {
  const found = book?.municipality(ibge);
  return found === undefined ? ibge : `${found.name}/${found.uf}`;
}
