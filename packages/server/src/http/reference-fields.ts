// A table of fields. On a narrow screen each row becomes a small block of its own.
import { type Html, html, nothing, prose } from './reference-html.ts';
import type { FieldRow, Row } from './reference-schema.ts';

/** Without a title the rows are an answer's: there, only what may be missing is remarked on. */
export function fieldTable(
  title: string | null,
  rows: readonly Row[],
  remark: string | null = null,
): Html {
  if (rows.length === 0) return nothing;
  const isAnswer = title === null;
  const body = rows.map((row) =>
    'when' in row
      ? html`<tr class="when"><th colspan="3" scope="colgroup">when ${prose(row.when)}</th></tr>`
      : fieldLine(row, isAnswer),
  );
  const heading = title && html`<h4>${title}${remark && html` <small>${remark}</small>`}</h4>`;
  return html`${heading}<div class="scroll"><table class="fields">
    ${columnHeads(['Field', 'Type', 'Notes'])}<tbody>${body}</tbody></table></div>`;
}

export const columnHeads = (titles: readonly string[]): Html =>
  html`<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>`;

function fieldLine(row: FieldRow, isAnswer: boolean): Html {
  const { parents, name, type, isRequired } = row;
  const need = isAnswer ? answerNeed(isRequired) : requestNeed(isRequired);
  return html`<tr><th scope="row"><code>${
    parents === '' ? null : html`<span class="dim">${parents}</span>`
  }${name}</code>${need}</th><td class="type">${type}</td><td>${notesHtml(row)}</td></tr>`;
}

const requestNeed = (isRequired: boolean): Html =>
  isRequired
    ? html` <span class="need">required</span>`
    : html` <span class="need may">optional</span>`;

const answerNeed = (isRequired: boolean): Html =>
  isRequired ? nothing : html` <span class="need may">not always</span>`;

const notesHtml = ({ notes, meaning }: FieldRow): Html => {
  const phrases = notes.map((note, at) => html`${at > 0 ? '; ' : ''}${prose(note)}`);
  if (meaning === null) return html`${phrases}`;
  return html`${phrases}${notes.length > 0 ? html`<br>` : null}${prose(meaning)}`;
};
