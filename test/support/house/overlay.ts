/**
 * Compiles the product, and the reference implementation of its import, with some files replaced by
 * other texts. Output: the files with compile errors. Another function returns the files that
 * docs/contributing.md names for such a change, for comparison.
 * Invariant: nothing is written. Only files whose imports show that the change may affect them are
 * checked. `node build.mjs check` checks all others.
 */
import assert from "node:assert/strict";
import path from "node:path";
import ts from "typescript";
import { ROOT, textOf } from "./checkout.ts";

const PROJECTS = ["tsconfig.json", "src/console/web/tsconfig.json"];

/** The replaced files, and the files to check for errors. */
export interface Overlay {
  /** Replacement texts of files, by path. */
  readonly texts: Readonly<Record<string, string>>;
  /** Matches the text of a source file that the change may affect, usually by its imports. */
  readonly near: RegExp;
  /** Like `near`, for components, which take seconds to check. */
  readonly nearComponent: RegExp;
  /** Restricts the check to these files. By default, all are checked. */
  readonly wanted?: RegExp;
}

/** Returns the files with errors, relative to the root, sorted. */
export function wrongFiles(overlay: Overlay): string[] {
  return PROJECTS.flatMap((project) => wrongIn(project, overlay)).sort();
}

function wrongIn(project: string, overlay: Overlay): string[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => assert.fail(project) };
  const config = path.join(ROOT, project);
  const parsed = ts.getParsedCommandLineOfConfigFile(config, { noEmit: true }, host);
  assert.ok(parsed !== undefined);
  const near = parsed.fileNames.filter((file) => isNear(path.relative(ROOT, file), overlay));
  const compiler = ts.createCompilerHost(parsed.options);
  compiler.readFile = (file) => overlay.texts[path.relative(ROOT, file)] ?? ts.sys.readFile(file);
  const program = ts.createProgram(near, parsed.options, compiler);
  return near
    .filter((file) => program.getSemanticDiagnostics(program.getSourceFile(file)).length > 0)
    .map((file) => path.relative(ROOT, file));
}

function isNear(file: string, { texts, near, nearComponent, wanted }: Overlay): boolean {
  if (!/^(src|native-index|test\/support\/ingest)\//.test(file) || wanted?.test(file) === false)
    return false;
  return (
    texts[file] !== undefined || (file.endsWith("x") ? nearComponent : near).test(textOf(file))
  );
}

/** Returns the files that a section of docs/contributing.md names, in its order. */
export function documentedFiles(title: string): string[] {
  const [, section = ""] = textOf("docs/contributing.md").split(`\n## ${title}\n`);
  const [steps = ""] = section.split("\n## ");
  const [, named = ""] = steps.split("names");
  return [...named.matchAll(/^ +- `([\w/.-]+\/[\w/.-]+)`/gm)].map(([, file]) => file as string);
}
