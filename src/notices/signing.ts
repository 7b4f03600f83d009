/**
 * Secrets and signatures of webhooks (https://www.standardwebhooks.com). Input: the seed of a
 * webhook, and the message to send. Output: its secret and public key as text, and the headers of a
 * delivery.
 * Invariant: the shared secret (v1) and the private key (v1a) are derived from one seed that never
 * leaves the server. Neither reveals the other, so a receiver with the secret cannot sign as v1a.
 * After a rotation, earlier secrets also sign for at least a day. The same message has the same id
 * in every attempt.
 */
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { SignatureKind, WebhookRow } from "../store/webhookstore.ts";

/** Bytes of a seed. */
export const SEED_BYTES = 32;

/** How long messages are also signed with the earlier secrets after a rotation, in milliseconds. */
export const OVERLAP_MS = 86_400_000;

/**
 * Max earlier secrets with which messages are also signed. There may be several, because a second
 * rotation must not end the overlap of the first.
 */
const OLD_SEEDS_MAX = 4;

/** The DER encoding of an ed25519 private key (RFC 8410), up to the 32 bytes of the key. */
const PKCS8_START = Buffer.from("302e020100300506032b657004220420", "hex");

/** A message to sign. */
interface Message {
  /** Value of `webhook-id`. */
  readonly id: string;
  /** Time of the attempt. */
  readonly at: Date;
  readonly body: string;
}

type SeedsOfWebhook = Pick<WebhookRow, "seed" | "oldSeed" | "oldUntil">;

/** Returns the secret with which the receiver verifies v1 signatures. */
export function secretOf(seed: Uint8Array): string {
  return `whsec_${derived(seed, "v1").toString("base64")}`;
}

/** Returns the public key with which the receiver verifies v1a signatures. */
export function publicKeyOf(seed: Uint8Array): string {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: "der", type: "spki" });
  return `whpk_${spki.subarray(-SEED_BYTES).toString("base64")}`;
}

/** Returns the seeds with which messages are signed at a time, newest first. */
export function seedsOf(row: SeedsOfWebhook, nowMs: number): Buffer[] {
  return [row.seed, ...oldSeedsOf(row, nowMs)];
}

/** Returns the earlier seeds to store after a rotation, newest first, concatenated. */
export function rotatedSeeds(row: SeedsOfWebhook, nowMs: number): Buffer {
  return Buffer.concat(seedsOf(row, nowMs).slice(0, OLD_SEEDS_MAX));
}

function oldSeedsOf({ oldSeed, oldUntil }: SeedsOfWebhook, nowMs: number): Buffer[] {
  if (oldUntil === null || nowMs >= oldUntil) return [];
  const count = oldSeed.length / SEED_BYTES;
  return Array.from({ length: count }, (_, at) =>
    oldSeed.subarray(at * SEED_BYTES, (at + 1) * SEED_BYTES),
  );
}

/** Returns the headers of an attempt. `seeds` are the seeds that are valid now, newest first. */
export function signedHeaders(
  { id, at, body }: Message,
  kind: SignatureKind,
  seeds: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  const signatures = seeds.flatMap((seed) => [
    ...(kind === "v1a" ? [] : [new Webhook(secretOf(seed)).sign(id, at, body)]),
    ...(kind === "v1" ? [] : [`v1a,${sign(null, content, privateKeyOf(seed)).toString("base64")}`]),
  ]);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  const key = Buffer.concat([PKCS8_START, derived(seed, "v1a")]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

function derived(seed: Uint8Array, purpose: "v1" | "v1a"): Buffer {
  return createHmac("sha256", seed).update(`peneira webhook ${purpose}`).digest();
}
