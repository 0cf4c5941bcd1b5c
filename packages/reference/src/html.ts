// HTML has its own type. Templates escape values of every other type, so escaping cannot be
// forgotten.

export type Html = { readonly html: string };

type Piece = Html | string | number | null | readonly Piece[];

export const html = (texts: TemplateStringsArray, ...pieces: Piece[]): Html => ({
  html: String.raw({ raw: texts }, ...pieces.map(written)),
});

export const nothing: Html = { html: '' };

function written(piece: Piece): string {
  if (piece === null) return '';
  if (typeof piece === 'object') return 'html' in piece ? piece.html : piece.map(written).join('');
  return escaped(String(piece));
}

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Renders a JSON value, indented and with syntax highlighting. Short lists stay on one line. */
export function jsonHtml(value: unknown, indent = ''): Html {
  if (Array.isArray(value)) return bracketed('[]', value.map(bare), { value, indent });
  if (typeof value === 'object' && value !== null) {
    return bracketed('{}', Object.entries(value).map(named), { value, indent });
  }
  const kind = typeof value === 'string' ? 's' : 'n';
  return html`<span class="${kind}">${JSON.stringify(value)}</span>`;
}

type Member = (indent: string) => Html;

const bare =
  (value: unknown): Member =>
  (indent) =>
    jsonHtml(value, indent);

const named =
  ([name, value]: [string, unknown]): Member =>
  (indent) =>
    html`<span class="k">${JSON.stringify(name)}</span>: ${jsonHtml(value, indent)}`;

const ONE_LINE_CHARS_MAX = 48;

function bracketed(
  brackets: '[]' | '{}',
  members: readonly Member[],
  { value, indent }: { value: object; indent: string },
): Html {
  const [open = '', close = ''] = brackets;
  if (members.length === 0) return html`${brackets}`;
  const isFlat = Object.values(value).every((member) => typeof member !== 'object');
  if (Array.isArray(value) && isFlat && JSON.stringify(value).length <= ONE_LINE_CHARS_MAX) {
    const shown = members.map((member, at) => html`${at > 0 ? ', ' : ''}${member('')}`);
    return html`${open}${shown}${close}`;
  }
  const deeper = `${indent}  `;
  const lines = members.map((member, at) => html`${at > 0 ? ',' : ''}\n${deeper}${member(deeper)}`);
  return html`${open}${lines}\n${indent}${close}`;
}

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

export const statusBadge = (status: string): Html =>
  html`<span class="status s${status.slice(0, 1)}">${status}</span>`;

export const columnHeads = (titles: readonly string[]): Html =>
  html`<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>`;
