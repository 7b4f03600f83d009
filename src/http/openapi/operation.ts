/**
 * What a route is in words, for the OpenAPI document and the reference pages: its parameters, its
 * body, its answers and the errors that it can give.
 * Invariant: `Schema` is the union of the names that a body or an answer may refer to, so that a
 * row cannot name a schema that does not exist.
 */
import type { TSchema } from "typebox";
import type { ErrorCode } from "../../errors.ts";

/** Whether a route needs a key. */
export type Access = "key" | "open";

/** One parameter of a path, a query or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: string | number;
}

/** One answer of success. */
export type OperationAnswer<Schema extends string = string> = {
  readonly description: string;
  /** Headers beside those that every answer has, and those that only some have. */
  readonly headers?: readonly string[];
  readonly sometimes?: readonly string[];
} & (
  | {
      /** The shape of its JSON, with an example that is made when the document is. */
      readonly schema: Schema;
      readonly example: () => unknown;
    }
  | {
      readonly schema: null;
      /** Media types of what is not JSON; none where there is no body at all. */
      readonly types: readonly string[];
    }
);

/** One route in words. */
export interface Operation<Schema extends string = string> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly access: Access;
  readonly id: string;
  readonly tag: "accounts" | "changes" | "exports" | "lists" | "spec" | "service";
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: {
    /** Null if no JSON is taken. */
    readonly schema: Schema | null;
    readonly example?: unknown;
    /** Media types of files that are taken beside JSON, and whether each is bytes or text. */
    readonly orTypes?: Readonly<Record<string, "bytes" | "text">>;
  };
  readonly answers: Readonly<Record<number, OperationAnswer<Schema>>>;
  readonly errors: readonly ErrorCode[];
}
