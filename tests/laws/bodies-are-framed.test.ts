// Only one file may forward the body of an incoming request, and only in a POST. For some other
// methods, Node.js sends the body without a length, so the next server may take it for another
// request on the same connection.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor } from 'oxc-parser';
import { type Fault, isTest, lineAt, list, type Source, source, sources } from './tree.ts';

const MAY_PIPE = 'packages/edge/src/relay/pass-on.ts';
const HTTP = /^(node:)?(http|https|http2)$/;
/**
 * In these files, any function may receive an HTTP request from another file, so no import of an
 * HTTP module is needed.
 */
const PROXY = /^packages\/edge\/src\//;

type Piped = { start: number; isOfPost: boolean };

/** Finds calls to `pipe` and `pipeline`, and whether each of them only runs for a POST. */
function pipedIn({ text, parsed }: Source): Piped[] {
  if (!parsed) return [];
  const starts: number[] = [];
  const ofPost: { start: number; end: number }[] = [];
  new Visitor({
    CallExpression({ callee, start }) {
      const named = callee.type === 'MemberExpression' ? callee.property : callee;
      if (named.type === 'Identifier' && /^(pipe|pipeline)$/.test(named.name)) starts.push(start);
    },
    IfStatement({ test: condition, consequent }) {
      const asked = text.slice(condition.start, condition.end);
      if (asked === "request.method === 'POST'") ofPost.push(consequent);
    },
  }).visit(parsed.program);
  return starts.map((start) => ({
    start,
    isOfPost: ofPost.some((branch) => branch.start <= start && start < branch.end),
  }));
}

/** Reports every call that pipes, in a file that handles HTTP requests. */
function pipeFaults(file: Source): Fault[] {
  const { path, text, parsed } = file;
  const isHttp = parsed?.module.staticImports.some(({ moduleRequest }) =>
    HTTP.test(moduleRequest.value),
  );
  if (!isHttp && !PROXY.test(path)) return [];
  const says = `pipes into HTTP: use ${MAY_PIPE}`;
  return pipedIn(file).map(({ start }) => ({ path, line: lineAt(text, start), says }));
}

/** Returns the statements that pipe regardless of the request's method. */
const ofAnyMethod = (file: Source): string[] =>
  pipedIn(file)
    .filter(({ isOfPost }) => !isOfPost)
    .map(({ start }) => file.text.slice(start, file.text.indexOf(';', start)));

test('only one file pipes into a request', () => {
  const products = sources(['ts', 'tsx']).filter(({ path }) => !isTest(path));
  const found = products.flatMap(pipeFaults);
  deepEqual([...new Set(found.map(({ path }) => path))], [MAY_PIPE], list(found).join('\n'));
});

test('the one file that pipes forwards all responses, but request bodies only in a POST', () => {
  const [file] = sources(['ts', 'tsx'], 'packages/edge/src/relay').filter(
    ({ path }) => path === MAY_PIPE,
  );
  deepEqual(file && ofAnyMethod(file), [
    "answer.on('error', () => response.destroy()).pipe(response)",
  ]);
});

test('every way of piping into a request is detected', () => {
  const imported = "import { request } from 'node:https';\n";
  const faultsIn = (code: string, path = 'a.ts') => pipeFaults(source(path, code)).length;
  deepEqual(
    [
      faultsIn(`${imported}incoming.pipe(request(url));`),
      faultsIn(`${imported}await pipeline(incoming, request(url));`),
      faultsIn("import * as http from 'http';\nbody?.pipe(http.request(url));"),
      faultsIn('incoming.pipe(sent);', 'packages/edge/src/a.ts'),
      faultsIn('schema.pipe(other);'),
    ],
    [1, 1, 1, 1, 0],
  );
  const guarded = "if (request.method === 'POST') request.pipe(sent);\nelse request.pipe(other);";
  deepEqual(ofAnyMethod(source('a.ts', guarded)), ['request.pipe(other)']);
});
