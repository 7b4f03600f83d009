/**
 * Computes the score of an account, an integer from 0 to 1000 for each strategy, and the parts of
 * the score.
 * Invariant: scores use only integer arithmetic, the account, and the snapshot date, so they are
 * the same on every machine. If any number below changes, `SCORE_VERSION` must change. A part is
 * floor(weight x grade / 1000), and a grade is from 0 to 1000. The sum of the parts stays within
 * 0-1000.
 */

/** Version of the weights and grades; written into every snapshot. */
export const SCORE_VERSION = 1;

/** The strategies whose scores are stored, in the order of their columns. */
export const SCORED_STRATEGIES = ["balanced", "contactable", "newest", "established"] as const;

type ScoredStrategy = (typeof SCORED_STRATEGIES)[number];

/** The facts about an account that determine its score. */
export interface ScoreFacts {
  /** Registration status 1, 2, 3, 4, 8; 0 if unknown. */
  readonly status: number;
  /** Company size 0 (not informed), 1, 3, 5; -1 if unknown. */
  readonly size: number;
  readonly mei: boolean;
  readonly headquarters: boolean;
  readonly hasEmail: boolean;
  /** Number of phones, 0-2. */
  readonly phones: number;
  /** False if the account has no primary activity, or has 8888888 (not informed). */
  readonly activityKnown: boolean;
  /** Days from the opening date to the snapshot date; negative if unknown or in the future. */
  readonly ageDays: number;
  /** Share capital in cents; negative if unknown. */
  readonly capitalCents: number;
  readonly sanctioned: boolean;
}

/** The parts of a score, in display order. */
export const SCORE_PARTS = [
  "status",
  "email",
  "phone",
  "age",
  "recency",
  "size",
  "capital",
  "activity",
  "headquarters",
] as const;

/** A part of a score. */
export type ScorePart = (typeof SCORE_PARTS)[number];

/** Weight of each part in each strategy. The weights of a strategy sum to 1000. */
export const SCORE_WEIGHTS: Readonly<Record<ScoredStrategy, Readonly<Record<ScorePart, number>>>> =
  {
    balanced: {
      status: 420,
      email: 110,
      phone: 90,
      age: 140,
      recency: 0,
      size: 90,
      capital: 60,
      activity: 40,
      headquarters: 50,
    },
    contactable: {
      status: 300,
      email: 300,
      phone: 250,
      age: 0,
      recency: 0,
      size: 50,
      capital: 0,
      activity: 50,
      headquarters: 50,
    },
    newest: {
      status: 200,
      email: 60,
      phone: 40,
      age: 0,
      recency: 700,
      size: 0,
      capital: 0,
      activity: 0,
      headquarters: 0,
    },
    established: {
      status: 300,
      email: 0,
      phone: 0,
      age: 400,
      recency: 0,
      size: 120,
      capital: 120,
      activity: 0,
      headquarters: 60,
    },
  };

/** Points that are subtracted if a sanction is in force. The score never falls below 0. */
export const SANCTION_PENALTY = 200;

/** Age in days at which the age grade is 500, half of its maximum (five years). */
export const AGE_HALF_DAYS = 1826;
/** Age in days at which the recency grade, which starts at 1000, reaches 0 (twenty years). */
export const RECENCY_DAYS = 7305;
/**
 * Thresholds of the share capital, in reais. Each threshold that the capital reaches adds an eighth
 * of the maximum grade.
 */
export const CAPITAL_STEPS = [1, 100, 1_000, 10_000, 50_000, 100_000, 1_000_000, 10_000_000];

/** Returns the grade of a status, highest for active companies, which users look for. */
function statusGrade(status: number): number {
  return status === 2 ? 1000 : status === 3 ? 200 : status === 4 ? 100 : 0;
}

/** Returns the grade of a size, lower for a MEI (individual micro-entrepreneur). */
function sizeGrade(size: number, mei: boolean): number {
  if (size === 5) return 1000;
  if (size === 3) return 800;
  return size === 1 ? (mei ? 250 : 500) : 0;
}

/** Returns the grade of the share capital, bounded so that banks do not fill the first page. */
function capitalGrade(cents: number): number {
  let steps = 0;
  while (steps < CAPITAL_STEPS.length && cents >= (CAPITAL_STEPS[steps] as number) * 100) steps++;
  return steps * 125;
}

function grade(part: ScorePart, facts: ScoreFacts): number {
  switch (part) {
    case "status":
      return statusGrade(facts.status);
    case "email":
      return facts.hasEmail ? 1000 : 0;
    case "phone":
      return facts.phones === 0 ? 0 : facts.phones === 1 ? 900 : 1000;
    case "age":
      return facts.ageDays < 0
        ? 0
        : Math.floor((1000 * facts.ageDays) / (facts.ageDays + AGE_HALF_DAYS));
    case "recency":
      return facts.ageDays < 0
        ? 0
        : Math.max(0, 1000 - Math.floor((1000 * facts.ageDays) / RECENCY_DAYS));
    case "size":
      return sizeGrade(facts.size, facts.mei);
    case "capital":
      return capitalGrade(facts.capitalCents);
    case "activity":
      return facts.activityKnown ? 1000 : 0;
    case "headquarters":
      return facts.headquarters ? 1000 : 0;
  }
}

/** A score and its parts. `sanction` is 0 or the negative number of points subtracted. */
export interface ScoreCard {
  readonly strategy: ScoredStrategy;
  readonly score: number;
  readonly parts: Readonly<Partial<Record<ScorePart, number>>> & { readonly sanction: number };
}

/** Returns the displayed strategy: the balanced score for `random`, which has none. */
export function scoredStrategy(strategy: ScoredStrategy | "random"): ScoredStrategy {
  return strategy === "random" ? "balanced" : strategy;
}

/** Returns the score of one strategy with its parts. Parts of weight 0 are left out. */
export function scoreCard(strategy: ScoredStrategy, facts: ScoreFacts): ScoreCard {
  const parts: Partial<Record<ScorePart, number>> = {};
  let sum = 0;
  for (const part of SCORE_PARTS) {
    const weight = SCORE_WEIGHTS[strategy][part];
    if (weight === 0) continue;
    const points = Math.floor((weight * grade(part, facts)) / 1000);
    parts[part] = points;
    sum += points;
  }
  const sanction = facts.sanctioned ? -Math.min(sum, SANCTION_PENALTY) : 0;
  return { strategy, score: sum + sanction, parts: { ...parts, sanction } };
}

/** Weights by part, then strategy, so that one pass over the parts computes all scores. */
const FLAT_WEIGHTS = SCORE_PARTS.map((part) =>
  SCORED_STRATEGIES.map((strategy) => SCORE_WEIGHTS[strategy][part]),
);

/** Writes the scores of all four stored strategies into `out`, without allocating memory. */
export function scoreAccount(facts: ScoreFacts, out: Uint16Array): void {
  out.fill(0);
  for (let p = 0; p < SCORE_PARTS.length; p++) {
    const value = grade(SCORE_PARTS[p] as ScorePart, facts);
    if (value === 0) continue;
    const weights = FLAT_WEIGHTS[p] as number[];
    for (let s = 0; s < 4; s++) {
      const weight = weights[s] as number;
      if (weight !== 0) out[s] = (out[s] as number) + Math.floor((weight * value) / 1000);
    }
  }
  if (!facts.sanctioned) return;
  for (let s = 0; s < 4; s++) out[s] = Math.max(0, (out[s] as number) - SANCTION_PENALTY);
}
