/**
 * A source of the registry's monthly releases, such as a share, with any protocol.
 * Invariant: the first listing detects how a source lists its folders (WebDAV, a web server's page,
 * a bucket, a local folder). All listings have the same form: names one step below the folder, with
 * their addresses.
 */
import { hostOf, type Share } from "./address.ts";
import { type RetryLimits, withRetries } from "./backoff.ts";
import { type Answerer, ShareClient } from "./client.ts";
import { locationAdvice, type ShareFault } from "./downloaderror.ts";
import { type FolderEntry, type Lister, listerOf } from "./lister.ts";
import { LocalFiles } from "./listings/localfolder.ts";
import type { ProxyRules } from "./proxy.ts";

/** A source and its state. */
export class Source implements Answerer {
  readonly share: Share;
  /** Name of the source in messages and in the download record. */
  readonly host: string;
  readonly #client: Answerer;
  /** Proxy of the source, for display. */
  readonly #through: string | null;
  #answered = false;
  /** The error that kept this run from listing the months, or null. Such a source is skipped. */
  fault: ShareFault | null = null;
  #lister: Lister | null = null;
  /** Folders of the months, by label, or null before the first listing. */
  months: ReadonlyMap<string, readonly string[]> | null = null;

  constructor(share: Share, stallMs: number, proxies: ProxyRules) {
    this.share = share;
    this.host = hostOf(share);
    const local = share.root.protocol === "file:";
    this.#client = local ? new LocalFiles() : new ShareClient(share, stallMs, proxies);
    this.#through = proxies(share.root)?.name ?? null;
  }

  request: Answerer["request"] = async (asking) => {
    const answer = await this.#client.request(asking);
    this.#answered = true;
    return answer;
  };

  /** Lists a folder. @throws DownloadError, ShareFault */
  async list(path: readonly string[], signal: AbortSignal): Promise<FolderEntry[]> {
    const access = { share: this.share, request: this.request, signal };
    if (this.#lister !== null) return this.#lister(access, path);
    const { lister, entries } = await listerOf(access);
    this.#lister = lister;
    return path.length === 0 ? entries : lister(access, path);
  }

  /** Returns advice about a source that has never answered, or null if it has answered. */
  locationAdvice(): string | null {
    if (this.#answered) return null;
    return locationAdvice({ url: this.share.root, through: this.#through });
  }
}

/** Request settings. */
interface RequestSettings {
  readonly retryLimits: RetryLimits;
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
}

/** Access to all sources of the setting, for listing requests. */
export interface SourcesContext extends RequestSettings {
  /** The sources to use, in order of preference. */
  readonly sources: readonly Source[];
}

/** Access to one source, for its requests. */
export interface SourceContext extends RequestSettings {
  readonly source: Source;
}

/** Lists a folder of a source, with retries if useful. @throws ShareFault */
export async function listFolder(
  context: SourceContext,
  path: readonly string[],
): Promise<FolderEntry[]> {
  const { source, signal } = context;
  return withRetries({
    ...context,
    name: path.length === 0 ? "the list of months" : `the list of ${path.join("/")}`,
    step: () => source.list(path, signal),
    advice: ({ byPlace }) => (byPlace ? source.locationAdvice() : null),
  });
}
