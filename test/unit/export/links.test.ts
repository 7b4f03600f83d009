/**
 * Proves that a link is accepted only as it was issued, not with a flipped bit, with characters
 * moved, added, or encoded, or with another secret. Links signed with either valid secret are
 * accepted, and new links are signed with the newest. A link ends after five minutes or with its
 * export, to the millisecond, even if the clock was ahead when it was made. Does not prove that the
 * comparison takes constant time.
 */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError } from "../../../src/errors.ts";
import {
  checkLink,
  filePathOf,
  LINK_SECONDS,
  signLink,
  signNoticeLink,
} from "../../../src/export/files/links.ts";
import type { SecretRing } from "../../../src/store/secrets.ts";

const NOW_MS = 1_790_000_000_500;
const SECRET = Buffer.alloc(32, 7);
const OLDER = Buffer.alloc(32, 8);
const FORMATS = ["csv", "html", "xlsx", "parquet", "jsonl"] as const;

const exportOf = (hex: string, at = 0) => ({
  id: `exp_${hex}`,
  format: FORMATS[at % FORMATS.length] as (typeof FORMATS)[number],
  compression: at % 2 === 1 ? ("gzip" as const) : null,
  expiresAtMs: null as number | null,
});
const RECORD = exportOf("0123456789abcdef0123456789abcdef");

/** Returns "ok", or the code with which the link is refused. */
function fate(link: string, secrets: SecretRing = [SECRET], nowMs = NOW_MS): string {
  const mark = link.indexOf("?");
  const [path, query] = mark < 0 ? [link, ""] : [link.slice(0, mark), link.slice(mark + 1)];
  try {
    checkLink(path, query, { nowMs, secrets });
    return "ok";
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.status, 403);
    return error.code;
  }
}

/** Reference implementation: returns the only valid spelling of a link. */
function spelled(path: string, expires: string, secret: Buffer): string {
  const text = ["peneira file 1", path, expires].map((part) => `${part.length}:${part}`).join("");
  const mac = createHmac("sha256", secret).update(text).digest("base64url");
  return `${path}?expires=${expires}&signature=${mac}`;
}

describe("a link in a notice", () => {
  const made = { ...RECORD, expiresAtMs: NOW_MS + 9 * 86_400_000 };
  const link = signNoticeLink(made, [SECRET]);

  it("works as long as the file, with the same spelling in every attempt", () => {
    assert.equal(signNoticeLink(made, [SECRET]), link);
    assert.equal(fate(link), "ok");
    assert.equal(fate(link, [SECRET], made.expiresAtMs - 1_000), "ok");
    assert.equal(fate(link, [SECRET], made.expiresAtMs), "link_expired");
  });

  it("is refused with another end, name, or secret", () => {
    assert.equal(fate(link, [OLDER]), "link_invalid");
    assert.equal(fate(link, [OLDER, SECRET]), "ok");
    const later = String(Math.floor(made.expiresAtMs / 1000) + 1);
    assert.equal(fate(link.replace(/expires=\d+/, `expires=${later}`)), "link_invalid");
    assert.equal(fate(link.replace("exp_0", "exp_1")), "link_invalid");
    // A link that is valid for five minutes cannot be extended.
    const short = signLink(made, { nowMs: NOW_MS, secrets: [SECRET] });
    assert.equal(fate(short, [SECRET], NOW_MS + 86_400_000), "link_expired");
  });
});

