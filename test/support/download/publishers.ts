/**
 * Simulates the publishers of the public lists on this machine. One server is a portal whose pages
 * name a day and whose links redirect to a file server. Another one has the quarters of PGFN's
 * debts.
 * Invariant: pages, redirects, names, and members match the real publishers, as open-source
 * importers describe them. Every row is invented. Faults are the same as those of the shares.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeDebts, writeSanctions } from "../dump/publiclists.ts";
import { zipOf } from "../files/zip.ts";
import { WebdavShare } from "./webdav-server.ts";

/** A list of sanctions. */
export type Sanctions = "ceis" | "cnep" | "cepim";

/**
 * Returns a function that answers a request in place of the portal, or null if the portal should
 * answer.
 */
export type PortalFault = (path: string) => ((response: ServerResponse) => void) | null;

/** The three servers. */
export class Publishers {
  /** The server to which the portal redirects. */
  readonly files = new WebdavShare({ form: "nginx" });
  readonly debts = new WebdavShare({ form: "apache" });
  readonly requested: string[] = [];
  fault: PortalFault = () => null;
  readonly #days = new Map<string, string>();
  readonly #portal: Server;
  readonly #folder = mkdtempSync(join(tmpdir(), "publishers-"));

  constructor() {
    this.#portal = createServer((request, response) => {
      const path = (request.url ?? "").replace("/download-de-dados/", "");
      this.requested.push(`${request.method} ${path}`);
      const fault = this.fault(path);
      if (fault !== null) fault(response);
      else this.#answer(path, response);
    });
  }

  /** Starts all servers, with one publication of each list. */
  async start(): Promise<this> {
    await this.files.start();
    await this.debts.start();
    await new Promise<void>((done) => this.#portal.listen(0, "127.0.0.1", done));
    for (const list of ["ceis", "cnep", "cepim"] as const) this.publish(list, "20260801");
    this.publishDebts("2026_trimestre_02", "202606");
    this.debts.strangers.push("2019_trimestre_05", "LEIA-ME.txt");
    return this;
  }

  async stop(): Promise<void> {
    this.#portal.closeAllConnections();
    await new Promise((done) => this.#portal.close(done));
    await this.files.stop();
    await this.debts.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Address of the portal's lists. */
  get sanctionsUrl(): string {
    const { port } = this.#portal.address() as AddressInfo;
    return `http://127.0.0.1:${port}/download-de-dados/`;
  }

  /** Publishes the list of a day. If `content` is given, it replaces the zip. */
  publish(list: Sanctions, day: string, content?: Buffer): void {
    this.#days.set(list, day);
    const csv = writeSanctions(this.#folder, list, [
      { document: "11222333000181" },
      { document: "12345678909", type: "F" },
    ]);
    const name = `${day}_${list.toUpperCase()}`;
    this.files.put(list, `${name}.zip`, content ?? zipOf({ [`${name}.csv`]: readFileSync(csv) }));
  }

  /**
   * Publishes a quarter of debts. The names of its members contain this month, and `rows` makes the
   * zips larger.
   */
  publishDebts(quarter: string, month: string, rows = 1): void {
    const row = (i: number) => ({
      document: "11.222.333/0001-81",
      amount: `${(i * 7919) % 100_003}.${10 + (i % 90)}`,
    });
    const list = Array.from({ length: rows }, (_, i) => row(i));
    const folder = join(this.#folder, quarter);
    writeDebts(folder, { fgts: list, social: list, other: list }, month);
    for (const kind of ["FGTS", "Previdenciario", "Nao_Previdenciario"]) {
      const name = `Dados_abertos_${kind}.zip`;
      this.debts.put(quarter, name, readFileSync(join(folder, name)));
    }
  }

  #answer(path: string, response: ServerResponse): void {
    const [list = "", day] = path.split("/");
    const newest = this.#days.get(list);
    if (newest === undefined) return void response.writeHead(404).end();
    if (day === undefined) return void response.end(pageOf(list, newest));
    if (!this.files.months.get(list)?.has(`${day}_${list.toUpperCase()}.zip`)) {
      return void response.writeHead(403).end();
    }
    const location = `${this.files.url}${list}/${day}_${list.toUpperCase()}.zip`;
    response.writeHead(302, { location }).end();
  }
}

/** Returns the page of a list. A script in the page names the day of the publication. */
function pageOf(list: string, day: string): string {
  const [year, month, date] = [day.slice(0, 4), day.slice(4, 6), day.slice(6)];
  return (
    "<html><body><p>Última atualização: 01/10/2024</p><script>var arquivos = [];\n" +
    'arquivos.push({"ano" : "2025", "mes" : "12", "dia" : "31", "origem" :  "X"});\n' +
    `arquivos.push({"ano" : "${year}", "mes" : "${month}", "dia" : "${date}", ` +
    '"origem" :  "X"});\n' +
    `var url = springUrl + "download-de-dados/${list}/";</script></body></html>`
  );
}
