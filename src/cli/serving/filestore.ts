/**
 * Opens the object store that the settings name. Input: the configuration. Output: a store client,
 * or the store of finished export files, which is undefined if none is set.
 * Invariant: without a store address, no store code is loaded.
 */
import type { ObjectStore } from "../../download/store/objectstore.ts";
import { CommandError } from "../../errors.ts";
import type { OpenFiles } from "../../export/exports.ts";
import { type ObjectPlace, readStoreAddress } from "../../files/objectaddress.ts";
import type { Config } from "../../settings/config.ts";
import { ownersOf, type Secrets } from "../../store/secrets.ts";

/** Opens a store client. Throws `CommandError` (exit 2) without credentials. */
export async function openStore(
  config: Config,
  place: ObjectPlace,
  onAnswer?: (operation: string, ok: boolean) => void,
): Promise<ObjectStore> {
  const keys = keysOf(config);
  const { ObjectStore: Store } = await import("../../download/store/objectstore.ts");
  return new Store({ place, keys, ...(onAnswer === undefined ? {} : { onAnswer }) });
}

/** Returns a function that opens the store of finished files, or undefined if they stay on disk. */
export async function openFileStore(
  config: Config,
): Promise<((secrets: Secrets) => OpenFiles) | undefined> {
  const address = config.get("files.url");
  const place = address === null ? null : readStoreAddress(address);
  if (place === null) return undefined;
  let noteAnswer = (_operation: string, _ok: boolean) => {};
  const store = await openStore(config, place, (operation, ok) => noteAnswer(operation, ok));
  const { StoredFiles } = await import("../../export/files/storedfiles.ts");
  return (secrets) => (parts) => {
    const serve = config.get("files.serve");
    const retrySeconds = config.get("files.retry_seconds");
    const owners = ownersOf(secrets);
    const files = new StoredFiles({ ...parts, store, serve, retrySeconds, owners });
    noteAnswer = files.noteAnswer.bind(files);
    return files;
  };
}

function keysOf(config: Config): { accessKey: string; secretKey: string } {
  const [accessKey, secretKey] = [config.get("files.access_key"), config.get("files.secret_key")];
  if (accessKey !== null && secretKey !== null) return { accessKey, secretKey };
  throw new CommandError(
    "A store of files needs both keys. Set PENEIRA_FILES_ACCESS_KEY and " +
      "PENEIRA_FILES_SECRET_KEY, or name files that hold them with " +
      "PENEIRA_FILES_ACCESS_KEY_FILE and PENEIRA_FILES_SECRET_KEY_FILE.",
    2,
  );
}
