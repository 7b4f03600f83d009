/**
 * Where the share is.
 * What comes in: the setting `download.url`. What goes out: the address of its root folder, and
 * how to say who asks.
 * Invariant: the address ends with `/` and has no credentials in it (fetch refuses those); the
 * link that people copy from a browser becomes the address that programs use.
 */
import { CommandError } from "../errors.ts";

/** A public share. */
export interface Share {
  readonly root: URL;
  /** Value of the Authorization header, or null where the address says everything. */
  readonly authorization: string | null;
}

/**
 * Reads the address: `…/public.php/dav/files/TOKEN/` needs nothing more, `https://TOKEN@…/
 * public.php/webdav/` is the older form with the token as user, `…/s/TOKEN` is a browser's link.
 */
export function readShare(text: string): Share {
  if (!URL.canParse(text)) throw new CommandError(`download.url is no address: ${text}`, 2);
  const root = new URL(text);
  const user = decodeURIComponent(root.username);
  root.username = "";
  root.password = "";
  root.search = "";
  root.hash = "";
  const link = /^(.*?)(?:\/index\.php)?\/s\/([A-Za-z0-9]{4,64})\/?$/.exec(root.pathname);
  if (link !== null) root.pathname = `${link[1]}/public.php/dav/files/${link[2]}/`;
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  const authorization =
    user === "" ? null : `Basic ${Buffer.from(`${user}:`, "utf8").toString("base64")}`;
  return { root, authorization };
}

/** The address of a folder or file below the root. */
export function below(share: Share, path: readonly string[], folder: boolean): URL {
  const tail = path.map(encodeURIComponent).join("/");
  return new URL(`${share.root.pathname}${tail}${folder && tail !== "" ? "/" : ""}`, share.root);
}
