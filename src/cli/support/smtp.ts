/**
 * Reads the mail server's settings. Input: the configuration. Output: the mailer's settings, or
 * null.
 * Invariant: contradictory settings are refused by name before anything starts.
 */
import { readFileSync } from "node:fs";
import { CommandError } from "../../errors.ts";
import type { SmtpSettings } from "../../notices/mailer.ts";
import type { Config } from "../../settings/config.ts";

/** Ports of the two encrypted modes: STARTTLS, and TLS from the start. */
const SUBMISSION_PORT = 587;
const IMPLICIT_PORT = 465;

/** Returns the mail server, or null if none is set. Throws `CommandError` (exit code 2). */
export function smtpOf(config: Pick<Config, "get">): SmtpSettings | null {
  const host = config.get("notices.smtp.host");
  if (host === null) return null;
  const from = config.get("notices.smtp.from");
  const baseUrl = config.get("notices.base_url");
  if (from === null) throw refused("needs notices.smtp.from, the sender of the e-mails");
  if (baseUrl === null) throw refused("needs notices.base_url, which the e-mails link to");
  const tls = config.get("notices.smtp.tls");
  const user = config.get("notices.smtp.user");
  const password = config.get("notices.smtp.password");
  if ((user === null) !== (password === null)) {
    throw refused("needs both notices.smtp.user and notices.smtp.password, or neither");
  }
  if (user !== null && tls === "none") {
    throw refused("would get the password unencrypted: notices.smtp.tls must not be none");
  }
  return {
    ...{ host, tls, user, password, from },
    port: config.get("notices.smtp.port") ?? (tls === "implicit" ? IMPLICIT_PORT : SUBMISSION_PORT),
    timeoutMs: config.get("notices.smtp.timeout_seconds") * 1_000,
    ca: certificates(config.get("notices.smtp.ca_file")),
  };
}

function refused(why: string): CommandError {
  return new CommandError(`notices.smtp.host ${why}.`, 2);
}

function certificates(file: string | null): string | null {
  if (file === null) return null;
  try {
    const text = readFileSync(file, "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  } catch (error) {
    throw new CommandError(`notices.smtp.ca_file: ${file} cannot be read.`, 2, error);
  }
  throw new CommandError(`notices.smtp.ca_file: ${file} has no certificate in PEM form.`, 2);
}
