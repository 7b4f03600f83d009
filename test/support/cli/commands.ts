/**
 * Lists the commands of the product, for suites that test all of them (sweeps), and runs commands
 * with pipes or on a terminal.
 * Invariant: the program itself provides the names, so a sweep fails if it has no row for a new
 * command.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { productCommand } from "../server/process.ts";

/** Returns every runnable command, such as `key create`. */
export function commandNames(): string[] {
  const [file, args] = productCommand(["manpage", "--format", "text"]);
  const text = execFileSync(file, args, { encoding: "utf8" });
  const all = [...text.matchAll(/^\$ peneira (.+) --help$/gm)].map(([, name]) => name as string);
  return all.filter((name) => !all.some((other) => other.startsWith(`${name} `)));
}

/** Fails unless a sweep has a row for every command and no other. */
export function assertSwept(rows: Readonly<Record<string, unknown>>): void {
  const fix = "every command needs a row in this sweep";
  assert.deepEqual(Object.keys(rows).sort(), commandNames().sort(), fix);
}

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Options of a run. */
interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * If set, the command gets SIGTERM when its output matches. Needed for commands that do not end
   * by themselves.
   */
  readonly until?: RegExp;
  /** Descriptor of a file that replaces the pipe for standard output. */
  readonly stdout?: number;
}

/** Runs the product with pipes. */
export function runCommand(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return run(productCommand(args), options);
}

/** Runs the product on a pseudo-terminal of Python. `out` of the result has both streams. */
export function runOnTerminal(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const [file, rest] = productCommand(args);
  return run(["python3", ["-c", PTY, file, ...rest]], options);
}

/**
 * A Python program that starts a child on a pseudo-terminal. It forwards its input without echo,
 * and prints the child's output.
 */
const PTY = `
import os, pty, signal, sys, termios, threading
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
mode = termios.tcgetattr(fd)
mode[3] &= ~termios.ECHO
termios.tcsetattr(fd, termios.TCSANOW, mode)
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
def feed():
    for line in sys.stdin.buffer:
        os.write(fd, line)
    os.write(fd, b"\\x04")
threading.Thread(target=feed, daemon=True).start()
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
`;

function run(
  [file, args]: readonly [string, readonly string[]],
  { input = "", env = {}, until, stdout }: RunOptions,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: { ...process.env, ...env },
      stdio: ["pipe", stdout ?? "pipe", "pipe"],
      timeout: 60_000,
    });
    const pieces = { out: [] as Buffer[], err: [] as Buffer[] };
    const take = (name: "out" | "err") => (piece: Buffer) => {
      pieces[name].push(piece);
      if (until?.test(Buffer.concat(pieces[name]).toString())) child.kill("SIGTERM");
    };
    child.stdout?.on("data", take("out"));
    child.stderr?.on("data", take("err"));
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const text = (name: "out" | "err") => Buffer.concat(pieces[name]).toString();
      if (code === null) reject(new Error(`${args.join(" ")} ended by ${signal}: ${text("err")}`));
      else resolve({ code, out: text("out"), err: text("err") });
    });
  });
}
