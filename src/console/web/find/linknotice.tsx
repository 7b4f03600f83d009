/**
 * What is to be said of a link that was opened. What comes in: what of it was not understood, and
 * of which snapshot it was made. What goes out: a notice, until it is dismissed.
 * Invariant: everything that is not understood is named with its text; a link of an older snapshot
 * is told, since its numbers are others now.
 * Apart because it is about links alone, and the view that places it is about none.
 */
import type { VNode } from "preact";
import { words } from "../app/words.ts";
import { Notice } from "../parts/notice.tsx";
import { dismissLink, exploration, linkTroubles, staleMonth } from "./query.ts";

/** The notice; nothing where there is nothing to say. */
export function LinkNotice(): VNode | null {
  const { find } = words.value;
  const troubles = linkTroubles.value;
  const linked = staleMonth.value;
  if (troubles.length === 0 && linked === null) return null;
  const served = exploration.value.answer?.snapshot ?? "";
  const title = troubles.length > 0 ? find.linkTroubleTitle : find.linkMonthTitle;
  return (
    <Notice kind="warn" title={title} action={{ label: find.understood, onClick: dismissLink }}>
      {troubles.length > 0 && (
        <ul>
          {troubles.map(({ key, value, reason }) => (
            <li key={`${key} ${value} ${reason}`}>{find.linkTroubles[reason](key, value)}</li>
          ))}
        </ul>
      )}
      {linked !== null && <p>{find.linkMonth(linked, served)}</p>}
    </Notice>
  );
}
