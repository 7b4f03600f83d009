/**
 * Requests with ambiguous framing, with each transport's answer.
 * Invariant: every row names its outcome for both transports, so that a change of either parser is
 * noticed.
 */

/**
 * Status of the one answer, or `none`, and the connection's fate: `kept` for the next request,
 * `closed`, or `hangs` if the parser waits for more until its timeout.
 */
type Outcome = `${number | "none"} ${"kept" | "closed" | "hangs"}`;

/** One request. `KEY` in it stands for a valid key. */
export interface FramingRow {
  readonly name: string;
  readonly bytes: string;
  readonly uws: Outcome;
  readonly node: Outcome;
}

const ID = "X-Request-Id: first\r\n";
const HOST = `Host: test\r\n${ID}`;
const BODY = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"limit":1}';
const KEYED = `${HOST}Authorization: Bearer KEY\r\nContent-Type: application/json\r\n`;
const SEARCH = `POST /v1/accounts/search HTTP/1.1\r\n${KEYED}`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const SIZE = BODY.length.toString(16);
const DATA = `${SIZE}\r\n${BODY}\r\n`;

/** Returns a search with a chunked body. `body` contains all bytes after the head. */
const chunks = (body: string, coding = CHUNKED) => `${SEARCH}${coding}\r\n${body}`;
/** Returns a search with these header lines, which state its length in one way or another. */
const sized = (lines: string, body = BODY) => `${SEARCH}${lines}\r\n${body}`;
const get = (target: string, lines = "") => `GET ${target} HTTP/1.1\r\n${HOST}${lines}\r\n`;

type Row = readonly [name: string, bytes: string, uws: Outcome, node?: Outcome | undefined];

const LENGTH = `Content-Length: ${BODY.length}\r\n`;

const PLAIN: readonly Row[] = [
  ["a plain GET", get("/healthz"), "200 kept"],
  ["a body with a length", sized(LENGTH), "200 kept"],
  ["a GET with a length", `${get("/healthz", "Content-Length: 3\r\n")}abc`, "200 kept"],
  [
    "a GET with a request as its body",
    `${get("/healthz", "Content-Length: 40\r\n")}GET /readyz HTTP/1.1\r\nHost: evil1234\r\n\r\n`,
    "200 kept",
  ],
];

