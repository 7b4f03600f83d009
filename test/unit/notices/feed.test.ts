/**
 * Proves: for any values of the registry, a feed is well-formed XML with one entry for each counted
 * notice. Each entry has the notice's id, the counts in both languages, and names of companies, but
 * never a contact.
 * Does not prove which clients may read the feed (contract/http/api/notices.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SaxesParser } from "saxes";
import { feedOf } from "../../../src/notices/feed.ts";
import type { NoticeRow } from "../../../src/store/noticestore.ts";

const SEARCH = { id: "sch_1", name: "Cantinas", createdAt: 0, feed: "secret" };
const HOSTILE = ["]]>", "</entry><x>", "&lt;", "\u0000\u0008", "\ud800", "\uffff", '"<!--', "🎂"];

function notice(number: number, first: readonly object[] = []): NoticeRow {
  const counts = { entered: 12, left: 3, changed: 5, changed_fields: {}, first };
  return {
    ...{ sequence: number, id: `ntc_${number}`, tenantId: "t", searchId: "sch_1", number },
    ...{ searchName: "Cantinas", snapshot: "2026-11", snapshotDate: "2026-11-14" },
    ...{ since: "2026-10", state: "counted", attempts: 0, failure: null, exportId: null },
    ...{ counts: JSON.stringify(counts), createdAt: 0, countedAt: 1_000 * number },
  };
}

/** Maps the name of each element in a feed to the texts of these elements. */
function parsed(text: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const open: string[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => assert.fail(error));
  parser.on("opentag", ({ name }) => {
    open.push(name);
    found[name] = [...(found[name] ?? []), ""];
  });
  const add = (part: string) => {
    const own = found[open.at(-1) ?? ""];
    if (own !== undefined) own[own.length - 1] += part;
  };
  parser.on("text", add);
  parser.on("cdata", add);
  parser.on("closetag", () => open.pop());
  parser.write(text).close();
  return found;
}

describe("a feed", () => {
  const place = { base: "https://peneira.example.com", language: "pt" } as const;

  it("has an entry for each counted notice", () => {
    const uncounted: NoticeRow = { ...notice(3), state: "counting", counts: null };
    const { entry, id, title } = parsed(feedOf(SEARCH, [uncounted, notice(2), notice(1)], place));
    assert.equal(entry?.length, 2);
    assert.deepEqual(id, ["urn:peneira:sch_1", "urn:peneira:ntc_2", "urn:peneira:ntc_1"]);
    assert.match(title?.[1] ?? "", /12 novas, 3 saíram, 5 mudaram/);
    const english = parsed(feedOf(SEARCH, [notice(1)], { ...place, language: "en" }));
    assert.match(english.title?.[1] ?? "", /12 new, 3 gone, 5 changed/);
  });

  it("names its author, and its own address if the server has a public one", () => {
    const text = feedOf(SEARCH, [notice(1)], place);
    assert.match(text, /<author>\s*<name>Peneira<\/name>\s*<\/author>/);
    const own = "https://peneira.example.com/feeds/secret.atom?lang=pt";
    assert.ok(text.includes(`<link rel="self" href="${own}"/>`), text);
    const local = feedOf(SEARCH, [notice(1)], { ...place, base: "" });
    assert.match(local, /<author>/);
    assert.doesNotMatch(local, /rel="self"/);
  });

  it("is valid without a public address", () => {
    const { entry } = parsed(feedOf(SEARCH, [notice(1)], { base: "", language: "pt" }));
    assert.equal(entry?.length, 1);
  });

  it("is well-formed and shows no contact, for hostile names too", () => {
    for (const bad of HOSTILE) {
      const account = {
        ...{ cnpj: "1", change: "entered", changed_fields: [], legal_name: `A${bad}B`, uf: bad },
        ...{ email: "secret@example.com", phone_1: "+551199999" },
      };
      const text = feedOf({ ...SEARCH, name: `N${bad}` }, [notice(1, [account])], place);
      const { entry } = parsed(text);
      assert.equal(entry?.length, 1, bad);
      assert.doesNotMatch(text, /secret@example|99999/);
    }
  });
});