describe("a link", () => {
  it("is refused with any one of its bits flipped", () => {
    let flips = 0;
    for (let at = 0; at < 200; at++) {
      const link = signLink(exportOf(randomBytes(16).toString("hex"), at), {
        nowMs: NOW_MS,
        secrets: [SECRET],
      });
      assert.equal(fate(link), "ok");
      const bytes = Buffer.from(link, "latin1");
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        assert.equal(fate(bytes.toString("latin1")), "link_invalid");
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        flips++;
      }
    }
    assert.ok(flips > 150_000, `only ${flips} flips`);
  });

  it("is accepted only in its issued spelling, for any edit", () => {
    const link = signLink(RECORD, { nowMs: NOW_MS, secrets: [SECRET, OLDER] });
    const piece = fc.constantFrom(
      ...[
        "",
        "&",
        "?",
        "=",
        "0",
        "%00",
        "%65",
        "+",
        " ",
        "=".repeat(2),
        "/",
        "../../../",
        "expires=",
      ],
      ...["&expires=1790000800", "&signature=", "&a=b", "A", link.slice(-43), "\u0000", "é"],
    );
    const edit = fc.tuple(fc.nat(link.length), fc.nat(3), piece);
    fc.assert(
      fc.property(fc.array(edit, { minLength: 0, maxLength: 3 }), (edits) => {
        let text = link;
        for (const [at, cut, added] of edits)
          text = text.slice(0, at) + added + text.slice(at + cut);
        const expires = /expires=(\d+)/.exec(text)?.[1] ?? "";
        const path = text.split("?")[0] as string;
        const known = [SECRET, OLDER].map((secret) => spelled(path, expires, secret));
        assert.equal(fate(text, [SECRET, OLDER]), known.includes(text) ? "ok" : "link_invalid");
      }),
      { numRuns: 10_000 },
    );
  });

  const good = signLink(RECORD, { nowMs: NOW_MS, secrets: [SECRET] });
  const [path = "", query = ""] = good.split("?");
  const [expires = "", signature = ""] = query.split("&");
  const seconds = expires.slice(8);
  const lastBits = signature.slice(0, -1) + nextLetter(signature.slice(-1));
  const spellings: readonly (readonly [name: string, link: string])[] = [
    ["without a query", path],
    ["without a signature", `${path}?${expires}`],
    ["without an expiry", `${path}?${signature}`],
    ["in another order", `${path}?${signature}&${expires}`],
    ["with an expiry twice", `${path}?${expires}&${expires}&${signature}`],
    ["with a signature twice", `${good}&${signature}`],
    ["with one parameter more", `${good}&download=1`],
    ["with a separator more", `${good}&`],
    ["with a zero before the expiry", `${path}?expires=0${seconds}&${signature}`],
    ["with a sign before the expiry", `${path}?expires=+${seconds}&${signature}`],
    ["with a fraction", `${path}?expires=${seconds}.0&${signature}`],
    ["with an exponent", `${path}?expires=179000080e1&${signature}`],
    ["with padding", `${good}=`],
    ["with bits that mean nothing", `${path}?${expires}&${lastBits}`],
    ["with an encoded letter", good.replace("e", "%65")],
    ["with capital letters", good.replace("expires", "Expires")],
    ["with an encoded path", good.replace("/exp_", "/exp%5f")],
    ["with a path that leads back", good.replace("/files/", "/files/../files/")],
    ["of another format", good.replace(".csv", ".html")],
    ["with a digit moved to the expiry", `${path.slice(0, -1)}?expires=1${seconds}&${signature}`],
    ["with a line break", `${good}\n`],
  ];
  for (const [name, link] of spellings) {
    it(`${name} is refused`, () => {
      assert.notEqual(link, good);
      assert.equal(fate(link), "link_invalid");
    });
  }

  it("has the spelling of the contract", () => {
    assert.equal(filePathOf(RECORD), `/files/${RECORD.id}.csv`);
    assert.equal(good, spelled(`/files/${RECORD.id}.csv`, "1790000301", SECRET));
  });

  it("survives one change of the secret, and no second one", () => {
    const link = signLink(RECORD, { nowMs: NOW_MS, secrets: [OLDER] });
    assert.equal(fate(link, [SECRET, OLDER]), "ok");
    assert.equal(fate(link, [SECRET]), "link_invalid");
    const fresh = signLink(RECORD, { nowMs: NOW_MS, secrets: [SECRET, OLDER] });
    assert.equal(fate(fresh, [SECRET]), "ok", "the newest secret signs");
    assert.equal(fate(fresh, [OLDER]), "link_invalid");
  });

  it("ends to the millisecond, and a wrong one never reveals that it would have", () => {
    const endMs = (Math.ceil(NOW_MS / 1000) + LINK_SECONDS) * 1000;
    assert.equal(fate(good, [SECRET], endMs - 1), "ok");
    assert.equal(fate(good, [SECRET], endMs), "link_expired");
    assert.equal(fate(good, [OLDER], endMs), "link_invalid");
    assert.ok(endMs - NOW_MS >= 300_000 && endMs - NOW_MS < 301_000);
  });

  it("of a clock that was ahead does not live longer after the clock is corrected", () => {
    const ahead = (byMs: number) => signLink(RECORD, { nowMs: NOW_MS + byMs, secrets: [SECRET] });
    assert.equal(fate(ahead(59_000)), "ok", "a minute is no leap");
    for (const byMs of [61_000, 400_000, 30 * 86_400_000]) {
      assert.equal(fate(ahead(byMs)), "link_expired", `${byMs} ms`);
      assert.equal(fate(ahead(byMs), [OLDER]), "link_invalid");
    }
  });

  it("does not outlive its export", () => {
    const record = { ...RECORD, expiresAtMs: NOW_MS + 10_900 };
    const link = signLink(record, { nowMs: NOW_MS, secrets: [SECRET] });
    assert.equal(fate(link, [SECRET], NOW_MS + 10_499), "ok");
    assert.equal(fate(link, [SECRET], NOW_MS + 10_900), "link_expired");
  });
});

/**
 * Returns the next letter of base64url. As the last letter of a hash, both letters decode to the
 * same 32 bytes in a tolerant decoder.
 */
function nextLetter(letter: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return letters[letters.indexOf(letter) + 1] as string;
}
