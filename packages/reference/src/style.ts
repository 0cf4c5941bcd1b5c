// The page's style sheet, for light and dark mode and for screens from phones to wide monitors.
// Served as a separate file, so that the page needs no inline styles.
import { colours } from './palette.ts';

const text = `
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
}
a { color: var(--accent); text-decoration: none; }
a:hover, p > a:not([class]), footer a { text-decoration: underline; text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1, h2, h3 { line-height: 1.2; letter-spacing: -0.015em; font-weight: 650; text-wrap: balance; }
h1 { font-size: 2.25rem; margin: 0 0 1rem; }
h2 { font-size: 1.5rem; margin: 0 0 .75rem; }
h3 { font-size: 1.125rem; margin: 0 0 .5rem; letter-spacing: -0.01em; }
h4 { font-size: .8125rem; font-weight: 650; margin: 1.5rem 0 .5rem; color: var(--soft); }
h4 small { font-weight: 400; color: var(--dim); margin-left: .35rem; }
p { margin: 0 0 .75rem; text-wrap: pretty; }
code, pre {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  font-size: .875em; font-variant-ligatures: none;
}
code { overflow-wrap: anywhere; }
p code, li code, dd code, dt code, td code {
  padding: .1em .35em; background: var(--card); border-radius: 4px;
}
pre { margin: 0; overflow: auto; line-height: 1.55; }
pre code { font-size: .78125rem; overflow-wrap: normal; }
.k { color: var(--json-key); }
.s { color: var(--json-text); }
.n { color: var(--json-number); }
.dim { color: var(--dim); }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; z-index: 9; background: var(--page); padding: .5rem 1rem; }`;

const frame = `
#menu {
  position: fixed; inset: 0 auto 0 0; width: 290px; overflow-y: auto;
  overscroll-behavior: contain; padding: 1.5rem 1rem 3rem 1.25rem; background: var(--side);
  border-right: 1px solid var(--edge); font-size: .875rem; scrollbar-width: thin;
}
main { margin-left: 290px; padding: 3.25rem 3.25rem 4rem; max-width: 1300px; }
.bar, .close { display: none; }
.brandline { display: flex; align-items: center; gap: .6rem; margin-bottom: 1.25rem; }
.brand {
  display: inline-flex; align-items: center; gap: .55rem; color: var(--ink); font-weight: 680;
  font-size: 1.0625rem; letter-spacing: -0.01em;
}
.brand:hover { text-decoration: none; }
.logo { fill: none; stroke: var(--accent); stroke-width: 2.4; stroke-linecap: round; }
.logo circle { fill: var(--accent); stroke: none; }
.filter { margin: 0 -.35rem 1rem; }
.filter label { position: absolute; left: -999px; }
.filter input {
  width: 100%; padding: .4rem .6rem; font: inherit; color: var(--ink); background: var(--page);
  border: 1px solid var(--edge-strong); border-radius: 6px;
}
.filter input::placeholder { color: var(--dim); opacity: 1; }
.filter p { margin: .5rem .6rem 0; }
.filter p:empty { display: none; }
nav ul { list-style: none; margin: 0 0 .75rem; padding: 0; }
nav li a {
  display: flex; justify-content: space-between; align-items: center; gap: .75rem;
  padding: .28rem .6rem; margin: 0 -.35rem; border-radius: 6px; color: var(--soft);
  line-height: 1.35;
}
nav li a:hover { background: var(--accent-soft); color: var(--ink); text-decoration: none; }
nav summary {
  cursor: pointer; padding: .35rem .25rem; font-weight: 620; list-style: none; display: flex;
  align-items: center; justify-content: space-between;
}
nav summary::-webkit-details-marker { display: none; }
nav summary::after, .answer summary::before {
  content: ''; width: .4rem; height: .4rem; flex: none; border: solid var(--dim);
  border-width: 0 1.6px 1.6px 0; transform: rotate(-45deg); transition: transform .15s;
}
nav summary::after { margin-right: .5rem; }
nav details[open] > summary::after, .answer[open] > summary::before { transform: rotate(45deg); }
nav .method { font-size: .625rem; padding: .05rem .3rem; }
footer {
  margin-top: 4rem; padding-top: 1.5rem; border-top: 1px solid var(--edge); color: var(--dim);
  font-size: .875rem;
}`;

