/**
 * Proves, with the shipped program killed at every named point of a notice and at random moments:
 * after restarts every saved search has exactly one notice for each month that was served. Each
 * notice was delivered at least once, always with the same id and bytes, and by e-mail with the
 * same Message-ID. Numbers have no gaps. A notice that fails is sent as a failure under one id, and
 * the next notice of its search also covers its month. A webhook whose creation was answered with
 * 201 exists. By default, the server of one state is killed at every point in turn and at a random
 * moment. TEST_SCALE="notice lives:N" uses one state for each point, and N more with random kills.
 * Does not prove: power cuts, which are tested in the campaign of the state store.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { NOTICE_FAULT_POINTS } from "../../../src/process/fault.ts";
import { type MailServer, readMail, startMailServer } from "../../support/changes/mailserver.ts";
import { type Receiver, startReceiver } from "../../support/changes/receiver.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";
import { buildVictim, makeKeys, Server } from "./server.ts";

const ACCOUNTS = 3_000;
const LABELS = ["2026-08", "2026-09", "2026-10"] as const;
const SEARCHES = 6;
/** Number of states whose server is killed at random moments. By default, there is one. */
const LIVES = tries("notice lives");
/** Milliseconds after the last start within which the notices of a month must arrive. */
const ARRIVES_MS = 60_000;

interface Event {
  readonly type: string;
  readonly data: {
    readonly notice_id: string;
    readonly search_id: string;
    readonly sequence: number;
    readonly snapshot: string;
    readonly since: string;
  };
}

/** The saved searches of one story. For `broken`, the notice about the first month fails. */
interface Saved {
  readonly ids: readonly string[];
  readonly broken: string;
}

