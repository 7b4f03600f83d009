/**
 * The style sheet of the reference pages.
 * Invariant: nothing is fetched; contrast is at least 4.5:1 in light and dark. Apart because it is
 * CSS.
 */

/** The whole sheet; the pages' policy has its hash. */
export const DOCS_STYLE = `
:root{color-scheme:light dark;--ink:#1b2420;--soft:#4d5b54;--line:#d5ddd8;--paper:#fff;
--panel:#f4f7f5;--accent:#0b6b4f;--bad:#a3301f}
@media (prefers-color-scheme:dark){:root{--ink:#e7eeea;--soft:#a9b8b0;--line:#36423c;
--paper:#121815;--panel:#1a221e;--accent:#6fd6b0;--bad:#ff9d8a}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;font:1rem/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
.page{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:78rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:1.5rem 1rem}
nav ul{list-style:none;margin:.2rem 0 1rem;padding:0}
nav a{display:block;padding:.2rem .5rem;border-radius:.3rem;text-decoration:none;color:var(--ink)}
nav a:hover{background:var(--panel)}
nav h2{font-size:.8rem;margin:1rem .5rem .2rem;color:var(--soft);text-transform:uppercase;
letter-spacing:.06em;border:0;padding:0}
main{padding:1.5rem 1.5rem 4rem;min-width:0}
h1{font-size:2rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.35rem;margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h2{overflow-wrap:anywhere}
h3{font-size:1rem;margin:1.5rem 0 .4rem}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid var(--accent);
outline-offset:2px}
code,pre{font:.9em/1.5 ui-monospace,monospace}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:.8rem;
overflow:auto;max-height:32rem}
.method{display:inline-block;min-width:4.2rem;font-weight:700;color:var(--accent)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600}
td:first-child{white-space:nowrap}
.bad{color:var(--bad);font-weight:600}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem}
@media (max-width:52rem){.page{grid-template-columns:1fr}nav{position:static;max-height:none}}
@media print{nav{display:none}.page{display:block}pre{max-height:none;white-space:pre-wrap}}
`;