const parts = `
.intro {
  display: grid; column-gap: 2rem; grid-template-rows: auto 1fr;
  grid-template-columns: minmax(0, 1fr) minmax(0, 28.25rem);
}
.intro > .opening, .intro > .sections { grid-column: 1; }
.intro > .examples { grid-column: 2; grid-row: 1 / span 2; }
.intro > .examples > p { margin: 0; color: var(--soft); }
.opening { max-width: 46rem; margin-bottom: 3.5rem; }
.lead { font-size: 1.125rem; color: var(--soft); line-height: 1.6; }
.prose { max-width: 46rem; margin-bottom: 3.5rem; color: var(--soft); }
.prose h2, .prose b, .prose dt { color: var(--ink); }
.prose ul { padding-left: 1.15rem; margin: 0; }
.prose li { margin-bottom: .5rem; }
.cards {
  margin: 1.25rem 0 0; border: 1px solid var(--edge); border-radius: 10px; overflow: hidden;
}
.cards > div { padding: .9rem 1.1rem; border-top: 1px solid var(--edge); }
.cards > div:first-child { border-top: 0; }
.cards > div:target { background: var(--accent-soft); }
.cards dt { font-weight: 620; }
.cards dt small { font-weight: 400; color: var(--dim); margin-left: .35rem; }
.cards dd { margin: .2rem 0 0; font-size: .9375rem; }
.card, figure pre {
  padding: .9rem 1.1rem; background: var(--card); border: 1px solid var(--edge);
  border-radius: 10px;
}
.card { margin: 1rem 0 1.5rem; }
.group { margin-top: 5rem; }
.grouphead { padding-bottom: 1rem; border-bottom: 1px solid var(--edge-strong); }
.grouphead p { margin: 0; color: var(--soft); }
.endpoint { padding: 2.25rem 0 2.5rem; border-bottom: 1px solid var(--edge); }
.endpoint:last-child { border-bottom: 0; }
.endpoint h3 a { color: var(--ink); }
.line { display: flex; align-items: baseline; gap: .6rem; margin: 0 0 .6rem; }
.line code { background: none; padding: 0; font-size: .9375rem; color: var(--soft); }
.line b { color: var(--accent); font-weight: 500; }
.marks { font-size: .8125rem; line-height: 2; color: var(--dim); margin: 0; }
.mark {
  display: inline-block; padding: .05rem .55rem; border: 1px solid var(--edge-strong);
  border-radius: 99px; color: var(--soft); white-space: nowrap; line-height: 1.5;
  font-size: .8125rem;
}
a.mark:hover { border-color: var(--accent); color: var(--accent); text-decoration: none; }
.method, .status {
  display: inline-block; font: 650 .75rem/1.5 ui-monospace, Menlo, Consolas, monospace;
  padding: .1rem .45rem; border-radius: 5px; letter-spacing: .02em; flex: none;
}
.get, .s2 { color: var(--get); background: var(--get-soft); }
.post, .s3 { color: var(--post); background: var(--post-soft); }
.patch, .s4 { color: var(--patch); background: var(--patch-soft); }
.delete, .s5 { color: var(--delete); background: var(--delete-soft); }
.columns {
  display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 28.25rem); gap: 2rem;
  margin-top: 1.25rem;
}
.facts > p:first-child { color: var(--soft); }
.facts > h4:first-child { margin-top: 0; }
.examples { align-self: start; position: sticky; top: 1.5rem; display: grid; gap: 1rem; }
figure { margin: 0; min-width: 0; }
figcaption { font-size: .8125rem; font-weight: 620; color: var(--soft); margin-bottom: .4rem; }
figure pre { max-height: 26rem; scrollbar-width: thin; }
.refusals { margin: 1.25rem 0 0; font-size: .8125rem; color: var(--dim); }
.reason { margin: .4rem 0 0; font-size: .875rem; color: var(--soft); }
.answer { margin: 0 0 .4rem; font-size: .9375rem; }
.answer summary {
  cursor: pointer; list-style: none; display: flex; align-items: center; gap: .5rem;
  padding: .35rem .5rem .35rem .3rem; margin-left: -.3rem; border-radius: 6px;
}
.answer summary::-webkit-details-marker { display: none; }
.answer summary:hover { background: var(--card); }
p.answer { padding: .35rem 0 .35rem .9rem; }
.answer .dim { min-width: 0; overflow-wrap: anywhere; }`;

