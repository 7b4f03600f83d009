/**
 * Reads the setting `download.url`: the address of the root folder of a share, and its credentials.
 * A share is a place that publishes the registry's files, such as a Nextcloud folder, a web server,
 * a bucket, or a local folder.
 * Invariant: the address ends with `/` and has no credentials or query. If the setting is a
 * browser's link to a folder, it is converted to the address for programs.
 */
import { fileURLToPath } from "node:url";
import { CommandError } from "../errors.ts";

/** A public share, a mirror, a bucket, or a local folder. */
export interface Share {
  readonly root: URL;
  /** Value of the Authorization header, or null if none is needed. */
  readonly authorization: string | null;
  /** Prefix of the keys if the address names a bucket, or else null. */
  readonly prefix: string | null;
  /** Other hosts to which redirects may lead, only over HTTPS. Missing if there are none. */
  readonly hosts?: RegExp;
}

/**
 * Parses an address. `…/public.php/dav/files/TOKEN/` is used as it is.
 * `https://TOKEN@…/public.php/webdav/` is the older form with the token as user.
 * `…/s/TOKEN?dir=/FOLDER` is a browser's link. `https://bucket…/?prefix=FOLDER/` names the keys of
 * a bucket.
 */
export function readShare(text: string): Share {
  if (!URL.canParse(text)) throw new CommandError(`download.url is not an address: ${text}`, 2);
  const root = new URL(text);
  const user = decodeURIComponent(root.username);
  const folder = root.searchParams.get("dir") ?? root.searchParams.get("path") ?? "";
  const prefix = root.searchParams.get("prefix");
  root.username = "";
  root.password = "";
  root.search = "";
  root.hash = "";
  const link = /^(.*?)(?:\/index\.php)?\/s\/([A-Za-z0-9]{4,64})(?:\/download)?\/?$/;
  const [, before, token] = link.exec(root.pathname) ?? [];
  if (token !== undefined) root.pathname = `${before}/public.php/dav/files/${token}/`;
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  const names = folder.split("/").filter((name) => name !== "" && name !== ".");
  for (const name of names) root.pathname += `${encodeURIComponent(name)}/`;
  const authorization =
    user === "" ? null : `Basic ${Buffer.from(`${user}:`, "utf8").toString("base64")}`;
  return { root, authorization, prefix };
}

/** Reads all addresses of the setting, in order. */
export function readShares(setting: string | readonly string[]): readonly Share[] {
  return [setting].flat().map(readShare);
}

/** Name of a share in messages and in the download record. */
export function hostOf({ root }: Share): string {
  return root.protocol === "file:" ? "this machine" : root.host;
}

/** Formats an address for messages without its query, which may be secret. */
export function shownUrl({ href }: URL): string {
  return href.replace(/([?#]).*$/s, "$1…");
}

/** Returns the share's address for users. */
export function placeOf({ root }: Share): string {
  return root.protocol === "file:" ? fileURLToPath(root) : root.href;
}

/** Returns the address of a folder or file below the root. */
export function urlBelow(share: Share, path: readonly string[], folder: boolean): URL {
  const tail = path.map(encodeURIComponent).join("/");
  return new URL(`${share.root.pathname}${tail}${folder && tail !== "" ? "/" : ""}`, share.root);
}
