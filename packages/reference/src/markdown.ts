// The Markdown subset used in descriptions: `##` headings, paragraphs, lists, fenced JSON,
// `code` and **bold**. Everything else is shown as plain text.
import { type Html, html, jsonHtml } from './html.ts';

export type Section = { id: string; title: string; blocks: Html[] };

/** Returns the text before the first heading, then one section per heading. */
export function sectionsOf(markdown: string): { opening: Html[]; sections: Section[] } {
  const [opening = '', ...rest] = markdown.split(/^## /m);
  const sections = rest.map((text) => {
    const [title = '', ...lines] = text.split('\n');
    return { id: idOf(title), title: title.trim(), blocks: blocksOf(lines.join('\n')) };
  });
  return { opening: blocksOf(opening), sections };
}

const idOf = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');

const blocksOf = (text: string): Html[] =>
  text
    .trim()
    .split(/\n{2,}/)
    .filter((block) => block !== '')
    .map(blockHtml);

function blockHtml(block: string): Html {
  const fenced = block.match(/^```json\n([\s\S]*)\n```$/)?.[1];
  if (fenced) return html`<pre class="card"><code>${jsonHtml(JSON.parse(fenced))}</code></pre>`;
  if (!block.startsWith('- ')) return html`<p>${prose(block)}</p>`;
  const items = block.slice(2).split(/\n- /);
  return html`<ul>${items.map((item) => html`<li>${prose(item)}</li>`)}</ul>`;
}

/** Renders a single paragraph, in which `code` and **bold** are marked up. */
export const prose = (text: string): Html =>
  html`${text
    .split('`')
    .map((part, at) => (at % 2 === 0 ? withBold(part) : html`<code>${part}</code>`))}`;

const withBold = (text: string): Html =>
  html`${text.split('**').map((part, at) => (at % 2 === 0 ? part : html`<b>${part}</b>`))}`;
