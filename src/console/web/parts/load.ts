/**
 * Loads an answer for a view from a path below /v1/console.
 *
 * - useAnswer<T>(path or null): {answer: T or null, error: unknown, busy: boolean, reload(),
 *   set(answer)}
 *
 * Invariant: a new path aborts the old request. A reload keeps the old answer on screen until the
 * new one arrives.
 */
import { useCallback, useEffect, useState } from "preact/hooks";
import { get } from "../app/api.ts";

/** State of a request. */
interface Loaded<T> {
  answer: T | null;
  error: unknown;
  busy: boolean;
  reload: () => void;
  set: (answer: T) => void;
}

/** Loads a path; null sends no request. */
export function useAnswer<T>(path: string | null): Loaded<T> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ path: string | null; answer: T | null; error: unknown }>({
    path: null,
    answer: null,
    error: null,
  });
  const [busy, setBusy] = useState(path !== null);
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    setBusy(true);
    get<T>(path, { signal: abort.signal }).then(
      (answer) => {
        setState({ path, answer, error: null });
        setBusy(false);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState((old) => ({ path, answer: old.path === path ? old.answer : null, error }));
        setBusy(false);
      },
    );
    return () => abort.abort();
  }, [path, turn]);
  const reload = useCallback(() => setTurn((old) => old + 1), []);
  const set = useCallback((answer: T) => setState({ path, answer, error: null }), [path]);
  return { answer: state.answer, error: state.error, busy, reload, set };
}