const CODED: readonly Row[] = [
  ["chunks", chunks(`${DATA}0\r\n\r\n`), "200 closed", "200 kept"],
  [
    "no key and a wrong size in the second chunk",
    `POST /v1/accounts/search HTTP/1.1\r\n${HOST}${CHUNKED}\r\n${DATA}zz\r\n`,
    "400 closed",
    "401 closed",
  ],
  [
    "a POST without a length",
    `POST /v1/exports/a HTTP/1.1\r\n${KEYED}\r\n`,
    "405 closed",
    "405 kept",
  ],
  [
    "chunks and no key",
    `POST /v1/accounts/search HTTP/1.1\r\n${HOST}${CHUNKED}\r\n${DATA}0\r\n\r\n`,
    "401 closed",
    "401 kept",
  ],
  [
    "upper case hexadecimal",
    chunks(`${SIZE.toUpperCase()}\r\n${BODY}\r\n0\r\n\r\n`),
    "200 closed",
    "200 kept",
  ],
  [
    "leading zeros in a size",
    chunks(`000${SIZE}\r\n${BODY}\r\n0\r\n\r\n`),
    "200 closed",
    "200 kept",
  ],
  ["many zeros in the last chunk", chunks(`${DATA}0000\r\n\r\n`), "200 closed", "200 kept"],
  ["a chunk extension", chunks(`${SIZE};a=b\r\n${BODY}\r\n0\r\n\r\n`), "408 closed", "200 kept"],
  ["an extension of the last chunk", chunks(`${DATA}0;a=b\r\n\r\n`), "408 closed", "200 kept"],
  [
    "a quoted extension with CRLF",
    chunks(`${SIZE};a="\r\n"\r\n${BODY}\r\n0\r\n\r\n`),
    "400 closed",
  ],
  ["a trailer", chunks(`${DATA}0\r\nX-Sum: 1\r\n\r\n`), "505 closed", "200 kept"],
  [
    "a trailer that looks like framing",
    chunks(`${DATA}0\r\nContent-Length: 5\r\n\r\n`),
    "505 closed",
    "400 closed",
  ],
  [
    "two bytes in the place of CRLF",
    chunks(`${SIZE}\r\n${BODY}XX0\r\n\r\n`),
    "200 closed",
    "400 closed",
  ],
  ["LF CR behind a chunk", chunks(`${SIZE}\r\n${BODY}\n\r0\r\n\r\n`), "200 closed", "400 closed"],
  ["bare LF behind a chunk", chunks(`${SIZE}\r\n${BODY}\n0\r\n\r\n`), "200 closed", "400 closed"],
  ["bare LF behind a size", chunks(`${SIZE}\n${BODY}\r\n0\r\n\r\n`), "200 closed", "400 closed"],
  ["bare CR behind a size", chunks(`${SIZE}\r${BODY}\r\n0\r\n\r\n`), "408 closed", "400 closed"],
  ["bare LF all over", chunks(`${SIZE}\n${BODY}\n0\n\n`), "200 closed", "400 closed"],
  ["two bytes behind the last chunk", chunks(`${DATA}0\r\nXX`), "200 closed", "408 closed"],
  ["one byte too many behind the last chunk", chunks(`${DATA}0\r\n\r\nX`), "200 closed"],
  ["one byte too few behind the last chunk", chunks(`${DATA}0\r\n\r`), "200 closed", "408 closed"],
  ["no CRLF behind the last chunk", chunks(`${DATA}0\r\n`), "200 closed", "408 closed"],
  ["a blank behind a size", chunks(`${SIZE} \r\n${BODY}\r\n0\r\n\r\n`), "200 closed", "400 closed"],
  ["a tab behind a size", chunks(`${SIZE}\t\r\n${BODY}\r\n0\r\n\r\n`), "200 closed", "400 closed"],
  ["a blank before a size", chunks(` ${SIZE}\r\n${BODY}\r\n0\r\n\r\n`), "422 closed", "400 closed"],
  ["a size with 0x", chunks(`0x${SIZE}\r\n${BODY}\r\n0\r\n\r\n`), "400 closed"],
  ["a signed size", chunks(`+${SIZE}\r\n${BODY}\r\n0\r\n\r\n`), "400 closed"],
  ["a negative size", chunks(`-1\r\n${BODY}\r\n0\r\n\r\n`), "400 closed"],
  ["no size", chunks(`\r\n${BODY}\r\n0\r\n\r\n`), "422 closed", "400 closed"],
  ["a size of 17 digits", chunks(`10000000000000000\r\n${BODY}\r\n0\r\n\r\n`), "400 closed"],
  ["a size beyond 32 bits", chunks(`1000000${SIZE}\r\n${BODY}\r\n0\r\n\r\n`), "408 closed"],
  ["a size of wrong digits", chunks(`zz\r\n${BODY}\r\n0\r\n\r\n`), "400 closed"],
  [
    "a chunk shorter than its size",
    chunks(`${(BODY.length + 9).toString(16)}\r\n${BODY}\r\n0\r\n\r\n`),
    "408 closed",
  ],
  [
    "a chunk longer than its size",
    chunks(`${(BODY.length - 2).toString(16)}\r\n${BODY}\r\n0\r\n\r\n`),
    "422 closed",
    "400 closed",
  ],
  ["NUL behind a size", chunks(`${SIZE}\0\r\n${BODY}\r\n0\r\n\r\n`), "200 closed", "400 closed"],
  [
    "a request in the last chunk",
    chunks(`${DATA}0\r\nGET /readyz HTTP/1.1\r\nHost: a\r\n\r\n`),
    "none closed",
    "400 closed",
  ],
];

