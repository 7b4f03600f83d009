/**
 * The outcome of a spec, for the suites of normalization: its normal form, or its mistakes.
 * Invariant: accepting a spec that should be rejected fails the test.
 */
import assert from "node:assert/strict";
import { AppError } from "../../../src/errors.ts";
import { type NormalizeContext, normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { contextWith } from "./catalog.ts";

/** A JSON object. */
export type Json = Record<string, unknown>;

/** Returns the normal form of a spec. */
export function normal(input: unknown, changed: Partial<NormalizeContext> = {}): AccountQuerySpec {
  return normalizeSpec(input, contextWith(changed)).spec;
}

/** A spec with one group of filters. */
export function filters(group: string, members: Json): Json {
  return { filters: { [group]: members } };
}

/** Returns the error with which a spec is rejected. */
export function failure(input: unknown, changed: Partial<NormalizeContext> = {}): AppError {
  try {
    normal(input, changed);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
  throw new Error(`was accepted: ${JSON.stringify(input)}`);
}

/** Returns the pointers and codes of every mistake, in order. */
export function mistakes(input: unknown, changed: Partial<NormalizeContext> = {}): string[] {
  return failure(input, changed).errors.map(({ pointer, code }) => `${pointer} ${code}`);
}
