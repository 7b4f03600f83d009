/**
 * How many bytes a tenant keeps. What comes in: a tenant. What goes out: bytes of its files of
 * exports, and of the specs of its exports and saved searches, with the texts beside them.
 * Invariant: the database itself adds them up (triggers), in the transaction of each change, so
 * that no way of changing a row goes past the sums, and asking for them costs one row.
 */
import type { StateDatabase, StateStatement } from "./sqlite.ts";

/** The step of the schema that makes the sums, and an order for what is to be forgotten. */
export const KEPT_BYTES_STEP = `
  CREATE TABLE kept_bytes (
    tenant_id TEXT PRIMARY KEY REFERENCES tenants (id),
    files INTEGER NOT NULL,
    specs INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO kept_bytes
    SELECT tenant_id, sum(files), sum(specs) FROM (
      SELECT tenant_id, iif(expired_at IS NULL, coalesce(size_bytes, 0), 0) AS files,
        octet_length(spec) AS specs FROM exports
      UNION ALL SELECT tenant_id, 0,
        octet_length(spec) + octet_length(name) + coalesce(octet_length(text), 0)
        FROM saved_searches)
    GROUP BY tenant_id;
  CREATE TRIGGER exports_kept_insert AFTER INSERT ON exports BEGIN
    INSERT INTO kept_bytes VALUES (NEW.tenant_id,
        iif(NEW.expired_at IS NULL, coalesce(NEW.size_bytes, 0), 0), octet_length(NEW.spec))
      ON CONFLICT DO UPDATE SET files = files + excluded.files, specs = specs + excluded.specs;
  END;
  CREATE TRIGGER exports_kept_update AFTER UPDATE OF spec, size_bytes, expired_at ON exports BEGIN
    UPDATE kept_bytes SET
      files = files + iif(NEW.expired_at IS NULL, coalesce(NEW.size_bytes, 0), 0)
        - iif(OLD.expired_at IS NULL, coalesce(OLD.size_bytes, 0), 0),
      specs = specs + octet_length(NEW.spec) - octet_length(OLD.spec)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE TRIGGER exports_kept_delete AFTER DELETE ON exports BEGIN
    UPDATE kept_bytes SET
      files = files - iif(OLD.expired_at IS NULL, coalesce(OLD.size_bytes, 0), 0),
      specs = specs - octet_length(OLD.spec)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE TRIGGER searches_kept_insert AFTER INSERT ON saved_searches BEGIN
    INSERT INTO kept_bytes VALUES (NEW.tenant_id, 0, octet_length(NEW.spec)
        + octet_length(NEW.name) + coalesce(octet_length(NEW.text), 0))
      ON CONFLICT DO UPDATE SET specs = specs + excluded.specs;
  END;
  CREATE TRIGGER searches_kept_update AFTER UPDATE OF spec, name, text ON saved_searches BEGIN
    UPDATE kept_bytes SET specs = specs + octet_length(NEW.spec) - octet_length(OLD.spec)
      + octet_length(NEW.name) - octet_length(OLD.name)
      + coalesce(octet_length(NEW.text), 0) - coalesce(octet_length(OLD.text), 0)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE TRIGGER searches_kept_delete AFTER DELETE ON saved_searches BEGIN
    UPDATE kept_bytes SET specs = specs - octet_length(OLD.spec) - octet_length(OLD.name)
      - coalesce(octet_length(OLD.text), 0)
      WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE INDEX exports_over ON exports (coalesce(expired_at, ended_at))
    WHERE expired_at IS NOT NULL OR state = 'failed';`;

/** Bytes of one tenant. */
interface Kept {
  readonly files: number;
  readonly specs: number;
}

/** The table `kept_bytes`. */
export class KeptBytes {
  readonly #of: StateStatement<[string], Kept>;

  constructor(database: StateDatabase) {
    this.#of = database.prepare("SELECT files, specs FROM kept_bytes WHERE tenant_id = ?");
  }

  /** What a tenant keeps at the moment. */
  of(tenantId: string): Kept {
    return this.#of.get(tenantId) ?? { files: 0, specs: 0 };
  }
}
