/**
 * Proves which characters are escaped when a person reads the output, that escaped JSON keeps its
 * meaning, and that bytes written to a pipe stay unchanged. No other file of the product writes to
 * standard output or standard error.
 * Does not prove the output on a real terminal (e2e/cli/terminal.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import ts from "typescript";
import { stderr, stdout, visible, visibleLine } from "../../../src/process/terminal.ts";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";
import { lineOf, walk } from "../../support/house/syntax.ts";

/** Every BMP character that a terminal may interpret, except tabs and line feeds. */
const OBEYED = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (one) => /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(one) && one !== "\t" && one !== "\n",
);

function written(test: TestContext, name: "stdout" | "stderr", isTTY: boolean): () => string {
  const stream = process[name];
  const pieces: Buffer[] = [];
  const before = stream.isTTY;
  stream.isTTY = isTTY;
  const mock = test.mock.method(stream, "write", (piece: string | Uint8Array) => {
    pieces.push(Buffer.from(piece as string));
    return true;
  });
  return () => {
    mock.mock.restore();
    stream.isTTY = before;
    return Buffer.concat(pieces).toString();
  };
}

describe("text for people", () => {
  it("shows the escape of every character that a terminal obeys", () => {
    assert.ok(OBEYED.length >= 63 + 12 + 2);
    for (const one of OBEYED) {
      const shown = `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
      assert.equal(visible(`a${one}b`), `a${shown}b`);
      assert.equal(visibleLine(`a${one}b`), `a${shown}b`);
    }
  });

  it("keeps lines and tabs in a text, and neither within a line", () => {
    assert.equal(visible("a\tb\nc\r\nd\re"), "a\tb\nc\r\nd\\u000de");
    assert.equal(visibleLine("a\tb\nc\r\n"), "a\\u0009b\\u000ac\\u000d\\u000a");
  });

  it("keeps every other character", () => {
    const text = "São João \u{1f600} \u00ad \u200b \ufeff \\u001b";
    assert.equal(visible(text), text);
  });

  it("is escaped in pipes as well", (test) => {
    for (const isTTY of [true, false]) {
      const end = written(test, "stderr", isTTY);
      stderr.print("\x1b[31m\u0085\n");
      assert.equal(end(), "\\u001b[31m\\u0085\n");
    }
  });

  it("may be preceded only by the program's own control sequence", (test) => {
    const end = written(test, "stderr", true);
    stderr.redraw("\r\x1b[2Ka");
    assert.equal(end(), "\r\x1b[2K\\u000d\\u001b[2Ka");
  });
});

describe("text for programs", () => {
  it("is unchanged in a pipe, and equivalent JSON on a terminal", (test) => {
    const value = { [`k${OBEYED.join("")}`]: OBEYED.join("-") };
    const text = `${JSON.stringify(value, null, 2)}\n`;
    for (const piece of [text, Buffer.from(text)]) {
      const pipe = written(test, "stdout", false);
      stdout.data(piece);
      assert.equal(pipe(), text);
      const terminal = written(test, "stdout", true);
      stdout.data(piece);
      const shown = terminal();
      assert.doesNotMatch(shown, /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
      assert.deepEqual(JSON.parse(shown), value);
    }
  });

  it("is the same through a stream", (test) => {
    const end = written(test, "stdout", true);
    stdout.writable().write("\u009b\n");
    assert.equal(end(), "\\u009b\n");
  });
});

/** Members of `process` that only src/process/terminal.ts may use. */
const STREAMS = new Set(["stdout", "stderr"]);

describe("the standard streams", () => {
  it("are written only by src/process/terminal.ts", () => {
    const product = filesMatching(/^(src|native-index)\/(?!console\/web\/).*\.ts$/);
    const broken = product.flatMap((file) => {
      if (file === "src/process/terminal.ts") return [];
      const found: string[] = [];
      const note = (node: ts.Node) => found.push(`${file}:${lineOf(node)} ${node.getText()}`);
      walk(file, (node) => {
        if (ts.isPropertyAccessExpression(node) && isOfProcess(node)) note(node);
        if (ts.isIdentifier(node) && node.text === "console" && isValue(node)) note(node);
        if (ts.isImportDeclaration(node) && /"node:(process|console)"/.test(node.getText()))
          note(node);
        if (ts.isVariableDeclaration(node) && node.initializer?.getText() === "process") note(node);
        if (ts.isStringLiteral(node) && /^\/dev\/(tty|stdout|stderr)$/.test(node.text)) note(node);
        if (ts.isCallExpression(node) && /^(fs\.)?writeSync\([12],/.test(node.getText()))
          note(node);
      });
      return found;
    });
    refuse(
      broken,
      "print, data and redraw of src/process/terminal.ts write to the standard streams",
    );
  });

  it("are not written by the addon", () => {
    const broken = filesMatching(/^native-index\/(?!fuzz\/).*\.(cc|h)$/).flatMap((file) =>
      textOf(file)
        .split("\n")
        .flatMap((line, at) =>
          /\bstd::(cout|cerr|clog)\b|\b(printf|puts|perror)\(|\bstd(out|err)\b/.test(
            line.replace(/\/\/.*/, ""),
          )
            ? [`${file}:${at + 1} ${line.trim()}`]
            : [],
        ),
    );
    refuse(broken, "the addon throws; it prints nothing");
  });
});

function isOfProcess(node: ts.PropertyAccessExpression): boolean {
  return node.expression.getText() === "process" && STREAMS.has(node.name.text);
}

/** Returns true for the global object `console`, false for a member of that name. */
function isValue(node: ts.Identifier): boolean {
  return ts.isPropertyAccessExpression(node.parent) && node.parent.expression === node;
}
