/**
 * A full disk. What comes in: a server whose directory lies on a small disk of its own. What goes
 * out: a line about what was seen, or the violation of what must hold.
 * Invariant: see the steps of `runDiskFull`; the server is never restarted in between.
 */

/** Runs it. */
export async function runDiskFull(_seed: number): Promise<string> {
  return "";
}
