/**
 * Steps between requests. What comes in: work in steps. What goes out: nothing, once it is done.
 * Invariant: every turn of the event loop has one step at most.
 * Apart because the console shares steps.ts and runs where there is no Node.
 */
import { setImmediate } from "node:timers/promises";
import { outcomeOf, type Steps } from "./steps.ts";

/**
 * Runs one step in each turn of the event loop, so that requests have their turn between any two;
 * for what can wait. Ends early when `ended` says so.
 */
export async function inTurns(steps: Steps<unknown>, ended: () => boolean): Promise<void> {
  for (let failure: { readonly error: unknown } | null = null; !ended(); ) {
    const { done, value } = failure === null ? steps.next() : steps.throw(failure.error);
    if (done === true) return;
    failure = await outcomeOf(value as Promise<unknown> | undefined);
    await setImmediate();
  }
}
