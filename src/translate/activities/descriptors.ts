/**
 * Texts of activities as IBGE publishes them, an optional further source. What comes in: what was
 * read of a file. What goes out: the texts of each subclass, for the whole process.
 * Invariant: the same list until others are used, so that what is made of it is made once.
 */
import type { Descriptor } from "../../dump/activities.ts";

let used: readonly Descriptor[] = [];

/** The descriptors in use; none unless a file was given. The same array until others are used. */
export function descriptorsInUse(): readonly Descriptor[] {
  return used;
}

/** Uses descriptors for every translation from now on; meant for the start of a process. */
export function useDescriptors(descriptors: readonly Descriptor[]): void {
  used = descriptors;
}
