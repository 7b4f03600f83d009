/**
 * Names of facet values in the language of the screen, and the requests of this view.
 * Invariant: a value without a name here is shown with the server's name, else as its code.
 */
import { useEffect, useState } from "preact/hooks";
import type { FacetName } from "../../../spec/facets.ts";
import { post } from "../app/api.ts";
import { lazyWords } from "../app/lazywords.ts";
import { words } from "../app/words.ts";
import { shortActivity } from "../find/catalog.ts";
import { stateName } from "../find/filters/filterwords.ts";

/** A value of a facet; null for accounts without a value. */
export type FacetValue = string | number | boolean | null;

/** Returns a value in words. */
export function valueName(facet: FacetName, value: FacetValue, label: string | undefined): string {
  const { charts, codes } = words.value;
  const code = String(value);
  if (value === null) return charts.missing;
  if (facet === "uf") return stateName(code);
  if (facet === "company_size") return codes.sizes[code] ?? code;
  if (facet === "registration_status") return codes.statuses[code] ?? code;
  if (facet === "contact") return charts.contactNames[code] ?? code;
  if (facet === "simples" || facet === "mei") return value === true ? charts.yes : charts.no;
  if (facet === "headquarters") return lazyWords.value.compare.units[value === true ? 0 : 1];
  if (facet === "cnae_section" || facet === "cnae_division") {
    return charts.branches[code] ?? label ?? code;
  }
  if (facet === "cnae_subclass") return shortActivity(code, label ?? code);
  return label ?? code;
}

/** State of a request. */
interface Posted<Answer> {
  readonly answer: Answer | null;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Posts a body, again when it changes. The last answer stays until the next one arrives. */
export function usePost<Answer>(path: string, body: unknown): Posted<Answer> {
  const key = JSON.stringify(body);
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ answer: Answer | null; error: unknown }>({
    answer: null,
    error: null,
  });
  useEffect(() => {
    const abort = new AbortController();
    post<Answer>(path, JSON.parse(key), { signal: abort.signal }).then(
      (answer) => setState({ answer, error: null }),
      (error: unknown) => !abort.signal.aborted && setState({ answer: null, error }),
    );
    return () => abort.abort();
  }, [path, key, turn]);
  return { ...state, retry: () => setTurn(turn + 1) };
}
