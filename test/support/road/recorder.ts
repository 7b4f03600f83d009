/**
 * The program of a recording server: the product with the same arguments, plus the functions that
 * ran between two messages of its parent process.
 * Invariant: every function is reported once, in the order of its first run.
 */
import "./recording.ts";
import "../../../src/main.ts";
