/**
 * Proves: the subject of an e-mail about a saved search names the number that matters most, the
 * month, and the search, in both languages. Contacts are included only on request. No value of the
 * registry or of a search adds an element, a line, a link, or a text direction to either body. A
 * test e-mail has no companies. An address is accepted only in the one form that needs no quoting.
 * Does not prove: the look in a browser (reviewed when it changes), sending (contract/notices).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { plainAddress } from "../../../src/notices/addresses.ts";
import { htmlOf, textOf } from "../../../src/notices/emailbody.ts";
import { type EmailOptions, emailContent, testContent } from "../../../src/notices/emailwords.ts";
import type { FirstAccount } from "../../../src/notices/payload.ts";
import type { NoticeRow } from "../../../src/store/noticestore.ts";

const OPTIONS: EmailOptions = {
  ...{ language: "pt" as const, contacts: false, base: "https://peneira.example.com" },
  unsubscribe: "https://peneira.example.com/unsubscribe/eml_1.x",
};

const CARD: FirstAccount = {
  ...{ cnpj: "11222333000181", change: "entered", changed_fields: [] },
  ...{ trade_name: "PADARIA EXEMPLO", legal_name: "EXEMPLO LTDA", uf: "MG" },
  ...{ municipality_name: "Contagem", cnae_primary_description: "Padaria e confeitaria" },
  ...{ started_on: "2026-11-03", phone_1: "+5531999990000", email: "oi@exemplo.com.br" },
};

function notice(counts: object, more: Partial<NoticeRow> = {}): NoticeRow {
  const known = { entered: 0, left: 0, changed: 0, changed_fields: {}, first: [], ...counts };
  return {
    ...{ id: "ntc_1", searchId: "sch_1", searchName: "Padarias", snapshot: "2026-11" },
    ...{ since: "2026-10", counts: JSON.stringify(known), ...more },
  } as NoticeRow;
}

/** Parses HTML as XML after closing its void elements. @throws if it is not well-formed. */
function elementsOf(page: string): { names: string[]; links: string[] } {
  const names: string[] = [];
  const links: string[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    names.push(name);
    const { href, src } = attributes as Record<string, string>;
    links.push(...[href, src].filter((link) => link !== undefined));
  });
  parser.on("error", (error) => {
    throw error;
  });
  const closed = page.replace("<!doctype html>", "").replaceAll(/<(meta|br)([^>]*)>/g, "<$1$2/>");
  parser.write(closed).close();
  return { names, links };
}

