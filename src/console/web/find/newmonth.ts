/**
 * A newer month while the page is open. What comes in: which month is served, as the server last
 * said, and which month the count is of. What goes out: one word about it, and everything asked
 * anew of the newer one.
 * Invariant: two months never stay on one screen; each month is said once, and asked for once by
 * itself, whatever the answers are. Apart because it is about months alone, and the view is about
 * what is found.
 */
import { effect } from "@preact/signals";
import { month } from "../app/format.ts";
import { loadStatus, status } from "../app/status.ts";
import { words } from "../app/words.ts";
import { toast } from "../parts/toast.tsx";
import { exploration, renewAddress, retry } from "./query.ts";

/** The newest month that was shown or asked for; empty before the first one. */
let newest = "";
/** Whether the count of the newest month is still to come, and the address to name it. */
let isAwaited = false;

/** Follows the months from now on; the answer ends it. */
export function followMonth(): () => void {
  return effect(() => {
    const { state, answer } = exploration.value;
    const served = status.value?.snapshot ?? "";
    const counted = answer?.snapshot ?? "";
    if (counted === "" || served === "" || state === "busy") return;
    const [later = ""] = [counted, served].sort().reverse();
    if (later === newest) {
      if (isAwaited && counted === later) renewAddress();
      isAwaited = isAwaited && counted !== later;
      return;
    }
    const isFirst = newest === "" && counted === served;
    newest = later;
    if (isFirst) return;
    isAwaited = true;
    if (counted < later) retry();
    if (served < later) void loadStatus();
    toast(words.peek().find.newMonth(month(later)));
  });
}
