/**
 * Parses setting values, and checks addresses in settings (download sources and proxies). Input:
 * the row of the setting, and the raw value from a flag, a variable, or the config file. Output:
 * the value, or the expected form.
 * Invariant: a value is either read completely or refused with a sentence; nothing is clamped.
 * `src/download/` can use an accepted address without further checks. A password is refused in any
 * place where others could read it.
 */
/** The value of a setting. Null means "not set", and only some rows allow it. */
export type SettingValue = string | number | boolean | readonly string[] | null;

/** Returns the expected form of a text; null if it is valid. */
type TextCheck = (text: string) => string | null;

/**
 * Format of a value. `min` and `max` are inclusive. `of` holds the allowed texts, and `or` is a
 * word that a list may have instead, with the meaning "every".
 */
export type SettingType =
  | { readonly kind: "text"; readonly check?: TextCheck }
  /** One text or several: a list in the config file, elsewhere separated by blanks. */
  | { readonly kind: "texts"; readonly check: TextCheck }
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  | { readonly kind: "number"; readonly min: number; readonly max: number }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "list"; readonly or: string; readonly of?: readonly string[] };

/**
 * A row of the table of settings. A value marked `secret` is never printed, and may be given in a
 * file that `*_FILE` names.
 */
export interface Setting<Value extends SettingValue = SettingValue> {
  readonly type: SettingType;
  readonly fallback: Value;
  readonly description: string;
  readonly secret?: boolean;
  /** The value that always applies if the transport is uWebSockets.js (`uws`). */
  readonly uws?: string;
  /** Returns the problem with a value from a file or command, which others can read, or null. */
  readonly inTheOpen?: TextCheck;
}

/** The result of reading: a value, the form that is expected, or the unknown entries of a list. */
type SettingReading =
  | { readonly value: SettingValue }
  | { readonly expected: string }
  | { readonly unknown: readonly string[]; readonly known: readonly string[] };

/** Reads a text (environment, flag) or JSON (file). Returns the value, or the expected form. */
export function readSetting(row: Setting, raw: unknown): SettingReading {
  if (raw === null && row.fallback === null) return { value: null };
  const { type } = row;
  if (type.kind === "text") return readText(raw, type);
  if (type.kind === "texts") return readTexts(raw, type.check);
  if (type.kind === "list") return readList(raw, type);
  const value = readPlain(raw, type);
  return value === undefined ? { expected: expectedOf(type) } : { value };
}

/** Returns the expected form of a type, in words. */
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
    // If texts of this type must have a certain form, names that form instead of the type.
    const form = type.check?.("") ?? null;
    return { expected: form === null ? expectedOf(type) : `one text, ${form}` };
  }
  const expected = type.check?.(raw) ?? null;
  return expected === null ? { value: raw } : { expected };
}

/** Reads one text, or several separated by blanks. Reports only the first invalid one. */
function readTexts(raw: unknown, check: TextCheck): SettingReading {
  const items: unknown[] = typeof raw === "string" ? raw.trim().split(/\s+/) : [raw].flat();
  const expected = items.length === 0 ? check("") : null;
  const wrong = items.map((item) => (typeof item === "string" ? check(item) : check("")));
  const first = expected ?? wrong.find((words) => words !== null);
  if (first !== undefined && first !== null) return { expected: first };
  const texts = items as readonly string[];
  return { value: texts.length === 1 ? (texts[0] as string) : texts };
}

/** Reads a boolean, choice, or number; returns undefined if it is invalid. */
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

/** Query parameters that may name the folder in a link to a share or bucket. */
const FOLDER_MEMBERS = ["dir", "path", "prefix"];

/** Checks a download address, which may have a token before the host. */
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

const PROXY_SCHEMES = ["http:", "https:", "socks5:", "socks5h:"];

/** Checks the URL of a proxy; `direct` means no proxy. */
export function checkProxy(text: string): string | null {
  if (text === "direct") return null;
  const form = "direct, or http://, https://, socks5:// or socks5h:// and HOST:PORT";
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !PROXY_SCHEMES.includes(url.protocol) || url.hostname === "") return form;
  const bare = /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "";
  return bare && isShort(url.username) && isShort(url.password) ? null : form;
}

/** Returns the problem if a URL that others can read contains a user or password; else null. */
export function openCredentials(text: string): string | null {
  if (!/^[a-z][\w+.-]*:\/\/[^/]*@/i.test(text)) return null;
  return "must not hold a user or password, which others could read there";
}

/**
 * True if a percent-encoded text is valid and has at most 255 bytes. SOCKS5 stores the length of a
 * user or password in one byte.
 */
function isShort(text: string): boolean {
  try {
    return Buffer.byteLength(decodeURIComponent(text)) <= 255;
  } catch {
    return false;
  }
}
