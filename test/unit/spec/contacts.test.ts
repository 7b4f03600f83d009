/**
 * Proves: common spellings of phones and e-mails become one normal form, which equals an import's
 * result for the same value. Normalizing the normal form does not change it. Anything else is
 * rejected with its pointer and code, and a CPF is never repeated. Under a plan without contact
 * fields, there is no filter by them. A filter by a contact counts as one that narrows a search.
 * Does not prove: which accounts are found (campaign/kernel/contacts.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { getAreaCodeInfo } from "@brazilian-utils/brazilian-utils";
import { find as en } from "../../../src/console/web/strings/en/find.ts";
import { find as pt } from "../../../src/console/web/strings/pt/find.ts";
import { newTextSink } from "../../../src/dump/registrytext.ts";
import { cleanPhone } from "../../../src/dump/values.ts";
import { AppError } from "../../../src/errors.ts";
import { ERROR_NOTES } from "../../../src/http/openapi/error-notes.ts";
import { failureText } from "../../../src/mcp/mistakes.ts";
import { readEmail } from "../../../src/spec/contacts/emails.ts";
import { readPhone } from "../../../src/spec/contacts/phones.ts";
import { tooBroad } from "../../../src/spec/normalize.ts";
import { cleanEmail } from "../../support/ingest/text.ts";
import { SAMPLE_CATALOG } from "../../support/spec/catalog.ts";
import { failure, filters, mistakes, normal } from "../../support/spec/outcome.ts";
import { seededRng } from "../../support/spec/random.ts";

const PHONES: readonly (readonly [normal: string, ...spellings: string[]])[] = [
  [
    "+5511987654321",
    ...[
      "+55 (11) 98765-4321",
      "(11) 98765-4321",
      "(+55) 11 98765-4321",
      "55 011 98765-4321",
      "11987654321",
      "11 98765 4321",
      "11.98765.4321",
    ],
    ...["011 98765-4321", "(011)98765-4321", "5511987654321", "55 11 98765-4321", "+5511987654321"],
    ...["0xx11 98765-4321", "(0xx11) 98765-4321", "0XX 11 98765-4321", "0**11 98765-4321"],
    ...["tel:+55-11-98765-4321", "TEL:+5511987654321;ext=9", "callto:+5511987654321"],
    ...["https://wa.me/5511987654321", "wa.me/5511987654321?text=oi", "whatsapp:5511987654321"],
    ...["https://api.whatsapp.com/send?phone=5511987654321&text=oi", "0055 11 98765-4321"],
    ...["whatsapp://send?phone=%2B5511987654321", "0 15 11 98765-4321", "  11/98765-4321 "],
    // Mobile numbers without the leading nine that was added later.
    ...["(11) 8765-4321", "1187654321", "+55 11 8765 4321"],
  ],
  [
    "+551133334444",
    ...[
      "1133334444.0",
      "11 3333\u20134444",
      "11 3333\u20114444",
      "\u200b11 3333-4444",
      "'1133334444",
    ],
    ...['="1133334444"', "Tel.: (11) 3333-4444", "Fone: 11 3333-4444", "telefone 11 3333-4444;"],
    ...["\uff11\uff11 3333-4444", "11\u00a03333-4444"],
  ],
  ["+551133334444", "011 3333-4444", "1133334444", "+551133334444", "55 11 3333-4444"],
  ["+5514986131577", "14 8613-1577", "1486131577", "(14) 86131577", "14 86 13 15 77"],
  // Older numbers, which have seven digits after the area code.
  ["+55112345678", "11 234-5678", "112345678", "+55112345678", "(11)2345678", "011 2345678"],
  ["+55912345678", "(91) 234-5678", "+55912345678", "091 234-5678"],
  // A long-distance call prefix with zeros, and digits that are separated by blanks.
  ["+5519987654321", "01987654321", "0 19 98765-4321", "+55 (0) 19 98765-4321"],
  ["+5511987654321", "1 1 9 8 7 6 5 4 3 2 1", "(5511) 98765-4321", "(00) 55 11 98765-4321"],
  // Here 55 is an area code, not the country code.
  ["+5555987654321", "55 98765-4321", "(55) 98765-4321", "+5555987654321", "5555987654321"],
  ["+555533334444", "(55) 3333-4444", "55 3333-4444", "555533334444"],
];

const NO_PHONES: readonly (readonly [code: string, ...texts: string[]])[] = [
  ["wrong_format", "", "abc", "11 98765-432a", "ana@example.com", "11, 98765-4321", "+", "()-"],
  ["too_short", "(11) 98765-432", "11 98765-432", "(11) 9 8765-432", "+55 11 98765-432"],
  ["too_short", "(11) 3333-444", "(11) 98765-43", "011 98765-432", "1198765-432"],
  ["too_short", "1", "190", "11 9876", "+55 11", "11 0000-0000"],
  ["too_long", "11222333000181", "11 98765-43210", "+55 11 98765-43210 1", "5511987654321000"],
  ["missing_area_code", "98765-4321", "987654321", "3333-4444", "33334444", "+55 3333-4444"],
  // Without separators, the digits would have area code 98 or 93 and seven more digits.
  [
    "missing_area_code",
    ...["0 98765-4321", "098765-4321", "(0) 98765-4321", "+55 98765-4321", "+55 987654321"],
    ...["9 8765-4321", "09 8765-4321", "+55 9 8765-4321", "0987654321", "0 3333-4444"],
  ],
  // Without separators, these digits would begin with area code 19, 12, or 21.
  [
    "unknown_area_code",
    ...["01 98765-4321", "(01) 98765-4321", "01-98765-4321", "0 1 98765-4321", "01 3333-4444"],
    ...["1 98765-4321", "(1) 98765-4321", "+55 01 98765-4321", "+55 1 98765-4321"],
    ...["55 01 98765-4321", "0 01 98765-4321", "(00) 98765-4321", "(212) 555-0100"],
    ...["212 555 0100", "20 98765-4321", "2098765-4321", "23987654321", "+55 20 98765-4321"],
  ],
  ["foreign_number", "1 212 555 0100", "1 (212) 555-0100", "1-212-555-0100", "+7 912 345 6789"],
  ["foreign_number", "+212 555 0100", "+44 20 7946 0958", "+351 912 345 678"],
  [
    "unknown_area_code",
    "0800 123 4567",
    "0300 123 4567",
    "(10) 98765-4321",
    "10 3333-4444",
    "+55 10 98765-4321",
  ],
  ["foreign_number", "+1 212 555 0100", "00351 21 555 0100"],
  ["looks_like_cpf", "529.982.247-25", "11144477735"],
];

/** The area codes that another library knows. */
const AREAS: ReadonlySet<string> = new Set(
  Array.from({ length: 100 }, (_, code) => String(code)).filter((code) => getAreaCodeInfo(code)),
);

