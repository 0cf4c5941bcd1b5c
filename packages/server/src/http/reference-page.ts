// The readable reference: one page, made from the protocol, without a script or an outside host.
import { type Endpoint, type Line, splitLine } from '@keyrail/protocol/endpoint.ts';
import { endpointGroups } from '@keyrail/protocol/endpoints/all.ts';
import type { JsonObject } from '@keyrail/protocol/json-schema.ts';
import { isJsonObject } from '@keyrail/protocol/json-value.ts';
import { methodBadge } from './reference-badges.ts';
import { anchorOf, type Entry, endpointArticle } from './reference-endpoint.ts';
import { type Html, html } from './reference-html.ts';
import { introduction, introSections } from './reference-intro.ts';
import { groupWords } from './reference-words.ts';

export type ReferenceParts = {
  url: string;
  version: string;
  openApi: JsonObject;
  notYetServed: readonly Line[];
};

type Group = { name: keyof typeof endpointGroups; entries: Entry[] };

export function referencePage(parts: ReferenceParts): string {
  const groups = groupsOf(parts);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Keyrail reference</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
${sidebar(groups, parts.version)}
<main id="content">
${opening(groups, parts)}
${introduction(parts.url)}
${groups.map((group) => groupSection(group, parts.url))}
<footer>Keyrail ${parts.version}. This page and <a href="/openapi.json">/openapi.json</a> are made
  from the definitions that the server itself runs on.</footer>
</main>
</body>
</html>
`;
  return page.html;
}

function groupsOf({ openApi, notYetServed }: ReferenceParts): Group[] {
  const later = new Set<string>(notYetServed);
  return groupNames().map((name) => {
    const endpoints: Record<string, Endpoint> = endpointGroups[name];
    const entries = Object.entries(endpoints).map(([line, endpoint]) => ({
      line,
      endpoint,
      isServed: !later.has(line),
      refusals: refusalsIn(openApi, line),
    }));
    return { name, entries };
  });
}

const isGroupName = (name: string): name is Group['name'] => name in endpointGroups;

const groupNames = (): Group['name'][] => Object.keys(endpointGroups).filter(isGroupName);

/** The refusals that the OpenAPI document names for a line. */
function refusalsIn(openApi: JsonObject, line: string): string[] {
  const { method, path } = splitLine(line);
  let node: unknown = openApi;
  for (const key of ['paths', path, method.toLowerCase(), 'responses']) {
    node = isJsonObject(node) ? node[key] : null;
  }
  return Object.keys(isJsonObject(node) ? node : {}).filter((status) => /^4\d\d$/.test(status));
}

const idOf = (name: string): string => `group-${name.toLowerCase().replaceAll(' ', '-')}`;

const mark: Html = html`<svg class="logo" viewBox="0 0 32 32" width="26" height="26"
 aria-hidden="true"><path d="M5 9h22M5 23h22M10 9v14M22 9v14" />
<circle cx="16" cy="16" r="4" /></svg>`;

/** On a narrow screen the list is a sheet: the address opens it, and following a link closes it. */
function sidebar(groups: readonly Group[], version: string): Html {
  return html`<div class="bar"><a class="brand" href="#content">${mark}Keyrail</a>
  <a class="open" href="#menu">Menu</a></div>
<nav id="menu" aria-label="Contents">
  <div class="brandline"><a class="brand" href="#content">${mark}Keyrail</a>
    <span class="dim">${version}</span><a class="close" href="#_">Close</a></div>
  <ul>${introSections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  ${groups.map(sidebarGroup)}
</nav>`;
}

function sidebarGroup({ name, entries }: Group): Html {
  const isOpen = entries.some(({ isServed }) => isServed);
  const links = entries.map(
    ({ line, endpoint, isServed }) =>
      html`<li><a class="${isServed ? 'now' : 'later'}" href="#${anchorOf(line)}">
        <span>${endpoint.summary}</span>${methodBadge(splitLine(line).method)}</a></li>`,
  );
  return html`<details${isOpen ? ' open' : ''}><summary>${name}</summary>
    <ul>${links}</ul></details>`;
}

function opening(groups: readonly Group[], { url, notYetServed }: ReferenceParts): Html {
  const all = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  const later = notYetServed.length;
  const standing =
    later === 0
      ? null
      : html`<p class="standing">This version serves <b>${all - later}</b> of the <b>${all}</b>
          endpoints on this page. The others are marked
          <span class="mark later">not served yet</span>.</p>`;
  return html`<header class="opening">
  <h1>API reference</h1>
  <p class="lead">Keyrail is a control plane for API keys that you issue to your customers and
    verify inside your own process. This is the whole of its HTTP interface at
    <code>${url}</code>; programs read the same from <a href="/openapi.json">/openapi.json</a>.</p>
  ${standing}
</header>`;
}

const groupSection = ({ name, entries }: Group, url: string): Html => html`
<section class="group" id="${idOf(name)}">
  <div class="grouphead"><h2>${name}</h2><p>${groupWords[name]}</p></div>
  ${entries.map((entry) => endpointArticle(entry, url))}
</section>`;
