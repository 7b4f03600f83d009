/**
 * Puts the state of every data directory of a test on PostgreSQL: `--import` this file, with the
 * address of a server in TEST_STATE_URL.
 * Invariant: suites need no change. Each data directory gets its own schema, which is opened in
 * place of a database file.
 */
import { register } from "node:module";

register(new URL("./postgres-folders-hooks.mjs", import.meta.url));
