// Renders an OpenAPI document as a page: a menu, the introduction, and all operations by group.
import type { JsonObject } from '@keyrail/protocol/json-schema.ts';
import { type ApiDocument, type Group, readDocument, spaced } from './document.ts';
import { operationArticle, operationExamples } from './endpoint.ts';
import { filterScript } from './filter.ts';
import { columnHeads, type Html, html, methodBadge, nothing, statusBadge } from './html.ts';
import { prose, type Section, sectionsOf } from './markdown.ts';

/** The URLs that the page links to. */
type PageLinks = { styleUrl: string; iconUrl: string; documentUrl: string };

export function referencePage(openApi: JsonObject, links: PageLinks): string {
  const document = readDocument(openApi);
  const { opening, sections } = sectionsOf(document.description);
  const place = { url: document.url, schemas: document.schemas };
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.title} reference</title>
<link rel="icon" href="${links.iconUrl}" type="image/svg+xml">
<link rel="stylesheet" href="${links.styleUrl}">
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
${menu(document, sections)}
<main id="content">
<div class="intro">
<header class="opening"><h1>API reference</h1><div class="lead">${opening}
  <p>The OpenAPI document is at <a href="${links.documentUrl}">${links.documentUrl}</a>.</p></div>
</header>
${firstRequest(document)}
<div class="sections">${sections.map((section) => introSection(section, document))}</div>
</div>
${document.groups.map(
  ({ name, description, operations }) => html`
<section class="group" id="${groupId(name)}">
  <div class="grouphead"><h2>${name}</h2><p>${prose(description)}</p></div>
  ${operations.map((operation) => operationArticle(operation, place))}
</section>`,
)}
<footer>${document.title} ${document.version}. This page and
  <a href="${links.documentUrl}">${links.documentUrl}</a> are generated from the definitions that
  the server itself runs on.</footer>
</main>
<script>${{ html: filterScript }}</script>
</body>
</html>
`;
  return page.html;
}

const groupId = (name: string): string => `group-${name.toLowerCase().replaceAll(' ', '-')}`;

const logo: Html = html`<svg class="logo" viewBox="0 0 32 32" width="26" height="26"
 aria-hidden="true"><path d="M5 9h22M5 23h22M10 9v14M22 9v14" />
<circle cx="16" cy="16" r="4" /></svg>`;

/** The filter field, which is hidden until the script shows it. */
const filter: Html = html`<div class="filter" hidden><label for="menu-filter">Filter</label>
  <input id="menu-filter" type="search" placeholder="Filter: rotate, /v1/keys…" autocomplete="off"
   autocapitalize="off" spellcheck="false"><p id="menu-none" class="dim" role="status"></p></div>`;

/**
 * On narrow screens, the menu covers the page. The link to `#menu` opens it, and any other link
 * closes it.
 */
const menu = ({ title, version, groups }: ApiDocument, sections: readonly Section[]): Html => html`
<div class="bar"><a class="brand" href="#content">${logo}${title}</a>
  <a class="open" href="#menu">Menu</a></div>
<nav id="menu" aria-label="Contents">
  <div class="brandline"><a class="brand" href="#content">${logo}${title}</a>
    <span class="dim">${version}</span><a class="close" href="#_">Close</a></div>
  ${filter}
  <ul id="menu-sections">${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  ${groups.map(menuGroup)}
</nav>`;

function menuGroup({ name, operations }: Group): Html {
  const links = operations.map(
    ({ id, summary, method, path }) =>
      html`<li><a href="#${id}" title="${path}"><span>${summary}</span>${methodBadge(method)}</a></li>`,
  );
  return html`<details open><summary>${name}</summary><ul>${links}</ul></details>`;
}

/** Renders the first request to try, shown next to the introduction on wide screens. */
function firstRequest({ firstOperation, url }: ApiDocument): Html {
  if (!firstOperation) return nothing;
  const { id, summary } = firstOperation;
  return html`<div class="examples"><p>A first request: <a href="#${id}">${summary}</a></p>
${operationExamples(firstOperation, url)}</div>`;
}

/**
 * Renders a section of the introduction. The section about credentials ends with a list of them,
 * the one about errors with a table.
 */
function introSection({ id, title, blocks }: Section, document: ApiDocument): Html {
  return html`<section class="prose" id="${id}"><h2>${title}</h2>${blocks}
${id === 'credentials' ? credentialCards(document) : null}
${id === 'errors' ? errorTable(document) : null}</section>`;
}

const credentialCards = ({ credentials }: ApiDocument): Html =>
  html`<dl class="cards">${credentials.map(
    ({ name, format, description }) => html`<div id="credential-${name}">
      <dt>${spaced(name)} <small>${prose(format)}</small></dt><dd>${description}</dd></div>`,
  )}</dl>`;

function errorTable({ refusals }: ApiDocument): Html {
  const rows = refusals.map(
    ({ status, description }) => html`<tr id="refused-${status}">
      <td>${status === 'default' ? 'other' : statusBadge(status)}</td>
      <td>${description.split('\n\n').map((text) => html`<p>${prose(text)}</p>`)}</td></tr>`,
  );
  return html`<div class="scroll"><table class="codes">
    ${columnHeads(['Status', 'Codes and their usual messages'])}<tbody>${rows}</tbody></table></div>`;
}
