/**
 * Shared parts of the API's schemas, and functions that build schemas.
 * Invariant: a part has the same meaning everywhere.
 */
import Type, { type TSchema, type TUnsafe } from "typebox";
import { type FieldKind, OUTPUT_FIELD_NAMES } from "../../spec/fields.ts";
import { OUTPUT_INPUT_SCHEMA, TEXT_MAX } from "../../spec/schema.ts";

/** Forbids further members. */
export const closed = { additionalProperties: false } as const;

declare const REFERENCE: unique symbol;

/** Compile-time placeholder for the value of a schema that is referenced by name. */
export interface NamedReference<Name extends string> {
  readonly [REFERENCE]: Name;
}

/** Refers to a schema by its name among the components. */
export function named<const Name extends string>(
  name: Name,
  description?: string,
): TUnsafe<NamedReference<Name>> {
  const reference = { $ref: `#/components/schemas/${name}` };
  return Type.Unsafe(description === undefined ? reference : { ...reference, description });
}

/** A text with a description. */
export const text = (description: string) => Type.String({ description });
/** A count of things. */
export const count = (description: string) => Type.Integer({ minimum: 0, description });
/** Returns a schema that also allows null. */
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
/** Label of a release. */
export const label = Type.String({
  pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$",
  description: "Release YYYY-MM.",
});
/** A date. */
export const date = Type.String({ format: "date" });
/** Request id. */
export const requestId = Type.String({
  pattern: "^[A-Za-z0-9._-]{1,64}$",
  description: "Also in the header X-Request-Id.",
});
/** Cursor of the next page. */
export const cursor = orNull(text("Opaque; null at the end."));
/** True if there is a next page. */
export const hasMore = Type.Boolean({ description: "Whether a further page exists." });
/** Time taken. */
export const tookMs = Type.Number({
  minimum: 0,
  description: "Time inside the server, in milliseconds.",
});

/** Members that name the snapshot of an answer about data. */
export const source = { snapshot: label, snapshot_date: date };

/** Schemas of field values by kind. */
export const VALUES: Readonly<Record<FieldKind, () => TSchema>> = {
  string: () => Type.String(),
  integer: () => Type.Integer(),
  number: () => Type.Number(),
  boolean: () => Type.Boolean(),
  array: () => Type.Array(Type.String()),
};

/** Words of a text with their position, in UTF-16 units. */
export const words = {
  words: Type.String(),
  start: count("First unit."),
  end: count("Unit after it."),
};
/** The parts of a sentence. */
export const parts = Type.Array(
  Type.Object({ ...words, role: text("What the words were taken for.") }),
);
/** Text that may be translated. */
export const sentence = Type.String({ minLength: 1, maxLength: TEXT_MAX });

/** Returns a union of two named schemas, by `kind`. */
export function specUnion(one: string, other: string): TSchema {
  return Type.Union([named(one), named(other)]);
}

/** Maximum rows. */
export const limitSchema = (maximum: number) =>
  Type.Integer({ minimum: 1, maximum, description: "Wins over spec.limit." });

/** Returns the schema of an output with the allowed `formats`. */
export function outputSchema(formats: readonly string[]): TSchema {
  return Type.Object(
    {
      format: Type.Optional(Type.Enum([...formats])),
      include_explain: Type.Optional(Type.Boolean()),
      fields: Type.Optional(
        Type.Array(Type.Enum([...OUTPUT_FIELD_NAMES]), { maxItems: OUTPUT_FIELD_NAMES.length }),
      ),
      ...(formats.includes("csv")
        ? {
            bom: Type.Optional(Type.Boolean({ description: "csv: begin with a byte order mark." })),
            delimiter: Type.Optional(Type.Enum([",", ";"], { description: "csv: between cells." })),
            labels: Type.Optional(OUTPUT_INPUT_SCHEMA.properties.labels),
            preset: Type.Optional(OUTPUT_INPUT_SCHEMA.properties.preset),
            title: Type.Optional(OUTPUT_INPUT_SCHEMA.properties.title),
            compression: Type.Optional(OUTPUT_INPUT_SCHEMA.properties.compression),
          }
        : {}),
    },
    { ...closed, description: "Members win over those of spec.output." },
  );
}
