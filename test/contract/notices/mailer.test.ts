/**
 * Proves, over sockets: a message arrives with one recipient, encoded headers, and both bodies, for
 * any values. Each answer and failure of a mail server is classified: to retry, refused
 * permanently, an unknown address, or a fault of the mail server. A slow server and a stop end the
 * attempt. With the distribution's Exim: signing in works over STARTTLS and implicit TLS. A wrong
 * password, a certificate that is not trusted, and a server without TLS are refused, and no
 * password is sent without TLS.
 * Does not prove: the texts of notices (unit/notices/emailwords.test.ts).
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { type Email, Mailer, type SmtpSettings } from "../../../src/notices/mailer.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { type Exim, startExim, whyNoExim } from "../../support/changes/exim.ts";
import {
  type MailServer,
  type Replies,
  readMail,
  startMailServer,
} from "../../support/changes/mailserver.ts";

const EMAIL: Email = {
  to: "ana@example.com",
  id: "ntc_1.eml_1",
  subject: "12 empresas novas em novembro de 2026: Padarias de São João",
  text: "Olá\n\n.um ponto\nFrom aqui\n",
  html: `<p>Olá, ${"padaria ".repeat(300)}</p>`,
  list: { id: "sch_1", name: "Padarias" },
  unsubscribe: "https://peneira.example.com/unsubscribe/eml_1.x",
};
const NEVER = new AbortController().signal;

function settings(port: number, more: Partial<SmtpSettings> = {}): SmtpSettings {
  return {
    ...{ host: "127.0.0.1", port, tls: "none", user: null, password: null, timeoutMs: 5_000 },
    ...{ from: "Peneira <peneira@example.com>", ca: null, ...more },
  };
}

describe("a message", () => {
  let server: MailServer;

  beforeEach(async () => {
    server = await startMailServer();
  });
  afterEach(() => server.close());

  const send = (email: Partial<Email> = {}, more: Partial<SmtpSettings> = {}, signal = NEVER) =>
    new Mailer(settings(server.port, more), systemClock).send({ ...EMAIL, ...email }, signal);

  it("arrives with one recipient, encoded headers, and both bodies", async () => {
    const { status, error } = await send();
    assert.deepEqual([status, error, server.faults], [250, null, []]);
    const [mail] = server.got;
    assert.deepEqual([mail?.from, mail?.to], ["peneira@example.com", ["ana@example.com"]]);
    const { headers, text, html } = readMail(mail?.raw ?? "");
    assert.equal(headers.get("subject"), EMAIL.subject);
    assert.equal(headers.get("from"), "Peneira <peneira@example.com>");
    assert.equal(headers.get("to"), "ana@example.com");
    assert.equal(headers.get("message-id"), "<ntc_1.eml_1@example.com>");
    assert.equal(headers.get("list-id"), "<sch_1.example.com>");
    assert.equal(headers.get("list-unsubscribe"), `<${EMAIL.unsubscribe}>`);
    assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    assert.equal(headers.get("auto-submitted"), "auto-generated");
    assert.equal(text.trim(), EMAIL.text.trim());
    assert.ok(html.trim() === EMAIL.html);
    assert.ok((mail?.raw ?? "").split("\r\n").every((line) => line.length <= 998));
  });

  it("cannot get further headers, recipients, or parts by its values", async () => {
    const evil = "x\r\nBcc: eve@example.com\r\n\r\nbody\n.\r\nMAIL FROM:<eve@example.com>";
    await send({ subject: evil, text: evil, html: evil, list: { id: "sch_1", name: evil } });
    for (const more of [
      ",eve@example.com",
      "\r\nRCPT TO:<eve@example.com>",
      " <eve@example.com>",
    ]) {
      const { verdict } = await send({ to: `ana@example.com${more}` });
      assert.equal(verdict, "rejected", more);
    }
    await send({ subject: "ação ".repeat(400) });
    assert.deepEqual(server.faults, []);
    const envelopes = server.commands.filter((line) => /^(MAIL|RCPT)/.test(line));
    assert.ok(
      envelopes.every((line) => !line.includes("eve")),
      envelopes.join("\n"),
    );
    for (const { raw, to } of server.got) {
      const { counts } = readMail(raw);
      assert.equal(to.length, 1);
      assert.equal(counts.get("bcc"), undefined);
      assert.ok([...counts.values()].every((count) => count === 1));
    }
    assert.equal(server.got.length, 2, "the two that have one recipient");
  });

  const OUTCOMES: readonly (readonly [Replies, number | null, string | undefined, RegExp])[] = [
    [{ RCPT: "450 4.2.0 greylisted, come back" }, 450, undefined, /recipient: not now/],
    [{ RCPT: "550 5.1.1 no such user" }, 550, "gone", /no such address/],
    [{ RCPT: "550 5.2.1 mailbox disabled" }, 550, "rejected", /refused for good/],
    [{ RCPT: "554 5.7.1 Relay access denied" }, 554, "server", /does not send for us/],
    [{ MAIL: "550 5.7.1 sender refused" }, 550, "server", /does not send for us/],
    [{ MAIL: "451 4.3.0 try later" }, 451, "server", /./],
    [{ DATA: "451 4.3.0 try later" }, 451, undefined, /message: not now/],
    [{ end: "554 5.6.0 spam" }, 554, "rejected", /message: refused for good/],
    [{ end: "421 4.3.2 shutting down" }, 421, "server", /./],
    [{ greeting: "554 go away" }, 554, "server", /./],
    [{ greeting: "cut" }, null, "server", /closed or refused/],
    [{ DATA: "cut" }, null, "server", /closed or refused/],
    [{ end: "cut" }, null, "server", /closed or refused/],
  ];
  for (const [replies, status, verdict, words] of OUTCOMES) {
    it(`has its outcome after ${JSON.stringify(replies)}`, async () => {
      server.replies = replies;
      const outcome = await send();
      assert.deepEqual([outcome.status, outcome.verdict], [status, verdict], `${outcome.error}`);
      assert.match(outcome.error ?? "", words);
      assert.doesNotMatch(outcome.error ?? "", /greylisted|spam|denied/, "no words of the server");
    });
  }

  it("is given up if the server is too slow", async () => {
    for (const replies of [{ greeting: 60_000 }, { RCPT: 60_000 }]) {
      server.replies = replies;
      const beganMs = performance.now();
      const { verdict, error } = await send({}, { timeoutMs: 200 });
      assert.equal(verdict, "server");
      assert.match(error ?? "", /in time|closed/);
      assert.ok(performance.now() - beganMs < 5_000);
    }
  });

  it("ends with the server that sends it", async () => {
    server.replies = { RCPT: 60_000 };
    const stop = new AbortController();
    const sent = send({}, {}, stop.signal);
    setTimeout(() => stop.abort(new Error("the server stops")), 100);
    await assert.rejects(sent, /the server stops/);
  });

  it("has its outcome without any server", async () => {
    await server.close();
    const { verdict, status } = await send();
    assert.deepEqual([verdict, status], ["server", null]);
    const lost = await send({}, { host: "mail.invalid" });
    assert.equal(lost.verdict, "server");
  });

  it("and a password are not sent without the TLS that is set", async () => {
    const { verdict, error } = await send({}, { tls: "starttls", user: "u", password: "geheim" });
    assert.equal(verdict, "server");
    assert.match(error ?? "", /TLS/);
    assert.ok(!server.commands.some((line) => line.startsWith("AUTH")));
    assert.equal(server.got.length, 0);
  });
});

describe("Exim", { skip: whyNoExim() ?? false }, () => {
  let exim: Exim;

  before(async () => {
    exim = await startExim();
  });
  after(() => exim.close());

  const send = (more: Partial<SmtpSettings> = {}, email: Partial<Email> = {}) => {
    const { port, ca, user, password } = exim;
    const own = { host: "localhost", ca, user, password, tls: "starttls", ...more } as const;
    return new Mailer(settings(port, own), systemClock).send({ ...EMAIL, ...email }, NEVER);
  };

  it("takes messages with a sign-in after STARTTLS, and over implicit TLS", async () => {
    for (const more of [{}, { tls: "implicit", port: exim.tlsPort } as const]) {
      const { status, error } = await send(more);
      assert.deepEqual([status, error], [250, null]);
    }
    const mails = await exim.mails(2);
    for (const raw of mails) {
      const { headers, text, html } = readMail(raw);
      assert.equal(headers.get("subject"), EMAIL.subject);
      assert.ok(html.trim() === EMAIL.html);
      // The mailbox puts a > before a line that begins with From.
      assert.equal(text.trim().replace(/^>From/m, "From"), EMAIL.text.trim());
      assert.match(raw, /with esmtpsa/i);
    }
  });

  it("has an outcome for an unknown and for a greylisted recipient", async () => {
    const gone = await send({}, { to: "nobody@example.com" });
    assert.deepEqual([gone.status, gone.verdict], [550, "gone"]);
    const grey = await send({}, { to: "grey@example.com" });
    assert.deepEqual([grey.status, grey.verdict], [451, undefined]);
  });

  it("is refused for a wrong password and an untrusted certificate", async () => {
    const wrong = await send({ password: "wrong" });
    assert.deepEqual([wrong.status, wrong.verdict], [535, "server"]);
    assert.match(wrong.error ?? "", /user or the password/);
    const { error, verdict } = await send({ ca: null });
    assert.equal(verdict, "server");
    assert.match(error ?? "", /TLS/);
  });
});
