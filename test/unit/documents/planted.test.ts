/**
 * Proves that the runner of the documents' examples detects errors. It detects an example that
 * fails or exits with another code, and an answer with another value, member, line, header, or
 * order. It also detects a block that no example proves, a skip without a reason, and a broken link
 * or anchor. It ignores values that differ in every run. The documents of this test do not use
 * Peneira.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { differences } from "../../support/documents/answers.ts";
import { parseDocument } from "../../support/documents/blocks.ts";
import { anchorsOf, deadLinks, externalLinks } from "../../support/documents/links.ts";
import { runDocument } from "../../support/documents/run.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-planted-"));
const given = join(folder, "given.txt");
writeFileSync(given, "given\n");
const workshop = { bin: folder, files: { "given.txt": given } };
after(() => rmSync(folder, { recursive: true, force: true }));

const sh = (code: string, mark = "") => `${mark}\n\`\`\`sh\n${code}\n\`\`\`\n`;
const shown = (language: string, text: string, mark = "") =>
  `${mark}\n\`\`\`${language}\n${text}\n\`\`\`\n`;

describe("a correct document", () => {
  it("runs, keeps variables and files between blocks, and is compared", async () => {
    const text = [
      "<!-- given: given.txt -->",
      sh("cat given.txt >copy; WORD=given"),
      sh('[ "$WORD" = given ] && cat copy'),
      shown("text", "given"),
      shown("json", '{"a": 1}', "<!-- run: file a.json -->"),
      sh("cat a.json", "<!-- run: keeps A_ID = a_id -->").replace(
        "<!-- run: keeps A_ID = a_id -->",
        "",
      ),
      shown("json", '{"a": 1}'),
      sh(`echo '{"export_id":"exp_1","n":1}'`, "<!-- run: keeps ID = export_id -->"),
      sh('echo "$ID"'),
      shown("text", "exp_1"),
      sh("echo lost >&2; exit 1", "<!-- run: fails 1 -->"),
      shown("text", "lost"),
      sh("apt-get install it", "<!-- run: skip because it changes the machine -->"),
      shown("text", "whatever"),
      sh("echo never", "<!-- run: as echo instead -->"),
      shown("text", "instead"),
    ].join("\n");
    const outcome = await runDocument(text, workshop);
    assert.deepEqual(outcome.mistakes, []);
    assert.equal(outcome.ran, 7);
    assert.equal(outcome.compared, 5);
    assert.equal(outcome.skipped.length, 2);
  });

  it("runs programs if their packages are installed, else reports what is missing", async () => {
    const python = "```python\nimport json\nprint(json.dumps([1]))\n```\n";
    const js = '```js\nimport { tableFromArrays } from "apache-arrow";\nconsole.log(1 + 1);\n```\n';
    const lacking = (language: string) =>
      `<!-- run: needs no_such_package -->\n\`\`\`${language}\n`;
    const text = [
      `<!-- run: needs json; prints [1] -->\n${python}`,
      shown("text", "[1]"),
      `<!-- run: needs apache-arrow -->\n${js}`,
      shown("text", "2"),
      `${lacking("python")}raise SystemExit(1)\n\`\`\`\n`,
      shown("text", "never"),
      `${lacking("js")}process.exit(1);\n\`\`\`\n`,
    ].join("\n");
    const outcome = await runDocument(text, workshop);
    const { ran, compared, skipped, absent, mistakes } = outcome;
    assert.deepEqual([ran, compared, absent, mistakes], [2, 3, 2, []]);
    assert.deepEqual(
      skipped.map((one) => one.replace(/^\d+: /, "")),
      Array(3).fill("no no_such_package"),
    );
  });

  it("waits for its background processes and ends them", async () => {
    const server = "bash -c 'sleep 0.2; echo \"listening on x\"; echo $$ >pid; sleep 60'";
    const text = [
      sh(server, "<!-- run: server -->"),
      sh("cat pid >/dev/null; echo up"),
      shown("text", "up"),
    ].join("\n");
    const began = performance.now();
    const outcome = await runDocument(text, workshop);
    assert.deepEqual(outcome.mistakes, []);
    assert(performance.now() - began < 30_000, "it was not ended");
  });
});

describe("an incorrect document", () => {
  const WRONG: Readonly<Record<string, string>> = {
    "fails in a block": sh("false"),
    "fails in the middle of a pipe": sh("false | cat"),
    "uses a variable that nothing set": sh('echo "$NOBODY"'),
    "ends with another code": sh("exit 2", "<!-- run: fails 1 -->"),
    "does not fail although it says so": sh("true", "<!-- run: fails 1 -->"),
    "fails in Python": "```python\nraise SystemExit(1)\n```\n",
    "fails in JavaScript": "```js\nprocess.exit(1);\n```\n",
    "prints another word": sh("echo one", "<!-- run: prints two -->"),
    "prints nothing by name": sh("echo", "<!-- run: prints -->"),
    "needs nothing by name": "<!-- run: needs a, b -->\n```js\n```\n",
    "shows another line": sh("echo one") + shown("text", "two"),
    "shows a line too few": sh("printf 'one\\ntwo\\n'") + shown("text", "one"),
    "shows a line too many": sh("echo one") + shown("text", "one\ntwo"),
    "shows another number": sh("echo '{\"total\":12}'") + shown("json", '{"total": 13}'),
    "leaves out a member": sh('echo \'{"a":1,"b":2}\'') + shown("json", '{"a": 1}'),
    "shows an answer of nothing": shown("text", "one"),
    "has a block that nothing proves": shown("yaml", "a: 1"),
    "skips without a reason": sh("true", "<!-- run: skip -->"),
    "has a mark that is none": sh("true", "<!-- run: sometimes -->"),
    "has a mark without a block": "<!-- run: server -->\nText.\n",
    "is given what is not there": `<!-- given: nothing.txt -->\n${sh("true")}`,
    "starts a server that ends": sh("echo bye", "<!-- run: server -->"),
    "keeps what is not in the answer": sh("echo '{}'", "<!-- run: keeps ID = export_id -->"),
  };
  for (const [what, text] of Object.entries(WRONG)) {
    it(`reports: ${what}`, async () => {
      const { mistakes } = await runDocument(text, workshop);
      assert.equal(mistakes.length, 1, mistakes.join("\n"));
    });
  }

  it("compares what came before the failure, and nothing after it", async () => {
    const text = sh("echo one") + shown("text", "1") + sh("false") + shown("text", "2");
    const { mistakes } = await runDocument(text, workshop);
    assert.equal(mistakes.length, 2);
    assert.match(mistakes[0] as string, /shown "1", real "one"/);
    assert.match(mistakes[1] as string, /the block failed/);
  });
});

describe("answers", () => {
  const same = (language: string, a: string, b: string, part = false) =>
    assert.deepEqual(differences(language, a, b, part), []);
  const other = (language: string, a: string, b: string, part = false) =>
    assert.notDeepEqual(differences(language, a, b, part), []);

  it("in JSON differ by value, type, length, and member only", () => {
    same("json", '{"b": 2, "a": [1]}', '{"a":[1],"b":2}');
    other("json", '{"a": 1}', '{"a":"1"}');
    other("json", '{"a": [1]}', '{"a":[1,2]}');
    same("json", '{"a": [1, "…"]}', '{"a":[1,2]}');
    other("json", '{"a": [1, "…"]}', '{"a":[1]}');
    same("json", '{"a": 1}', '{"a":1,"b":2}', true);
    other("json", '{"a": 1}', '{"b":2}', true);
    same("json", '{"c": "AQ…"}', '{"c":"AQxyz"}');
    other("json", '{"c": "AQ…"}', '{"c":"BQxyz"}');
    other("json", '{"a": 1}', "no JSON");
  });

  it("ignore values that differ in every run", () => {
    same("json", '{"request_id": "req_…"}', '{"request_id":"req_0a1b"}');
    same("json", '{"request_id": "req_1234"}', '{"request_id":"req_0a1b"}');
    same("json", '{"took_ms": 0.2}', '{"took_ms":7.125}');
    other("json", '{"total": 0.2}', '{"total":7.125}');
    same("text", "made in 0.2 s, 2,000/s", "made in 1.7 s, 311,791/s");
    other("text", "made 2 rows in 0.2 s", "made 3 rows in 0.2 s");
  });

  it("in text may omit lines if marked", () => {
    same("text", "a\n…\nd", "a\nb\nc\nd");
    same("text", "a\n…", "a\nb\nc");
    other("text", "a\n…\nd", "a\nb\nc");
    other("text", "a\nd", "a\nb\nd");
  });

  it("over HTTP are compared by status line, shown headers, and body", () => {
    const real = 'HTTP/1.1 200 OK\r\nETag: W/abc\r\nX-Other: 1\r\n\r\n{"a":1}';
    same("http", 'HTTP/1.1 200 OK\netag: W/…\n\n{"a": 1}', real);
    same("http", "HTTP/1.1 200 OK", real);
    other("http", 'HTTP/1.1 201 Created\n\n{"a": 1}', real);
    other("http", "HTTP/1.1 200 OK\nAge: 1", real);
    other("http", 'HTTP/1.1 200 OK\n\n{"a": 2}', real);
  });
});

describe("links", () => {
  const dead = (text: string) => deadLinks("README.md", text).length;

  it("lead to files and headings", () => {
    assert.equal(dead("[a](ARCHITECTURE.md) [b](ARCHITECTURE.md#one-idea) <https://x.example>"), 0);
    assert.equal(dead("[a](NOWHERE.md)"), 1);
    assert.equal(dead("[a](ARCHITECTURE.md#nowhere)"), 1);
    assert.equal(dead("![a](docs/nowhere.png)"), 1);
    assert.equal(dead("# Here\n[a](#here) [b](#there)"), 1);
    assert.equal(dead("`[a](NOWHERE.md)`"), 0);
  });

  it("use the anchors of rendered headings", () => {
    const text = "# What's new?\n## `a` & b\n## `a` & b\n```\n# no\n```\n### Área 2";
    assert.deepEqual([...anchorsOf(text)], ["whats-new", "a--b", "a--b-1", "área-2"]);
  });

  it("to other hosts are distinguished from those to this machine", () => {
    assert.deepEqual(externalLinks("[a](https://x.example/y) <http://127.0.0.1:8080/app>"), [
      "https://x.example/y",
    ]);
  });
});

describe("blocks", () => {
  it("have their line, language, and marks, also in lists", () => {
    const { blocks, mistakes } = parseDocument(
      "- a\n\n  <!-- run: part; fails 2 -->\n  ```sh\n  x\n    y\n  ```\n",
    );
    assert.deepEqual(mistakes, []);
    assert.deepEqual(blocks, [
      { language: "sh", text: "x\n  y", line: 4, marks: { part: true, fails: 2 } },
    ]);
  });
});
