// Which hosts the server connects to. Host names from the operator are resolved by the operating
// system. Host names from a tenant are resolved only by host-names.ts, which doesn't block any
// thread and has a limit.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from './imports.ts';
import { isTest, type Source, source, sources } from './tree.ts';

const SRC = 'packages/server/src/';

/** What each file may import from Node.js's DNS modules. */
const RESOLVERS: Record<string, readonly string[]> = {
  [`${SRC}features/webhooks/host-names.ts`]: ['Resolver'],
  // Resolves the host names in REDIS_URL.
  [`${SRC}volatile/redis-link.ts`]: ['lookup'],
};

/** Files that open connections, each with the source of its host names. */
const CONNECTING: Record<string, string> = {
  [`${SRC}features/webhooks/webhook-request.ts`]: 'a customer; the lookup function is passed in',
  [`${SRC}features/audit/anchor-places.ts`]: 'KEYRAIL_AUDIT_ANCHORS',
  [`${SRC}doctor/public-url-check.ts`]: 'KEYRAIL_PUBLIC_URL',
  [`${SRC}features/scanner/public-keys.ts`]: 'KEYRAIL_SCANNER_KEYS',
  [`${SRC}backup/socket.ts`]: 'a socket of this machine',
  [`${SRC}db/embedded/directory-socket.ts`]: 'a socket of this machine',
};

const SENDERS = /^(request|get|connect|createConnection|Socket)$/;
const CONNECTORS = /^(node:)?(https?|http2|net|tls|dgram)$/;

const ours = (): Source[] =>
  sources(['ts', 'tsx'], 'packages/server/src').filter(({ path }) => !isTest(path));

/**
 * Lists what a file imports from these modules, apart from types. Original names are listed, so
 * that renaming an import with `as` hides nothing.
 */
function takenFrom(module: RegExp, file: Source): string[] {
  const entries = (file.parsed?.module.staticImports ?? [])
    .filter(({ moduleRequest }) => module.test(moduleRequest.value))
    .flatMap((one) => one.entries.filter(({ isType }) => !isType));
  const named = entries.map(({ importName: { kind, name } }) =>
    kind === 'Name' ? (name ?? EVERYTHING) : EVERYTHING,
  );
  // An `import()` or `export … from` has no names, so it counts as importing everything.
  const isUnnamed = importsOf(file).some(
    ({ specifier, typeOnly, names }) => module.test(specifier) && !typeOnly && names.length === 0,
  );
  return isUnnamed ? [...named, EVERYTHING] : named;
}

const EVERYTHING = 'everything';

const resolvedIn = (file: Source): string[] => takenFrom(/^(node:)?dns(\/promises)?$/, file);

const connectsIn = (file: Source): boolean =>
  /\bfetch\b/.test(file.code) ||
  takenFrom(CONNECTORS, file).some((name) => name === EVERYTHING || SENDERS.test(name));

test("only two files resolve host names, and only the one for the operator's hosts blocks a thread", () => {
  const found = ours().map((file) => [file.path, resolvedIn(file)] as const);
  deepEqual(Object.fromEntries(found.filter(([, names]) => names.length > 0)), RESOLVERS);
});

test("every file that connects says where its host names come from, and no tenant's host name reaches the system resolver", () => {
  const connecting = ours().filter(connectsIn);
  deepEqual(connecting.map(({ path }) => path).toSorted(), Object.keys(CONNECTING).toSorted());
  const given = connecting.filter(({ path }) => CONNECTING[path]?.startsWith('a customer'));
  deepEqual(
    given.map(({ code }) => [...code.matchAll(/\blookup: answering\(/g)].length),
    [1],
  );
});

test('a request or a resolver imported under a different name is detected', () => {
  const parsed = (text: string) => source('packages/server/src/x.ts', text);
  deepEqual(resolvedIn(parsed(`import { lookup as Resolver } from 'node:dns';`)), ['lookup']);
  deepEqual(resolvedIn(parsed(`await import('node:dns/promises');`)), ['everything']);
  for (const text of [
    `import { request as send } from 'node:https';`,
    `import * as net from 'node:net';`,
    `import http from 'node:http';`,
    `await fetch (url);`,
    `(await import('node:https')).get(url);`,
  ]) {
    deepEqual(connectsIn(parsed(text)), true, text);
  }
  deepEqual(connectsIn(parsed(`import { createServer, isIP } from 'node:net';`)), false);
});
