/**
 * Proves, on both transports, the answers of `/files/…`: the bytes of the file, the headers,
 * conditional requests, and the code of every state and mistake. A single range has the bytes that
 * a simple reference implementation selects, even beyond 4 GiB. Errors of the link are reported
 * before all others. Slow, silent, and leaving clients are in
 * contract/http/server/transport-files.test.ts.
 */
import assert from "node:assert/strict";
import { closeSync, ftruncateSync, openSync, symlinkSync, unlinkSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { FORMATS } from "../../../../src/export/formats/format.ts";
import type { ExportFormat, ExportRecord } from "../../../../src/export/record.ts";
import { systemClock } from "../../../../src/process/clock.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import {
  addExport,
  addFile,
  fetchFile,
  hashOf,
  headerOf,
  linkOf,
  openBelow,
  patternBytes,
  settledAt,
} from "../../../support/http/file-fixture.ts";
import { MATRIX } from "../../../support/run/scale.ts";

const LARGE = patternBytes(3_000_001);
const HUGE_BYTES = 5 * 2 ** 30 + 77;

/**
 * Reference implementation: tests for every byte if a Range header selects it. Returns the selected
 * bytes, or null for the whole file.
 */
function twin(header: string, size: number): { readonly bytes: number[] } | null {
  if (!header.toLowerCase().startsWith("bytes=") || header.includes(",")) return null;
  const [first = "", last = "", ...more] = header.slice(6).split("-");
  if (more.length > 0 || /\D/.test(first + last) || first + last === "") return null;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const bytes = Array.from({ length: size }, (_, at) => at).filter((at) =>
    first === ""
      ? at >= size - Number(last)
      : at >= Number(first) && (last === "" || at <= Number(last)),
  );
  return { bytes };
}

const number = (size: number) =>
  fc.oneof(fc.nat(size + 3).map(String), fc.constantFrom("", "0", "00", "99999999999999999999"));
const rangeHeader = (size: number) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(number(size), number(size)).map((p) => `bytes=${p.join("-")}`),
    },
    fc.constantFrom("bytes=", "bytes=-", "bytes=a-b", "bytes=0-1,3-4", "items=0-1", "bytes 0-1"),
    fc.constantFrom("BYTES=0-0", "bytes=--1", "bytes=1-2-3", "bytes=0x1-2", "bytes=+0-1", "0-1"),
  );

