/**
 * Forms of the addresses that settings hold: where months are downloaded from, and through what.
 * What comes in: one text. What goes out: what was expected in its place, or null where it is
 * right.
 * Invariant: what is right here can be read by `src/download/` without another look at its form; a
 * password is refused wherever others could read it.
 */

/** Members of a query that links of shares and buckets say their folder with. */
const FOLDER_MEMBERS = ["dir", "path", "prefix"];

/** Checks an address that months can be downloaded from; a token may stand before the host. */
export function checkShare(text: string): string | null {
  const form =
    "an http(s) address without a password, query (but ?dir=, ?path= or ?prefix=) and fragment, " +
    "or a file:// folder";
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.password !== "" || url.hash !== "") return form;
  if (url.protocol === "file:") return url.host === "" && url.search === "" ? null : form;
  if (!/^https?:$/.test(url.protocol)) return form;
  const link = /\/s\/[A-Za-z0-9]+(\/download)?\/?$/.test(url.pathname);
  const known = [...url.searchParams.keys()].every((name) => FOLDER_MEMBERS.includes(name));
  if (!link && !known) return form;
  const up = FOLDER_MEMBERS.some((name) => {
    return url.searchParams.get(name)?.split(/[/\\]/).includes("..") === true;
  });
  return up ? form : null;
}

/** Schemes of proxies. */
const PROXY_SCHEMES = ["http:", "https:", "socks5:", "socks5h:"];

/** Checks the address of a proxy; `direct` is none. */
export function checkProxy(text: string): string | null {
  if (text === "direct") return null;
  const form = "direct, or http://, https://, socks5:// or socks5h:// and HOST:PORT";
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !PROXY_SCHEMES.includes(url.protocol) || url.hostname === "") return form;
  const bare = /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "";
  return bare && isShort(url.username) && isShort(url.password) ? null : form;
}

/** Refuses a user or password where others can read it. */
export function openCredentials(text: string): string | null {
  if (!/^[a-z][\w+.-]*:\/\/[^/]*@/i.test(text)) return null;
  return "must not hold a user or password, which others could read there";
}

/** Whether it can be decoded, and fits into the one byte that SOCKS5 has for its length. */
function isShort(text: string): boolean {
  try {
    return Buffer.byteLength(decodeURIComponent(text)) <= 255;
  } catch {
    return false;
  }
}
