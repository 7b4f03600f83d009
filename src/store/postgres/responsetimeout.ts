/**
 * Waits for answers of a server that may be silent. Input: a promise. Output: its value, or
 * `ResponseTimeout`.
 * Invariant: every wait ends. An answer that has arrived counts, even if the process was paused for
 * longer than the limit before it read the answer.
 */

/** Milliseconds without an answer to a small request after which the server counts as silent. */
export const RESPONSE_MS_MAX = 2_500;

/** Error: the server has not answered for too long. */
export class ResponseTimeout extends Error {}

/** Returns the answer. Throws `ResponseTimeout` if it does not come. */
export async function withTimeout<Answer>(
  answer: Promise<Answer>,
  ms = RESPONSE_MS_MAX,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new ResponseTimeout("the server is silent"));
    // While the process is paused, an answer may arrive. The delay by two turns of the event loop
    // lets it be read before the time limit applies.
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}
