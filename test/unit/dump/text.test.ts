/**
 * Proves: the cleaning of texts and e-mails gives the same results as slow reference
 * implementations on strings, for random bytes. Also tests the irregularities of these fields one
 * by one.
 * Does not prove: the removal of CPFs from names (cpf.test.ts).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeText, newTextSink, type TextSink } from "../../../src/dump/registrytext.ts";
import { ABSENT, oddCode } from "../../../src/dump/rules.ts";
import { recordOf } from "../../support/dump/fields.ts";
import { cleanEmail, cleanText } from "../../support/ingest/text.ts";

/** Returns the text that was added to the sink last. */
function shown(sink: TextSink, length: number): string {
  return Buffer.from(sink.bytes.subarray(sink.length - length, sink.length)).toString("utf8");
}

function text(field: string, isUtf8 = false): string {
  const sink = newTextSink(4);
  sink.bytes[0] = 33;
  sink.length = 1;
  const length = cleanText(recordOf([field], isUtf8), 0, sink);
  assert.equal(sink.length, 1 + length);
  assert.equal(sink.bytes[0], 33, "what stood before stays");
  return shown(sink, length);
}

const latin1 = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constantFrom(32, 32, 9, 10, 160, 65)), {
    maxLength: 30,
  })
  .map((codes) => String.fromCharCode(...codes));

/**
 * Returns a character of Windows-1252. Some versions of Node decode it as ISO-8859-1, so the
 * program's decoder is used.
 */
function windowsOf(one: string): string {
  return decodeText(Buffer.from(one, "latin1"), "windows-1252");
}

test("equals decode, collapse white space, trim", () => {
  fc.assert(
    fc.property(latin1, fc.boolean(), (field, isUtf8) => {
      const characters = isUtf8 ? field : field.replace(/[\x80-\x9f]/g, windowsOf);
      const expected = characters
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
        .replace(/[\x01-\x20\x7f-\xa0]+/g, " ")
        .replace(/^ | $/g, "");
      assert.equal(text(field, isUtf8), expected);
    }),
    { seed: 7, numRuns: 3000 },
  );
});

test("handles text quirks", () => {
  assert.equal(text("  RUA   DAS  FLORES "), "RUA DAS FLORES");
  assert.equal(text("PRA\u00c7A S\u00c3O JO\u00c3O"), "PRA\u00c7A S\u00c3O JO\u00c3O");
  assert.equal(text("A\0B"), "AB");
  assert.equal(text("LOJA\nCENTRO"), "LOJA CENTRO");
  assert.equal(text("   "), "");
  assert.equal(text(""), "");
  assert.equal(text("A".repeat(500)), "A".repeat(500), "the sink grows");
});

type EmailAnswer = string | "absent" | "odd";

function email(field: string): EmailAnswer {
  const sink = newTextSink(2);
  const length = cleanEmail(recordOf([field]), 0, sink);
  if (length === ABSENT || length === oddCode("email_invalid")) {
    assert.equal(sink.length, 0, "nothing is written then");
    return length === ABSENT ? "absent" : "odd";
  }
  return shown(sink, length);
}

const emails: [string, EmailAnswer][] = [
  ["LOJA@EXEMPLO.COM.BR", "loja@exemplo.com.br"],
  [" Loja.Um+dois@Exemplo-1.COM ", "loja.um+dois@exemplo-1.com"],
  ["a_b@x.co", "a_b@x.co"],
  ["", "absent"],
  ["  ", "absent"],
  ["000", "odd"],
  [".", "odd"],
  ["NAO TEM", "odd"],
  ["www.x", "odd"],
  ["a@ b", "odd"],
  ["a b@x.com", "odd"],
  ["a@b", "odd"],
  ["a@b..com", "odd"],
  ["a@.com", "odd"],
  ["a@b.c", "odd"],
  ["a@b.c1", "odd"],
  ["a@-b.com", "odd"],
  ["a@b-.com", "odd"],
  ["@b.com", "odd"],
  ["a@@b.com", "odd"],
  ["a@b@c.com", "odd"],
  ["a@b.com;c@d.com", "odd"],
  ["jo\u00e3o@b.com", "odd"],
  [`${"a".repeat(65)}@b.com`, "odd"],
  [`a@${"b".repeat(260)}.com`, "odd"],
];
for (const [field, expected] of emails) {
  test(`reads the e-mail "${field.slice(0, 40)}" as ${expected}`, () =>
    assert.equal(email(field), expected));
}

test("validates e-mails like a regular expression", () => {
  const field = fc
    .array(fc.constantFrom(..."aB1@@..--_ ,\u00e3", "com", "@x.", "br"), { maxLength: 9 })
    .map((parts) => parts.join(""));
  const pattern =
    /^[!#$%&'*+\-./0-9=?^_`a-z{|}~]{1,64}@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/;
  let valid = 0;
  fc.assert(
    fc.property(field, (value) => {
      const lower = value.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      const expected = lower === "" ? "absent" : pattern.test(lower) ? lower : "odd";
      if (expected === lower && lower !== "") valid++;
      assert.equal(email(value), expected, value);
    }),
    { seed: 10, numRuns: 20_000 },
  );
  assert.ok(valid > 20, `the property must see valid addresses, saw ${valid}`);
});
