/**
 * Proves, on a real snapshot: some phones and e-mails cannot be searched. The route, agents, and
 * `peneira find` recognize such a text and give the reason. Under a plan without contact fields,
 * the only reason is that the plan lacks the field. Other texts, and a CNPJ that is found, get no
 * reason.
 * Does not prove: which accounts have a phone (campaign/kernel/contacts.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ENGINE, suggest } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { CONTACT_REASONS, contactRefusalText } from "../../../src/spec/contacts/contactrefusal.ts";
import { runCommand } from "../../support/cli/commands.ts";
import { fetchDocumented } from "../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../support/http/fake.ts";
import { connectedTo } from "../../support/mcp/client.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const NUMBERS: readonly (readonly [reason: string, ...texts: string[]])[] = [
  ["missing_area_code", "98765-4321", "987654321", "9 8765-4321", "3333-4444", "+55 98765-4321"],
  ["unknown_area_code", "01 98765-4321", "(20) 98765-4321", "0800 123 4567"],
  ["foreign_number", "+1 212 555 0100", "00351 21 555 0100", "1 (212) 555-0100"],
  ["too_short", "(11) 98765-43", "(11) 9876-543", "11 98765-432", "+55 11 98765-43"],
  ["too_long", "(11) 98765-43210", "+55 11 98765-432109", "11 98765-43210"],
];
const EMAILS: readonly (readonly [reason: string, ...texts: string[]])[] = [
  ["email_blank", "ana @example.com", "ana@ example.com", "ana@example. com"],
  [
    "email_character",
    "ana@example,com",
    "ana@@example.com",
    "ana@b@example.com",
    "joão@uol.com.br",
  ],
  ["email_character", "ana@examplé.com", "ana;bia@example.com"],
  ["email_domain", "ana@example", "ana@example..com", "ana@example.c", "ana@-example.com"],
];
/** Texts that are not a phone or e-mail, or that can be searched as one. */
const OTHERS = [
  ...["padaria 24 horas", "3 irmaos", "2000", "0800", "ana@", "11.222.333/0001-81", "190"],
  ...["(11) 98765-4321", "ana@example.com", "529.982.247-25", "22233000181"],
  ...[
    "m@x informatica",
    "@home",
    "moda @ cia ltda",
    "moda @ cia",
    "1122233300018",
    "11.222.333/0001-8",
  ],
  ...["012345678901234", "safra 2019-2020", "joao e maria"],
];
const REFUSED = /As a phone|does not include/;

type Plan = "enterprise" | "free";

