/**
 * Who answers for a company. What comes in: a company and its municipality. What goes out: the
 * accountant's office or the owner of several companies whose e-mail and phone it gives, as 32 bits
 * from which these are made; 0 where it answers for itself.
 * Invariant: a function of seed, company and municipality alone, so nothing is kept but the number
 * of offices of each municipality. An office's rank falls with its square root: in a municipality
 * the smallest has half as many clients as the mean, the largest as many as the mean times half the
 * root of the number of offices, so that in the whole registry it has thousands.
 */
import type { World } from "./company.ts";
import { hash } from "./random.ts";

/** Of all companies so many give an accountant's office, so many an owner who has others. */
const CLIENTS = 0.2;
const OWNED = 0.1;
/** Companies of an office and of such an owner in the mean. */
const CLIENTS_MEAN = 24;
const OWNED_MEAN = 2.2;
/** Streams of numbers, above those of companies. */
const STREAMS = { kind: 11, rank: 12, office: 13, owner: 14 } as const;
const BITS = 2 ** 32;

/** The lowest bit of what answers for a company: set for an office. */
export const IS_OFFICE = 1;

/** The offices and owners of a sample. */
export class Offices {
  private readonly seed: number;
  private readonly offices: Float64Array;
  private readonly owners: Float64Array;

  constructor({ seed, companies, cities }: World) {
    this.seed = seed;
    const many = (share: number, mean: number) =>
      cities.shares.map((part) => Math.max(1, Math.round((companies * part * share) / mean)));
    this.offices = many(CLIENTS, CLIENTS_MEAN);
    this.owners = many(OWNED, OWNED_MEAN);
  }

  /** Who answers for company number `company` of municipality `city`. */
  of(company: number, city: number): number {
    const kind = hash(this.seed, STREAMS.kind, company) / BITS;
    if (kind >= CLIENTS + OWNED) return 0;
    const unit = hash(this.seed, STREAMS.rank, company) / BITS;
    if (kind < CLIENTS) {
      const rank = Math.floor((this.offices[city] as number) * unit * unit);
      return (hash(this.seed + city, STREAMS.office, rank) | IS_OFFICE) >>> 0;
    }
    const rank = Math.floor((this.owners[city] as number) * unit);
    // Not zero, which is nobody.
    return ((hash(this.seed + city, STREAMS.owner, rank) & ~IS_OFFICE) | 2) >>> 0;
  }
}