for (const transport of MATRIX) {
  describe(`files over ${transport}`, () => {
    let server: FakeServer;
    let aheadMs = 0;
    before(async () => {
      const nowMs = () => systemClock.nowMs() + aheadMs;
      server = await startFake(transport, { clock: { ...systemClock, nowMs } });
    });
    after(async () => {
      assert.equal(await settledAt(0, () => openBelow(`${server.dataDir}/exp_`)), 0, "left open");
      await server.close();
    });
    const get = (record: ExportRecord, ...lines: string[]) =>
      fetchFile(server.port, linkOf(server, record), { lines });

    it("are sent whole with the headers of their format", async () => {
      for (const format of Object.keys(FORMATS) as ExportFormat[]) {
        const record = addFile(server, LARGE, format);
        const answer = await get(record);
        assert.equal(answer.status, 200);
        assert.equal(hashOf(answer.body), record.sha256);
        assert.equal(headerOf(answer, "content-type"), FORMATS[format].contentType);
        assert.equal(headerOf(answer, "content-length"), String(LARGE.length));
        assert.equal(headerOf(answer, "etag"), `"${record.sha256}"`);
        assert.equal(headerOf(answer, "accept-ranges"), "bytes");
        assert.equal(headerOf(answer, "cache-control"), "private, no-store");
        assert.equal(headerOf(answer, "x-content-type-options"), "nosniff");
        assert.equal(headerOf(answer, "referrer-policy"), "no-referrer");
        const policy = headerOf(answer, "content-security-policy") ?? "";
        assert.match(policy, format === "html" ? /^sandbox; default-src 'none';/ : /^default-src/);
        assert.equal(answer.head.match(/^content-security-policy:/gim)?.length, 1);
        const name = `attachment; filename="peneira-2026-10-.*\\.${FORMATS[format].extension}"$`;
        assert.match(headerOf(answer, "content-disposition") ?? "", new RegExp(`^${name}`));
      }
    });

    it("are sent as compressed files, not with a content encoding", async () => {
      for (const [compression, ending] of [
        ["gzip", "gz"],
        ["zstd", "zst"],
      ] as const) {
        const record = addFile(server, LARGE, "html");
        server.exporter.set(record.id, { compression });
        const packed = server.exporter.finish(record.id, LARGE);
        const lines = ["Accept-Encoding: gzip, zstd"];
        const link = linkOf(server, packed);
        const answer = await fetchFile(server.port, link, { lines });
        assert.equal(answer.status, 200);
        assert.equal(headerOf(answer, "content-type"), `application/${compression}`);
        assert.equal(headerOf(answer, "content-encoding"), undefined);
        assert.equal(headerOf(answer, "content-length"), String(LARGE.length));
        assert.equal(headerOf(answer, "etag"), `"${packed.sha256}"`);
        assert.equal(hashOf(answer.body), packed.sha256);
        assert.match(link, new RegExp(`^/files/exp_[0-9a-f]{32}\\.html\\.${ending}\\?`));
        const disposition = headerOf(answer, "content-disposition") ?? "";
        assert.match(disposition, new RegExp(`\\.html\\.${ending}"$`));
        assert.doesNotMatch(headerOf(answer, "content-security-policy") ?? "", /sandbox/);
        const part = await fetchFile(server.port, link, { lines: ["Range: bytes=7-11"] });
        assert.deepEqual([part.status, part.body], [206, LARGE.subarray(7, 12)]);
        assert.equal(headerOf(part, "content-type"), `application/${compression}`);
      }
    });

    it("never receive a header that contains more than its value", async () => {
      const hostile = 'x"\r\nX-Evil: 1';
      const record = addFile(server, LARGE.subarray(0, 9));
      server.exporter.set(record.id, { snapshot: hostile, slug: hostile });
      const named = await get(record);
      const name = headerOf(named, "content-disposition");
      assert.match(name ?? "", /^attachment; filename="peneira-x-x-evil-1-x-x-evil-1-\w{8}\.csv"$/);
      assert.equal(named.body.length, 9);
      // A value with a character that could split the header makes the request fail.
      for (const odd of [hostile, "a\0", "a\x1f", "a\tb", "a\x7f", "é", "\u0100"]) {
        const marked = addFile(server, LARGE.subarray(0, 9));
        server.exporter.set(marked.id, { sha256: odd });
        const answer = await get(marked);
        assert.equal(answer.status, 500, JSON.stringify(odd));
        assert.equal(headerOf(answer, "x-evil"), undefined);
        assert.match(answer.body.toString(), /"code":"internal_error"/);
      }
    });

    it("are sent in sequence over one socket, mixed with ranges and refusals", async () => {
      const record = addFile(server, LARGE);
      const link = linkOf(server, record);
      const socket = connect(server.port, "127.0.0.1");
      for (let round = 0; round < 3; round++) {
        assert.equal(hashOf((await fetchFile(server.port, link, { socket })).body), record.sha256);
        const head = await fetchFile(server.port, link, { socket, method: "HEAD" });
        assert.equal(headerOf(head, "content-length"), String(LARGE.length));
        assert.equal(headerOf(head, "etag"), `"${record.sha256}"`);
        const part = await fetchFile(server.port, link, { socket, lines: ["Range: bytes=-5"] });
        assert.deepEqual(part.body, LARGE.subarray(-5));
        const etag = `If-None-Match: "${record.sha256}"`;
        assert.equal((await fetchFile(server.port, link, { socket, lines: [etag] })).status, 304);
        const none = await fetchFile(server.port, link, {
          socket,
          lines: ["Range: bytes=9999999-"],
        });
        assert.equal(none.status, 416);
        assert.equal((await fetchFile(server.port, "/files/x", { socket })).status, 403);
      }
      socket.destroy();
    });

    it("are cut like the twin's, for any range and size", async () => {
      for (const size of [0, 1, 2, 1_000]) {
        const record = addFile(server, LARGE.subarray(0, size));
        const link = linkOf(server, record);
        const socket = connect(server.port, "127.0.0.1");
        const property = fc.asyncProperty(rangeHeader(size), async (range) => {
          const answer = await fetchFile(server.port, link, { socket, lines: [`Range: ${range}`] });
          const bytes = twin(range, size)?.bytes;
          if (bytes === undefined) {
            assert.deepEqual([answer.status, answer.body.length], [200, size]);
          } else if (bytes.length === 0) {
            assert.equal(answer.status, 416);
            assert.equal(headerOf(answer, "content-range"), `bytes */${size}`);
            assert.match(answer.body.toString(), /"code":"range_not_satisfiable"/);
          } else {
            assert.equal(answer.status, 206);
            const stated = `bytes ${bytes[0]}-${bytes.at(-1)}/${size}`;
            assert.equal(headerOf(answer, "content-range"), stated);
            assert.deepEqual(
              [...answer.body],
              bytes.map((at) => LARGE[at]),
            );
          }
        });
        await fc.assert(property, { numRuns: 150 });
        socket.destroy();
      }
    });

    it("may exceed 4 GiB", async () => {
      const record = addExport(server);
      const file = openSync(server.exporter.filePath(record), "w");
      ftruncateSync(file, HUGE_BYTES);
      for (const at of [2 ** 31, 2 ** 32, HUGE_BYTES - 4]) writeSync(file, "peak", at);
      closeSync(file);
      const sha256 = "0".repeat(64);
      server.exporter.set(record.id, { state: "done", sizeBytes: HUGE_BYTES, sha256 });
      const done = server.exporter.find(record.id) as ExportRecord;
      for (const at of [2 ** 31, 2 ** 32, HUGE_BYTES - 4]) {
        const { body } = await get(done, `Range: bytes=${at - 2}-${at + 3}`);
        assert.equal(body.toString("latin1"), "\0\0peak");
      }
      const head = await fetchFile(server.port, linkOf(server, done), { method: "HEAD" });
      assert.equal(headerOf(head, "content-length"), String(HUGE_BYTES));
      const whole = await startOf(server.port, linkOf(server, done), 2_000_000);
      assert.match(whole, new RegExp(`^content-length: ${HUGE_BYTES}\r$`, "im"));
      unlinkSync(server.exporter.filePath(record));
    });

    it("respect If-Range and If-None-Match", async () => {
      const record = addFile(server, LARGE.subarray(0, 100));
      const tag = `"${record.sha256}"`;
      const table: readonly (readonly [status: number, length: number, ...lines: string[]])[] = [
        [206, 2, "Range: bytes=0-1", `If-Range: ${tag}`],
        [200, 100, "Range: bytes=0-1", `If-Range: W/${tag}`],
        [200, 100, "Range: bytes=0-1", 'If-Range: "other"'],
        [200, 100, "Range: bytes=0-1", "If-Range: Sat, 21 Nov 2026 00:00:00 GMT"],
        [200, 100, "Range: bytes=500-", 'If-Range: "other"'],
        [416, 0, "Range: bytes=500-", `If-Range: ${tag}`],
        [200, 100, `If-Range: ${tag}`],
        [304, 0, `If-None-Match: ${tag}`],
        [304, 0, `If-None-Match: W/${tag}`],
        [304, 0, `If-None-Match: "a", ${tag} ,"b"`],
        [304, 0, "If-None-Match: *"],
        [304, 0, `If-None-Match: ${tag}`, "Range: bytes=0-1"],
        [200, 100, 'If-None-Match: "other"'],
        [200, 100, `If-None-Match: ${record.sha256}`],
        [206, 2, 'If-None-Match: "other"', "Range: bytes=0-1"],
      ];
      for (const [status, length, ...lines] of table) {
        const answer = await get(record, ...lines);
        assert.equal(answer.status, status, lines.join());
        if (status !== 416) assert.equal(answer.body.length, length, lines.join());
        if (status === 304) assert.equal(headerOf(answer, "content-length"), undefined);
        if (status !== 416) assert.equal(headerOf(answer, "etag"), tag);
      }
      const head = { method: "HEAD", lines: ["Range: bytes=0-1"] };
      const answer = await fetchFile(server.port, linkOf(server, record), head);
      assert.deepEqual([answer.status, headerOf(answer, "content-length")], [200, "100"]);
      const twice = await get(record, "Range: bytes=0-1", "Range: bytes=2-3");
      assert.equal(twice.status, 422, "two Range headers");
    });

    it("are claimed by a read of any part, not by a refusal or a HEAD request", async () => {
      const record = addFile(server, LARGE.subarray(0, 100));
      const reads = () => server.exporter.claimed.filter((id) => id === record.id).length;
      await fetchFile(server.port, linkOf(server, record), { method: "HEAD" });
      await get(record, `If-None-Match: "${record.sha256}"`);
      await get(record, "Range: bytes=500-");
      assert.equal(reads(), 0);
      await get(record, "Range: bytes=0-1");
      await get(record);
      assert.equal(reads(), 2);
    });

    it("are refused by their state, and without a link for no other reason", async () => {
      const code = async (record: ExportRecord, link = linkOf(server, record)) => {
        const { status, body } = await fetchFile(server.port, link);
        return `${status} ${/"code":"(\w+)"/.exec(body.toString())?.[1]}`;
      };
      const record = addExport(server);
      assert.equal(await code(record), "409 EXPORT_NOT_READY");
      server.exporter.run(record.id);
      assert.equal(await code(record), "409 EXPORT_NOT_READY");
      const done = server.exporter.finish(record.id, LARGE, 600_000);
      assert.equal(await code({ ...done, format: "html" }), "404 export_not_found");
      const stale = linkOf(server, done);
      server.exporter.set(record.id, { expiresAtMs: Date.now() - 1 });
      assert.equal(await code(done, stale), "410 export_expired");
      server.exporter.remove(record.tenantId, record.id);
      assert.equal(await code(done, stale), "404 export_not_found");
      const failed = addExport(server);
      server.exporter.fail(failed.id, "disk_full");
      assert.equal(await code(failed), "409 EXPORT_FAILED");
      aheadMs = 299_000;
      assert.equal(await code(done, stale), "404 export_not_found");
      aheadMs = 301_001;
      assert.equal(await code(done, stale), "403 link_expired");
      assert.equal(await code(done, stale.slice(0, -2)), "403 link_invalid");
      aheadMs = 0;
    });

    it("do not reveal their existence without a link", async () => {
      const record = addFile(server, LARGE);
      const path = `/files/${record.id}.csv`;
      const unknown = `/files/exp_${"0".repeat(32)}.csv`;
      const [, query = ""] = linkOf(server, record).split("?");
      const shapes = ["", "?", "?a=1", `?${query.replace(/.$/, "_")}`, `?${query}&a=1`];
      for (const shape of shapes) {
        const texts = [];
        for (const target of [path, unknown, "/files/x", "/files/..%5cx"]) {
          const { status, body } = await fetchFile(server.port, target + shape);
          if (target.includes("%5c")) assert.equal(status, 404);
          else texts.push(`${status} ${body.toString().replace(/req_\w+/, "")}`);
        }
        assert.equal(new Set(texts).size, 1, texts.join("\n"));
        assert.match(texts[0] ?? "", /^403 .*"code":"link_invalid"/);
      }
      assert.equal(
        (await fetchFile(server.port, linkOf(server, record), { method: "POST" })).status,
        405,
      );
    });

    it("are refused to a disabled tenant", async () => {
      const record = addFile(server, LARGE);
      server.exporter.set(record.id, { tenantId: "gone" });
      const answer = await get(record);
      assert.equal(answer.status, 403);
      assert.match(answer.body.toString(), /"code":"authentication_disabled"/);
    });

    it("are never sent, and logged, if they differ from their record", async () => {
      const short = addFile(server, LARGE);
      const gone = addFile(server, LARGE);
      const link = addFile(server, LARGE);
      server.exporter.set(short.id, { sizeBytes: LARGE.length + 1 });
      unlinkSync(server.exporter.filePath(gone));
      unlinkSync(server.exporter.filePath(link));
      symlinkSync(server.exporter.filePath(short), server.exporter.filePath(link));
      for (const record of [short, gone, link]) {
        const logged = server.logged.length;
        const answer = await get(record);
        assert.equal(answer.status, 500);
        assert.ok(!answer.body.toString().includes(server.dataDir), "a path is shown");
        const lines = server.logged.slice(logged).join("");
        assert.match(lines, /"level":50.*request failed/);
        assert.match(lines, /"route":"\/files\/\{name\}"/);
      }
    });

    it("return their end state if they end between lookup and opening", async () => {
      const { exporter } = server;
      const filePath = exporter.filePath.bind(exporter);
      const endings: readonly (readonly [status: number, end: (record: ExportRecord) => void])[] = [
        [410, ({ id }) => exporter.set(id, { expiresAtMs: 0 })],
        [404, ({ id, tenantId }) => exporter.remove(tenantId, id)],
      ];
      for (const [status, end] of endings) {
        const record = addFile(server, LARGE);
        exporter.filePath = (wanted) => {
          end(wanted);
          return `${filePath(wanted)}.gone`;
        };
        assert.equal((await get(record)).status, status);
        exporter.filePath = filePath;
      }
    });

    it("leave no signature in the log", async () => {
      const record = addFile(server, LARGE);
      const link = linkOf(server, record);
      await fetchFile(server.port, link);
      await fetchFile(server.port, `${link}A`);
      const written = server.logged.join("");
      assert.ok(written.includes(record.id), "the download is not in the log");
      assert.ok(!written.includes(link.slice(-43)) && !written.includes("signature"));
    });
  });
}

/** Returns the start of an answer, then disconnects the client. */
function startOf(port: number, target: string, bytes: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
    });
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.length >= bytes) socket.destroy();
    });
    socket.on("close", () => resolve(text));
  });
}
