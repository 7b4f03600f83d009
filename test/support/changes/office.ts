/**
 * Runs the notices of a server on a real state: two or more snapshots, saved searches, receivers on
 * this machine, and a manual clock.
 * Invariant: everything between a new month and a receiver is real, except the exporter, which has
 * its own suites. Time passes only when the suite advances the clock, and timers of the process do
 * not run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadPlans } from "../../../src/access/plans.ts";
import { ChangeLists } from "../../../src/changes/lists.ts";
import { Months } from "../../../src/changes/months.ts";
import { ListBinder } from "../../../src/lists/listbinding.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { type NoticeParts, Notices } from "../../../src/notices/notices.ts";
import { type ManualClock, manualClock, systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { openSegment, type Segment, SegmentRegistry } from "../../../src/search/segment.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import { SearchStore } from "../../../src/store/searchstore.ts";
import { openSecrets } from "../../../src/store/secrets.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";

/** The tenant that every office has. */
export const TENANT = "ten_a";
/** The time at which the clock of every office starts. */
export const START_MS = Date.parse("2026-11-15T06:00:00Z");

/** The notices of one server, with their state, snapshots, and clock. */
export interface Office {
  readonly notices: Notices;
  readonly clock: ManualClock;
  readonly database: SqliteDatabase;
  readonly searches: SearchStore;
  readonly lists: Lists;
  readonly logged: string[];
  /** Saves a search; returns its id. */
  search(name: string, spec?: object, more?: Readonly<Record<string, unknown>>): string;
  /** Opens a snapshot, and serves it from now on. */
  serve(path: string): Promise<Segment>;
  /** Performs all due work until no notice is being counted or sent. */
  work(): Promise<void>;
  /** Closes the notices, and opens them again on the same state. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Options of an office. */
export interface OfficeOptions {
  /** The served folder. */
  readonly folder: string;
  readonly parts?: Partial<Omit<NoticeParts, "settings">> & {
    readonly settings?: Partial<NoticeParts["settings"]>;
  };
}

/** Maximum rounds of work, which take minutes. More rounds mean that the work never ends. */
const TURNS_MAX = 5_000;

let searches = 0;

/** Opens an office in a new state. */
export async function openOffice({ folder, parts = {} }: OfficeOptions): Promise<Office> {
  const dataDir = mkdtempSync(join(tmpdir(), "peneira-notices-"));
  const database = openDatabase(dataDir);
  database
    .prepare("INSERT INTO tenants (id, name, created_at) VALUES (?, 'a', 0), ('ten_b', 'b', 0)")
    .run(TENANT);
  const clock = manualClock(START_MS);
  const logged: string[] = [];
  const log = openLog("info", { write: (line) => logged.push(line) });
  const keeping = { keepMs: 900_000, clock: systemClock, log };
  const registry = new SegmentRegistry(systemClock, 900_000);
  const months = new Months({ folder, ...keeping });
  await months.look();
  const retain = (segment: Segment) => {
    const holds = [months.retain(segment), registry.retain(segment)];
    return () => {
      for (const release of holds) release();
    };
  };
  const lists = new ChangeLists({ dataDir, retain, ...keeping });
  lists.start();
  const saved = new Lists(new ListStore(database), clock);
  const store = new SearchStore(database);
  const known = { database, dataDir, clock, log, changes: { months, lists } };
  const open = () =>
    new Notices({ ...partsOf({ ...known, registry, listed: new ListBinder(saved) }, parts) });
  const office = {
    ...{ notices: open(), clock, database, searches: store, lists: saved, logged },
    search(name: string, spec: object = {}, more = {}) {
      const id = `sch_${String(++searches).padStart(32, "0")}`;
      const row = { id, tenantId: TENANT, userId: null, name, text: null };
      const counted = { snapshot: "2026-10", total: 0, createdAt: clock.nowMs() };
      store.insert({ ...row, ...counted, spec: JSON.stringify(spec), ...more }, 10_000);
      return id;
    },
    async serve(path: string) {
      const segment = await openSegment(path);
      registry.put(segment);
      office.notices.serve(segment);
      return segment;
    },
    async work() {
      for (let quiet = 0, turns = 0; quiet < 3; ) {
        if (turns++ > TURNS_MAX) throw new Error(JSON.stringify(office.notices.counts()));
        office.notices.tick();
        await new Promise((resolve) => setTimeout(resolve, 15));
        await office.notices.idle();
        const { states, running } = office.notices.counts();
        quiet = states.counting + running === 0 ? quiet + 1 : 0;
      }
    },
    async restart() {
      await office.notices.close();
      office.notices = open();
      office.notices.start(registry.current());
    },
    async close() {
      await office.notices.close();
      await lists.close();
      months.close();
      registry.close();
      database.close();
      rmSync(dataDir, { recursive: true });
    },
  };
  return office;
}

/** Returns the parts that the notices need. `own` replaces some of them. */
function partsOf(
  {
    registry,
    ...known
  }: Pick<NoticeParts, "database" | "dataDir" | "clock" | "log" | "changes" | "listed"> & {
    readonly registry: SegmentRegistry;
  },
  { settings = {}, ...own }: NonNullable<OfficeOptions["parts"]>,
): NoticeParts {
  return {
    ...{ ...known, plans: loadPlans(), consolePlan: () => "enterprise" },
    served: {
      current: () => registry.current(),
      retired: (belongs) => registry.retired(belongs),
      retain: (segment) => registry.retain(segment),
    },
    exporter: { create: () => refuse(), settled: () => refuse() },
    linkSecrets: openSecrets(known.dataDir).link,
    random: () => 0.5,
    ...own,
    settings: {
      ...{ allowNetworks: "127.0.0.0/8", retryMs: 86_400_000, retentionMs: 31_536_000_000 },
      ...{ baseUrl: "https://peneira.example.com", version: "0.0.0-test", ...settings },
    },
  };
}

function refuse(): never {
  throw new Error("this suite makes no exports");
}
