/**
 * Loads and caches an account with its explanation, by spec and CNPJ.
 * Invariant: recent answers are not requested again. A late answer for another account is never
 * shown. Separate because it requests and caches answers, while the drawer only draws them.
 */
import { useEffect, useState } from "preact/hooks";
import type { ExplainAnswer } from "../../app/answers.ts";
import { post } from "../../app/api.ts";

/** Cached accounts, so that going back and forth is instant. */
const CACHED_MAX = 100;
const cached = new Map<string, ExplainAnswer>();

/** State of an account's request. */
export interface Explained {
  readonly answer: ExplainAnswer | null;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Loads an account with its explanation, or nothing if `cnpj` or `snapshot` is null. */
export function useExplained(
  spec: object,
  snapshot: string | null,
  cnpj: string | null,
): Explained {
  const { explain: _, ...query } = spec as Record<string, unknown>;
  const key = cnpj === null ? null : JSON.stringify([snapshot, cnpj, query]);
  const [state, setState] = useState<{ key: string | null; error: unknown }>(NOTHING);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (key === null || cached.has(key)) return;
    const abort = new AbortController();
    setState(NOTHING);
    const body = { spec: query, cnpj };
    post<ExplainAnswer>("/accounts/explain", body, { signal: abort.signal }).then(
      (answer) => {
        cacheAnswer(key, answer);
        if (!abort.signal.aborted) setState({ key, error: null });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ key, error });
      },
    );
    return () => abort.abort();
  }, [key, turn]);
  const answer = key === null ? null : (cached.get(key) ?? null);
  const error = state.key === key && answer === null ? state.error : null;
  return { answer, error, retry: () => setTurn((old) => old + 1) };
}

const NOTHING = { key: null, error: null };

function cacheAnswer(key: string, answer: ExplainAnswer): void {
  cached.set(key, answer);
  const oldest = cached.keys().next().value;
  if (cached.size > CACHED_MAX && oldest !== undefined) cached.delete(oldest);
}
