/**
 * Names that are put in place when somebody first looks where they belong. What comes in: items,
 * each with where it begins, and what puts one in place. What goes out: nothing; whoever looks asks
 * for a beginning before.
 * Invariant: the items of one beginning are put in the order in which they came, each once, all of
 * them before anything is found there; so nobody sees whether they waited, and a first sentence
 * pays for the few names that begin as its words do.
 */

/** Items of one beginning; those before `next` are in place. */
interface Queue<Item> {
  readonly items: Item[];
  next: number;
}

/** Items that wait. */
export class Waitlist<Item> {
  readonly #put: (item: Item) => void;
  readonly #queues = new Map<string, Queue<Item>>();

  /** Takes what puts an item in place. */
  constructor(put: (item: Item) => void) {
    this.#put = put;
  }

  /** Lets an item wait until somebody looks at its beginning. */
  add(beginning: string, item: Item): void {
    const queue = this.#queues.get(beginning);
    if (queue === undefined) this.#queues.set(beginning, { items: [item], next: 0 });
    else queue.items.push(item);
  }

  /** Puts what waits at a beginning. */
  bring(beginning: string): void {
    const queue = this.#queues.get(beginning);
    if (queue === undefined) return;
    while (queue.next < queue.items.length) this.#putNext(queue);
    this.#queues.delete(beginning);
  }

  /** Puts all of them. */
  bringAll(): void {
    for (const beginning of this.#queues.keys()) this.bring(beginning);
  }

  #putNext(queue: Queue<Item>): void {
    const item = queue.items[queue.next++] as Item;
    this.#put(item);
  }
}