const phoneIn = (text: string) => normal(filters("contact", { phone_any_of: [text] }));

describe("phones", () => {
  it("are parsed in the spellings that people use", () => {
    for (const [phone, ...spellings] of PHONES) {
      for (const text of [phone, ...spellings]) {
        assert.deepEqual(phoneIn(text).filters.contact.phone_any_of, [phone], text);
      }
    }
  });

  it("are rejected with the reason", () => {
    for (const [code, ...texts] of NO_PHONES) {
      for (const text of texts) {
        const spec = filters("contact", { phone_any_of: ["1133334444", text] });
        const place = "/spec/filters/contact/phone_any_of/1";
        assert.deepEqual(mistakes(spec), [`${place} ${code}`], text);
        const [mistake] = failure(spec).errors;
        assert.equal(mistake?.detail.includes(text) && code === "looks_like_cpf", false);
      }
    }
    // A valid CPF can have the same digits as a phone.
    assert.deepEqual(phoneIn("+5511144477735").filters.contact.phone_any_of, ["+5511144477735"]);
  });

  it("equal an import's result for area code and number", () => {
    const rng = seededRng(5);
    const below = (end: number) => Math.floor(rng() * end);
    let read = 0;
    for (let round = 0; round < 4_000; round++) {
      const area = String(10 + below(90));
      const zeros = "0".repeat(below(2));
      const digits = String(below(10 ** (5 + below(5))) + 1);
      const bytes = Buffer.from(`${area}${zeros}${digits}`);
      const ends = Int32Array.of(2, bytes.length);
      const record = { bytes, starts: Int32Array.of(0, 2), ends, line: 1, encoding: "latin1" };
      const imported = cleanPhone({ ...record, sequences: {} } as never, 0, 1);
      const typed = readPhone(`(${area}) ${zeros}${digits}`);
      const found = "phone" in typed ? Number(typed.phone.slice(1)) : -1;
      // An import keeps phones with nonexistent area codes. In a spec, such a phone is rejected,
      // unless it is in normal form.
      const wanted = AREAS.has(area) ? imported : -1;
      assert.equal(found, wanted > 0 ? wanted : -1, `(${area}) ${zeros}${digits}`);
      if (found > 0) read++;
    }
    assert.ok(read > 1_000, `${read}`);
  });

  it("have an existing area code", () => {
    for (let area = 10; area < 100; area++) {
      const read = readPhone(`${area} 98765-4321`);
      const wanted = AREAS.has(String(area))
        ? { phone: `+55${area}987654321` }
        : { fault: "unknown_area_code" };
      assert.deepEqual(read, wanted, String(area));
      // In normal form ("+55…"), a phone with a nonexistent area code is accepted. Answers and
      // saved specs may contain such phones of an import.
      const normal = `+55${area}987654321`;
      const retained = area > 10 ? { phone: normal } : wanted;
      assert.deepEqual(readPhone(normal), retained, normal);
    }
    assert.equal(AREAS.size, 67);
  });
});

