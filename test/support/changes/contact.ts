/**
 * The contact fields, for suites that look for them: the names of those that reach a person.
 * Invariant: derived from the table of fields; nothing here is a separate list.
 */
import { OUTPUT_FIELDS, type OutputField } from "../../../src/spec/fields.ts";

/** E-mail and phones. */
export const CONTACT_FIELDS: readonly OutputField[] = OUTPUT_FIELDS.filter(
  ({ contact }) => contact,
).map(({ name }) => name);
