/**
 * Where the console begins. What comes in: the page. What goes out: the shell drawn into it.
 * Invariant: session, words and the view's code are asked for at once and side by side; until
 * session and words are there the page shows the header's bar that page.html has, at its place.
 */
import "./app/kit.ts";
import { render } from "preact";
import { App, preload } from "./app/app.tsx";
import { beginLanguage, beginTheme } from "./app/preferences.ts";
import { followAddress, view } from "./app/router.ts";
import { loadSession, renewWhileActive, signInByLink } from "./app/signing.ts";

async function begin(): Promise<void> {
  beginTheme();
  followAddress();
  const asked = signInByLink()
    .then(loadSession)
    .catch(() => undefined);
  preload(view.value);
  await beginLanguage();
  await asked;
  renewWhileActive();
  const place = document.getElementById("app");
  if (place === null) return;
  place.replaceChildren();
  render(<App />, place);
}

void begin();
