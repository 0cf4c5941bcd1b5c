// One endpoint of the reference: what it takes and answers on one side, an example on the other.
import {
  type Endpoint,
  pathParams,
  requiresItsHeaders,
  splitLine,
} from '@keyrail/protocol/endpoint.ts';
import { type Components, type JsonObject, jsonSchemaOf } from '@keyrail/protocol/json-schema.ts';
import { operationId } from '@keyrail/protocol/openapi.ts';
import { leastRole } from '../access/roles.ts';
import { methodBadge, statusBadge } from './reference-badges.ts';
import { curlFor, sampleAnswer, sampleBody } from './reference-example.ts';
import { fieldTable } from './reference-fields.ts';
import { type Html, html, jsonHtml, nothing, prose } from './reference-html.ts';
import { arrayItems, propertiesOf, rowsOf, typeOf } from './reference-schema.ts';
import { acceptedBy, statusWords } from './reference-words.ts';

export type Entry = {
  line: string;
  endpoint: Endpoint;
  isServed: boolean;
  /** Statuses of the refusals to expect, beside those that any endpoint can give. */
  refusals: readonly string[];
};

/** Where an endpoint stands in the page; also its name in the OpenAPI document. */
export const anchorOf = operationId;

export function endpointArticle(entry: Entry, url: string): Html {
  const { line, endpoint, isServed } = entry;
  const components: Components = {};
  const { method, path } = splitLine(line);
  return html`
<article class="endpoint${isServed ? '' : ' later'}" id="${anchorOf(line)}">
  <header>
    <h3><a href="#${anchorOf(line)}">${endpoint.summary}</a></h3>
    <p class="line">${methodBadge(method)} <code>${pathHtml(path)}</code></p>
    <p class="marks">${accessMarks(entry)}</p>
  </header>
  <div class="columns">
    <div class="facts">
      ${endpoint.description ? html`<p>${prose(endpoint.description)}</p>` : null}
      ${requestParts(line, endpoint, components)}
      ${answerParts(endpoint, components)}
      ${refusalLinks(entry)}
    </div>
    <div class="examples">${examples(entry, url, components)}</div>
  </div>
</article>`;
}

/** The parameters of a path stand out, since they are what a caller fills in. */
function pathHtml(path: string): Html {
  const parts = path.split(/(\{\w+\})/);
  return html`${parts.map((part) => (part.startsWith('{') ? html`<b>${part}</b>` : part))}`;
}

function accessMarks({ line, endpoint, isServed }: Entry): Html {
  const accepted = acceptedBy[endpoint.auth].map(
    ({ id, name }, at) => html`${at > 0 ? ' or ' : ''}<a class="mark" href="#${id}">${name}</a>`,
  );
  const later = isServed ? nothing : html` <span class="mark later">not served yet</span>`;
  return html`${accepted}${roleMark(line, endpoint)}${later}`;
}

/** Only where roles exist, and only when a mere member would be refused. */
function roleMark(line: string, { auth, role }: Endpoint): Html {
  const least = leastRole(splitLine(line).method === 'GET', role);
  if (auth !== 'vendor' || least === 'member') return nothing;
  const words = least === 'owner' ? 'owner' : 'admin or owner';
  return html` as <a class="mark" href="#roles">${words}</a>`;
}

function requestParts(line: string, endpoint: Endpoint, components: Components): Html {
  const top = { parents: '', isRequired: true, notes: [], meaning: null };
  const paths = pathParams(line).map((name) => ({ ...top, name, type: 'uuid' }));
  const headers = Object.entries(endpoint.headers ?? {}).map(([name, meaning]) => ({
    ...top,
    name,
    type: 'string',
    meaning,
    isRequired: requiresItsHeaders(endpoint),
  }));
  const query = endpoint.query && jsonSchemaOf(endpoint.query, 'input', components);
  const body = bodySchema(endpoint, components);
  const bodyRows = body ? rowsOf(body, components, 'input') : [];
  return html`
    ${fieldTable('Path', paths)}
    ${fieldTable('Query', query ? rowsOf(query, components, 'input') : [])}
    ${fieldTable('Headers', headers)}
    ${fieldTable('Body', bodyRows, bodyRemark(endpoint))}`;
}

const MEBIBYTE = 1_048_576;

function bodyRemark({ bodyOptional, bodyBytesMax }: Endpoint): string | null {
  if (bodyBytesMax) return `up to ${bodyBytesMax / MEBIBYTE} MiB`;
  return bodyOptional ? 'may be left out' : null;
}

function bodySchema({ body, rawBody }: Endpoint, components: Components): JsonObject | null {
  const described = body === 'raw' ? rawBody : body;
  return described ? jsonSchemaOf(described, 'input', components) : null;
}

function answerParts(endpoint: Endpoint, components: Components): Html {
  const parts = Object.entries(endpoint.answers).map(([status, type]) => {
    const title = html`${statusBadge(status)} ${statusWords[status] ?? ''}`;
    if (!type) return html`<p class="answer">${title} <span class="dim">without a body</span></p>`;
    const schema = jsonSchemaOf(type, 'output', components);
    const kind = html`<span class="dim">${kindOf(schema, components)}</span>`;
    return html`<details class="answer"><summary>${title} ${kind}</summary>
      ${fieldTable(null, rowsOf(schema, components, 'output'))}</details>`;
  });
  return html`<h4>Answers</h4>${parts}`;
}

/** `SecretKey`, `list of SecretKey`: what an answer is, for whoever will not open it. */
function kindOf(schema: JsonObject, components: Components): string {
  const name = nameOf(schema);
  if (name) return name;
  const lists = [schema, ...propertiesOf(schema).map(([, property]) => property)];
  const items = lists.map(arrayItems).find((found) => found !== null);
  if (items) return `list of ${nameOf(items)}`;
  if (Array.isArray(schema.oneOf)) return schema.oneOf.map(nameOf).join(' or ');
  return typeOf(schema, components);
}

const nameOf = ({ $ref }: JsonObject): string =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : '';

const refusalLinks = ({ refusals }: Entry): Html =>
  refusals.length === 0
    ? nothing
    : html`<p class="refusals">Refusals ${refusals.map(
        (status) => html`<a class="status s4" href="#refused-${status}">${status}</a> `,
      )}</p>`;

function examples({ line, endpoint }: Entry, url: string, components: Components): Html {
  const schema = bodySchema(endpoint, components);
  const sample = schema ? sampleBody(schema, line, components) : undefined;
  const isEmpty = typeof sample === 'object' && sample !== null && Object.keys(sample).length === 0;
  const body = isEmpty && endpoint.bodyOptional ? undefined : sample;
  const query = neededQuery(line, endpoint, components);
  const [answer] = Object.entries(endpoint.answers);
  const answered = answer?.[1] && jsonSchemaOf(answer[1], 'output', components);
  return html`
      <figure><figcaption>Request</figcaption>
<pre><code>${curlFor({ line, endpoint, url, query, body })}</code></pre></figure>
      ${
        answered
          ? html`<figure><figcaption>Answer ${answer?.[0] ?? ''}</figcaption>
<pre><code>${jsonHtml(sampleAnswer(answered, line, components))}</code></pre></figure>`
          : null
      }`;
}

function neededQuery(line: string, { query }: Endpoint, components: Components): string[] {
  if (!query) return [];
  const needed = sampleBody(jsonSchemaOf(query, 'input', components), line, components);
  return Object.entries(needed ?? {}).map(
    ([name, value]) => `${name}=${name.endsWith('_id') ? `$${name.toUpperCase()}` : value}`,
  );
}
