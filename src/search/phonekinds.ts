/**
 * Kinds of phone numbers as ranges. What comes in: nothing. What goes out: the numbers, E.164
 * digits, that are mobiles, and those that are landlines.
 * Invariant: no number is in both. Apart because it is the counterpart of one header,
 * native-index/format/phone.h, and changes with it.
 */

type Ranges = readonly (readonly [low: number, high: number])[];

/** 55 and each area code, 11 to 99. */
const AREAS = Array.from({ length: 89 }, (_, area) => 5511 + area);

/** Nine digits behind the area code, of which the first is 9. */
export const MOBILES: Ranges = AREAS.map((area) => [area * 1e9 + 9e8, area * 1e9 + 999_999_999]);

/** Seven digits behind the area code, or eight. */
export const LANDLINES: Ranges = [1e7, 1e8].map((scale) => [5511 * scale, 5600 * scale - 1]);
