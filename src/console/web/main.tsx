/**
 * Entry point of the console. Draws the frame of all views (the shell) into the page.
 * Invariant: the session, the texts, and the view's code are requested in parallel. Until session
 * and texts arrive, page.html's header bar stays in place. An address with an invitation after the
 * `#` shows the invitation page, even if a user is signed in.
 */
import { render, type VNode } from "preact";
import { App, preload } from "./app/app.tsx";
import { beginLanguage, beginTheme } from "./app/preferences.ts";
import { followAddress, view } from "./app/router.ts";
import { loadSession, renewWhileActive, signInByLink } from "./app/signing.ts";

/**
 * An invitation after the `#`, which browsers do not send to the server, so no log has it. Its
 * token may be damaged.
 */
const INVITATION = /^#invite=(.+)$/;

async function begin(): Promise<void> {
  beginTheme();
  const invitation = INVITATION.exec(location.hash)?.[1];
  // The browser does not reload a page if only the part after the `#` changes.
  addEventListener("hashchange", () => INVITATION.test(location.hash) && location.reload());
  followAddress();
  const signedIn = signInByLink()
    .then(loadSession)
    .catch(() => undefined);
  if (invitation === undefined) preload(view.value);
  await beginLanguage();
  await signedIn;
  renewWhileActive();
  const place = document.getElementById("app");
  if (place === null) return;
  const page = invitation === undefined ? <App /> : await joining(invitation);
  place.replaceChildren();
  render(page, place);
}

async function joining(token: string): Promise<VNode> {
  const { JoinPage } = await import("./app/later.ts");
  return <JoinPage token={token} />;
}

void begin();
