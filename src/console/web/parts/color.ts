/**
 * Colours for what is not styled by CSS (canvas). What comes in: the name of a token. What goes
 * out: the colour that it has at present, as `rgb(…)`.
 * Invariant: follows theme and system; tokens are light-dark() and mean nothing to a canvas
 * until an element has resolved them.
 */

/** The present colour of a token such as `--accent`. */
export function tokenColor(name: `--${string}`): string {
  const probe = document.createElement("i");
  probe.hidden = true;
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
