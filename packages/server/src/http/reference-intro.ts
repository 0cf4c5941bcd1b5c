// What holds for every endpoint, said once before the first of them.
import { type ErrorCode, errorCodes, wireCode } from '@keyrail/protocol/error-codes.ts';
import { BODY_BYTES_MAX, JSON_DEPTH_MAX } from '@keyrail/protocol/limits.ts';
import { statusBadge } from './reference-badges.ts';
import { columnHeads } from './reference-fields.ts';
import { type Html, html, jsonHtml, prose } from './reference-html.ts';
import { credentials } from './reference-words.ts';

const MEBIBYTE = 1_048_576;

export const introSections = [
  { id: 'conventions', title: 'Conventions' },
  { id: 'credentials', title: 'Credentials' },
  { id: 'roles', title: 'Roles' },
  { id: 'live-and-test', title: 'Live and test' },
  { id: 'errors', title: 'Errors' },
];

export const introduction = (url: string): Html => html`
<section class="prose" id="conventions">
  <h2>Conventions</h2>
  <ul>
    <li>The base is <code>${url}</code>. Bodies are JSON in UTF-8, up to
      ${BODY_BYTES_MAX / MEBIBYTE} MiB unless an endpoint says otherwise, and up to
      ${JSON_DEPTH_MAX} levels deep.</li>
    <li>Requests are read strictly: nothing is coerced or trimmed, and a field that is not known is
      refused by name. Where every field is optional, the body may be left out.</li>
    <li>Answers may grow: ignore fields that you do not know. A field without a value is there, as
      <code>null</code>.</li>
    <li>Ids are UUIDs. Timestamps are answered in UTC with milliseconds, as in
      <code>2026-03-02T09:30:00.000Z</code>; those you send need a <code>Z</code> or an offset.</li>
    <li>A list is <code>{ "object": "list", "data": [ … ] }</code>. When there is more, a
      <code>Link</code> header names the next page; its cursor is opaque and works for that list
      only. Go by that header: a page of very large records may hold fewer than its
      <code>limit</code>.</li>
    <li>Every answer carries <code>x-request-id</code>: yours, if you sent one, or a new one.</li>
  </ul>
</section>
<section class="prose" id="credentials">
  <h2>Credentials</h2>
  <p>A credential is sent as <code>authorization: Bearer …</code>. No cookie is ever set or read.
    Each endpoint says which kinds it takes; the wrong kind is refused with 403.</p>
  <dl class="cards">${credentials.map(
    ({ id, name, looks, means }) =>
      html`<div id="${id}"><dt>${name} <small>${prose(looks)}</small></dt><dd>${means}</dd></div>`,
  )}</dl>
</section>
<section class="prose" id="roles">
  <h2>Roles</h2>
  <p>A <b>member</b> reads. An <b>admin</b> also changes things. Members and invitations are
    changed by an <b>owner</b> alone. A secret key acts with the role of whoever minted it, and a
    key made or rotated with another key never gets more than that one had.</p>
</section>
<section class="prose" id="live-and-test">
  <h2>Live and test</h2>
  <p>There are two environments. A live credential manages both. A test secret key sees test
    records, the workspace, its projects and its tenants; it makes new projects and tenants, and
    changes test records only. Live records are in none of its lists. Reaching for one by its id,
    naming <code>live</code> in a request, and anything about members, invitations or billing is
    refused with 403.</p>
</section>
<section class="prose" id="errors">
  <h2>Errors</h2>
  <p>Every refusal has the same body: <code>code</code> is for programs, <code>message</code> for
    people. <code>details</code> names each field that was refused, and <code>missing_scopes</code>
    what a token lacks; both are there only when they apply.</p>
  <pre class="card"><code>${jsonHtml(sampleRefusal)}</code></pre>
  ${errorTable()}
</section>`;

const sampleRefusal = {
  error: {
    code: 'invalid_request',
    message: 'The request body is not valid.',
    details: [{ path: 'expire_at', message: 'Unknown field.' }],
  },
};

function errorTable(): Html {
  const codes = Object.keys(errorCodes).filter(isCode);
  const rows = codes.map((code, at) => {
    const { status, message } = errorCodes[code];
    const before = codes[at - 1];
    const isFirst = before === undefined || errorCodes[before].status !== status;
    return html`<tr${isFirst ? html` id="refused-${status}"` : ''}>
      <td>${statusBadge(String(status))}</td>
      <th scope="row"><code>${wireCode(code)}</code></th><td>${message}</td></tr>`;
  });
  return html`<div class="scroll"><table class="codes">
    ${columnHeads(['Status', 'Code', 'Usual message'])}<tbody>${rows}</tbody></table></div>`;
}

const isCode = (code: string): code is ErrorCode => code in errorCodes;
