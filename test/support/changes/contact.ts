/**
 * Lists the names of the contact fields, by which a person can be reached, for suites that test how
 * contacts are treated.
 * Invariant: the names come from the table of fields and not from a separate list.
 */
import { OUTPUT_FIELDS, type OutputField } from "../../../src/spec/fields.ts";

/** E-mail and phones. */
export const CONTACT_FIELDS: readonly OutputField[] = OUTPUT_FIELDS.filter(
  ({ contact }) => contact,
).map(({ name }) => name);
