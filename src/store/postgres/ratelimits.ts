/**
 * The rate-limit buckets that a fleet of servers shares, in PostgreSQL. Input: a member's requests
 * for units. Output: the units that are granted, and the units that are left.
 * Invariant: the units in a bucket and in valid leases together never exceed the burst, and grow
 * only at the rate. So all members together never spend more than the limit, in any period. If a
 * lease ends without a report, its units count as spent at that time. Only the clock of the
 * database counts. After a restart of the database, a bucket is empty, because the last changes may
 * be lost.
 */

/** Creates the tables and functions; a migration step of the schema. */
export const RATE_STEP = `
  CREATE TABLE rates (
    name text COLLATE "C" PRIMARY KEY,
    -- When the burst is full again, and when that was computed: milliseconds since 1970.
    full_at double precision NOT NULL,
    changed_at double precision NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE rate_leases (
    name text COLLATE "C" NOT NULL,
    member text COLLATE "C" NOT NULL,
    units double precision NOT NULL,
    until double precision NOT NULL,
    PRIMARY KEY (name, member)
  ) WITH (fillfactor = 50);
  CREATE FUNCTION rate_lease(
    by_member text, clock double precision, started double precision, lease_ms double precision,
    wanted_name text, per_second double precision, burst double precision, kept double precision,
    wanted double precision, returned double precision, debt double precision,
    OUT granted double precision, OUT level double precision, OUT others double precision
  ) LANGUAGE plpgsql AS $body$
  DECLARE
    unit_ms double precision := 1000 / per_second;
    moment double precision;
    full_time double precision;
    changed double precision;
    leased double precision;
    own double precision;
    ended record;
  BEGIN
    LOOP
      SELECT full_at, changed_at INTO full_time, changed FROM rates
        WHERE name = wanted_name FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO rates VALUES (wanted_name, 0, 0) ON CONFLICT DO NOTHING;
    END LOOP;
    moment := coalesce(clock, extract(epoch FROM clock_timestamp()) * 1000);
    IF changed < started THEN
      full_time := greatest(full_time, started + burst * unit_ms);
    END IF;
    SELECT coalesce(sum(units), 0) INTO leased FROM rate_leases WHERE name = wanted_name;
    FOR ended IN SELECT units, until FROM rate_leases
      WHERE name = wanted_name AND until <= moment ORDER BY until
    LOOP
      full_time := greatest(full_time, ended.until + leased * unit_ms);
      leased := leased - ended.units;
    END LOOP;
    DELETE FROM rate_leases WHERE name = wanted_name AND until <= moment;
    SELECT units INTO own FROM rate_leases WHERE name = wanted_name AND member = by_member;
    own := coalesce(own, 0);
    kept := least(kept, own);
    returned := least(returned, own - kept);
    others := leased - own;
    full_time := greatest(full_time, moment + leased * unit_ms) + (debt - returned) * unit_ms;
    full_time := least(full_time, moment + (others + kept + 2 * burst) * unit_ms);
    level := burst - (full_time - moment) / unit_ms;
    granted := greatest(0, least(wanted, floor(level + 1e-6)));
    level := level - granted;
    IF kept + granted > 0 THEN
      INSERT INTO rate_leases VALUES (wanted_name, by_member, kept + granted, moment + lease_ms)
        ON CONFLICT (name, member) DO UPDATE SET units = excluded.units, until = excluded.until;
    ELSE
      DELETE FROM rate_leases WHERE name = wanted_name AND member = by_member;
    END IF;
    UPDATE rates SET full_at = full_time + granted * unit_ms, changed_at = moment
      WHERE name = wanted_name;
  END $body$;`;

/** How many numbers each request has in the arrays of `LEASES`. */
export const REQUEST_NUMBERS = 6;

/**
 * Grants leases for several names. It processes the names in sorted order, so that no two members
 * wait for each other. Parameters: member; clock (null: the server's); start of the server (null:
 * its own); length of a lease in milliseconds; names; the numbers of each request.
 */
export const LEASES = `
  SELECT place, granted, level, others FROM (
    SELECT * FROM unnest($5::text[]) WITH ORDINALITY AS n (name, place)
    ORDER BY name COLLATE "C"
  ) n, LATERAL rate_lease(
    $1, $2::float8,
    coalesce($3::float8, extract(epoch FROM pg_postmaster_start_time())::float8 * 1000),
    $4::float8, n.name,
    ($6::float8[])[n.place * 6 - 5], ($6::float8[])[n.place * 6 - 4],
    ($6::float8[])[n.place * 6 - 3], ($6::float8[])[n.place * 6 - 2],
    ($6::float8[])[n.place * 6 - 1], ($6::float8[])[n.place * 6])`;

/** Removes buckets that have been full for a minute, and leases that ended a day ago. */
export const SWEEP = `
  WITH full_ones AS (
    SELECT name FROM rates
    WHERE full_at < extract(epoch FROM clock_timestamp()) * 1000 - 60000
      AND NOT EXISTS (SELECT 1 FROM rate_leases WHERE rate_leases.name = rates.name)
    LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), old_ones AS (
    DELETE FROM rate_leases WHERE until < extract(epoch FROM clock_timestamp()) * 1000 - 86400000
  )
  DELETE FROM rates USING full_ones WHERE rates.name = full_ones.name`;
