/**
 * A documented route, for the OpenAPI document and the reference pages.
 * Invariant: `Schema` is the union of schema names, so a row can only name existing schemas.
 */
import type { TSchema } from "typebox";
import type { ErrorCode } from "../../errors.ts";

/** Key requirement of a route. */
export type Access = "key" | "open";

/** A path, query, or header parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: string | number;
}

/** A successful answer. */
export type OperationAnswer<Schema extends string = string> = {
  readonly description: string;
  /** Additional headers: `headers` are in every answer, `sometimes` in some. */
  readonly headers?: readonly string[];
  readonly sometimes?: readonly string[];
} & (
  | {
      /** JSON schema, with an example built with the document. */
      readonly schema: Schema;
      readonly example: () => unknown;
      /** Media types of files that the client can choose by Accept. */
      readonly orTypes?: readonly string[];
    }
  | {
      readonly schema: null;
      /** Media types other than JSON. Empty if there is no body. */
      readonly types: readonly string[];
    }
);

/** A documented route. */
export interface Operation<Schema extends string = string> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly access: Access;
  readonly id: string;
  readonly tag: "accounts" | "changes" | "exports" | "lists" | "notices" | "spec" | "service";
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: {
    /** Schema of the JSON body, or null if there is none. */
    readonly schema: Schema | null;
    readonly example?: unknown;
    /** Media types of files that are accepted besides JSON, each as bytes or text. */
    readonly orTypes?: Readonly<Record<string, "bytes" | "text">>;
  };
  readonly answers: Readonly<Record<number, OperationAnswer<Schema>>>;
  readonly errors: readonly ErrorCode[];
}