describe("the reason why a phone or an e-mail is not looked up", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  let server: FakeServer;
  before(async () => {
    sample = await makeSampleSnapshot(300, 3, "2026-10");
    segment = await openSegment(sample.snapshot);
    server = await startFake("node", { engine: ENGINE, segment: () => segment });
  });
  after(async () => {
    await server.close();
    segment.close();
    sample.dispose();
  });

  const query = async (text: string, plan: Plan = "enterprise") => {
    const path = `/v1/accounts/suggest?q=${encodeURIComponent(text)}`;
    const headers = { authorization: `Bearer ${server.keys[plan]}` };
    const answer = await fetchDocumented(server.base + path, { headers });
    assert.equal(answer.status, 200);
    return (await answer.json()) as Awaited<ReturnType<typeof suggest>>;
  };

  it("covers foreign numbers, missing area codes, and misspelled input", async () => {
    for (const [reason, ...texts] of NUMBERS) {
      for (const text of texts) {
        const { contact, contact_refused } = await query(text);
        assert.deepEqual([contact, contact_refused], [null, { kind: "phone", reason }], text);
      }
    }
    for (const [reason, ...texts] of EMAILS) {
      for (const text of texts) {
        const { contact, contact_refused } = await query(text);
        assert.deepEqual([contact, contact_refused], [null, { kind: "email", reason }], text);
        const { contact_refused: withoutPlan } = await query(text, "free");
        assert.deepEqual(withoutPlan, { kind: "email", reason: "field_not_allowed" }, text);
      }
    }
    for (const text of OTHERS) assert.equal((await query(text)).contact_refused, null, text);
  });

  it("covers several contacts in one input", async () => {
    const reason = "several_contacts";
    for (const [kind, text] of [
      ["email", "ana@example.com bia@example.com"],
      ["email", "ana@example.com, (11) 98765-4321"],
      ["phone", "11 98765-4321 ou 11 3333-4444"],
    ] as const) {
      const { contact, contact_refused } = await query(text);
      assert.deepEqual([contact, contact_refused], [null, { kind, reason }], text);
    }
    for (const text of ["e-mail ana@example.com", "Email: ana@example.com", "ana@example.com."]) {
      assert.equal((await query(text)).contact?.value, "ana@example.com", text);
    }
  });

  it("covers a number that may be a mobile or a CPF, if no row has it", async () => {
    const { contact, refused } = await query("18996370606");
    assert.deepEqual([contact?.value, contact?.total], ["+5518996370606", 0]);
    assert.equal(refused?.reason, "cpf");
    const args = ["find", "--snapshot", sample.snapshot, "18996370606"];
    assert.match((await runCommand(args)).err, /0 accounts have \+5518996370606.*\n.*CPF/);
  });

  it("counts matches in the requested state and in all states", async () => {
    const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
    const bytes = segment.native.renderJson(rows, ["email", "uf"]);
    const all = JSON.parse(Buffer.from(bytes).toString()) as { email: string; uf: string }[];
    const [{ email, uf } = all[0] as never] = all.filter((one) => one.email !== null);
    const have = all.filter((one) => one.email === email);
    const other = uf === "SP" ? "RJ" : "SP";
    const inOther = have.filter((one) => one.uf === other).length;
    const args = ["find", "--snapshot", sample.snapshot, "--uf", other, email];
    const stated = new RegExp(`^${have.length} accounts? ha.* ${inOther} of them in the state`);
    assert.match((await runCommand(args)).err, stated);
    const answer = await fetchDocumented(
      `${server.base}/v1/accounts/suggest?uf=${other}&q=${encodeURIComponent(email)}`,
      { headers: { authorization: `Bearer ${server.keys.enterprise}` } },
    );
    const { contact } = (await answer.json()) as Awaited<ReturnType<typeof suggest>>;
    assert.deepEqual([contact?.total, contact?.total_in_uf], [have.length, inOther]);
    const agent = await connectedTo(server.base, server.keys.enterprise);
    try {
      const { text } = await agent.call("find_company", { q: email, uf: other });
      if (have.length > inOther) assert.match(text, /of them in the state/);
    } finally {
      await agent.close();
    }
  });

  it("is first the missing area code if the input is written as a phone", async () => {
    const args = ["find", "--snapshot", sample.snapshot, "--", "98765-4321"];
    assert.match((await runCommand(args)).err, /^As a phone, it lacks its area code/);
    const agent = await connectedTo(server.base, server.keys.enterprise);
    try {
      const { text } = await agent.call("find_company", { q: "98765-4321" });
      assert.match(text.split("\n")[1] ?? "", /^As a phone, it lacks its area code/);
    } finally {
      await agent.close();
    }
  });

  it("covers a plan without contact fields", async () => {
    const reason = "field_not_allowed";
    const known = segment.native.renderJson(Uint32Array.of(0), ["email", "phone_1"]);
    const [{ email, phone_1 }] = JSON.parse(Buffer.from(known).toString());
    for (const [kind, ...texts] of [
      ["phone", phone_1 ?? "", "(11) 98765-4321", "98765-4321", "+1 212 555 0100"],
      ["email", email ?? "", "nobody@example.com"],
    ] as const) {
      for (const text of texts.filter((one) => one !== "")) {
        const { contact, contact_refused, suggestions } = await query(text, "free");
        assert.deepEqual([contact, contact_refused], [null, { kind, reason }], text);
        assert.ok(suggestions.every(({ match }) => match !== kind));
      }
    }
  });

  it("covers a snapshot of an earlier version without the index", async () => {
    const catalog = { ...segment.catalog, lacksContacts: true as const };
    const older = Object.create(segment, { catalog: { value: catalog } }) as Segment;
    const request = { uf: null, limit: 5, fields: ["cnpj"] };
    const contacts = { phone: true, email: true };
    for (const [kind, text] of [
      ["phone", "(11) 98765-4321"],
      ["email", "ana@example.com"],
    ] as const) {
      const { contact, contact_refused } = await suggest(older, { ...request, text, contacts });
      assert.deepEqual([contact, contact_refused], [null, { kind, reason: "not_in_snapshot" }]);
    }
  });

  it("does not apply to the root of an existing company", async () => {
    const bytes = segment.native.renderJson(Uint32Array.of(5), ["cnpj"]);
    const [{ cnpj }] = JSON.parse(Buffer.from(bytes).toString());
    const { suggestions, contact_refused } = await query(cnpj.slice(0, 8));
    assert.equal(contact_refused, null);
    assert.equal(suggestions[0]?.match, "cnpj");
  });

  it("is explained to agents and by peneira find", async () => {
    const agents = { full: server.keys.enterprise, free: server.keys.free };
    const [full, free] = [
      await connectedTo(server.base, agents.full),
      await connectedTo(server.base, agents.free),
    ];
    try {
      for (const [reason, text = ""] of NUMBERS) {
        const reported = contactRefusalText({ kind: "phone", reason: reason as "foreign_number" });
        assert.ok((await full.call("find_company", { q: text })).text.includes(reported), text);
        const args = ["find", "--snapshot", sample.snapshot, "--", text];
        assert.ok((await runCommand(args)).err.includes(reported), text);
      }
      const { text, structured } = await free.call("find_company", { q: "(11) 98765-4321" });
      assert.match(text, /does not include phones/);
      assert.deepEqual(structured.contact_refused, { kind: "phone", reason: "field_not_allowed" });
      const unknown = await full.call("find_company", { q: "(99) 98765-4321" });
      assert.match(unknown.text, /No account has \+5599987654321/);
      assert.doesNotMatch(unknown.text, REFUSED);
    } finally {
      await Promise.all([full.close(), free.close()]);
    }
  });

  it("has a text for every case, which names the fix and repeats no number", () => {
    for (const reason of CONTACT_REASONS) {
      for (const kind of ["phone", "email"] as const) {
        const reported = contactRefusalText({ kind, reason: reason as "foreign_number" });
        assert.match(reported, /Use a key|Import|Write/);
      }
    }
  });
});
