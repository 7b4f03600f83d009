/**
 * One value of a setting, and the forms of the addresses that settings hold: where months are
 * downloaded from, and through what. Input: the row of the setting, and what stands in a flag, a
 * variable or the config file. Output: the value, or what was expected instead.
 * Invariant: a value is either read completely or refused with a sentence; nothing is clamped. An
 * address that is accepted here can be read by `src/download/` without another look at its form; a
 * password is refused wherever others could read it.
 */
/** The value of a setting; null means "not set" where a row allows it. */
export type SettingValue = string | number | boolean | readonly string[] | null;

/** What was expected in the place of a text; null where the text is right. */
type TextCheck = (text: string) => string | null;

/**
 * How a value is written and checked. `min` and `max` are included; `or` is a word for "every", and
 * `of` are the only texts that there are.
 */
export type SettingType =
  | { readonly kind: "text"; readonly check?: TextCheck }
  /** One text, or several: a list in the file, elsewhere with blanks between them. */
  | { readonly kind: "texts"; readonly check: TextCheck }
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  | { readonly kind: "number"; readonly min: number; readonly max: number }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "list"; readonly or: string; readonly of?: readonly string[] };

/** One row of the table. `secret` values are never printed and may be given as `*_FILE`. */
export interface Setting<Value extends SettingValue = SettingValue> {
  readonly type: SettingType;
  readonly fallback: Value;
  readonly description: string;
  readonly secret?: boolean;
  /** What holds with the transport uws in the place of the value. */
  readonly uws?: string;
  /** What is wrong with a value that stands where others can read it: in a file, in a command. */
  readonly inTheOpen?: TextCheck;
}

/** A value, or what was expected in its place, or the entries of a list that do not exist. */
type SettingReading =
  | { readonly value: SettingValue }
  | { readonly expected: string }
  | { readonly unknown: readonly string[]; readonly known: readonly string[] };

/**
 * Reads a value as it stands in the environment or on the command line (always text) or in the
 * config file (JSON). Gives the value, or what was expected instead.
 */
export function readSetting(row: Setting, raw: unknown): SettingReading {
  if (raw === null && row.fallback === null) return { value: null };
  const { type } = row;
  if (type.kind === "text") return readText(raw, type);
  if (type.kind === "texts") return readTexts(raw, type.check);
  if (type.kind === "list") return readList(raw, type);
  const value = readPlain(raw, type);
  return value === undefined ? { expected: expectedOf(type) } : { value };
}

/** What a setting of a type may be, in words. */
export function expectedOf(type: SettingType): string {
  switch (type.kind) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number from ${type.min} to ${type.max}`;
    case "number":
      return `a number from ${type.min} to ${type.max}`;
    case "choice":
      return type.of.join(" or ");
    case "list": {
      const items = type.of === undefined ? "texts" : `some of ${type.of.join(", ")}`;
      return `"${type.or}" or a list of ${items}; in the environment separated by commas`;
    }
    case "text":
    case "texts":
      return "a text that is not empty";
  }
}

function readText(raw: unknown, type: SettingType & { kind: "text" }): SettingReading {
  if (typeof raw !== "string" || raw === "") {
    // Of a text with a form the form says more than that it is a text.
    const form = type.check?.("") ?? null;
    return { expected: form === null ? expectedOf(type) : `one text, ${form}` };
  }
  const expected = type.check?.(raw) ?? null;
  return expected === null ? { value: raw } : { expected };
}

/** One text stays one; blanks stand between several. The first that is wrong speaks for all. */
function readTexts(raw: unknown, check: TextCheck): SettingReading {
  const items: unknown[] = typeof raw === "string" ? raw.trim().split(/\s+/) : [raw].flat();
  const expected = items.length === 0 ? check("") : null;
  const wrong = items.map((item) => (typeof item === "string" ? check(item) : check("")));
  const first = expected ?? wrong.find((words) => words !== null);
  if (first !== undefined && first !== null) return { expected: first };
  const texts = items as readonly string[];
  return { value: texts.length === 1 ? (texts[0] as string) : texts };
}

/** A value that is no text and no list, or undefined. */
function readPlain(
  raw: unknown,
  type: Exclude<SettingType, { kind: "text" | "texts" | "list" }>,
): SettingValue | undefined {
  if (type.kind === "boolean") {
    if (raw === true || raw === "true") return true;
    return raw === false || raw === "false" ? false : undefined;
  }
  if (type.kind === "choice") {
    return typeof raw === "string" && type.of.includes(raw) ? raw : undefined;
  }
  const written = typeof raw === "string" && /^\d{1,16}(\.\d{1,9})?$/.test(raw);
  const value = written ? Number(raw) : raw;
  if (typeof value !== "number" || !(value >= type.min && value <= type.max)) return undefined;
  return type.kind === "number" || Number.isSafeInteger(value) ? value : undefined;
}

function readList(raw: unknown, { or, of }: SettingType & { kind: "list" }): SettingReading {
  if (raw === or) return { value: or };
  const written = typeof raw === "string";
  const items: unknown = written ? raw.split(",").map((item) => item.trim()) : raw;
  const isText = (item: unknown) => typeof item === "string" && item !== "";
  if (!Array.isArray(items) || items.length === 0 || !items.every(isText)) {
    return { expected: `"${or}" or ${written ? "names between commas" : "a list of names"}` };
  }
  const texts: readonly string[] = items;
  const unknown = of === undefined ? [] : texts.filter((item) => !of.includes(item));
  return unknown.length > 0 ? { unknown, known: of ?? [] } : { value: texts };
}

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