describe("notices of a killed server", () => {
  const samples: SampleSnapshot[] = [];
  const folder = mkdtempSync(join(tmpdir(), "peneira-notice-kills-"));
  let receiver: Receiver;
  let mail: MailServer;

  before(async () => {
    buildVictim();
    receiver = await startReceiver();
    mail = await startMailServer();
    for (const [at, label] of LABELS.entries()) {
      samples.push(await makeSampleSnapshot(ACCOUNTS - 200 * at, 3, label));
    }
  });
  after(async () => {
    await receiver.close();
    await mail.close();
    for (const sample of samples) sample.dispose();
    rmSync(folder, { recursive: true });
  });

  /**
   * Runs one story: sets up searches, adds a month while the server is killed and started again,
   * and then starts it for the last time.
   */
  async function story(name: string, faults: readonly string[], killsMs: readonly number[]) {
    const [served, dataDir] = [join(folder, name, "served"), join(folder, name, "state")];
    mkdirSync(served, { recursive: true });
    mkdirSync(dataDir, { mode: 0o700 });
    const place = (at: number) => {
      const path = join(served, `${LABELS[at]}.peneira`);
      cpSync((samples[at] as SampleSnapshot).snapshot, `${path}.tmp`);
      renameSync(`${path}.tmp`, path);
    };
    place(0);
    const keys = makeKeys(dataDir);
    const env = {
      PENEIRA_NOTICES_ALLOW_NETWORKS: "127.0.0.0/8",
      PENEIRA_LOG_LEVEL: "warn",
      PENEIRA_NOTICES_BASE_URL: "https://peneira.example.com",
      PENEIRA_NOTICES_SMTP_HOST: "127.0.0.1",
      PENEIRA_NOTICES_SMTP_PORT: String(mail.port),
      PENEIRA_NOTICES_SMTP_TLS: "none",
      PENEIRA_NOTICES_SMTP_FROM: "peneira@example.com",
    };
    const start = async (point?: string) =>
      Server.start({
        ...{ snapshot: served, dataDir, keys, env },
        ...(point === undefined ? {} : { fault: point }),
      });
    let server = await start();
    assert.ok(server instanceof Server);
    const searches = await setUp(server);
    await server.end("SIGKILL");
    const began = receiver.got.length;
    // The server is killed while it records the first month, counts its notices, or sends them.
    place(1);
    for (const fault of faults) {
      const life = await start(fault);
      if (!(life instanceof Server)) continue;
      await Promise.race([life.death, sleep(ARRIVES_MS, null, { ref: false })]);
      assert.ok(!life.alive, `${fault} was never reached`);
    }
    for (const ms of killsMs) {
      server = await start();
      if (!(server instanceof Server)) continue;
      await sleep(ms);
      await server.end("SIGKILL");
    }
    server = await start();
    assert.ok(server instanceof Server);
    await arrived(began, searches.ids, 1);
    await repair(server, searches.broken);
    place(2);
    server.signal("SIGHUP");
    await arrived(began, searches.ids, 2);
    await check(server, began, searches);
    await server.end("SIGTERM");
  }

  async function setUp(server: Server): Promise<Saved> {
    const request = async (path: string, body: object) => {
      const reply = await server.request(path, { method: "POST", tenant: 0, body });
      assert.equal(reply.status, 201, reply.body.toString());
      return JSON.parse(reply.body.toString()) as {
        readonly search: { readonly id: string };
        readonly list: { readonly id: string };
      };
    };
    await request("/v1/webhooks", { url: receiver.url });
    await request("/v1/emails", { address: "ana@example.com" });
    const ids: string[] = [];
    for (let n = 0; n < SEARCHES; n++) {
      const uf = ["SP", "MG", "RJ", "BA", "PR", "RS"][n];
      const spec = { filters: { geo: { uf_any_of: [uf] } } };
      // One search requests a file with each notice.
      const more = n === 0 ? { export: { output: { format: "csv" } } } : {};
      ids.push((await request("/v1/searches", { name: `search ${n}`, spec, ...more })).search.id);
    }
    const { list } = await request("/v1/lists", { name: "to be deleted" });
    const spec = { filters: { lists: { exclude: [list.id] } } };
    const broken = (await request("/v1/searches", { name: "broken", spec })).search.id;
    const gone = await server.request(`/v1/lists/${list.id}`, { method: "DELETE", tenant: 0 });
    assert.ok(gone.status < 300, gone.body.toString());
    return { ids: [...ids, broken], broken };
  }

  /** Replaces the spec of a search by a valid one. */
  async function repair(server: Server, search: string): Promise<void> {
    const body = { spec: { filters: {} } };
    const reply = await server.request(`/v1/searches/${search}`, {
      method: "PATCH",
      tenant: 0,
      body,
    });
    assert.equal(reply.status, 200, reply.body.toString());
  }

  const events = (from: number) =>
    receiver.got.slice(from).map(({ body, headers }) => {
      const { type, data } = JSON.parse(body) as Event;
      return { body, type, id: headers["webhook-id"], ...data };
    });

  /** True if a notice arrived by e-mail. Its e-mails must have the same Message-ID. */
  function isMailed(notice: string): boolean {
    const ids = mail.got.map(({ raw }) => readMail(raw).headers.get("message-id") ?? "");
    const own = new Set(ids.filter((id) => id.startsWith(`<${notice}`)));
    assert.ok(own.size <= 1, "an e-mail has two ids");
    return own.size === 1;
  }

  async function arrived(from: number, searches: readonly string[], months: number) {
    for (const end = Date.now() + ARRIVES_MS; ; await sleep(50)) {
      const known = new Set(events(from).map((one) => `${one.search_id} ${one.snapshot}`));
      const mailed = new Set(
        events(from)
          .map((one) => one.notice_id)
          .filter(isMailed),
      );
      const wanted = searches.length * months;
      if (known.size === wanted && mailed.size === wanted) return;
      assert.ok(Date.now() < end, `${known.size} of ${searches.length * months} came`);
    }
  }

  async function check(server: Server, from: number, { ids, broken }: Saved) {
    for (const search of ids) {
      const own = events(from).filter((one) => one.search_id === search);
      for (const [at, snapshot] of LABELS.slice(1).entries()) {
        const about = own.filter((one) => one.snapshot === snapshot);
        assert.ok(about.length >= 1, `${search} heard nothing about ${snapshot}`);
        assert.equal(new Set(about.map((one) => one.notice_id)).size, 1, "two ids");
        assert.equal(new Set(about.map((one) => one.body)).size, 1, "two texts");
        const fails = search === broken && at === 0;
        const [type, suffix] = fails ? ["search.failed", "_failed"] : ["search.changed", ""];
        const since = search === broken ? LABELS[0] : LABELS[at];
        for (const one of about) {
          const { notice_id, sequence, id } = one;
          assert.deepEqual([one.type, id, sequence], [type, `${notice_id}${suffix}`, at + 1]);
          assert.equal(one.since, since, `${search} about ${snapshot}`);
        }
      }
    }
    const reply = await server.request("/v1/notices?limit=200", { tenant: 0 });
    const { notices } = JSON.parse(reply.body.toString()) as {
      notices: { notice_id: string; state: string; export_id: string | null }[];
    };
    assert.equal(notices.length, ids.length * 2);
    assert.equal(notices.filter(({ state }) => state === "counted").length, ids.length * 2 - 1);
    assert.equal(notices.filter(({ state }) => state === "failed").length, 1);
    assert.equal(notices.filter(({ export_id }) => export_id !== null).length, 2);
    const exports = await server.request("/v1/exports", { tenant: 0 });
    const made = JSON.parse(exports.body.toString()) as { exports: object[] };
    assert.equal(made.exports.length, 2, "an export was made twice");
  }

  const faults = NOTICE_FAULT_POINTS.map((point) => `${point}:1`);
  const draw = new Draw(seededRng(SEED));
  const moments = (count: number) => Array.from({ length: count }, () => draw.below(1_500));

  if (LIVES === 1) {
    it("are neither lost nor doubled by kills at every point and at random moments", () =>
      story("short", faults, moments(1)));
  } else {
    for (const fault of faults) {
      it(`are neither lost nor doubled by a kill at ${fault}`, () =>
        story(fault.replace(/[.:]/g, "-"), [fault], []));
    }
    it("are neither lost nor doubled by kills at random moments", async () => {
      for (let n = 0; n < LIVES; n++) await story(`random-${n}`, [], moments(3));
    });
  }
});
