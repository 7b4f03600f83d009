/**
 * JSON Schema of what was read of a file to enrich. The answer that creates an export has its
 * members, and so has the record of the export.
 */
import Type from "typebox";
import { SHEET_REASONS } from "../../../lists/xlsx/workbook.ts";
import { orNull, text } from "../../openapi/schema-parts.ts";

/** The members. */
export const readFileSchema = {
  column: text("The column of CNPJs: its header, or its number or letters."),
  equal_columns: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 10,
      description:
        "Further columns with as many CNPJs in the first rows, of which the first was read. Name " +
        "another with column.",
    }),
  ),
  sheet: orNull(text("The sheet of a workbook; null of CSV.")),
  sheet_reason: Type.Optional(
    Type.Enum([...SHEET_REASONS], {
      description:
        "Why this sheet of several: the first with CNPJs, and none has more; the one with a " +
        "column of them after a cover with a single CNPJ; the one with the most; the only " +
        "visible one with data; or the one that sheet named.",
    }),
  ),
};
