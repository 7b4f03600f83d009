/**
 * The fields of contact, for suites that look for them. What comes in: the table of fields. What
 * goes out: the names of those that reach a person.
 * Invariant: the table decides; nothing here is a list of its own.
 */
import { OUTPUT_FIELDS, type OutputField } from "../../../src/spec/fields.ts";

/** E-mail and phones. */
export const CONTACT_FIELDS: readonly OutputField[] = OUTPUT_FIELDS.filter(
  ({ contact }) => contact,
).map(({ name }) => name);
