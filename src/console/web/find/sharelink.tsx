/**
 * The link to what is on screen. What comes in: the address. What goes out: it is copied.
 * Invariant: the link names its snapshot, so that whoever opens it later is told of newer data; a
 * link that is too long for some programs is copied and said to be long.
 */
import type { VNode } from "preact";
import { words } from "../app/words.ts";
import { Button, copyText } from "../parts/button.tsx";
import { toast } from "../parts/toast.tsx";
import { addressNow } from "./query.ts";

/** Length from which on mail programs and chats may cut a link. */
const LONG = 2_000;

/** Copies the link. */
export function ShareLink(): VNode {
  const { find } = words.value;
  const share = async () => {
    const hash = addressNow();
    const url = new URL(hash === "" ? "/app" : `/app#${hash}`, location.href).href;
    await copyText(url);
    toast(url.length > LONG ? find.shareLong(url.length) : find.shared);
  };
  return (
    <Button icon="link" onClick={() => void share()}>
      {find.share}
    </Button>
  );
}
