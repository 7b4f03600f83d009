/**
 * Builds answers whose type carries the name of the schema that their route documents.
 * Invariant: a value compiles only if all its members match the schema, and a handler compiles only
 * if it answers with a schema of its row.
 */
import type { Static } from "typebox";
import type { NamedReference } from "../openapi/schema-parts.ts";
import {
  type DeepReadonly,
  type HttpAnswer,
  jsonWith,
  type ShapedAnswer,
} from "../server/respond.ts";
import type { SCHEMAS, SchemaName } from "./schemas.ts";

/** Value type of a schema. */
export type Shape<Name extends SchemaName> = DeepReadonly<Named<Static<(typeof SCHEMAS)[Name]>>>;

/** Value type with every schema reference resolved. */
type Named<Value> =
  Value extends NamedReference<infer Name>
    ? Name extends SchemaName
      ? Named<Static<(typeof SCHEMAS)[Name]>>
      : never
    : Value extends readonly (infer Element)[]
      ? readonly Named<Element>[]
      : Value extends object
        ? { [Member in keyof Value]: Named<Value[Member]> }
        : Value;

/** Members of a value, at any depth, that a shape lacks; `never` if the shape has them all. */
type Extra<Value, Of> = unknown extends Of
  ? never
  : Value extends readonly (infer Element)[]
    ? Extra<Element, ElementOf<Of>>
    : Value extends object
      ? { [Key in keyof Value]-?: ExtraIn<Value[Key], Of, Key> }[keyof Value]
      : never;

/** Names that are known only at runtime are not checked here, but by tests. */
type ExtraIn<Value, Of, Key> = string extends Key
  ? never
  : Key extends KeyOf<Of>
    ? Extra<Value, MemberOf<Of, Key>>
    : Key;
type KeyOf<Of> = Of extends unknown ? keyof Of : never;
type MemberOf<Of, Key> = Of extends unknown ? (Key extends keyof Of ? Of[Key] : never) : never;
type ElementOf<Of> = Of extends readonly (infer Element)[] ? Element : never;

/** Value without members that the shape lacks. */
type Exactly<Value, Of> = [Extra<Value, Of>] extends [never]
  ? Value
  : { readonly "not in the schema": Extra<Value, Of> };

/** Answers with JSON like `jsonWith`. The value must have the shape of the schema `Name`. */
export const answer = jsonWith as <Name extends SchemaName, const Value extends Shape<Name>>(
  name: Name,
  value: Value & Exactly<Value, Shape<Name>>,
  more?: Partial<Pick<HttpAnswer, "status" | "headers" | "accounts">>,
) => ShapedAnswer<Name>;