const CODINGS: readonly Row[] = (
  [
    ["chunked in upper case", "Transfer-Encoding: CHUNKED\r\n", "200 closed", "200 kept"],
    ["blanks around chunked", "Transfer-Encoding:   chunked \r\n", "200 closed", "200 kept"],
    ["a tab before chunked", "Transfer-Encoding:\tchunked\r\n", "200 closed", "200 kept"],
    ["0xFF behind chunked", "Transfer-Encoding: chunked\xff\r\n", "200 closed", "422 closed"],
    ["0x80 before chunked", "Transfer-Encoding: \x80chunked\r\n", "200 closed", "422 closed"],
    ["0xFF alone as the coding", "Transfer-Encoding: \xff\r\n", "422 closed"],
    ["VT before chunked", "Transfer-Encoding: \x0bchunked\r\n", "400 closed"],
    ["an empty coding", "Transfer-Encoding: \r\n", "422 closed"],
    ["another coding", "Transfer-Encoding: xchunked\r\n", "422 closed"],
    ["a list of codings", "Transfer-Encoding: gzip, chunked\r\n", "422 closed"],
    [
      "chunked before another coding",
      "Transfer-Encoding: chunked, identity\r\n",
      "422 closed",
      "400 closed",
    ],
    [
      "chunked twice in a list",
      "Transfer-Encoding: chunked, chunked\r\n",
      "422 closed",
      "400 closed",
    ],
    ["chunked in quotes", 'Transfer-Encoding: "chunked"\r\n', "422 closed"],
    ["two coding lines", `${CHUNKED}Transfer-Encoding: identity\r\n`, "422 closed", "400 closed"],
    ["chunked twice", `${CHUNKED}${CHUNKED}`, "422 closed", "400 closed"],
    ["a blank before the colon", "Transfer-Encoding : chunked\r\n", "400 closed"],
    ["a folded coding", "Transfer-Encoding:\r\n chunked\r\n", "400 closed"],
    ["0xFF in the name of the header", "Transfer-Encoding\xff: chunked\r\n", "400 closed"],
    ["an underscore in the name", "Transfer_Encoding: chunked\r\n", "422 closed"],
    ["length and chunks", `${LENGTH}${CHUNKED}`, "400 closed"],
    ["chunks and length", `${CHUNKED}Content-Length: 3\r\n`, "400 closed"],
    [
      "length and 0xFF as the coding",
      `${LENGTH}Transfer-Encoding: \xff\r\n`,
      "422 closed",
      "400 closed",
    ],
    ["length and an empty coding", `${LENGTH}Transfer-Encoding:\r\n`, "422 closed", "400 closed"],
    ["length and identity", `${LENGTH}Transfer-Encoding: identity\r\n`, "400 closed"],
    ["a bare CR before the coding", `X-A: b\r${CHUNKED}`, "none hangs", "400 closed"],
    ["a bare LF before the coding", `X-A: b\n${CHUNKED}`, "400 closed"],
    ["NUL before the coding", `X-A: b\0\r\n${CHUNKED}`, "400 closed"],
  ] satisfies Row[]
).map(([name, lines, uws, node]) => [name, chunks(`${DATA}0\r\n\r\n`, lines), uws, node]);

const LENGTHS: readonly Row[] = (
  [
    ["two lengths", `${LENGTH}Content-Length: 3\r\n`, "422 closed", "400 closed"],
    ["two equal lengths", `${LENGTH}${LENGTH}`, "422 closed", "400 closed"],
    [
      "a list of lengths",
      `Content-Length: ${BODY.length}, ${BODY.length}\r\n`,
      "422 closed",
      "400 closed",
    ],
    ["a signed length", `Content-Length: +${BODY.length}\r\n`, "422 closed", "400 closed"],
    ["a negative length", "Content-Length: -1\r\n", "422 closed", "400 closed"],
    [
      "a length with a fraction",
      `Content-Length: ${BODY.length}.0\r\n`,
      "422 closed",
      "400 closed",
    ],
    ["a hexadecimal length", `Content-Length: 0x${SIZE}\r\n`, "422 closed", "400 closed"],
    ["an empty length", "Content-Length: \r\n", "422 closed", "400 closed"],
    ["0xFF as the length", "Content-Length: \xff\r\n", "422 closed", "400 closed"],
    ["0xFF behind the length", `Content-Length: ${BODY.length}\xff\r\n`, "200 kept", "400 closed"],
    ["a blank in the length", "Content-Length: 5 9\r\n", "422 closed", "400 closed"],
    ["zeros before the length", `Content-Length: 000${BODY.length}\r\n`, "200 kept"],
    ["a length of 30 digits", `Content-Length: ${"9".repeat(30)}\r\n`, "422 closed", "400 closed"],
    [
      "a length of 2^64 and a bit",
      `Content-Length: 184467440737095516${16 + BODY.length}\r\n`,
      "422 closed",
      "400 closed",
    ],
    ["a blank before the colon of the length", `Content-Length : ${BODY.length}\r\n`, "400 closed"],
    ["a bare CR in a header", `X-A: a\rb\r\n${LENGTH}`, "none hangs", "400 closed"],
    ["a bare CR at the end of a header", `X-A: a\r\r\n${LENGTH}`, "none hangs", "400 closed"],
    ["a bare LF in a header", `X-A: a\nX-B: b\r\n${LENGTH}`, "400 closed"],
    ["NUL in a header", `X-A: a\0b\r\n${LENGTH}`, "400 closed"],
    ["a folded header", `X-A: a\r\n b\r\n${LENGTH}`, "400 closed"],
    ["a header without a colon", `X-A\r\n${LENGTH}`, "400 closed"],
    ["a header without a name", `: a\r\n${LENGTH}`, "422 closed", "400 closed"],
  ] satisfies Row[]
).map(([name, lines, uws, node]) => [name, sized(lines), uws, node]);

