/**
 * Proves: webhooks of the same host have different names, which contain no long part of a path. A
 * webhook that is the only one of its host is named after the host. On a Portuguese page, every
 * sentence of the server about a failed delivery or notice is translated. On an English page, and
 * if the sentence is unknown, it stays unchanged.
 * Does not prove: where names and problems are shown (e2e/console/notices).
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { switchLanguage } from "../../../src/console/web/app/words.ts";
import type { Receiver } from "../../../src/console/web/notices/receivers.ts";
import { textOf } from "../../support/house/checkout.ts";

/** Files that contain these sentences. */
const SOURCES = [
  ...["src/notices/sender.ts", "src/notices/mailer.ts", "src/notices/egress.ts"],
  ...["src/notices/schedule.ts", "src/notices/counter.ts", "src/notices/noticeexports.ts"],
];
/** Matches sentences about an address that the user has just entered, not about a delivery. */
const ON_ENTRY = /^Leave user/;

/** Returns the sentences that occur as string literals in the sources. */
function sentences(): string[] {
  const code = SOURCES.map((file) => textOf(file).replaceAll(/["`] \+\n\s*["`]/g, "")).join("\n");
  const literals = [...code.matchAll(/"([^"\n]*)"|`([^`\n]*)`/g)];
  return literals
    .map(([, plain, template]) => plain ?? template ?? "")
    .map((text) => text.replace(/^\$\{error\} | \$\{message\}$/, ""))
    .filter((text) => /^(?:[A-Z]|\$\{words\}:).* .*\.$/.test(text) && !ON_ENTRY.test(text))
    .flatMap((text) => (/: \$\{words\}\.$/.test(text) ? fill(text) : [text]))
    .map((text) => text.replaceAll(/\$\{[^}]*\}/g, "5"));
}

/**
 * Returns the possible sentences of a template, with `${words}` replaced by the endings that the
 * sources define elsewhere.
 */
function fill(text: string): string[] {
  return ["no success", "a redirect, which is not followed"].map((end) =>
    text.replace(/\$\{words\}/, end),
  );
}

function hook(id: string, path: string, day: number): Receiver {
  const url = `https://example.com${path}`;
  return { id, url, created_at: `2026-11-${day}T12:00:00.000Z` } as Receiver;
}

describe("a problem of a notice or a delivery", () => {
  before(() => switchLanguage("pt"));

  it("is in Portuguese on a Portuguese page, sentence by sentence", async () => {
    const { problemText } = await import("../../../src/console/web/notices/problems.ts");
    const all = sentences();
    assert.ok(all.length >= 30, all.join("\n"));
    for (const english of all) {
      assert.doesNotMatch(problemText(english), /\b(?:the|it|is|not|was)\b/i, english);
      assert.match(problemText(english), /^\p{Lu}.*\.$/u, english);
    }
    const late = "The receiver answered 503: no success. It wants no attempt before 5, but";
    assert.match(problemText(late), /com erro\. O destino pede espera/);
  });

  it("stays if it is unknown, and on an English page", async () => {
    const { problemText } = await import("../../../src/console/web/notices/problems.ts");
    const unknown = "The export was refused. This is new.";
    assert.equal(problemText(unknown), "A exportação foi recusada. This is new.");
    await switchLanguage("en");
    for (const english of sentences()) assert.equal(problemText(english), english);
    await switchLanguage("pt");
  });
});

describe("the name of a webhook", () => {
  before(() => switchLanguage("pt"));

  it("is its host, with its end and the day if others have the host", async () => {
    const { nameOf } = await import("../../../src/console/web/notices/receivers.ts");
    const sales = hook("a", "/hooks/vendas-sp", 12);
    assert.equal(nameOf(sales, [sales]), "example.com");
    const all = [sales, hook("b", "/T01/XyZ9aBcDeF123456", 13), hook("c", "/hooks/vendas-sp", 14)];
    const names = all.map((one) => nameOf(one, all));
    assert.match(names[0] ?? "", /^example\.com \(…s-sp, 12 de nov\. de 2026/);
    assert.match(names[1] ?? "", /^example\.com \(…3456, 13 de nov\. de 2026/);
    assert.equal(new Set(names).size, all.length);
  });
});
