/**
 * Answers that have the shape of their route's schema. What comes in: the name of a schema, and a
 * value. What goes out: the answer, whose type has the name.
 * Invariant: a value that lacks a member of the schema, has another one, or has one of another type
 * does not compile, and neither does a handler that answers with a schema that its row does not
 * name.
 */
import type { Static } from "typebox";
import type { NamedReference } from "../openapi/schema-parts.ts";
import {
  type HttpAnswer,
  jsonWith,
  type ShapedAnswer,
  type Unchangeable,
} from "../server/respond.ts";
import type { SCHEMAS, SchemaName } from "./schemas.ts";

/** The value that a schema describes. */
export type Shape<Name extends SchemaName> = Unchangeable<Named<Static<(typeof SCHEMAS)[Name]>>>;

/** A value in which other schemas stand for the names that refer to them. */
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

/** The members of a value, at any depth, that a shape lacks; `never` if it has all of them. */
type Extra<Value, Of> = unknown extends Of
  ? never
  : Value extends readonly (infer Element)[]
    ? Extra<Element, ElementOf<Of>>
    : Value extends object
      ? { [Key in keyof Value]-?: ExtraIn<Value[Key], Of, Key> }[keyof Value]
      : never;

/** A value whose names are only known when it runs is held by tests that check answers. */
type ExtraIn<Value, Of, Key> = string extends Key
  ? never
  : Key extends KeyOf<Of>
    ? Extra<Value, MemberOf<Of, Key>>
    : Key;
type KeyOf<Of> = Of extends unknown ? keyof Of : never;
type MemberOf<Of, Key> = Of extends unknown ? (Key extends keyof Of ? Of[Key] : never) : never;
type ElementOf<Of> = Of extends readonly (infer Element)[] ? Element : never;

/** A value without members that a shape lacks. */
type Exactly<Value, Of> = [Extra<Value, Of>] extends [never]
  ? Value
  : { readonly "not in the schema": Extra<Value, Of> };

/** Answers with a value in JSON: `jsonWith`, whose value and answer have the shape of `Name`. */
export const answer = jsonWith as <Name extends SchemaName, const Value extends Shape<Name>>(
  name: Name,
  value: Value & Exactly<Value, Shape<Name>>,
  more?: Partial<Pick<HttpAnswer, "status" | "headers" | "accounts">>,
) => ShapedAnswer<Name>;
