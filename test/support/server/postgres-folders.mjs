/**
 * Puts the state of every data directory of a test on PostgreSQL: `--import` this file, with the
 * address of a server in TEST_STATE_URL.
 * Invariant: suites do not know of it. Each data directory gets a schema of its own; what opens a
 * database file opens that instead.
 */
import { register } from "node:module";

register(new URL("./postgres-folders-hooks.mjs", import.meta.url));
