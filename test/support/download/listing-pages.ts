/**
 * Folder listings in the formats of real servers: the pages of Apache, nginx, Caddy, and Python's
 * http.server, the XML pages of a bucket, and Nextcloud's answer to PROPFIND.
 * Invariant: the listings imitate those programs, including sortable columns, links to the parent,
 * rounded sizes, names truncated at the column width, entities, and encoded names.
 */

/** Web servers whose listing pages can be imitated. */
export const PAGE_FORMS = ["apache", "nginx", "caddy", "python"] as const;

/** One of them. */
export type PageForm = (typeof PAGE_FORMS)[number];

/** One file, or a folder, which has no size. */
export interface SharedEntry {
  readonly name: string;
  readonly bytes: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

/** Keys on one page. The number is so small that every month needs several pages. */
const KEYS_PER_PAGE = 10;

/** Returns the listing page of a folder. */
export function indexPage(form: PageForm, path: string, entries: readonly SharedEntry[]): string {
  const rows = entries.map((entry) => {
    const slash = entry.bytes === null ? "/" : "";
    return ROWS[form](
      `${encodeURIComponent(entry.name)}${slash}`,
      entry,
      escaped(entry.name + slash),
    );
  });
  return FRAMES[form](escaped(path), rows.join("\n"));
}

const ROWS: Readonly<
  Record<PageForm, (href: string, entry: SharedEntry, shown: string) => string>
> = {
  apache: (href, { bytes }, shown) =>
    `<tr><td valign="top"><img src="/icons/compressed.gif" alt="[   ]"></td><td>` +
    `<a href="${href}">${shown.slice(0, 20)}</a></td>` +
    `<td align="right">2026-10-12 01:02  </td><td align="right">` +
    `${bytes === null ? "  - " : "1.3G"}</td><td>&nbsp;</td></tr>`,
  nginx: (href, { bytes }, shown) =>
    `<a href="${href}">${shown}</a>                12-Oct-2026 01:02        ${bytes ?? "-"}`,
  caddy: (href, { bytes }, shown) =>
    `<tr class="file"><td></td><td><a href="./${href}"><svg width="1.5em"></svg>` +
    `<span class="name">${shown}</span></a></td><td data-order="${bytes ?? -1}">&mdash;</td></tr>`,
  python: (href, _, shown) => `<li><a href="${href}">${shown}</a></li>`,
};

const FRAMES: Readonly<Record<PageForm, (path: string, rows: string) => string>> = {
  apache: (path, rows) =>
    `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html>\n <head>\n  <title>Index of ` +
    `${path}</title>\n </head>\n <body>\n<h1>Index of ${path}</h1>\n  <table>\n   <tr>` +
    '<th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>\n' +
    '<tr><td><a href="/">Parent Directory</a></td></tr>\n' +
    `${rows}\n</table>\n<address>Apache/2.4.62 (Debian) Server</address>\n</body></html>\n`,
  nginx: (path, rows) =>
    `<html>\r\n<head><title>Index of ${path}</title></head>\r\n<body>\r\n<h1>Index of ${path}` +
    `</h1><hr><pre><a href="../">../</a>\r\n${rows}\r\n</pre><hr></body>\r\n</html>\r\n`,
  caddy: (path, rows) =>
    `<!DOCTYPE html>\n<html>\n\t<head>\n\t\t<title>${path}</title>\n<style>a > b { color: red }` +
    `</style>\n\t</head>\n<body onload='initFilter()'>\n<h1><a href="/">/</a></h1>` +
    `<a href="./?sort=name&order=desc">Name</a><a href="..">up</a><table>${rows}</table>` +
    "<script>if (1 < 2) document.write('<a href=\"2019-01/\">')</script></body>\n</html>\n",
  python: (path, rows) =>
    '<!DOCTYPE HTML>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Directory listing ' +
    `for ${path}</title>\n</head>\n<body>\n<h1>Directory listing for ${path}</h1>\n<hr>\n<ul>\n` +
    `${rows}\n</ul>\n<hr>\n</body>\n</html>\n`,
};

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A page of a bucket's keys, as ListObjectsV2 answers it. */
export function bucketXml(query: URLSearchParams, all: readonly SharedEntry[]): string {
  const prefix = query.get("prefix") ?? "";
  const from = Number(query.get("continuation-token")?.replace("token ", "") ?? 0);
  const entries = all.slice(from, from + KEYS_PER_PAGE);
  const more = from + KEYS_PER_PAGE < all.length;
  const coded = query.get("encoding-type") === "url";
  const key = (text: string) =>
    coded ? encodeURIComponent(text).replaceAll("%2F", "/") : escaped(text);
  const rows = entries.map(({ name, bytes, etag, modified }) => {
    if (bytes === null) {
      return `<CommonPrefixes><Prefix>${key(`${prefix}${name}/`)}</Prefix></CommonPrefixes>`;
    }
    const date = modified === null ? "" : new Date(modified).toISOString();
    return (
      `<Contents><Key>${key(prefix + name)}</Key><LastModified>${date}</LastModified>` +
      `<ETag>${(etag ?? "").replaceAll('"', "&quot;")}</ETag><Size>${bytes}</Size>` +
      "<Owner><ID>x</ID></Owner><StorageClass>STANDARD</StorageClass></Contents>"
    );
  });
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>cnpj</Name>' +
    `<Prefix>${key(prefix)}</Prefix><KeyCount>${entries.length}</KeyCount>` +
    `${coded ? "<EncodingType>url</EncodingType>" : ""}<IsTruncated>${more}</IsTruncated>` +
    (more ? `<NextContinuationToken>token ${from + KEYS_PER_PAGE}</NextContinuationToken>` : "") +
    `${rows.join("")}</ListBucketResult>`
  );
}

/** Returns one entry in Nextcloud's format. */
export function davEntry(
  path: string,
  { bytes, etag, modified }: Omit<SharedEntry, "name">,
): string {
  const slash = bytes === null && !path.endsWith("/") ? "/" : "";
  const address = path.split("/").map(encodeURIComponent).join("/") + slash;
  const found =
    bytes === null
      ? "<d:resourcetype><d:collection/></d:resourcetype>"
      : `<d:resourcetype/><d:getcontentlength>${bytes}</d:getcontentlength>` +
        (etag === null ? "" : `<d:getetag>${etag.replaceAll('"', "&quot;")}</d:getetag>`) +
        (modified === null ? "" : `<d:getlastmodified>${modified}</d:getlastmodified>`);
  const missing =
    bytes === null
      ? "<d:propstat><d:prop><d:getcontentlength/></d:prop>" +
        "<d:status>HTTP/1.1 404 Not Found</d:status></d:propstat>"
      : "";
  return (
    `<d:response><d:href>${address}</d:href><d:propstat><d:prop>${found}</d:prop>` +
    `<d:status>HTTP/1.1 200 OK</d:status></d:propstat>${missing}</d:response>`
  );
}

/** Wraps the entries in the document that contains them. */
export function multistatus(entries: string): string {
  return (
    '<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" ' +
    `xmlns:oc="http://owncloud.org/ns">${entries}</d:multistatus>`
  );
}