describe("the e-mail of a notice", () => {
  it("has a subject with the number that matters most", () => {
    const subject = (counts: object, language: "pt" | "en" = "pt") =>
      emailContent(notice(counts), { ...OPTIONS, language }).subject;
    const all = { entered: 1_234, changed: 5, left: 3 };
    assert.equal(subject(all), "1.234 empresas novas em novembro de 2026: Padarias");
    assert.equal(subject({ entered: 1 }), "1 empresa nova em novembro de 2026: Padarias");
    assert.equal(subject({ changed: 1, left: 9 }), "1 mudança em novembro de 2026: Padarias");
    assert.equal(subject({ left: 2 }), "2 empresas saíram em novembro de 2026: Padarias");
    assert.equal(subject({}), "Nada de novo em novembro de 2026: Padarias");
    assert.equal(subject(all, "en"), "1,234 new companies in November 2026: Padarias");
    assert.equal(subject({ changed: 2 }, "en"), "2 changes in November 2026: Padarias");
    assert.equal(subject({}, "en"), "Nothing new in November 2026: Padarias");
    const odd = notice({}, { snapshot: "sample-a" });
    assert.equal(emailContent(odd, OPTIONS).subject, "Nada de novo em sample-a: Padarias");
  });

  it("has counts, companies, the rest, the button, the file, and the way out", () => {
    const left = { ...CARD, change: "left", trade_name: null };
    const changed = { ...CARD, change: "changed", changed_fields: ["phone_1", "email"] };
    const cards = [CARD, changed, left];
    const file = { file: "/files/exp_1.xlsx?s=1", file_until: "2026-12-15T00:00:00.000Z" };
    const row = notice({ entered: 10, changed: 1, left: 1, cards, ...file });
    const text = textOf(emailContent(row, OPTIONS));
    for (const words of [
      ...["10 novas · 1 saiu · 1 mudou", "PADARIA EXEMPLO\nContagem/MG · Padaria e confeitaria"],
      ...["aberta em 03/11/2026 · CNPJ 11.222.333/0001-81", "Mudou: Telefone, E-mail"],
      ...["EXEMPLO LTDA\n", "Saiu da busca", "E mais 9 empresas no Peneira."],
      ...["https://peneira.example.com/app/news#sch_1", OPTIONS.unsubscribe],
      "Baixar a planilha (disponível até 15/12/2026):\nhttps://peneira.example.com/files/exp_1",
    ]) {
      assert.ok(text.includes(words), `${words} is not in\n${text}`);
    }
    const { links } = elementsOf(htmlOf(emailContent(row, OPTIONS)));
    assert.deepEqual(links, [
      "https://peneira.example.com/app/news#sch_1",
      "https://peneira.example.com/files/exp_1.xlsx?s=1",
      OPTIONS.unsubscribe,
    ]);
  });

  it("has contacts only if they are wanted", () => {
    const row = notice({ entered: 1, cards: [CARD] });
    const bodies = (contacts: boolean) => {
      const content = emailContent(row, { ...OPTIONS, contacts });
      return [htmlOf(content), textOf(content)];
    };
    for (const body of bodies(false)) assert.doesNotMatch(body, /99999|oi@exemplo/);
    for (const body of bodies(true)) {
      assert.ok(body.includes("(31) 99999-0000") && body.includes("oi@exemplo.com.br"));
    }
  });

  it("says that nothing changed, and how many changed fields it does not name", () => {
    assert.match(textOf(emailContent(notice({}), OPTIONS)), /^Nada mudou em novembro de 2026/m);
    const fields = ["email", "phone_1", "phone_2", "street", "district", "postal_code", "uf"];
    const card = { ...CARD, change: "changed", changed_fields: fields };
    const text = (changed_fields: readonly string[]) =>
      textOf(emailContent(notice({ changed: 1, cards: [{ ...card, changed_fields }] }), OPTIONS));
    assert.match(text(fields), /Mudou: E-mail, .*, CEP e mais 1 campo$/m);
    assert.doesNotMatch(text(fields.slice(1)), /e mais/);
  });

  it("breaks no short text of a company in two", () => {
    const page = htmlOf(emailContent(notice({ entered: 1, cards: [CARD] }), OPTIONS));
    assert.ok(page.includes("aberta\u00a0em\u00a003/11/2026\u00a0· CNPJ\u00a011.222.333/0001-81"));
  });

  it("is about the accounts of the webhook's body if an earlier version counted it", () => {
    const first = [{ cnpj: "11222333000181", change: "entered", changed_fields: [] }];
    const { companies } = emailContent(notice({ entered: 1, first }), OPTIONS);
    assert.equal(companies[0]?.name, "11.222.333/0001-81");
  });

  it("is not changed by what the values hold", () => {
    const bad = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom(
        ...[
          "</style><script>x</script>",
          '"><a href="https://evil.example">x</a>',
          "\u202emoc.live",
        ],
        ...["a\r\nBcc: x@y.zz\r\n\r\n", "]]>", "&lt;b&gt;", "\0\u2028", "x".repeat(5_000)],
      ),
    );
    const plain = emailContent(notice({ entered: 1, cards: [CARD] }), {
      ...OPTIONS,
      contacts: true,
    });
    const expected = elementsOf(htmlOf(plain)).names;
    fc.assert(
      fc.property(bad, bad, bad, (name, company, place) => {
        const card = { ...CARD, trade_name: `A${company}`, municipality_name: `B${place}` };
        const row = notice({ entered: 1, cards: [card] }, { searchName: `C${name}` });
        const content = emailContent(row, { ...OPTIONS, contacts: true });
        const { names, links } = elementsOf(htmlOf(content));
        assert.deepEqual(names, expected);
        assert.ok(links.every((link) => !link.includes("evil")));
        assert.doesNotMatch(content.subject, /[\p{Cc}\p{Cs}\u2028-\u202e]/u);
        assert.ok([...content.subject].length <= 110);
        const lines = textOf(content).split("\n");
        assert.equal(lines.length, textOf(plain).split("\n").length);
        assert.ok(lines.every((line) => [...line].length < 600));
      }),
      { numRuns: 300 },
    );
  });

  it("has no contact that a link could misuse", () => {
    const email = "a?bcc=eve%40evil.example&body=x@exemplo.com.br";
    const odd = { ...CARD, email, phone_1: "+55;ext=1" };
    const row = notice({ entered: 1, cards: [odd] });
    const { companies } = emailContent(row, { ...OPTIONS, contacts: true });
    const href = "mailto:a%3Fbcc%3Deve%2540evil.example%26body%3Dx@exemplo.com.br";
    const plain = plainAddress(email) === null ? [] : [{ text: email, href }];
    assert.deepEqual(companies[0]?.contacts, plain);
  });

  it("of a test has no companies", () => {
    const content = testContent(OPTIONS);
    assert.equal(content.subject, "Teste de e-mail do Peneira");
    assert.deepEqual([content.companies, content.counts, content.file], [[], [], null]);
    assert.doesNotMatch(textOf(content), /mudou|busca “/);
  });
});

describe("an address", () => {
  it("is accepted in its plain form, its host in ASCII", () => {
    const known: readonly (readonly [string, string])[] = [
      ["ana@example.com", "ana@example.com"],
      [" ana.b+x@mail.example.com.br ", "ana.b+x@mail.example.com.br"],
      ["o'ana_1@EXAMPLE.com", "o'ana_1@example.com"],
      ["ana@padaria-são-joão.com.br", "ana@xn--padaria-so-joo-yhbe.com.br"],
    ];
    for (const [typed, address] of known) assert.equal(plainAddress(typed), address, typed);
  });

  it("is refused in any other", () => {
    for (const typed of [
      ...["", "ana", "ana@", "@example.com", "ana@localhost", "ana@[127.0.0.1]", "ana@127.0.0.1"],
      ...["Ana <ana@example.com>", "<ana@example.com>", "ana@example.com,eve@example.com"],
      ...[
        "ana@example.com;eve@example.com",
        "ana@example.com eve@example.com",
        '"a b"@example.com',
      ],
      ...["ana@example.com\r\nBcc: eve@example.com", "ana\r\n@example.com", "ana\0@example.com"],
      ...[
        "a..b@example.com",
        ".a@example.com",
        "a.@example.com",
        "a@b@example.com",
        "ana@ex_a.com",
      ],
      ...["ana@-x.com", "ana@x-.com", "ana@x..com", "ana@.com", "ana@x.com.", "josé@example.com"],
      ...[`${"a".repeat(65)}@example.com`, `a@${"b".repeat(64)}.com`, `a@${"b.".repeat(130)}com`],
      ...["ana@example.com%0abcc:x", "ana@exa\u00admple.com\u2028", "ana@\u202eexample.com"],
    ]) {
      assert.equal(plainAddress(typed), null, JSON.stringify(typed));
    }
  });
});
