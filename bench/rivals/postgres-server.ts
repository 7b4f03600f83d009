/**
 * Starts, stops, and connects to a PostgreSQL server for the benchmark. Its programs come from the
 * distribution's package.
 * Invariant: it only listens on a socket in its folder and ends with the benchmark. A careful user
 * would choose the same settings for a machine of this size. They are printed with the figures.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

const PACKAGES = "/usr/lib/postgresql";
const MEBIBYTE = 2 ** 20;
const START_MS_MAX = 60_000;

/** A running server. */
export interface PostgresServer {
  readonly client: Client;
  readonly version: string;
  stop(): Promise<void>;
}

/** The user that runs the server; PostgreSQL refuses root. */
interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Returns the settings that differ from the package's. Memory is proportional to the machine's. */
export function postgresSettings(): Readonly<Record<string, string>> {
  const megabytes = (share: number) => `${Math.floor((totalmem() * share) / MEBIBYTE)}MB`;
  return {
    shared_buffers: megabytes(0.25),
    effective_cache_size: megabytes(0.7),
    maintenance_work_mem: "1GB",
    work_mem: "128MB",
    random_page_cost: "1.1",
    jit: "off",
    max_wal_size: "8GB",
    wal_level: "minimal",
    max_wal_senders: "0",
  };
}

/** Returns the folder of the package's programs (newest version), or null if not installed. */
export function postgresPrograms(): string | null {
  if (!existsSync(PACKAGES)) return null;
  const versions = readdirSync(PACKAGES).sort((a, b) => Number(b) - Number(a));
  const folders = versions.map((version) => join(PACKAGES, version, "bin"));
  return folders.find((folder) => existsSync(join(folder, "initdb"))) ?? null;
}

/** Starts a server over the cluster in `folder`, and creates the cluster if it is missing. */
export async function startPostgres(programs: string, folder: string): Promise<PostgresServer> {
  const user = serverUser();
  const data = join(folder, "data");
  if (!existsSync(join(data, "PG_VERSION"))) makeCluster(programs, folder, user);
  const options = Object.entries({
    ...postgresSettings(),
    listen_addresses: "",
    unix_socket_directories: folder,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(join(programs, "postgres"), ["-D", data, ...options], {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr?.on("data", (text: Buffer) => {
    output = `${output}${text.toString()}`.slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const client = await connected(folder, child, () => output);
  const { rows } = await client.query("SHOW server_version");
  const stop = async () => {
    await client.end();
    child.kill("SIGINT");
    await ended;
  };
  return { client, version: String(rows[0].server_version), stop };
}

function makeCluster(programs: string, folder: string, user: ServerUser): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
  const options = ["--locale=C", "--encoding=UTF8", "--auth=trust", "--username=bench"];
  execFileSync(join(programs, "initdb"), ["-D", join(folder, "data"), ...options], {
    ...user,
    cwd: folder,
    stdio: "ignore",
  });
}

/** Returns the package's user if this process runs as root. */
function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const idOf = (kind: string) => Number(execFileSync("id", [kind, "postgres"]).toString());
  return { uid: idOf("-u"), gid: idOf("-g") };
}

async function connected(
  folder: string,
  child: ChildProcess,
  output: () => string,
): Promise<Client> {
  const began = performance.now();
  for (;;) {
    const client = new Client({ host: folder, user: "bench", database: "postgres" });
    try {
      await client.connect();
      return client;
    } catch (error) {
      const late = performance.now() - began > START_MS_MAX;
      if (child.exitCode === null && !late) await sleep(100);
      else throw new Error(`PostgreSQL does not start: ${output()}`, { cause: error });
    }
  }
}
