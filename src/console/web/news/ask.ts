/**
 * Questions about changes. What comes in: a saved search, the month to go back to, the kind that is
 * shown. What goes out: the totals of all kinds and the changes of one, page by page.
 * Invariant: an answer to an older question is never shown; while the server still lists what
 * differs between the months, the question is asked again by itself and that is said.
 */
import { useEffect, useState } from "preact/hooks";
import type { ChangeKind } from "../../../changes/kinds.ts";
import type { OutputField } from "../../../spec/fields.ts";
import type { ChangeAnswer, ChangesAnswer, Spec } from "../app/answers.ts";
import { ApiError, post } from "../app/api.ts";

/** What is asked. */
export interface NewsQuestion {
  spec: Spec;
  since: string;
  kind: ChangeKind;
  fields: readonly OutputField[];
}

/** How far the answer is. */
export interface News {
  /** The first page; null until it is there. */
  answer: ChangesAnswer | null;
  /** The changes of all pages that came. */
  changes: readonly ChangeAnswer[];
  /** How far the server has listed what differs, from 0 to 1; null while it does not. */
  preparing: number | null;
  busy: boolean;
  error: unknown;
  more: () => void;
  reload: () => void;
}

const PAGE = 50;
/** Seconds until the question is asked again where the server does not say. */
const PAUSE = 2;

/** What a question asks of the server, of the page that a cursor begins. */
function bodyOfNews({ spec, since, kind, fields }: NewsQuestion, cursor: string | null) {
  // What was said of the month of then need not hold for that of now.
  const { explain: _, ...wanted } = spec;
  const body = { since, spec: wanted, kinds: [kind], output: { fields }, limit: PAGE };
  return cursor === null ? body : { ...body, cursor };
}

interface Heard {
  pages: ChangesAnswer[];
  preparing: number | null;
  error: unknown;
}

const NOTHING: Heard = { pages: [], preparing: null, error: null };

/** Asks, and asks again where that helps; with null nothing is asked. */
export function useNews(question: NewsQuestion | null): News {
  const key = question === null ? null : JSON.stringify(bodyOfNews(question, null));
  const [asked, setAsked] = useState({ key, turn: 0, cursor: null as string | null });
  const [heard, setHeard] = useState<Heard>(NOTHING);
  const [busy, setBusy] = useState(false);
  if (asked.key !== key) {
    setAsked({ key, turn: 0, cursor: null });
    setHeard(NOTHING);
  }
  useEffect(() => {
    if (question === null || key === null || asked.key !== key) return;
    const abort = new AbortController();
    setBusy(true);
    ask(bodyOfNews(question, asked.cursor), abort.signal, (preparing) =>
      setHeard((old) => ({ ...old, preparing, error: null })),
    ).then(
      (page) => {
        setBusy(false);
        setHeard(({ pages }) => ({ pages: [...pages, page], preparing: null, error: null }));
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setBusy(false);
        setHeard((old) => ({ ...old, preparing: null, error }));
      },
    );
    return () => abort.abort();
  }, [asked.key, asked.turn, asked.cursor]);
  const shown = asked.key === key ? heard : NOTHING;
  const cursor = shown.pages.at(-1)?.next_cursor ?? null;
  return {
    answer: shown.pages[0] ?? null,
    changes: shown.pages.flatMap(({ changes }) => changes),
    ...{ preparing: shown.preparing, error: shown.error, busy },
    more: () => setAsked((old) => ({ ...old, cursor })),
    reload: () => setAsked((old) => ({ ...old, turn: old.turn + 1 })),
  };
}

async function ask(
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
