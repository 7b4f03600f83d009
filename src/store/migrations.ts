/**
 * Schema migrations of the state: statements that upgrade a database version by version.
 * Invariant: a released step is never changed; the steps create all tables and triggers.
 */
import { SENT_FILES_STEP, STORED_BYTES_STEP } from "./usagestore.ts";

/**
 * One step per schema version, in order. `user_version` is the number of steps that a database has
 * undergone. Never change a released step: append a new one. Times are milliseconds since the
 * epoch; ids and names are text; hashes are 32 bytes.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE tenants (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL UNIQUE,
     created_at INTEGER NOT NULL,
     disabled_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     name TEXT NOT NULL,
     plan TEXT NOT NULL,
     hash BLOB NOT NULL CHECK (length(hash) = 32),
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     disabled_at INTEGER,
     last_used_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX keys_of_tenant ON keys (tenant_id);`,
  // AUTOINCREMENT makes sure that the sequence number of a deleted export is never reused. An
  // idempotency key outlives its export, so without this it could seem to belong to a new export.
  `CREATE TABLE exports (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     plan TEXT NOT NULL,
     spec TEXT NOT NULL,
     format TEXT NOT NULL,
     slug TEXT NOT NULL,
     snapshot TEXT NOT NULL,
     snapshot_date TEXT NOT NULL,
     snapshot_id TEXT NOT NULL,
     snapshot_path TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
     attempts INTEGER NOT NULL DEFAULT 0,
     row_count INTEGER,
     size_bytes INTEGER,
     sha256 TEXT,
     failure TEXT,
     created_at INTEGER NOT NULL,
     ended_at INTEGER,
     expires_at INTEGER,
     expired_at INTEGER,
     CHECK ((state = 'failed') = (failure IS NOT NULL)),
     CHECK (state <> 'done' OR (row_count IS NOT NULL AND size_bytes IS NOT NULL
       AND sha256 IS NOT NULL AND expires_at IS NOT NULL))
   ) STRICT;
   CREATE INDEX exports_of_tenant ON exports (tenant_id, sequence);
   CREATE INDEX exports_queued ON exports (tenant_id, sequence) WHERE state = 'queued';
   CREATE INDEX exports_live ON exports (snapshot_id) WHERE state IN ('queued', 'running');
   CREATE INDEX exports_kept ON exports (expires_at) WHERE state = 'done' AND expired_at IS NULL;
   CREATE TABLE idempotency (
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     key TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     export_id TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     PRIMARY KEY (tenant_id, key)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX idempotency_by_age ON idempotency (created_at);`,
  // Days are UTC, counted since 1970. Each export stores how many rows were charged for it, so that
  // they can be refunded. The sum of a day is stored separately, because deleted exports stay
  // charged.
  `ALTER TABLE exports ADD COLUMN key_id TEXT;
   ALTER TABLE exports ADD COLUMN charged_day INTEGER;
   ALTER TABLE exports ADD COLUMN charged_rows INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE idempotency ADD COLUMN body_hash TEXT;
   CREATE TABLE quota (
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     day INTEGER NOT NULL,
     charged_rows INTEGER NOT NULL CHECK (charged_rows >= 0),
     PRIMARY KEY (tenant_id, day)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage (
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     day INTEGER NOT NULL,
     key_id TEXT NOT NULL,
     requests INTEGER NOT NULL DEFAULT 0,
     accounts INTEGER NOT NULL DEFAULT 0,
     export_rows INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (tenant_id, day, key_id)
   ) STRICT, WITHOUT ROWID;`,
  // The cost parameter of a password is stored with its hash, so that it can be raised later. For a
  // session, only a hash of its token is stored; its id is not a credential. A saved search
  // outlives its user.
  `ALTER TABLE tenants ADD COLUMN plan TEXT;
   CREATE TABLE users (
     id TEXT PRIMARY KEY,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     email TEXT NOT NULL UNIQUE CHECK (email = lower(email)),
     role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
     password_hash BLOB NOT NULL CHECK (length(password_hash) = 32),
     password_salt BLOB NOT NULL CHECK (length(password_salt) >= 16),
     password_cost TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     disabled_at INTEGER,
     last_seen_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX users_of_tenant ON users (tenant_id);
   CREATE TABLE sessions (
     hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
     id TEXT NOT NULL UNIQUE,
     user_id TEXT NOT NULL REFERENCES users (id),
     created_at INTEGER NOT NULL,
     seen_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX sessions_of_user ON sessions (user_id);
   CREATE TABLE saved_searches (
     id TEXT PRIMARY KEY,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     user_id TEXT REFERENCES users (id),
     name TEXT NOT NULL,
     text TEXT,
     spec TEXT NOT NULL,
     snapshot TEXT NOT NULL,
     total INTEGER NOT NULL CHECK (total >= 0),
     created_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX saved_searches_of_tenant ON saved_searches (tenant_id, created_at);`,
  // A change export refers to an older snapshot; kinds and watched fields are comma-separated.
  `ALTER TABLE exports ADD COLUMN since TEXT;
   ALTER TABLE exports ADD COLUMN since_date TEXT;
   ALTER TABLE exports ADD COLUMN since_id TEXT;
   ALTER TABLE exports ADD COLUMN since_path TEXT;
   ALTER TABLE exports ADD COLUMN kinds TEXT;
   ALTER TABLE exports ADD COLUMN watch TEXT;
   CREATE INDEX exports_live_since ON exports (since_id)
     WHERE since_id IS NOT NULL AND state IN ('queued', 'running');`,
  STORED_BYTES_STEP,
  // AUTOINCREMENT makes sure that a deleted line's sequence number is never reused. The index of
  // tenants implicitly ends with the sequence number, because it is the row id. So pages can follow
  // the index.
  `CREATE TABLE audit (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     actor TEXT NOT NULL,
     action TEXT NOT NULL,
     tenant_id TEXT REFERENCES tenants (id),
     subject TEXT,
     facts TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_of_tenant ON audit (tenant_id);
   CREATE INDEX audit_of_tenant_by_time ON audit (tenant_id, at);
   CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
     BEGIN SELECT RAISE(ABORT, 'a line of the audit trail is never changed'); END;`,
  // Entries are eight-byte numbers in sorted blocks. A block belongs to the revisions from `since`
  // up to, but not including, `until`. It is retained while an export is pinned to one of them.
  `CREATE TABLE lists (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     id TEXT NOT NULL,
     name TEXT NOT NULL,
     kind TEXT NOT NULL CHECK (kind IN ('accounts', 'companies')),
     revision INTEGER NOT NULL CHECK (revision >= 0),
     entries INTEGER NOT NULL CHECK (entries >= 0),
     created_at INTEGER NOT NULL,
     changed_at INTEGER NOT NULL,
     removed_at INTEGER,
     UNIQUE (tenant_id, id)
   ) STRICT;
   CREATE TABLE list_blocks (
     id INTEGER PRIMARY KEY,
     list INTEGER NOT NULL REFERENCES lists (sequence),
     first INTEGER NOT NULL,
     since INTEGER NOT NULL,
     until INTEGER,
     entries BLOB NOT NULL CHECK (length(entries) > 0 AND length(entries) % 8 = 0)
   ) STRICT;
   CREATE INDEX list_blocks_in_order ON list_blocks (list, first);
   CREATE INDEX list_blocks_replaced ON list_blocks (list, until) WHERE until IS NOT NULL;
   CREATE TABLE export_lists (
     export_id TEXT NOT NULL,
     list INTEGER NOT NULL REFERENCES lists (sequence),
     revision INTEGER NOT NULL,
     PRIMARY KEY (export_id, list)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX export_lists_of_list ON export_lists (list);`,
  // Adds the list `exported` of every tenant. Its number is negative, so it sorts last. The bytes
  // of entries are in a separate table, because a thread writes them before the export that adds
  // them is done.
  `CREATE TABLE exported_entries (
     id INTEGER PRIMARY KEY,
     entries BLOB NOT NULL CHECK (length(entries) > 0)
   ) STRICT;
   CREATE TABLE exported_blocks (
     id INTEGER PRIMARY KEY REFERENCES exported_entries (id),
     list INTEGER NOT NULL REFERENCES lists (sequence),
     first INTEGER NOT NULL,
     since INTEGER NOT NULL,
     until INTEGER
   ) STRICT;
   CREATE INDEX exported_blocks_in_order ON exported_blocks (list, first);
   CREATE INDEX exported_blocks_replaced ON exported_blocks (list, until) WHERE until IS NOT NULL;
   INSERT OR IGNORE INTO lists
     SELECT -row_number() OVER (ORDER BY id), id, 'exported', 'exported', 'accounts', 0, 0,
       created_at, created_at, NULL FROM tenants;
   CREATE TRIGGER tenants_exported AFTER INSERT ON tenants BEGIN
     INSERT INTO lists VALUES ((SELECT min(0, coalesce(min(sequence), 0)) - 1 FROM lists),
       NEW.id, 'exported', 'exported', 'accounts', 0, 0, NEW.created_at, NEW.created_at, NULL);
   END;`,
  // True if the user chose to stay signed in.
  `ALTER TABLE sessions ADD COLUMN kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1));`,
  // The bytes of entries have their own table for all lists, as for exported accounts. A large
  // change writes them in short steps, before the revision that uses them. The time of a staged
  // block shows whether it is a leftover of an ended program.
  `CREATE TABLE list_entries (
     id INTEGER PRIMARY KEY,
     entries BLOB NOT NULL CHECK (length(entries) > 0 AND length(entries) % 8 = 0)
   ) STRICT;
   CREATE TABLE list_staged (
     id INTEGER PRIMARY KEY REFERENCES list_entries (id),
     at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE list_places (
     id INTEGER PRIMARY KEY REFERENCES list_entries (id),
     list INTEGER NOT NULL REFERENCES lists (sequence),
     first INTEGER NOT NULL,
     since INTEGER NOT NULL,
     until INTEGER
   ) STRICT;
   INSERT INTO list_entries SELECT id, entries FROM list_blocks;
   INSERT INTO list_places SELECT id, list, first, since, until FROM list_blocks;
   DROP TABLE list_blocks;
   ALTER TABLE list_places RENAME TO list_blocks;
   CREATE INDEX list_blocks_in_order ON list_blocks (list, first);
   CREATE INDEX list_blocks_replaced ON list_blocks (list, until) WHERE until IS NOT NULL;`,
  // The function `blob_checksum` of checksums.ts is used because SQLite does not notice a flipped
  // bit in a blob. NULL counts as damage, so the first read detects a writer that omits the
  // checksum.
  `ALTER TABLE keys ADD COLUMN checksum INTEGER;
   ALTER TABLE users ADD COLUMN checksum INTEGER;
   ALTER TABLE sessions ADD COLUMN checksum INTEGER;
   ALTER TABLE list_entries ADD COLUMN checksum INTEGER;
   ALTER TABLE exported_entries ADD COLUMN checksum INTEGER;
   UPDATE keys SET checksum = blob_checksum(hash);
   UPDATE users SET checksum = blob_checksum(password_hash, password_salt);
   UPDATE sessions SET checksum = blob_checksum(hash);
   UPDATE list_entries SET checksum = blob_checksum(entries);
   UPDATE exported_entries SET checksum = blob_checksum(entries);`,
  // How the file of an export is compressed. NULL means that it is not, as in all earlier exports.
  `ALTER TABLE exports ADD COLUMN compression TEXT;`,
  SENT_FILES_STEP,
  // A saved search stores what counting and sending need, because they run without a request. A
  // month has one row, however often it is served. AUTOINCREMENT keeps cursors of notices valid.
  `ALTER TABLE saved_searches ADD COLUMN plan TEXT;
   ALTER TABLE saved_searches ADD COLUMN key_id TEXT;
   ALTER TABLE saved_searches ADD COLUMN watch TEXT;
   ALTER TABLE saved_searches ADD COLUMN only_changes INTEGER NOT NULL DEFAULT 0
     CHECK (only_changes IN (0, 1));
   ALTER TABLE saved_searches ADD COLUMN export TEXT;
   ALTER TABLE saved_searches ADD COLUMN feed TEXT;
   ALTER TABLE saved_searches ADD COLUMN notices INTEGER NOT NULL DEFAULT 0;
   CREATE UNIQUE INDEX saved_searches_by_feed ON saved_searches (feed) WHERE feed IS NOT NULL;
   CREATE TABLE served_months (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     label TEXT NOT NULL UNIQUE,
     date TEXT NOT NULL,
     snapshot_id TEXT NOT NULL,
     noted_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE notices (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     search_id TEXT NOT NULL REFERENCES saved_searches (id) ON DELETE CASCADE,
     number INTEGER NOT NULL,
     month INTEGER NOT NULL REFERENCES served_months (sequence),
     since INTEGER NOT NULL REFERENCES served_months (sequence),
     state TEXT NOT NULL CHECK (state IN ('counting', 'counted', 'failed')),
     attempts INTEGER NOT NULL,
     next_at INTEGER,
     failure TEXT,
     counts TEXT,
     export_id TEXT,
     created_at INTEGER NOT NULL,
     counted_at INTEGER,
     UNIQUE (search_id, month),
     UNIQUE (search_id, number),
     CHECK ((state = 'counted') = (counts IS NOT NULL))
   ) STRICT;
   CREATE INDEX notices_of_tenant ON notices (tenant_id, sequence);
   CREATE INDEX notices_counting ON notices (next_at) WHERE state = 'counting';
   CREATE INDEX notices_by_age ON notices (created_at);
   CREATE TABLE webhooks (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     url TEXT NOT NULL,
     searches TEXT,
     signature TEXT NOT NULL CHECK (signature IN ('v1', 'v1a', 'both')),
     seed BLOB NOT NULL CHECK (length(seed) = 32),
     old_seed BLOB NOT NULL DEFAULT x'',
     old_until INTEGER,
     checksum INTEGER,
     created_at INTEGER NOT NULL,
     changed_at INTEGER NOT NULL,
     disabled_at INTEGER,
     disabled_reason TEXT CHECK (disabled_reason IN ('owner', 'gone', 'failing')),
     succeeded_at INTEGER,
     failing_since INTEGER,
     struck_at INTEGER,
     strikes INTEGER NOT NULL DEFAULT 0,
     warnings INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX webhooks_of_tenant ON webhooks (tenant_id, sequence);
   CREATE TABLE deliveries (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     notice TEXT NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
     webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
     state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
     attempts INTEGER NOT NULL,
     first_at INTEGER,
     next_at INTEGER,
     last_at INTEGER,
     last_status INTEGER,
     last_ms INTEGER,
     last_error TEXT,
     UNIQUE (notice, webhook),
     CHECK ((state = 'waiting') = (next_at IS NOT NULL))
   ) STRICT;
   CREATE INDEX deliveries_waiting ON deliveries (webhook, next_at) WHERE state = 'waiting';
   CREATE INDEX deliveries_of_webhook ON deliveries (webhook);`,
  // The title of an export, as the user typed it, names its file. Exports of earlier versions have
  // none. An e-mail receiver is a row of `webhooks` with a mailto address. Its seed signs the
  // unsubscribe link in the e-mails. A receiver whose reader has unsubscribed gets no deliveries.
  `ALTER TABLE exports ADD COLUMN title TEXT;
   ALTER TABLE webhooks ADD COLUMN kind TEXT NOT NULL DEFAULT 'webhook'
     CHECK (kind IN ('webhook', 'email'));
   ALTER TABLE webhooks ADD COLUMN language TEXT NOT NULL DEFAULT 'pt'
     CHECK (language IN ('pt', 'en'));
   ALTER TABLE webhooks ADD COLUMN contacts INTEGER NOT NULL DEFAULT 0
     CHECK (contacts IN (0, 1));
   ALTER TABLE webhooks ADD COLUMN unsubscribed_at INTEGER;
   CREATE UNIQUE INDEX emails_of_tenant ON webhooks (tenant_id, url) WHERE kind = 'email';`,
  // A rolling search counts its days from spec_date, which is NULL in rows of earlier versions. A
  // paused search makes no notices. If a reader unsubscribes, the address is stored as a hash, even
  // after its receiver is deleted. An e-mail about a receiver is stored until it is sent. It is
  // either a warning to an owner (the row has a user), or an offer to the receiver's reader to
  // subscribe again (no user).
  `ALTER TABLE saved_searches ADD COLUMN rolling INTEGER NOT NULL DEFAULT 0
     CHECK (rolling IN (0, 1));
   ALTER TABLE saved_searches ADD COLUMN spec_date TEXT;
   ALTER TABLE saved_searches ADD COLUMN paused_at INTEGER;
   CREATE TABLE unsubscriptions (
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     address TEXT NOT NULL,
     at INTEGER NOT NULL,
     asked_at INTEGER,
     PRIMARY KEY (tenant_id, address)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE receiver_mails (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
     user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
     warning INTEGER,
     created_at INTEGER NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     next_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX receiver_mails_due ON receiver_mails (next_at);
   CREATE INDEX receiver_mails_of_webhook ON receiver_mails (webhook);
   CREATE INDEX receiver_mails_of_user ON receiver_mails (user_id);`,
  // Servers that work on the state. Any server may take a row whose owner is no longer a member.
  // The token of an export counts its claims: a process that was paused for longer than its lease
  // has an older token. Blocks that are staged for a list belong to the server that staged them.
  // The accounts of a notice's file are on the server that made the file. If a client reads the
  // file on another server, read_at reports this to the server that made it.
  `CREATE TABLE members (
     id TEXT PRIMARY KEY,
     place TEXT NOT NULL,
     name TEXT NOT NULL,
     version TEXT NOT NULL,
     files TEXT NOT NULL,
     snapshot TEXT,
     snapshot_id TEXT,
     started_at INTEGER NOT NULL,
     lease_until INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE leases (
     name TEXT PRIMARY KEY,
     owner TEXT NOT NULL,
     token INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   ALTER TABLE exports ADD COLUMN owner TEXT;
   ALTER TABLE exports ADD COLUMN token INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE exports ADD COLUMN rows_written INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE exports ADD COLUMN rows_expected INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE exports ADD COLUMN read_at INTEGER;
   CREATE INDEX exports_running ON exports (tenant_id) WHERE state = 'running';
   CREATE TABLE exported_staged (
     id INTEGER PRIMARY KEY REFERENCES exported_entries (id) ON DELETE CASCADE,
     owner TEXT NOT NULL
   ) STRICT;`,
];