const tables = `
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; line-height: 1.5; }
thead th {
  text-align: left; font-weight: 500; font-size: .75rem; color: var(--dim);
  padding: 0 .75rem .35rem 0;
}
tbody th, td {
  text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0;
  border-top: 1px solid var(--edge); font-weight: 400;
}
tbody th code { font-size: .8125rem; color: var(--ink); font-weight: 550; }
tbody th code .dim { font-weight: 400; }
.fields { table-layout: fixed; }
.fields th:first-child { width: 41%; }
.fields thead th:nth-child(2) { width: 24%; }
.fields td { color: var(--soft); overflow-wrap: anywhere; }
.type { color: var(--soft); }
.need { display: block; font-size: .75rem; color: var(--accent); line-height: 1.4; }
.need.may { color: var(--dim); }
.when th { font-size: .8125rem; color: var(--soft); padding: 1rem 0 .4rem; }
.codes td:last-child { color: var(--soft); }
.codes p { margin: 0 0 .25rem; }
.codes tr:target { background: var(--accent-soft); }`;

const narrow = `
@media (max-width: 1180px) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
  .intro { grid-template-columns: minmax(0, 1fr); }
  .intro > .examples { grid-column: 1; grid-row: auto; margin-bottom: 3.5rem; }
  .examples { position: static; }
  main { padding: 3rem 2.5rem; }
}
@media (max-width: 860px) {
  html { scroll-padding-top: 4.5rem; }
  .bar {
    display: flex; justify-content: space-between; align-items: center; position: sticky; top: 0;
    z-index: 3; padding: .7rem 1.25rem; background: var(--page);
    border-bottom: 1px solid var(--edge);
  }
  .open, .close {
    padding: .3rem .8rem; border: 1px solid var(--edge-strong); border-radius: 99px;
    font-size: .875rem;
  }
  .close { display: block; margin-left: auto; }
  #menu {
    display: none; width: auto; inset: 0; z-index: 4; border: 0; padding: .7rem 1.25rem 4rem;
    font-size: 1rem;
  }
  #menu:target { display: block; }
  nav li a { padding: .5rem .6rem; }
  main { margin-left: 0; padding: 2rem 1.25rem 3rem; }
  h1 { font-size: 1.875rem; }
  .lead { font-size: 1.0625rem; }
  .opening, .prose { margin-bottom: 2.75rem; }
  .group { margin-top: 3.5rem; }
  .line { align-items: flex-start; }
  .fields, .fields tbody, .fields tr, .fields th, .fields td { display: block; width: auto; }
  .fields thead { display: none; }
  .fields tr { border-top: 1px solid var(--edge); padding: .6rem 0; }
  .fields th:first-child { width: auto; }
  .fields tbody th, .fields td { border: 0; padding: 0; }
  .fields td:empty { display: none; }
  .need { display: inline; margin-left: .35rem; }
  .codes thead { display: none; }
  .codes tr {
    display: grid; grid-template-columns: auto 1fr; column-gap: .6rem; padding: .5rem 0;
    border-top: 1px solid var(--edge);
  }
  .codes tbody th, .codes td { border: 0; padding: 0; }
  .codes td:last-child { grid-column: 1 / -1; }
}
`;

// A printed page can't be scrolled, and its sections can't be opened.
const print = `
@media print {
  #menu, .bar, .skip { display: none; }
  main { margin: 0; padding: 0; max-width: none; }
  .columns, .intro { grid-template-columns: minmax(0, 1fr); }
  .examples { position: static; }
  .intro > .examples { grid-column: 1; grid-row: auto; margin-bottom: 2rem; }
  figure pre { max-height: none; }
  pre, pre code { white-space: pre-wrap; overflow-wrap: anywhere; }
  details::details-content { content-visibility: visible; display: block; }
  figure, tr { break-inside: avoid; }
  h2, h3, h4, figcaption { break-after: avoid; }
}`;

export const referenceStyle = [colours, text, frame, parts, tables, narrow, print]
  .join('\n')
  .trimStart();
