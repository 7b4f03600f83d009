/**
 * Waits for answers of a server that may be silent. Input: a promise. Output: its value, or
 * `Silence`.
 * Invariant: every wait ends. An answer that has arrived counts, even if the process was paused for
 * longer than the limit before it read the answer.
 */

/** Milliseconds without an answer to a small request after which the server counts as silent. */
export const SILENCE_MS = 2_500;

/** Error: the server has not answered for too long. */
export class Silence extends Error {}

/** Returns the answer. Throws `Silence` if it does not come. */
export async function inTime<Answer>(answer: Promise<Answer>, ms = SILENCE_MS): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Silence("the server is silent"));
    // While the process is paused, an answer may arrive. The delay by two turns of the event loop
    // lets it be read before the time limit applies.
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}
