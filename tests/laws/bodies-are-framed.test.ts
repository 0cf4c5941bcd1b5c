// One file passes the body of a request on as the body of another. Node frames only the bodies of
// some methods, so a body that is piped elsewhere may become the next request on its connection.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor } from 'oxc-parser';
import { type Fault, isTest, lineAt, list, type Source, source, sources } from './tree.ts';

const MAY_PIPE = 'packages/edge/src/relay/pass-on.ts';
const HTTP = /^(node:)?(http|https|http2)$/;

/** Calls of `pipe` and `pipeline` in files that can make requests. */
function pipeFaults({ path, text, parsed }: Source): Fault[] {
  const isHttp = parsed?.module.staticImports.some(({ moduleRequest }) =>
    HTTP.test(moduleRequest.value),
  );
  if (!parsed || !isHttp) return [];
  const faults: Fault[] = [];
  new Visitor({
    CallExpression({ callee, start }) {
      const named = callee.type === 'MemberExpression' ? callee.property : callee;
      if (named.type !== 'Identifier' || !/^(pipe|pipeline)$/.test(named.name)) return;
      faults.push({ path, line: lineAt(text, start), says: `pipes into HTTP: use ${MAY_PIPE}` });
    },
  }).visit(parsed.program);
  return faults;
}

test('no file but one pipes into a request', () => {
  const products = sources(['ts', 'tsx']).filter(({ path }) => !isTest(path));
  const found = products.flatMap(pipeFaults);
  deepEqual([...new Set(found.map(({ path }) => path))], [MAY_PIPE], list(found).join('\n'));
});

test('each way to pipe into a request is found', () => {
  const imported = "import { request } from 'node:https';\n";
  const faultsIn = (code: string) => pipeFaults(source('a.ts', code)).length;
  deepEqual(
    [
      faultsIn(`${imported}incoming.pipe(request(url));`),
      faultsIn(`${imported}await pipeline(incoming, request(url));`),
      faultsIn("import * as http from 'http';\nbody?.pipe(http.request(url));"),
      faultsIn('schema.pipe(other);'),
    ],
    [1, 1, 1, 0],
  );
});
