/**
 * One account as a whole. What comes in: the spec of the list and a CNPJ. What goes out: the
 * account with why it is listed, that it is on its way, or why it failed.
 * Invariant: what was read once is not read again while it is among the last ones; an account that
 * was left before it came is never shown in place of another.
 * Apart because it asks the server and keeps what it said, while the drawer only draws it.
 */
import { useEffect, useState } from "preact/hooks";
import type { ExplainAnswer } from "../../app/answers.ts";
import { post } from "../../app/api.ts";

/** Accounts kept, so that going back and forth between them is instant. */
const KEPT_MAX = 100;
const kept = new Map<string, ExplainAnswer>();

/** How the reading of an account stands. */
export interface Explained {
  readonly answer: ExplainAnswer | null;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Reads an account against a spec, sent or answered; null asks for nothing. */
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
    if (key === null || kept.has(key)) return;
    const abort = new AbortController();
    setState(NOTHING);
    const body = { spec: query, cnpj };
    post<ExplainAnswer>("/accounts/explain", body, { signal: abort.signal }).then(
      (answer) => {
        keepAnswer(key, answer);
        if (!abort.signal.aborted) setState({ key, error: null });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ key, error });
      },
    );
    return () => abort.abort();
  }, [key, turn]);
  const answer = key === null ? null : (kept.get(key) ?? null);
  const error = state.key === key && answer === null ? state.error : null;
  return { answer, error, retry: () => setTurn((old) => old + 1) };
}

const NOTHING = { key: null, error: null };

/** Keeps an answer and forgets the oldest one where there are too many. */
function keepAnswer(key: string, answer: ExplainAnswer): void {
  kept.set(key, answer);
  const oldest = kept.keys().next().value;
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
}
