/**
 * Runs the system's Exim as a local mail server with TLS and one user. Output: its address, its
 * certificate, and the messages that it delivered to a file.
 * Invariant: it accepts mail only from a signed-in user, offers sign-in only over TLS, relays
 * nothing, and ends with the suite. The result is `null` if Exim is not installed or cannot run
 * here.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { join } from "node:path";

const PROGRAM = "/usr/sbin/exim4";
/** Maximum time in milliseconds for the daemon to listen, and for a message to be delivered. */
const WAIT_MS = 10_000;

/** A running Exim. */
export interface Exim {
  readonly port: number;
  /** Port of implicit TLS. */
  readonly tlsPort: number;
  readonly user: string;
  readonly password: string;
  readonly ca: string;
  /** Waits until the mailbox has this many messages, and returns them. */
  mails(count: number): Promise<string[]>;
  close(): Promise<void>;
}

/** Returns the reason why Exim cannot run here, or null if it can. */
export function whyNoExim(): string | null {
  if (!existsSync(PROGRAM)) return "skipped: no SMTP server (exim4 is not installed)";
  return process.getuid?.() === 0 ? null : "skipped: no SMTP server (exim4 needs root)";
}

/** Starts Exim. */
export async function startExim(): Promise<Exim> {
  // The user of Exim must be able to reach the folder, so it cannot be inside the suite's private
  // folder.
  const folder = mkdtempSync("/tmp/peneira-exim-");
  chmodSync(folder, 0o755);
  for (const name of ["spool", "mail"]) {
    mkdirSync(join(folder, name));
    execFileSync("chown", ["Debian-exim", join(folder, name)]);
  }
  const [key, certificate] = ["key.pem", "cert.pem"].map((name) => join(folder, name));
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key as string, "-out", certificate as string, "-days", "2"],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ],
    { stdio: "ignore" },
  );
  execFileSync("chown", ["Debian-exim", key as string]);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const known = { user: "peneira", password: "segredo com espaço" };
  const config = join(folder, "exim.conf");
  writeFileSync(config, configuration({ folder, port, tlsPort, ...known }));
  chmodSync(config, 0o644);
  const daemon = spawn(PROGRAM, ["-C", config, "-bdf", "-oP", join(folder, "exim.pid")], {
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  await listening(port);
  const box = join(folder, "mail", "box");
  return {
    ...{ port, tlsPort, ...known, ca: readFileSync(certificate as string, "utf8") },
    async mails(count) {
      for (const end = Date.now() + WAIT_MS; ; ) {
        const text = existsSync(box) ? readFileSync(box, "latin1") : "";
        const found = text.split(/^From [^\n]*\n/m).slice(1);
        if (found.length >= count) return found.map((one) => one.replaceAll("\n", "\r\n"));
        if (Date.now() > end) throw new Error(`${found.length} of ${count}: ${logOf(folder)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async close() {
      daemon.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface ConfigParts {
  readonly folder: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly user: string;
  readonly password: string;
}

function configuration({ folder, port, tlsPort, user, password }: ConfigParts): string {
  return `
primary_hostname = mail.test
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
daemon_smtp_ports = ${port} : ${tlsPort}
tls_on_connect_ports = ${tlsPort}
local_interfaces = 127.0.0.1
tls_advertise_hosts = *
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
auth_advertise_hosts = \${if def:tls_in_cipher {*}{}}
acl_smtp_rcpt = rcpt
acl_smtp_data = data
rfc1413_query_timeout = 0s
host_lookup =
recipients_max = 1
begin acl
rcpt:
  deny message = sign in first
       !authenticated = *
  deny message = 5.1.1 no such user
       local_parts = nobody
  defer message = 4.2.0 greylisted
       local_parts = grey
  accept
data:
  deny message = lines are too long
       condition = \${if > {$max_received_linelength}{998}}
  require verify = header_syntax
  accept
begin routers
all:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  file = ${folder}/mail/box
  user = Debian-exim
  mode_fail_narrower = false
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${user}}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
`;
}

function logOf(folder: string): string {
  return ["mainlog", "rejectlog", "paniclog"]
    .map((name) => join(folder, "spool", name))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

async function listening(port: number): Promise<void> {
  for (const end = Date.now() + WAIT_MS; ; ) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    if (Date.now() > end) throw new Error("exim does not listen");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
