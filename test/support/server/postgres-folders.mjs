/**
 * Puts the state of every data directory in a test on PostgreSQL. To use it, `--import` this file
 * and set TEST_STATE_URL to the address of a server.
 * Invariant: suites need no change. Each data directory has a separate schema, which is opened in
 * place of a database file.
 */
import { register } from "node:module";

register(new URL("./postgres-folders-hooks.mjs", import.meta.url));
