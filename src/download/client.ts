/**
 * An HTTP exchange with the share, directly or through a proxy.
 * Invariant: every wait ends. It ends after `stallMs` without bytes or with too few
 * (`CRAWL_BYTES`), and immediately when the signal fires. Redirects are followed on the same host,
 * or to a host that the share names, never to weaker encryption. Credentials are sent only to their
 * origin.
 */
import { type Share, shownUrl } from "./address.ts";
import { type AnswerHead, DownloadError, errorOfFailure, ShareFault } from "./downloaderror.ts";
import {
  type Fetcher,
  fetcherThrough,
  NO_PROXIES,
  type ProxyRules,
  type ProxyServer,
} from "./proxy.ts";
import { waitText } from "./words.ts";

/** Fewer bytes per second than this, over the stall time, also count as a stall. */
const CRAWL_BYTES = 1024;
const REDIRECTS_MAX = 5;

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** A request to a share. */
export interface ShareRequest {
  readonly method: "GET" | "HEAD" | "PROPFIND";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** An answer whose body is unread. The caller must read or drop it. */
export interface ShareAnswer extends AnswerHead {
  /** Yields the body in chunks. @throws DownloadError if it stalls or is cut. */
  readonly body: () => AsyncGenerator<Uint8Array, void, undefined>;
  /** Drops the body and its connection. */
  readonly drop: () => void;
}

/** A service that answers like a share. */
export interface Answerer {
  /** Sends a request. Resolves to the answer's head. @throws DownloadError, CommandError */
  readonly request: (asking: ShareRequest) => Promise<ShareAnswer>;
}

/** HTTP client of a share. */
export class ShareClient implements Answerer {
  readonly share: Share;
  readonly stallMs: number;
  readonly #proxies: ProxyRules;
  /** Dispatchers by proxy, created once, so that connections are reused. */
  readonly #fetchers = new Map<ProxyServer | null, Fetcher>();

  constructor(share: Share, stallMs: number, proxies: ProxyRules = NO_PROXIES) {
    this.share = share;
    this.stallMs = stallMs;
    this.#proxies = proxies;
  }

  /** Sends a request. Resolves to the answer's head. @throws DownloadError, CommandError */
  async request(asking: ShareRequest): Promise<ShareAnswer> {
    let { url } = asking;
    for (let hops = 0; ; hops++) {
      const answer = await this.#exchange({ ...asking, url });
      const target = redirectOf(answer, this.share.hosts);
      if (target === null) return answer;
      answer.drop();
      if (hops === REDIRECTS_MAX) {
        throw new ShareFault(`${shownUrl(asking.url)} redirects in a circle.`);
      }
      url = target;
    }
  }

  #fetcherOf(proxy: ProxyServer | null): Fetcher {
    const fetcher = this.#fetchers.get(proxy) ?? fetcherThrough(proxy);
    this.#fetchers.set(proxy, fetcher);
    return fetcher;
  }

  async #exchange({ method, url, headers, body, signal }: ShareRequest): Promise<ShareAnswer> {
    const cutter = new Cutter(signal, this.stallMs);
    const proxy = this.#proxies(url);
    const { authorization, root } = this.share;
    const sent = {
      ...headers,
      "accept-encoding": "identity",
      "user-agent": "peneira",
      // Nextcloud's older address only answers requests with this header.
      "x-requested-with": "XMLHttpRequest",
      ...(authorization !== null && url.origin === root.origin ? { authorization } : {}),
    };
    try {
      const response = await cutter.within(
        this.#fetcherOf(proxy).fetch(url, {
          method,
          headers: sent,
          redirect: "manual",
          signal: cutter.signal,
          ...(body === undefined ? {} : { body }),
        }),
      );
      const { status, headers: got } = response;
      const reader = (response.body?.getReader() ?? null) as BodyReader | null;
      cutter.holds(reader);
      return {
        status,
        headers: got,
        url,
        through: proxy?.name ?? null,
        body: () => pieces(reader, cutter, { url, proxy }),
        drop: () => cutter.end(),
      };
    } catch (error) {
      const reason = cutter.reason() ?? error;
      cutter.end();
      throw errorOfFailure(reason, url, proxy);
    }
  }
}

