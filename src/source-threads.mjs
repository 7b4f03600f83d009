/**
 * Lets worker threads load TypeScript while the program runs from its sources under tsx.
 * `location.ts` passes this file to such threads as `--import`.
 * Invariant: this file is never part of the bundle. It is needed because on Node 20, a thread does
 * not inherit the hooks that `--import tsx` has installed in the main thread.
 */
import { register } from "tsx/esm/api";

register();
