/**
 * What comes in: this checkout.
 * What goes out: its files, their text, and for TypeScript the syntax tree and the imports.
 * Invariant: ignored files are never seen; files that are not committed yet are. Everything is
 * relative to the root with `/`, and is read once.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The root folder of the checkout. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** One import of a file. */
export interface Import {
  /** What stands between the quotes. */
  readonly specifier: string;
  /** The imported file, relative to the root; undefined for packages and what does not exist. */
  readonly file: string | undefined;
  /** Whether it vanishes when the types are stripped. */
  readonly typeOnly: boolean;
  readonly line: number;
}

const IGNORED = /(^|\/)(node_modules|dist|\.git|build|build-[^/]*|\.peneira|\.cache|\.tmp)\//;
const texts = new Map<string, string>();
const trees = new Map<string, ts.SourceFile>();

/** All files of the checkout that match, in order of their names. */
export function filesMatching(pattern: RegExp): string[] {
  return ALL.filter((file) => pattern.test(file));
}

/** Fails a test with every place that breaks a rule in its message. */
export function refuse(places: readonly string[], rule: string): void {
  if (places.length > 0) assert.fail(`${rule}:\n  ${places.join("\n  ")}\n`);
}

/** The text of a file. */
export function textOf(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(path.join(ROOT, file), "utf8");
  texts.set(file, text);
  return text;
}

/** The syntax tree of a TypeScript or JavaScript file. */
export function treeOf(file: string): ts.SourceFile {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const tree = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  trees.set(file, tree);
  return tree;
}

/** Line of a node, counted from 1. */
export function lineOf(node: ts.Node): number {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

/** Calls `visit` for every node of a file. */
export function walk(file: string, visit: (node: ts.Node) => void): void {
  const step = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, step);
  };
  step(treeOf(file));
}

/**
 * Every import, re-export and dynamic import of a file, and every string that looks like a
 * relative path of a source or of the addon (workers and the addon are loaded by such strings).
 */
export function importsOf(file: string): Import[] {
  const found: Import[] = [];
  walk(file, (node) => {
    if (!ts.isStringLiteralLike(node)) return;
    const { parent } = node;
    const declared = ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
    const called =
      ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
    const typed = ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent);
    const path_ = /^(\.{0,2}[\w./-]+)\.(worker\.ts|node)$/.test(node.text);
    if (!declared && !called && !typed && !path_) return;
    const typeOnly = typed || (declared && isTypeOnly(parent));
    const target = resolve(file, node.text);
    found.push({ specifier: node.text, file: target, typeOnly, line: lineOf(node) });
  });
  return found;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const named = clause.namedBindings;
  return (
    clause.name === undefined &&
    named !== undefined &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every((element) => element.isTypeOnly)
  );
}

/** Worker files are named from src/, everything else from the importing file. */
function resolve(from: string, specifier: string): string | undefined {
  const near = path.posix.join(path.posix.dirname(from), specifier);
  const candidates = specifier.endsWith(".worker.ts") ? [near, `src/${specifier}`] : [near];
  const relative = specifier.startsWith(".") || specifier.endsWith(".worker.ts");
  return relative ? candidates.find((file) => existsSync(path.join(ROOT, file))) : undefined;
}

const ALL = listFiles();

function listFiles(): string[] {
  let files: string[];
  try {
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const output = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
    files = output.split("\0").filter((file) => file !== "" && existsSync(path.join(ROOT, file)));
  } catch {
    files = []; // Not a repository, or no git: a source archive.
  }
  if (files.length === 0) files = listFolder("");
  return [...new Set(files)].sort();
}

function listFolder(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (IGNORED.test(`${file}/`)) return [];
    return entry.isDirectory() ? listFolder(file) : [file];
  });
}
