/**
 * The program of a recording server: runs the product with the same arguments, and reports the
 * functions that ran between two messages of its parent process.
 * Invariant: every function is reported once, in the order of its first run.
 */
import "./recording.ts";
import "../../../src/main.ts";
