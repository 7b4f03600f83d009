/**
 * The frame of a page of text and tables: heading, lead, and buttons.
 *
 * - Page: title; lead?; actions?: buttons at the right; children; wide? (uses the whole width)
 * - Card: title?: h2; children; actions?
 *
 * Invariant: a page has one first-level heading.
 */
import type { ComponentChildren, VNode } from "preact";

/** Props of a page. */
interface PageProps {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children?: ComponentChildren;
  wide?: boolean;
}

/** A view that is a page. */
export function Page({ title, lead, actions, children, wide }: PageProps): VNode {
  return (
    <div class={`page${wide ? " page-wide" : ""}`}>
      <div class="page-head">
        <div class="page-title">
          <h1>{title}</h1>
          {lead && <p class="page-lead">{lead}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A section of a page with its own heading. */
export function Card({ title, actions, children }: Partial<PageProps>): VNode {
  return (
    <section class="card">
      {(title || actions) && (
        <div class="card-head">
          {title && <h2>{title}</h2>}
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}