describe("e-mails", () => {
  it("are parsed in any case, as links, and with the name of their owner", () => {
    const spellings = [
      ...[
        "ana.silva+x@example.com.br",
        " Ana.Silva+X@EXAMPLE.com.br ",
        "<ana.silva+x@example.com.br>",
      ],
      ...["e-mail: ana.silva+x@example.com.br", "Email ana.silva+x@example.com.br"],
      ...["ana.silva+x@example.com.br.", "\u200bana.silva+x@example.com.br\u200b;"],
      ...["E-mail ana.silva+x@example.com.br", "(ana.silva+x@example.com.br)".slice(1)],
      ...["mailto:Ana.Silva+x@example.com.br?subject=oi", "Ana <ana.silva+x@example.com.br>"],
    ];
    for (const text of spellings) {
      const { contact } = normal(filters("contact", { email_any_of: [text] })).filters;
      assert.deepEqual(contact.email_any_of, ["ana.silva+x@example.com.br"], text);
    }
  });

  it("are rejected if an import would not keep them", () => {
    const long = `${"a".repeat(65)}@example.com`;
    for (const text of [
      "",
      "ana",
      "ana@",
      "@b.co",
      "a@b",
      "a b@example.com",
      "a@b@c.co",
      "á@b.co",
      long,
    ]) {
      assert.deepEqual(mistakes(filters("contact", { email_any_of: [text] })), [
        "/spec/filters/contact/email_any_of/0 wrong_format",
      ]);
    }
  });

  it("are rejected as patterns, with a message", () => {
    for (const text of ["*@gmail.com", " **@example.com", "*@*"]) {
      const [mistake] = failure(filters("contact", { email_any_of: [text] })).errors;
      assert.equal(mistake?.code, "wrong_format");
      assert.match(mistake?.detail ?? "", /without \*/, text);
    }
  });

  it("are parsed in linear time", () => {
    const start = performance.now();
    assert.equal(readEmail(`${".".repeat(200_000)}a@b.co ${" .".repeat(200_000)}x`), null);
    assert.ok(performance.now() - start < 1_000);
  });

  it("equal an import's result", () => {
    const rng = seededRng(6);
    const letters = "aAzZ09.-_+@@@ é";
    let read = 0;
    for (let round = 0; round < 20_000; round++) {
      const length = 4 + Math.floor(rng() * 9);
      const of = () => letters[Math.floor(rng() * letters.length)];
      const text = `${Array.from({ length }, of).join("")}${rng() < 0.7 ? ".co" : ""}`;
      const bytes = Buffer.from(text);
      const sink = newTextSink();
      const starts = Int32Array.of(0);
      const record = {
        bytes,
        starts,
        ends: Int32Array.of(bytes.length),
        line: 1,
        encoding: "utf8",
      };
      const written = cleanEmail({ ...record, sequences: {} } as never, 0, sink);
      const imported = written > 0 ? Buffer.from(sink.bytes.subarray(0, written)).toString() : null;
      assert.equal(readEmail(text), imported, text);
      if (imported !== null) read++;
    }
    assert.ok(read > 200, `${read}`);
  });
});

