/**
 * A PostgreSQL server for tests, from the distribution's package.
 * Invariant: it listens on a socket in its own folder, and on an address only if the suite names
 * one. It keeps nothing durable, and ends with the suite. It can be stopped and started again, as
 * an operator's server would be.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFileSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresPrograms } from "../../../bench/rivals/postgres-server.ts";

const START_MS_MAX = 60_000;

/** The reason to skip suites that need the server, or false if it is installed. */
export const withoutPostgres: string | false =
  postgresPrograms() === null && "skipped: no PostgreSQL of the distribution";

/** An address of this machine, and the network whose clients it serves. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** In the form `10.0.0.0/24`. */
  readonly clients: string;
}

/** A PostgreSQL server that only one suite uses. */
export class TestPostgres {
  readonly #folder: string;
  readonly #user: { readonly uid?: number; readonly gid?: number };
  readonly #listens: ListenAddress | null;
  #child: ChildProcess | null = null;

  private constructor(listens: ListenAddress | null) {
    this.#listens = listens;
    this.#folder = mkdtempSync(join(tmpdir(), "peneira-pg-"));
    this.#user = serverUser();
    const { uid, gid } = this.#user;
    if (uid !== undefined) chownSync(this.#folder, uid, gid ?? uid);
  }

  /** Creates a database cluster and starts its server. */
  static async start(listens: ListenAddress | null = null): Promise<TestPostgres> {
    const made = new TestPostgres(listens);
    const options = ["--locale=C", "--encoding=UTF8", "--auth=trust", "--username=peneira"];
    made.#run("initdb", ["-D", made.#data, "--no-sync", ...options]);
    if (listens !== null) {
      appendFileSync(join(made.#data, "pg_hba.conf"), `host all all ${listens.clients} trust\n`);
    }
    await made.begin();
    return made;
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  /** Address of a schema on the server. */
  address(schema: string): string {
    const query = new URLSearchParams({ host: this.#folder, user: "peneira", schema });
    if (this.#listens !== null) query.set("port", String(this.#listens.port));
    return `postgres:///postgres?${query.toString()}`;
  }

  /** Returns the path of the socket on which the server listens. */
  get socket(): string {
    return join(this.#folder, `.s.PGSQL.${this.#listens?.port ?? 5432}`);
  }

  /** Returns the address of a schema for clients of the network. */
  networkAddress(schema: string): string {
    if (this.#listens === null) throw new Error("the server has no address");
    const { host, port } = this.#listens;
    return `postgres://peneira@${host}:${port}/postgres?schema=${schema}`;
  }

  /** Starts the server after a stop. Resolves when it accepts connections. */
  async begin(): Promise<void> {
    const settings = {
      listen_addresses: this.#listens?.host ?? "",
      port: String(this.#listens?.port ?? 5432),
      unix_socket_directories: this.#folder,
      fsync: "off",
      max_connections: "200",
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const program = join(postgresPrograms() as string, "postgres");
    this.#child = spawn(program, ["-D", this.#data, ...options], {
      ...this.#user,
      cwd: this.#folder,
      stdio: "ignore",
    });
    const began = performance.now();
    while (!this.#isReady()) {
      if (performance.now() - began > START_MS_MAX) throw new Error("PostgreSQL does not start");
      await sleep(50);
    }
  }

  #isReady(): boolean {
    try {
      const port = String(this.#listens?.port ?? 5432);
      this.#run("pg_isready", ["-h", this.#folder, "-p", port]);
      return true;
    } catch {
      return false;
    }
  }

  /** Ends the server immediately, as a crash does. */
  async crash(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGQUIT");
    await ended;
  }

  /** Runs one of PostgreSQL's tools, such as pg_dump, and returns its output. */
  tool(program: string, ...parameters: readonly string[]): Buffer {
    const connection = ["--host", this.#folder, "--username", "peneira"];
    const path = join(postgresPrograms() as string, program);
    return execFileSync(path, [...connection, ...parameters], { maxBuffer: 2 ** 28 });
  }

  /** Stops or resumes every process of the server. Stopped ones neither answer nor end. */
  freeze(signal: "SIGSTOP" | "SIGCONT"): void {
    const own = execFileSync("pgrep", ["--parent", String(this.#child?.pid)]).toString();
    const ids = [this.#child?.pid, ...own.split("\n").filter(Boolean).map(Number)];
    for (const id of ids) {
      try {
        process.kill(id as number, signal);
      } catch {
        // The server process of a client that disconnected has ended meanwhile.
      }
    }
  }

  async remove(): Promise<void> {
    await this.crash();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(program: string, parameters: readonly string[]): void {
    execFileSync(join(postgresPrograms() as string, program), parameters, {
      ...this.#user,
      cwd: this.#folder,
      stdio: "ignore",
    });
  }
}

/** Returns the ids of the user `postgres` if this process is root, which the server refuses. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (kind: string) => Number(execFileSync("id", [kind, "postgres"]).toString());
  return { uid: idOf("-u"), gid: idOf("-g") };
}
