// Renders an operation: its request and responses on one side, an example on the other.
import type { Components, JsonObject } from '@keyrail/protocol/json-schema.ts';
import { arrayItems, propertiesOf } from '@keyrail/protocol/json-schema-shape.ts';
import { type Operation, type Parameter, type Response, spaced } from './document.ts';
import { curlFor } from './example.ts';
import {
  columnHeads,
  type Html,
  html,
  jsonHtml,
  methodBadge,
  nothing,
  statusBadge,
} from './html.ts';
import { prose } from './markdown.ts';
import { type FieldRow, fieldOf, type Row, rowsOf, typeOf } from './schema.ts';

type Place = { url: string; schemas: Components };

export const operationArticle = (operation: Operation, place: Place): Html => html`
<article class="endpoint" id="${operation.id}">
  <header>
    <h3><a href="#${operation.id}">${operation.summary}</a></h3>
    <p class="line">${methodBadge(operation.method)} <code>${pathHtml(operation.path)}</code></p>
    <p class="marks">${credentialMarks(operation)}</p>
  </header>
  <div class="columns">
    <div class="facts">
      ${operation.description ? html`<p>${prose(operation.description)}</p>` : null}
      ${requestTables(operation, place.schemas)}
      ${responseTables(operation.responses, place.schemas)}
      ${refusalLinks(operation)}
    </div>
    <div class="examples">${operationExamples(operation, place.url)}</div>
  </div>
</article>`;

/** Highlights the path parameters. */
function pathHtml(path: string): Html {
  const parts = path.split(/(\{\w+\})/);
  return html`${parts.map((part) => (part.startsWith('{') ? html`<b>${part}</b>` : part))}`;
}

function credentialMarks({ credentials, role, permission }: Operation): Html {
  const names = credentials.map(
    (name, at) =>
      html`${at > 0 ? ' or ' : ''}<a class="mark" href="#credential-${name}">${spaced(name)}</a>${
        permission && name === 'secretKey'
          ? html` with <a class="mark" href="#permissions">${permission}</a>`
          : null
      }`,
  );
  if (names.length === 0) return html`<span class="mark">no credential</span>`;
  if (!role) return html`${names}`;
  const words = role === 'owner' ? 'owner' : `${role} or owner`;
  return html`${names} as <a class="mark" href="#roles">${words}</a>`;
}

function requestTables({ parameters, body }: Operation, schemas: Components): Html {
  const rowsIn = (place: string): Row[] =>
    parameters.filter((parameter) => parameter.in === place).flatMap(parameterRows(schemas));
  return html`
    ${fieldTable('Path', rowsIn('path'))}
    ${fieldTable('Query', rowsIn('query'))}
    ${fieldTable('Headers', rowsIn('header'))}
    ${body ? fieldTable('Body', rowsOf(body.schema, schemas, 'input'), bodyRemark(body)) : null}`;
}

const parameterRows =
  (schemas: Components) =>
  ({ name, schema, isRequired, description }: Parameter): Row[] => {
    const row = fieldOf(schema, schemas, { name, isRequired });
    return [{ ...row, meaning: description ?? row.meaning }];
  };

const bodyRemark = ({ description, isRequired }: NonNullable<Operation['body']>): string | null =>
  description ?? (isRequired ? null : 'optional');

/**
 * Renders a table of fields. A table without a title describes a response and marks only its
 * optional fields.
 */
function fieldTable(
  title: string | null,
  rows: readonly Row[],
  remark: string | null = null,
): Html {
  if (rows.length === 0) return nothing;
  const isResponse = title === null;
  const body = rows.map((row) =>
    'when' in row
      ? html`<tr class="when"><th colspan="3" scope="colgroup">when ${prose(row.when)}</th></tr>`
      : fieldLine(row, isResponse),
  );
  const heading = title && html`<h4>${title}${remark && html` <small>${remark}</small>`}</h4>`;
  return html`${heading}<div class="scroll"><table class="fields">
    ${columnHeads(['Field', 'Type', 'Notes'])}<tbody>${body}</tbody></table></div>`;
}

function fieldLine(row: FieldRow, isResponse: boolean): Html {
  const { parents, name, type, isRequired } = row;
  const need = isResponse ? responseNeed(isRequired) : requestNeed(isRequired);
  return html`<tr><th scope="row"><code>${
    parents === '' ? null : html`<span class="dim">${parents}</span>`
  }${name}</code>${need}</th><td class="type">${type}</td><td>${notesHtml(row)}</td></tr>`;
}

const requestNeed = (isRequired: boolean): Html =>
  isRequired
    ? html` <span class="need">required</span>`
    : html` <span class="need may">optional</span>`;

const responseNeed = (isRequired: boolean): Html =>
  isRequired ? nothing : html` <span class="need may">not always present</span>`;

const notesHtml = ({ notes, meaning }: FieldRow): Html => {
  const phrases = notes.map((note, at) => html`${at > 0 ? '; ' : ''}${prose(note)}`);
  if (meaning === null) return html`${phrases}`;
  return html`${phrases}${notes.length > 0 ? html`<br>` : null}${prose(meaning)}`;
};

function responseTables(responses: readonly Response[], schemas: Components): Html {
  const parts = responses.map(({ status, description, content }) => {
    const title = html`${statusBadge(status)} ${description}`;
    if (!content) return html`<p class="answer">${title}</p>`;
    const kind = html`<span class="dim">${kindOf(content.schema, schemas)}</span>`;
    return html`<details class="answer"><summary>${title} ${kind}</summary>
      ${fieldTable(null, rowsOf(content.schema, schemas, 'output'))}</details>`;
  });
  return html`<h4>Responses</h4>${parts}`;
}

/** Returns the label shown even while a response's table is collapsed, such as `SecretKey`. */
function kindOf(schema: JsonObject, schemas: Components): string {
  const name = nameOf(schema);
  if (name) return name;
  const lists = [schema, ...propertiesOf(schema).map(([, property]) => property)];
  const items = lists.map(arrayItems).find((found) => found !== null);
  if (items) return `list of ${nameOf(items)}`;
  if (Array.isArray(schema.oneOf)) return schema.oneOf.map(nameOf).join(' or ');
  return typeOf(schema, schemas);
}

const nameOf = ({ $ref }: JsonObject): string =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : '';

/**
 * Renders links for the error statuses, and a line for each reason that the operation itself gives.
 */
function refusalLinks({ refusals }: Operation): Html {
  if (refusals.length === 0) return nothing;
  const link = (status: string) =>
    html`<a class="status s4" href="#refused-${status}">${status}</a> `;
  const reasons = refusals.flatMap(({ status, reason }) =>
    reason === null ? [] : html`<p class="reason">${link(status)}${prose(reason)}</p>`,
  );
  return html`<p class="refusals">Errors ${refusals.map(({ status }) => link(status))}</p>
      ${reasons}`;
}

/** Renders a curl command and the response to it. */
export function operationExamples(operation: Operation, url: string): Html {
  const [response] = operation.responses;
  return html`
      <figure><figcaption>Request</figcaption>
<pre><code>${curlFor(operation, url)}</code></pre></figure>
      ${
        response?.content
          ? html`<figure><figcaption>Response ${response.status}</figcaption>
<pre><code>${jsonHtml(response.content.example)}</code></pre></figure>`
          : null
      }`;
}
