/**
 * Proves, by comparison with a Set under random operations: the linked list of open exchanges holds
 * the items that were added and not removed, and their number. Removing an absent item changes
 * nothing. Removing an item during an iteration does not affect the others.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type ListNode, OpenExchanges } from "../../../../src/http/server/transport/transport.ts";

class Member implements ListNode<Member> {
  before: ListNode<Member>["before"] = undefined;
  after: ListNode<Member>["after"] = undefined;
}

describe("open exchanges", () => {
  it("are those that began and did not end", () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 7 })));
    fc.assert(
      fc.property(steps, (all) => {
        const members = Array.from({ length: 8 }, () => new Member());
        const open = new OpenExchanges<Member>();
        const twin = new Set<Member>();
        for (const [comes, at] of all) {
          const member = members[at] as Member;
          if (!comes) open.delete(member);
          else if (!twin.has(member)) open.add(member);
          if (comes) twin.add(member);
          else twin.delete(member);
          assert.equal(open.size, twin.size);
          assert.deepEqual(new Set(open), twin);
        }
      }),
    );
  });

  it("are all visited, although each ends meanwhile", () => {
    const open = new OpenExchanges<Member>();
    const members = [new Member(), new Member(), new Member()];
    for (const member of members) open.add(member);
    const seen: Member[] = [];
    for (const member of open) {
      seen.push(member);
      open.delete(member);
    }
    assert.deepEqual(new Set(seen), new Set(members));
    assert.equal(open.size, 0);
  });
});
