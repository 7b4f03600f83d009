/**
 * English words of the district box.
 * Invariant: nothing here is markup.
 */

/** Words of this area. */
export const districts = {
  placeholder: "Name of the district",
  hint: "Of the chosen municipalities; without any, write it too: Savassi, Belo Horizonte",
  nothing: "No company names this district. Write its municipality too.",
  lacking: "This data has no districts: import it again with this version.",
  failed: "The districts could not be read.",
  outside: (names: readonly string[]) =>
    `Outside the chosen places, so that nothing is found there: ${names.join(", ")}`,
  outsideFix: "Add their municipalities",
};
