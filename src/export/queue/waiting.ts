/**
 * Requests that wait for an export to end. What comes in: an id and a longest wait. What goes out:
 * a promise that resolves when that export has ended, or when the time is over.
 * Invariant: every timer is cleared with its wait; once closed, nothing waits any more. Apart
 * because it knows time and ids and nothing of exports.
 */

/** Those who wait, by the id of the export. */
export class Waiting {
  readonly #waits = new Map<string, Set<() => void>>();
  #closed = false;

  /** Resolves when `wake` is called with the id, or after `ms` milliseconds. */
  until(id: string, ms: number): Promise<void> {
    if (this.#closed || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const waits = this.#waits.get(id) ?? new Set();
      this.#waits.set(id, waits);
      const end = () => {
        clearTimeout(timer);
        waits.delete(end);
        if (waits.size === 0 && this.#waits.get(id) === waits) this.#waits.delete(id);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waits.add(end);
    });
  }

  /** Ends all waits for one export. */
  wake(id: string): void {
    for (const end of [...(this.#waits.get(id) ?? [])]) end();
  }

  /** Ends all waits, and those still to come. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#waits.keys()]) this.wake(id);
  }

  /** How many exports are waited for. */
  get size(): number {
    return this.#waits.size;
  }
}
