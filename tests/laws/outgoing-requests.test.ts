// What decides where the server connects to. A host that the operator names is resolved by the
// system; one that a customer names, by host-names.ts alone, which holds no thread and has a bound.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from './imports.ts';
import { isTest, type Source, source, sources } from './tree.ts';

const SRC = 'packages/server/src/';

/** What each file may import of Node's resolver. */
const RESOLVERS: Record<string, readonly string[]> = {
  [`${SRC}features/webhooks/host-names.ts`]: ['Resolver'],
  // The servers of REDIS_URL.
  [`${SRC}volatile/redis-link.ts`]: ['lookup'],
};

/** Files that open connections, by what names the host. */
const CONNECTING: Record<string, string> = {
  [`${SRC}features/webhooks/webhook-request.ts`]: 'a customer: the lookup is given',
  [`${SRC}features/audit/anchor-places.ts`]: 'KEYRAIL_AUDIT_ANCHORS',
  [`${SRC}doctor/public-url-check.ts`]: 'KEYRAIL_PUBLIC_URL',
  [`${SRC}features/scanner/public-keys.ts`]: 'KEYRAIL_SCANNER_KEYS',
  [`${SRC}backup-socket.ts`]: 'a socket of this machine',
  [`${SRC}db/directory-socket.ts`]: 'a socket of this machine',
};

const SENDERS = /^(request|get|connect|createConnection|Socket)$/;
const CONNECTORS = /^node:(https?|http2|net|tls|dgram)$/;

const ours = (): Source[] =>
  sources(['ts', 'tsx'], 'packages/server/src').filter(({ path }) => !isTest(path));

const resolvedIn = (file: Source): string[] =>
  importsOf(file)
    .filter(({ specifier, typeOnly }) => /^(node:)?dns(\/promises)?$/.test(specifier) && !typeOnly)
    .flatMap(({ names }) => (names.length > 0 ? names : ['everything']));

/** Imports are read by the name before `as`, so that a new name hides nothing. */
const connectsIn = (file: Source): boolean =>
  /\bfetch\b/.test(file.code) ||
  (file.parsed?.module.staticImports ?? []).some(
    ({ moduleRequest, entries }) =>
      CONNECTORS.test(moduleRequest.value) &&
      entries.some(
        ({ importName, isType }) =>
          !isType && (importName.kind !== 'Name' || SENDERS.test(importName.name ?? '')),
      ),
  );

test('only two files resolve names, and only that of the operator uses the threads', () => {
  const found = ours().map((file) => [file.path, resolvedIn(file)] as const);
  deepEqual(Object.fromEntries(found.filter(([, names]) => names.length > 0)), RESOLVERS);
});

test('every file that connects says what names the host, and no customer reaches the system resolver', () => {
  const connecting = ours().filter(connectsIn);
  deepEqual(connecting.map(({ path }) => path).toSorted(), Object.keys(CONNECTING).toSorted());
  const given = connecting.filter(({ path }) => CONNECTING[path]?.startsWith('a customer'));
  deepEqual(
    given.map(({ code }) => [...code.matchAll(/\blookup: answering\(/g)].length),
    [1],
  );
});

test('the law notices a request and a resolver under other names', () => {
  const parsed = (text: string) => source('packages/server/src/x.ts', text);
  deepEqual(resolvedIn(parsed(`import { lookup as ask } from 'node:dns';`)), ['ask']);
  for (const text of [
    `import { request as send } from 'node:https';`,
    `import * as net from 'node:net';`,
    `import http from 'node:http';`,
    `await fetch (url);`,
  ]) {
    deepEqual(connectsIn(parsed(text)), true, text);
  }
  deepEqual(connectsIn(parsed(`import { createServer, isIP } from 'node:net';`)), false);
});
