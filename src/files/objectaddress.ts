/**
 * Addresses of an S3-compatible store: `s3://BUCKET/PREFIX?endpoint=URL&region=NAME&style=path`.
 * Input: an address as an operator writes it. Output: its parts, or the expected form.
 * Invariant: an address holds no credentials. An unknown option is refused. A prefix has no empty,
 * `.`, or `..` segment, so no key can leave the prefix.
 */

/** Parts of an address. */
export interface ObjectPlace {
  readonly bucket: string;
  /** Segments joined by `/`, without a slash at either end. Empty for the whole bucket. */
  readonly prefix: string;
  /** Scheme, host, and port. */
  readonly endpoint: URL;
  readonly region: string;
  /** Position of the bucket: the first segment of the path, or the first label of the host. */
  readonly style: "path" | "host";
}

const SCHEME = "s3://";

/** Description of the form, for error messages. */
const STORE_FORM =
  "an address such as s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME, without a key, with " +
  "no option but endpoint, region, and style (path or host)";

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-zA-Z0-9-]{1,64}$/;
/** Characters that need no escaping anywhere, plus spaces and symbols that file names contain. */
const SEGMENT = /^[\w.~!()' +=@,-]{1,255}$/;
/** Region of stores that have only one. */
const REGION_DEFAULT = "us-east-1";

/** True for a text that is meant as the address of a store. */
export function isStoreAddress(text: string): boolean {
  return text.startsWith(SCHEME);
}

/** Returns the parts of an address, or null if it is not valid. */
export function readStoreAddress(text: string): ObjectPlace | null {
  if (!isStoreAddress(text)) return null;
  const [path = "", query = "", ...more] = text.slice(SCHEME.length).split("?");
  const [bucket = "", ...segments] = path.replace(/\/$/, "").split("/");
  if (more.length > 0 || !BUCKET.test(bucket) || !segments.every(isSegment)) return null;
  const options = new URLSearchParams(query);
  const names = [...options.keys()];
  if (names.some((name) => !["endpoint", "region", "style"].includes(name))) return null;
  if (new Set(names).size < names.length || query.includes("#")) return null;
  const region = options.get("region") ?? REGION_DEFAULT;
  const endpoint = endpointOf(options.get("endpoint") ?? `https://s3.${region}.amazonaws.com`);
  const style = options.get("style") ?? "path";
  if (!REGION.test(region) || endpoint === null) return null;
  if (style !== "path" && style !== "host") return null;
  return { bucket, prefix: segments.join("/"), endpoint, region, style };
}

/** Returns null if a setting holds a valid address. Otherwise, returns the expected form. */
export function checkStoreAddress(text: string): string | null {
  return readStoreAddress(text) === null ? STORE_FORM : null;
}

/** Returns the address of an object without its options, for messages. */
export function shownObject({ bucket }: ObjectPlace, key: string): string {
  return `${SCHEME}${bucket}/${key}`;
}

/** Returns the key of a name below the address's prefix. */
export function keyBelow({ prefix }: ObjectPlace, name: string): string {
  return prefix === "" ? name : `${prefix}/${name}`;
}

function isSegment(text: string): boolean {
  return SEGMENT.test(text) && text !== "." && text !== "..";
}

/** Returns an endpoint that is only an origin, because a path would change what is signed. */
function endpointOf(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const known = url.protocol === "https:" || url.protocol === "http:";
  const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return known && plain && url.pathname === "/" ? url : null;
}