/** Returns a redirect's target, or null without a redirect. @throws CommandError if unsafe */
export function redirectOf(
  { status, headers, url }: Pick<ShareAnswer, "status" | "headers" | "url">,
  hosts?: RegExp,
): URL | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null;
  const location = headers.get("location") ?? "";
  const known = location !== "" && URL.canParse(location, url.href);
  const target = known ? new URL(location, url) : null;
  if (target !== null && target.username === "" && isSafe(url, target, hosts)) return target;
  const place = target === null ? "nowhere" : shownUrl(target);
  throw new ShareFault(
    `${shownUrl(url)} redirects to ${place}, which is not followed: it ` +
      "is another host or not encrypted. If it is right, set download.url to it.",
  );
}

/** True if a redirect stays on its host or leads to a known one, without weaker encryption. */
function isSafe(from: URL, { protocol, hostname }: URL, hosts: RegExp | undefined): boolean {
  const known = protocol === "https:" && hosts?.test(hostname) === true;
  const encrypted = protocol === "https:" || protocol === from.protocol;
  return known || (encrypted && hostname === from.hostname);
}

/** Yields the body in chunks. Time spent waiting for the disk does not count as a stall. */
async function* pieces(
  reader: BodyReader | null,
  cutter: Cutter,
  { url, proxy }: { readonly url: URL; readonly proxy: ProxyServer | null },
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      const read = reader === null ? null : await cutter.within(reader.read());
      if (read === null || read.done) return;
      cutter.gained(read.value.length);
      yield read.value;
    }
  } catch (error) {
    const trouble = errorOfFailure(cutter.reason() ?? error, url, proxy);
    const cut = trouble instanceof DownloadError && trouble.kind === "crowded";
    throw cut ? new DownloadError("again", "the connection was cut") : trouble;
  } finally {
    cutter.end();
  }
}

/**
 * Aborts an exchange that stalls or is canceled. `fetch` holds only a weak reference to its signal,
 * and may miss the abort once the head of the answer has arrived. Therefore this class ends the
 * wait itself, and cancels the body.
 */
class Cutter {
  readonly #control = new AbortController();
  readonly #outer: AbortSignal;
  readonly #stallMs: number;
  readonly #ended: Promise<never>;
  #reader: BodyReader | null = null;
  #waitedMs = 0;
  #bytes = 0;
  readonly #onAbort = (): void => this.#control.abort(this.#outer.reason);

  constructor(outer: AbortSignal, stallMs: number) {
    this.#outer = outer;
    this.#stallMs = stallMs;
    const { signal } = this.#control;
    this.#ended = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    this.#ended.catch(() => {});
    if (outer.aborted) this.#onAbort();
    else outer.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Attaches the exchange's body. */
  holds(reader: BodyReader | null): void {
    this.#reader = reader;
  }

  /** Returns why this object aborted the exchange, or null if it did not. */
  reason(): unknown {
    return this.#control.signal.aborted ? this.#control.signal.reason : null;
  }

  /** Waits for the share, up to the stall time. */
  async within<T>(work: Promise<T>): Promise<T> {
    const started = performance.now();
    const timer = setTimeout(() => this.#control.abort(this.#stalled()), this.#stallMs);
    try {
      return await Promise.race([work, this.#ended]);
    } finally {
      clearTimeout(timer);
      this.#waitedMs += performance.now() - started;
    }
  }

  /** Counts bytes. @throws DownloadError if they are too slow. */
  gained(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes >= (CRAWL_BYTES * this.#stallMs) / 1000) {
      this.#bytes = 0;
      this.#waitedMs = 0;
    } else if (this.#waitedMs >= this.#stallMs) throw this.#stalled();
  }

  /**
   * Removes the listener and the body's reader. Closes the connection unless the body was read to
   * its end.
   */
  end(): void {
    this.#outer.removeEventListener("abort", this.#onAbort);
    const over = new DownloadError("again", "the answer was not wanted");
    this.#control.abort(over);
    this.#reader?.cancel(over).catch(() => {});
  }

  #stalled(): DownloadError {
    const words = `(almost) no bytes for ${waitText(this.#stallMs)}`;
    return new DownloadError("again", words, { byPlace: true });
  }
}
