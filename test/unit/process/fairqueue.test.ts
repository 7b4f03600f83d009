/**
 * Proves: a fair queue schedules owners by the cost of their tasks, in any order of arrival and for
 * any number of tasks. Tasks of one owner run in order. The queue is limited per owner and in
 * total, with a message and a retry time. A failed task does not block the next.
 * Does not prove: that shared resources use a queue (their suites do).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { AppError } from "../../../src/errors.ts";
import { FairQueue, type QueueBounds } from "../../../src/scheduling/fairqueue.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

const BOUNDS: QueueBounds = { running: 1, waiting: 1_000, waitingOfOwner: 500, what: "Tasks" };

/** Queues the tasks and returns their owners in the order of execution. */
async function orderOf(
  tasks: readonly (readonly [owner: string, cost: number])[],
  bounds = BOUNDS,
): Promise<string[]> {
  const queue = new FairQueue(bounds);
  const order: string[] = [];
  await Promise.all(
    tasks.map(([owner, cost]) =>
      queue.run(owner, cost, async () => {
        order.push(owner);
        await turn();
      }),
    ),
  );
  assert.equal(queue.waiting, 0);
  return order;
}

describe("scheduled tasks", () => {
  it("of a new owner run first", async () => {
    const many = Array.from({ length: 40 }, () => ["many", 500] as const);
    const order = await orderOf([...many, ["few", 1]]);
    assert.equal(order.indexOf("few"), 1);
  });

  it("are shared by cost, not by number", async () => {
    const tasks = Array.from({ length: 60 }, (_, at): [string, number] =>
      at < 20 ? ["large", 100] : ["small", 10],
    );
    const order = await orderOf(tasks);
    const beforeThird = order.slice(0, order.indexOf("large", order.indexOf("large", 1) + 1));
    assert.equal(beforeThird.filter((owner) => owner === "small").length, 20);
  });

  it("never delay an owner by more than its own cost and one task of each other", async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const draw = new Draw(seededRng(seed));
      const tasks = Array.from({ length: 60 }, (): [string, number] => [
        draw.of(["a", "a", "a", "b", "c"]),
        1 + draw.below(50),
      ]);
      const queue = new FairQueue(BOUNDS);
      const served = new Map<string, number>();
      const left = new Map<string, number>();
      for (const [owner] of tasks) left.set(owner, (left.get(owner) ?? 0) + 1);
      await Promise.all(
        tasks.map(([owner, cost]) =>
          queue.run(owner, cost, async () => {
            served.set(owner, (served.get(owner) ?? 0) + cost);
            left.set(owner, (left.get(owner) ?? 0) - 1);
            await turn();
            for (const [other, waiting] of left) {
              const ahead = (served.get(owner) ?? 0) - (served.get(other) ?? 0);
              assert.ok(waiting === 0 || ahead <= 100, `seed ${seed}: ${ahead} ahead of ${other}`);
            }
          }),
        ),
      );
    }
  });

  it("of one owner run one at a time on request, in order", async () => {
    const queue = new FairQueue({ ...BOUNDS, running: 3, runningOfOwner: 1 });
    const begun: string[] = [];
    const under = new Set<string>();
    await Promise.all(
      ["a1", "a2", "a3", "b1", "b2"].map((name) =>
        queue.run(name.charAt(0), 1, async () => {
          begun.push(name);
          assert.ok(!under.has(name.charAt(0)));
          under.add(name.charAt(0));
          await turn();
          under.delete(name.charAt(0));
        }),
      ),
    );
    assert.deepEqual(begun, ["a1", "b1", "a2", "b2", "a3"]);
  });

  it("continue after a task that fails", async () => {
    const queue = new FairQueue(BOUNDS);
    const failing = queue.run("a", 1, () => Promise.reject(new Error("broken")));
    const next = queue.run("b", 1, () => Promise.resolve("done"));
    await assert.rejects(failing, /broken/);
    assert.equal(await next, "done");
  });
});

describe("queued tasks", () => {
  it("are bounded for one owner, in number and cost, while others are accepted", async () => {
    const queue = new FairQueue({ ...BOUNDS, waitingOfOwner: 3, costOfOwner: 20 });
    const running = [queue.run("x", 1, () => turn())];
    const add = (owner: string, cost: number) => queue.run(owner, cost, () => turn());
    running.push(add("a", 30), add("b", 1), add("b", 1), add("b", 1));
    await refusedWith(add("a", 1), "rate_limited", /Tasks of your tenant wait already/);
    await refusedWith(add("b", 1), "rate_limited", /Wait until some of them/);
    running.push(add("c", 1));
    await Promise.all(running);
    await add("b", 1);
  });

  it("are bounded for all", async () => {
    const queue = new FairQueue({ ...BOUNDS, waiting: 2, cost: 10 });
    const add = (owner: string, cost: number) => queue.run(owner, cost, () => turn());
    const running = [add("x", 1), add("a", 5)];
    await refusedWith(add("b", 6), "overloaded", /of all tenants/);
    running.push(add("b", 5));
    await refusedWith(add("c", 0), "overloaded", /Try again in 1 s/);
    await Promise.all(running);
  });

  async function refusedWith(run: Promise<unknown>, code: string, words: RegExp): Promise<void> {
    await assert.rejects(run, (error: unknown) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code);
      assert.equal(error.headers["Retry-After"], "1");
      assert.match(error.message, words);
      return true;
    });
  }
});
