/**
 * Lets worker threads load TypeScript while the program runs from its sources under tsx.
 * `location.ts` names this file in the `--import` of such threads.
 * Invariant: never part of the bundle. On Node 20 a thread does not inherit the hooks that
 * `--import tsx` has installed in the main thread.
 */
import { register } from "tsx/esm/api";

register();
