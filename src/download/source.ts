/**
 * One place that months come from, whatever it speaks.
 * What comes in: a share. What goes out: what lies in its folders, and its answers to requests.
 * Invariant: how a place lists its folders (WebDAV, the page of a web server, a bucket, a folder of
 * this machine) is found out with the first listing and stays so; what a listing says is the same
 * to everybody else: names one step below the folder, and where they are.
 */
import { hostOf, type Share } from "./address.ts";
import { type Patience, patiently } from "./backoff.ts";
import { type Answerer, ShareClient } from "./client.ts";
import { placeWords, type ShareFault } from "./downloaderror.ts";
import { type FolderEntry, type Lister, listerOf } from "./lister.ts";
import { LocalFiles } from "./listings/localfolder.ts";
import type { ProxyRules } from "./proxy.ts";

/** A place and what is known of it. */
export class Source implements Answerer {
  readonly share: Share;
  /** What it is called in sentences, and in what is kept of a download. */
  readonly host: string;
  readonly #client: Answerer;
  /** The proxy that it is asked through, for people. */
  readonly #through: string | null;
  #answered = false;
  /** Why its months could not be listed in this run; it is not asked again then. */
  fault: ShareFault | null = null;
  #lister: Lister | null = null;
  /** Where its months lie, by label; null as long as nobody has looked. */
  months: ReadonlyMap<string, readonly string[]> | null = null;

  constructor(share: Share, stallMs: number, proxies: ProxyRules) {
    this.share = share;
    this.host = hostOf(share);
    const local = share.root.protocol === "file:";
    this.#client = local ? new LocalFiles() : new ShareClient(share, stallMs, proxies);
    this.#through = proxies(share.root)?.name ?? null;
  }

  ask: Answerer["ask"] = async (asking) => {
    const answer = await this.#client.ask(asking);
    this.#answered = true;
    return answer;
  };

  /** What lies in a folder. @throws Trouble, ShareFault */
  async list(path: readonly string[], signal: AbortSignal): Promise<FolderEntry[]> {
    const asked = { share: this.share, ask: this.ask, signal };
    if (this.#lister !== null) return this.#lister(asked, path);
    const { lister, entries } = await listerOf(asked);
    this.#lister = lister;
    return path.length === 0 ? entries : lister(asked, path);
  }

  /** What helps where it was never heard of; null where it was. */
  placeWords(): string | null {
    if (this.#answered) return null;
    return placeWords({ url: this.share.root, through: this.#through });
  }
}

/** How questions are asked. */
interface Manner {
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** How the places of the setting are asked. */
export interface Inquiry extends Manner {
  /** In order of preference. */
  readonly sources: readonly Source[];
}

/** How one place is asked. */
export interface SourceInquiry extends Manner {
  readonly source: Source;
}

/** What lies in a folder of a place; tried again where that may help. @throws ShareFault */
export async function listFolder(
  inquiry: SourceInquiry,
  path: readonly string[],
): Promise<FolderEntry[]> {
  const { source, signal } = inquiry;
  return patiently({
    ...inquiry,
    name: path.length === 0 ? "the list of months" : `the list of ${path.join("/")}`,
    step: () => source.list(path, signal),
    advice: ({ byPlace }) => (byPlace ? source.placeWords() : null),
  });
}
