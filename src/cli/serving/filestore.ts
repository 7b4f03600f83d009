/**
 * Opens the store of files that the settings name. Input: the configuration. Output: the client of
 * a store, or the place of finished files; nothing where no store is set.
 * Invariant: without an address of a store, no code of a store is loaded.
 */
import type { ObjectStore } from "../../download/store/objectstore.ts";
import { CommandError } from "../../errors.ts";
import type { OpenFiles } from "../../export/exports.ts";
import { type ObjectPlace, readStoreAddress } from "../../files/objectaddress.ts";
import type { Config } from "../../settings/config.ts";
import { ownersOf, type Secrets } from "../../store/secrets.ts";

/** Opens the client of a place. Throws `CommandError` (exit 2) without credentials. */
export async function openStore(
  config: Config,
  place: ObjectPlace,
  onAnswer?: (operation: string, ok: boolean) => void,
): Promise<ObjectStore> {
  const keys = keysOf(config);
  const { ObjectStore: Store } = await import("../../download/store/objectstore.ts");
  return new Store({ place, keys, ...(onAnswer === undefined ? {} : { onAnswer }) });
}

/** Returns the maker of the place of finished files; undefined if the disk keeps them. */
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
