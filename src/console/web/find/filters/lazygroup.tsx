/**
 * A group of filters whose controls come when it is opened. What comes in: its name. What goes out:
 * its controls, room while they are on their way, or why they did not come.
 * Invariant: they are fetched once for all such groups; after a failure the next try is a press.
 * Apart because what a group looks like does not depend on when it comes (filters.tsx).
 */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Skeleton } from "../../parts/busy.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";

type Closed = typeof import("./closed.tsx")["CLOSED"];

const part = signal<Closed | null>(null);
const failure = signal<unknown>(null);

async function load(): Promise<void> {
  if (part.peek() !== null) return;
  failure.value = null;
  try {
    part.value = (await import("./closed.tsx")).CLOSED;
  } catch (error) {
    failure.value = error;
  }
}

/** The controls of a group that is closed at first. */
export function LazyGroup({ name }: { name: keyof Closed }): VNode {
  useEffect(() => void load(), []);
  const Body = part.value?.[name];
  if (Body !== undefined) return <Body />;
  if (failure.value === null) return <Skeleton lines={2} height={64} />;
  return <ErrorNotice error={failure.value} onRetry={() => void load()} />;
}