describe("contact filters", () => {
  const both = {
    phone_any_of: ["(21) 3333-4444", "11 3333-4444", "+55 21 3333 4444"],
    email_any_of: ["b@example.com", "A@example.com", "a@EXAMPLE.com"],
  };

  it("are sorted, unique, stable, and absent unless used", () => {
    const spec = normal(filters("contact", both));
    const { phone_any_of, email_any_of } = spec.filters.contact;
    assert.deepEqual(phone_any_of, ["+551133334444", "+552133334444"]);
    assert.deepEqual(email_any_of, ["a@example.com", "b@example.com"]);
    assert.deepEqual(normal(spec), spec);
    for (const unused of [null, []]) {
      const none = filters("contact", { phone_any_of: unused, email_any_of: unused });
      assert.deepEqual(normal(none), normal({}));
    }
  });

  it("narrow a search", () => {
    for (const member of ["phone_any_of", "email_any_of"] as const) {
      assert.equal(tooBroad(normal(filters("contact", { [member]: both[member] }))), null);
    }
    assert.ok(tooBroad(normal({}))?.missing.includes("filters.contact.phone_any_of"));
  });

  it("are named in every message about a too broad search", () => {
    const error = { pointer: "", code: "missing_filter", detail: "" };
    const mcp = failureText(new AppError("query_too_broad", "", { errors: [error] }));
    for (const text of [ERROR_NOTES.query_too_broad, mcp, en.broadText, pt.broadText]) {
      assert.match(text, /\b(phone|telefone)\b/);
      assert.match(text, /\be-mail\b/);
    }
  });

  it("accept 200 values and no more, texts only", () => {
    const phones = (count: number) =>
      filters("contact", {
        phone_any_of: Array.from({ length: count }, (_, i) => `11 3${1e6 + i}`),
      });
    assert.equal(normal(phones(200)).filters.contact.phone_any_of?.length, 200);
    const place = "/spec/filters/contact/phone_any_of";
    assert.deepEqual(mistakes(phones(201)), [`${place} too_many`]);
    const numbers = filters("contact", { phone_any_of: [1133334444, null] });
    assert.deepEqual(mistakes(numbers), [`${place}/0 wrong_type`, `${place}/1 wrong_type`]);
    assert.deepEqual(mistakes(filters("contact", { phone_any_of: "11 3333-4444" })), [
      `${place} wrong_type`,
    ]);
  });

  it("are rejected under a plan that withholds the fields they would reveal", () => {
    for (const [member, fields] of [
      ["phone_any_of", ["cnpj", "email", "phone_1"]],
      ["email_any_of", ["cnpj", "phone_1", "phone_2"]],
    ] as const) {
      const context = { allowedFields: fields, defaultFields: ["cnpj"] };
      const spec = filters("contact", { [member]: both[member] });
      const error = failure(spec, context);
      assert.equal(error.code, "field_not_allowed");
      assert.deepEqual(
        error.errors.map(({ pointer }) => pointer),
        [`/spec/filters/contact/${member}`],
      );
      const rest = [...fields, "phone_2", "email"];
      assert.ok(normal(spec, { allowedFields: rest, defaultFields: ["cnpj"] }));
    }
  });

  it("by presence and by sharing are in every plan, because they take no value", () => {
    const context = { allowedFields: ["cnpj"], defaultFields: ["cnpj"] };
    const members = { require_phone: true, phone_shared_max: 1, email_shared_max: 2 };
    const { contact } = normal(filters("contact", members), context).filters;
    assert.deepEqual([contact.phone_shared_max, contact.email_shared_max], [1, 2]);
  });

  it("are rejected for a snapshot of an earlier version", () => {
    const catalog = { ...SAMPLE_CATALOG, lacksContacts: true as const };
    const spec = filters("contact", both);
    assert.deepEqual(mistakes(spec, { catalog }), [
      "/spec/filters/contact/phone_any_of not_in_snapshot",
      "/spec/filters/contact/email_any_of not_in_snapshot",
    ]);
    assert.match(failure(spec, { catalog }).errors[0]?.detail ?? "", /Import the dump/);
  });
});
