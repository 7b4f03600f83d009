/**
 * Proves: every problem code of the server has a sentence in both languages of the console. On a
 * Portuguese page, the sentence precedes the server's English message and never replaces it. An
 * answer without a code has a sentence too.
 * Does not prove: how a notice looks (e2e/console).
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ApiError } from "../../../src/console/web/app/api.ts";
import { errorMessageOf, errorText, mistakeText } from "../../../src/console/web/app/errortext.ts";
import { switchLanguage } from "../../../src/console/web/app/words.ts";
import { ERROR_CODES, type ErrorCode } from "../../../src/errors.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const DETAIL = "The server's own sentence.";

function failed(code: ErrorCode): ApiError {
  const { status, title } = ERROR_CODES[code];
  return new ApiError(status, { code, title, detail: DETAIL });
}

describe("a failure message", () => {
  before(() => switchLanguage("pt"));

  it("has a sentence for each code in both languages, and for no other", () => {
    for (const { problems } of [englishWords, portugueseWords]) {
      assert.deepEqual(Object.keys(problems).sort(), [...CODES].sort());
      for (const text of Object.values(problems)) assert.match(String(text), /^\p{Lu}.*\.$/u);
    }
  });

  it("begins in Portuguese on a Portuguese page, followed by the server's message", async () => {
    await switchLanguage("pt");
    for (const code of CODES) {
      const { text, detail } = errorMessageOf(failed(code));
      const known = code === "rate_limited" ? /^Pedidos demais/ : null;
      if (known === null) assert.equal(text, String(portugueseWords.problems[code]));
      else assert.match(text, known);
      assert.ok(detail === null || detail === DETAIL);
      assert.ok(errorText(failed(code)).startsWith(text));
    }
    const { text, detail } = errorMessageOf(failed("invalid_request"));
    assert.deepEqual([text, detail], ["O pedido não é válido.", DETAIL]);
    assert.equal(errorText(failed("invalid_request")), `O pedido não é válido. (${DETAIL})`);
  });

  it("is the server's sentence in English if that is more precise", async () => {
    await switchLanguage("en");
    assert.deepEqual(errorMessageOf(failed("invalid_request")), { text: DETAIL, detail: null });
    assert.equal(errorText(failed("storage_full")), String(englishWords.problems.storage_full));
    await switchLanguage("pt");
  });

  it("is in Portuguese also for an answer without a code, and for no answer", () => {
    const proxied = new ApiError(502, { code: "http_502", detail: "Bad Gateway" });
    assert.equal(errorText(proxied), "O servidor respondeu com um erro (502). (Bad Gateway)");
    assert.equal(errorText(new ApiError(0, {})), portugueseWords.shell.unreachable);
    assert.equal(errorText(new TypeError("x is undefined")), portugueseWords.shell.bug);
  });

  it("keeps the server's message of a mistake without a translation", () => {
    const own = { pointer: "/name", code: "wrong_format", detail: DETAIL };
    assert.equal(mistakeText(own), DETAIL);
    assert.equal(
      mistakeText({ ...own, code: "email_taken" }),
      portugueseWords.shell.mistakes.email_taken,
    );
  });
});
