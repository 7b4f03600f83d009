/**
 * The program of a recording server: what the product does with the same arguments, and the
 * functions that ran between two messages of the process that started it.
 * Invariant: every function is reported once, in the order of its first run.
 */
import "./recording.ts";
import "../../../src/main.ts";