const LINES: readonly Row[] = [
  ["an absolute address", get("http://test/healthz"), "505 closed", "200 kept"],
  ["an absolute address without a path", get("http://test"), "505 closed", "302 kept"],
  ["an absolute address with a user", get("http://u@test/healthz"), "505 closed", "400 closed"],
  ["an absolute address of another scheme", get("ftp://test/healthz"), "505 closed", "400 closed"],
  ["a target without a slash", get("healthz"), "505 closed", "400 closed"],
  ["a star with GET", get("*"), "505 closed", "400 closed"],
  ["OPTIONS *", `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, "505 closed", "204 kept"],
  ["a method that is no token", `G@T /healthz HTTP/1.1\r\n${HOST}\r\n`, "422 closed", "400 closed"],
  ["a method with a colon", `Host:a /healthz HTTP/1.1\r\n${HOST}\r\n`, "422 closed", "400 closed"],
  ["a method with 0xFF", `GE\xffT /healthz HTTP/1.1\r\n${HOST}\r\n`, "505 closed", "400 closed"],
  ["an unknown method", `PURGE /healthz HTTP/1.1\r\n${HOST}\r\n`, "405 kept"],
  ["a method in lower case", `get /healthz HTTP/1.1\r\n${HOST}\r\n`, "405 kept", "400 closed"],
  ["chunks with GET", `${get("/healthz", CHUNKED)}0\r\n\r\n`, "422 closed"],
  [
    "chunks with DELETE",
    `DELETE /v1/exports/a HTTP/1.1\r\n${KEYED}${CHUNKED}\r\n0\r\n\r\n`,
    "422 closed",
  ],
  [
    "two blanks in the request line",
    `GET  /healthz HTTP/1.1\r\n${HOST}\r\n`,
    "505 closed",
    "200 kept",
  ],
  [
    "a tab in the request line",
    `GET\t/healthz HTTP/1.1\r\n${HOST}\r\n`,
    "505 closed",
    "400 closed",
  ],
  [
    "a blank before the request line",
    ` GET /healthz HTTP/1.1\r\n${HOST}\r\n`,
    "505 closed",
    "400 closed",
  ],
  ["an empty line before the request line", `\r\n${get("/healthz")}`, "none hangs", "200 kept"],
  ["a bare LF behind the request line", `GET /healthz HTTP/1.1\n${HOST}\r\n`, "505 closed"],
  [
    "a bare CR behind the request line",
    `GET /healthz HTTP/1.1\r${HOST}\r\n`,
    "505 closed",
    "400 closed",
  ],
  ["HTTP/1.0", `GET /healthz HTTP/1.0\r\n${HOST}\r\n`, "505 closed"],
  ["HTTP/0.9", "GET /healthz\r\n", "505 closed", "408 closed"],
  ["two Hosts", `GET /healthz HTTP/1.1\r\n${HOST}Host: b\r\n\r\n`, "400 closed", "422 closed"],
  ["no Host", `GET /healthz HTTP/1.1\r\n${ID}\r\n`, "400 closed"],
  ["an expectation", sized(`${LENGTH}Expect: 100-continue\r\n`), "200 kept"],
  [
    "an upgrade to h2c",
    sized(
      `${LENGTH}Connection: Upgrade, HTTP2-Settings\r\n` +
        "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
    ),
    "200 kept",
  ],
  [
    "a connection that names the length",
    sized(`${LENGTH}Connection: Content-Length\r\n`),
    "200 kept",
  ],
];

/** All rows. */
export const FRAMING_ROWS: readonly FramingRow[] = [PLAIN, CODED, CODINGS, LENGTHS, LINES]
  .flat()
  .map(([name, bytes, uws, node = uws]) => ({ name, bytes, uws, node }));
