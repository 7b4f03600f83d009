/**
 * Loads changes for a saved search since a month: the totals of all kinds, and the changes of one
 * kind, page by page.
 * Invariant: an outdated answer is never shown. While the server is still comparing the months, the
 * request is repeated automatically, and the view shows the progress.
 */
import { useEffect, useState } from "preact/hooks";
import type { ChangeKind } from "../../../changes/kinds.ts";
import type { ChangeGroup } from "../../../spec/fields/groups.ts";
import type { OutputField } from "../../../spec/fields.ts";
import type { ChangeAnswer, ChangesAnswer, Spec } from "../app/answers.ts";
import { ApiError, post } from "../app/api.ts";

/** A query. */
export interface NewsQuestion {
  spec: Spec;
  since: string;
  kind: ChangeKind;
  /**
   * Groups of fields, for the kind "changed". If there are any, only accounts with a change in one
   * of the groups are requested.
   */
  groups: readonly ChangeGroup[];
  fields: readonly OutputField[];
}

/** State of the answer. */
export interface News {
  /** The first page; null until loaded. */
  answer: ChangesAnswer | null;
  /** The changes of all loaded pages. */
  changes: readonly ChangeAnswer[];
  /** The server's progress in comparing the months, from 0 to 1, or null if it is not comparing. */
  preparing: number | null;
  busy: boolean;
  error: unknown;
  more: () => void;
  reload: () => void;
}

const PAGE = 50;
/** Seconds before a retry if the server does not state a time. */
const PAUSE = 2;

/** Returns the request body. A cursor selects the page. */
function bodyOfNews(question: NewsQuestion, cursor: string | null) {
  const { spec, since, kind, fields } = question;
  // The translator's remarks are left out, because they refer to an older month and may be wrong
  // for this one.
  const { explain: _, ...wanted } = spec;
  const changes = { since, spec: wanted, kinds: [kind], ...groupsOf(question) };
  const body = { ...changes, output: { fields }, limit: PAGE };
  return cursor === null ? body : { ...body, cursor };
}

/** Returns the request's member for groups of fields, or an empty object for other kinds. */
export function groupsOf({ kind, groups }: Pick<NewsQuestion, "kind" | "groups">): {
  readonly changed_any_of?: readonly ChangeGroup[];
} {
  return kind === "changed" && groups.length > 0 ? { changed_any_of: groups } : {};
}

interface Received {
  pages: ChangesAnswer[];
  preparing: number | null;
  error: unknown;
}

const NOTHING: Received = { pages: [], preparing: null, error: null };

/** Requests the changes, and further pages on demand. Requests nothing if `question` is null. */
export function useNews(question: NewsQuestion | null): News {
  const key = question === null ? null : JSON.stringify(bodyOfNews(question, null));
  const [requested, setRequested] = useState({ key, turn: 0, cursor: null as string | null });
  const [received, setReceived] = useState<Received>(NOTHING);
  const [busy, setBusy] = useState(false);
  if (requested.key !== key) {
    setRequested({ key, turn: 0, cursor: null });
    setReceived(NOTHING);
  }
  useEffect(() => {
    if (question === null || key === null || requested.key !== key) return;
    const abort = new AbortController();
    setBusy(true);
    request(bodyOfNews(question, requested.cursor), abort.signal, (preparing) =>
      setReceived((old) => ({ ...old, preparing, error: null })),
    ).then(
      (page) => {
        setBusy(false);
        setReceived(({ pages }) => ({ pages: [...pages, page], preparing: null, error: null }));
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setBusy(false);
        setReceived((old) => ({ ...old, preparing: null, error }));
      },
    );
    return () => abort.abort();
  }, [requested.key, requested.turn, requested.cursor]);
  const shown = requested.key === key ? received : NOTHING;
  const cursor = shown.pages.at(-1)?.next_cursor ?? null;
  return {
    answer: shown.pages[0] ?? null,
    changes: shown.pages.flatMap(({ changes }) => changes),
    ...{ preparing: shown.preparing, error: shown.error, busy },
    more: () => setRequested((old) => ({ ...old, cursor })),
    reload: () => setRequested((old) => ({ ...old, turn: old.turn + 1 })),
  };
}

async function request(
  body: object,
  signal: AbortSignal,
  onPreparing: (progress: number) => void,
): Promise<ChangesAnswer> {
  for (;;) {
    try {
      return await post<ChangesAnswer>("/changes", body, { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "changes_preparing") throw error;
      onPreparing(Number(error.members.progress ?? 0));
      await pause(error.retryAfterSeconds ?? PAUSE, signal);
    }
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
