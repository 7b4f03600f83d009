/**
 * Puts the state of every data directory in a test on PostgreSQL. To use it, start Node with
 * `--import` of this file and with the address of a server in TEST_STATE_URL.
 * Invariant: suites need no change. Each data directory has a separate schema, which is opened in
 * place of a database file.
 */
import { register } from "node:module";

register(new URL("./postgres-folders-hooks.mjs", import.meta.url));
