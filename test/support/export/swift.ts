/**
 * OpenStack Swift with `s3api` as a real S3-compatible server that checks signatures. Input: the
 * distribution's packages. Output: a running server with one user, or null where it is not
 * installed.
 * Invariant: all of it is in a temporary folder, whose file system needs extended attributes;
 * nothing of the system's own Swift is read or changed. `close` ends every process.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const SERVERS = ["proxy", "account", "container", "object"] as const;
/** Credentials of the user. */
export const SWIFT_KEYS = { accessKey: "test:tester", secretKey: "testing" } as const;

/** A running server. */
export interface Swift {
  /** The value of `files.url` for a bucket. */
  address(bucket: string): string;
  close(): Promise<void>;
}

/** Starts a server below `base`; returns null if its packages are not installed. */
export async function startSwift(base: string): Promise<Swift | null> {
  const programs = [
    ...SERVERS.map((name) => `/usr/bin/swift-${name}-server`),
    "/usr/bin/memcached",
  ];
  if (!programs.every((path) => existsSync(path))) return null;
  const folder = mkdtempSync(join(base, "swift-"));
  const [proxy, account, container, object, memcached] = await freePorts(5);
  const ports = { account, container, object } as const;
  mkdirSync(join(folder, "node", "disk"), { recursive: true });
  writeFileSync(
    join(folder, "swift.conf"),
    "[swift-hash]\nswift_hash_path_prefix = test\nswift_hash_path_suffix = test\n" +
      "[storage-policy:0]\nname = one\ndefault = yes\n",
  );
  writeFileSync(join(folder, "proxy.conf"), proxyOf(folder, proxy, memcached));
  for (const [kind, port] of Object.entries(ports)) {
    writeFileSync(join(folder, `${kind}.conf`), storageOf(folder, kind, port));
    const ring = join(folder, `${kind}.builder`);
    const builder = (...args: string[]) => {
      execFileSync("/usr/bin/swift-ring-builder", [ring, ...args], { stdio: "ignore" });
    };
    builder("create", "4", "1", "1");
    builder("add", `r1z1-127.0.0.1:${port}/disk`, "1");
    builder("rebalance");
  }
  const children: ChildProcess[] = [];
  const start = (program: string, args: readonly string[]) => {
    const environment = { ...process.env, PYTHONPATH: sitePatch(folder) };
    children.push(spawn(program, args, { stdio: "ignore", env: environment }));
  };
  start("/usr/bin/memcached", ["-u", "root", "-l", "127.0.0.1", "-p", String(memcached)]);
  for (const name of SERVERS)
    start(`/usr/bin/swift-${name}-server`, [join(folder, `${name}.conf`)]);
  const close = async () => {
    if (process.env.KEEP_SWIFT) return;
    for (const child of children) child.kill("SIGKILL");
    await sleep(100);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await answering(`http://127.0.0.1:${proxy}/healthcheck`);
  } catch (error) {
    await close();
    throw error;
  }
  const endpoint = encodeURIComponent(`http://127.0.0.1:${proxy}`);
  return {
    address: (bucket) => `s3://${bucket}/peneira?endpoint=${endpoint}&region=us-east-1`,
    close,
  };
}

/**
 * Writes Python code that redirects the servers to swift.conf and the rings in this folder. No
 * setting can do this.
 */
function sitePatch(folder: string): string {
  const site = join(folder, "site");
  mkdirSync(site, { recursive: true });
  const code = [
    "import swift.common.utils as utils",
    `utils.SWIFT_CONF_FILE = ${JSON.stringify(join(folder, "swift.conf"))}`,
  ];
  writeFileSync(join(site, "sitecustomize.py"), `${code.join("\n")}\n`);
  return site;
}

function common(folder: string, port: number): string {
  return (
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = root\n` +
    `swift_dir = ${folder}\nlog_name = swift\nlog_address = ${folder}/nolog\n`
  );
}

function proxyOf(folder: string, port: number, memcached: number): string {
  return (
    common(folder, port) +
    "[pipeline:main]\npipeline = healthcheck proxy-logging cache s3api tempauth bulk slo " +
    "proxy-logging proxy-server\n" +
    "[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n" +
    "[filter:healthcheck]\nuse = egg:swift#healthcheck\n" +
    "[filter:proxy-logging]\nuse = egg:swift#proxy_logging\n" +
    `[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:${memcached}\n` +
    "[filter:s3api]\nuse = egg:swift#s3api\ns3_acl = false\nforce_swift_request_proxy_log = no\n" +
    "[filter:tempauth]\nuse = egg:swift#tempauth\n" +
    `user_test_tester = ${SWIFT_KEYS.secretKey} .admin\n` +
    "[filter:bulk]\nuse = egg:swift#bulk\n[filter:slo]\nuse = egg:swift#slo\n"
  );
}

function storageOf(folder: string, kind: string, port: number): string {
  return (
    common(folder, port) +
    `devices = ${folder}/node\nmount_check = false\ndisable_fallocate = true\n` +
    `[pipeline:main]\npipeline = ${kind}-server\n` +
    `[app:${kind}-server]\nuse = egg:swift#${kind}\n`
  );
}

async function freePorts<Count extends number>(
  count: Count,
): Promise<number[] & [number, number, number, number, number]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  for (const server of servers) server.close();
  return ports as Awaited<ReturnType<typeof freePorts>>;
}

async function answering(url: string): Promise<void> {
  for (let times = 0; times < 300; times++) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok === true) return;
    await sleep(200);
  }
  throw new Error("Swift did not start within 60 s");
}
