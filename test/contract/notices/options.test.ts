/**
 * Proves, with three real months: the dates of a rolling search move with the month of each notice.
 * The dates of other searches stay fixed. A paused search makes no notice. The first notice after
 * the pause covers the time since the last notice and has the next number. Searches with equal
 * filters get equal counts, even across tenants. Searches that use saved lists are counted
 * separately. If a notice cannot be counted, a failure is sent under its own id. Replaying it sends
 * the notice once it can be counted. Without a replay, the next notice has the changes of both
 * months.
 * Does not prove: how requests set the options (contract/http/api/notices.test.ts).
 */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { type MailServer, readMail, startMailServer } from "../../support/changes/mailserver.ts";
import { type Office, openOffice, TENANT } from "../../support/changes/office.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import { type Receiver, startReceiver } from "../../support/changes/receiver.ts";

const OWNER = { tenantId: TENANT, actor: "key:test" } as const;
const DAY_MS = 86_400_000;

interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> & {
    readonly search_id: string;
    readonly sequence: number;
    readonly since: string;
    readonly snapshot: string;
    readonly entered: number;
    readonly left: number;
    readonly changed: number;
    readonly first: readonly object[];
    readonly problem: string | null;
  };
}

describe("options of saved searches", () => {
  let pair: MonthPair;
  let folder: string;
  let [older, newer, third] = ["", "", ""];
  let office: Office;
  let receiver: Receiver;
  let mail: MailServer;

  before(async () => {
    pair = await makePair({ seed: 21, accounts: 1_200 });
    folder = mkdtempSync(join(tmpdir(), "peneira-options-"));
    [older, newer, third] = ["a", "b", "c"].map((name) => join(folder, `${name}.peneira`)) as [
      string,
      string,
      string,
    ];
    cpSync(pair.older.path, older);
    cpSync(pair.newer.path, newer);
    const { path, segment } = await pair.third();
    segment.close();
    cpSync(path, third);
  });
  after(() => {
    pair.dispose();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    [receiver, mail] = [await startReceiver(), await startMailServer()];
    const smtp = {
      ...{ host: "127.0.0.1", port: mail.port, user: null, password: null, ca: null },
      ...{ tls: "none" as const, from: "peneira@example.com", timeoutMs: 5_000 },
    };
    office = await openOffice({ folder, parts: { settings: { smtp } } });
    await office.serve(older);
    office.notices.webhooks.create(OWNER, { url: receiver.url }, 9);
  });
  afterEach(async () => {
    await office.close();
    await receiver.close();
    await mail.close();
  });

  const events = () =>
    receiver.got.map(({ body, headers }) => {
      return { id: headers["webhook-id"], ...(JSON.parse(body) as Event) };
    });
  const of = (search: string) => events().filter(({ data }) => data.search_id === search);
  const totals = ({ data: { entered, left, changed } }: Event) => [entered, left, changed];
  const dayAfter = (date: string, days: number) =>
    new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

  it("move the days of a rolling search with the month, and no others", async () => {
    // Opening dates in the test data are spread over two centuries, so the search has to move by
    // decades to find other accounts.
    const days = 14_610;
    const specDate = dayAfter(pair.newer.segment.snapshotDate, -days);
    const since = (day: string) => ({ filters: { company: { started_after: day } } });
    const rolling = office.search("rolling", since("1880-01-01"), { rolling: 1, specDate });
    const fixed = office.search("fixed", since("1880-01-01"), { specDate });
    const twin = office.search("twin", since(dayAfter("1880-01-01", days)));
    await office.serve(newer);
    await office.work();
    const [one, other, expected] = [rolling, fixed, twin].map((id) => of(id)[0] as Event);
    assert.ok(one !== undefined && other !== undefined && expected !== undefined);
    assert.deepEqual(totals(one), totals(expected));
    assert.notDeepEqual(totals(other), totals(expected));
  });

  it("make no notice while paused, and miss nothing afterwards", async () => {
    const whole = office.search("whole");
    const paused = office.search("paused");
    await office.serve(newer);
    await office.work();
    office.searches.pause(TENANT, paused, office.clock.nowMs());
    const [fresh, late] = [office.search("fresh"), office.search("late", {}, { pausedAt: 1 })];
    await office.serve(third);
    await office.work();
    assert.deepEqual([of(whole).length, of(fresh).length], [2, 1]);
    assert.deepEqual([of(paused).length, of(late).length], [1, 0]);
    office.searches.pause(TENANT, paused, null);
    office.searches.pause(TENANT, late, null);
    // A fourth month is added by serving the third one under another label.
    const label =
      "UPDATE served_months SET label = '2026-11a', date = '2026-11-01' WHERE label = ?";
    office.database.prepare(label).run("2026-11");
    await office.serve(third);
    await office.work();
    const last = of(paused).at(-1)?.data;
    assert.deepEqual([last?.sequence, last?.since, last?.snapshot], [2, "2026-10", "2026-11"]);
    assert.deepEqual(of(whole).at(-1)?.data.since, "2026-11a");
    assert.deepEqual(totals(of(paused).at(-1) as Event), totals(of(whole)[1] as Event));
    assert.equal(of(late).at(-1)?.data.sequence, 1);
  });

  it("are counted once for equal filters, and for lists each", async () => {
    const spec = { filters: { geo: { uf_any_of: ["SP", "MG"] } } };
    const fields = { ...spec, output: { fields: ["cnpj", "uf"] } };
    const same = [office.search("one", spec), office.search("two", spec)];
    const shown = office.search("fields", fields);
    const watching = office.search("watch", spec, { watch: "email" });
    const limits = { lists: 9, list_entries: 9 };
    const list = (name: string) =>
      office.lists.create(TENANT, { name, kind: "accounts" }, limits).id;
    const only = office.search("only", {
      filters: { ...spec.filters, lists: { any_of: [list("x")] } },
    });
    const without = office.search("without", {
      filters: { ...spec.filters, lists: { exclude: [list("y")] } },
    });
    await office.serve(newer);
    await office.work();
    const found = same.map((id) => of(id)[0] as Event);
    assert.deepEqual(totals(found[0] as Event), totals(found[1] as Event));
    assert.deepEqual(found[0]?.data.first, found[1]?.data.first);
    const [{ data: some }, { data: watched }] = [of(shown)[0], of(watching)[0]] as [Event, Event];
    assert.deepEqual(Object.keys(some.first[0] ?? {}).sort(), [
      ...["change", "changed_fields", "cnpj", "uf"],
    ]);
    assert.ok(watched.changed < some.changed);
    assert.deepEqual(totals(of(only)[0] as Event), [0, 0, 0]);
    assert.deepEqual(totals(of(without)[0] as Event), totals(found[0] as Event));
  });

  it("send a failure under an id of its own, then counts under that of the notice", async () => {
    const absent = `lst_${"0".repeat(32)}`;
    const broken = office.search("broken", { filters: { lists: { any_of: [absent] } } });
    office.notices.emails.create(OWNER, { address: "ana@example.com" }, 9);
    await office.serve(newer);
    await office.work();
    const [failed] = of(broken);
    assert.ok(failed !== undefined);
    const notice = String(failed.data.notice_id);
    assert.deepEqual([failed.type, failed.id], ["search.failed", `${notice}_failed`]);
    assert.match(failed.data.problem ?? "", /no list of this id/);
    assert.ok(!("entered" in failed.data));
    const { headers, text } = readMail(mail.got[0]?.raw ?? "");
    assert.match(headers.get("subject") ?? "", /falhou: broken/);
    assert.match(headers.get("message-id") ?? "", new RegExp(`^<${notice}_failed\\.`));
    assert.match(text, /não pôde ser contado/);
    const search = office.searches.find(TENANT, broken);
    assert.ok(search !== undefined);
    const feed = office.notices.history.feed(search, "en");
    assert.match(feed, /could not be counted/);
    office.searches.respecify(TENANT, broken, {
      ...{ spec: "{}", specDate: "2026-10-10", snapshot: "2026-10", total: 0 },
    });
    const again = { tenantId: TENANT, id: notice, through: null, webhook: null };
    await office.notices.history.replay({ ...again, onlyFailed: true });
    await office.work();
    const counted = of(broken).at(-1);
    assert.deepEqual([counted?.type, counted?.id], ["search.changed", notice]);
    assert.equal(mail.got.length, 2);
    assert.deepEqual(
      office.notices.history.find(TENANT, notice).deliveries.map(({ state }) => state),
      ["delivered", "delivered"],
    );
  });

  it("hold the changes of a failed notice before them", async () => {
    const absent = `lst_${"0".repeat(32)}`;
    const broken = office.search("broken", { filters: { lists: { any_of: [absent] } } });
    await office.serve(newer);
    await office.work();
    office.searches.respecify(TENANT, broken, {
      ...{ spec: "{}", specDate: "2026-10-10", snapshot: "2026-10", total: 0 },
    });
    // This search compares the third month with the first, as if it had been paused in the second.
    const twin = office.search("twin", {}, { snapshot: "2026-09" });
    await office.serve(third);
    await office.work();
    const [failed, next] = of(broken);
    assert.ok(failed !== undefined && next !== undefined);
    assert.deepEqual([failed.type, failed.data.sequence], ["search.failed", 1]);
    const { sequence, since, snapshot } = next.data;
    assert.deepEqual(
      [next.type, sequence, since, snapshot],
      [...["search.changed", 2, "2026-09", "2026-11"]],
    );
    assert.deepEqual(totals(next), totals(of(twin)[0] as Event));
  });
});
