// Generates the curl command for an operation. The command works once its shell variables are set.
import type { Operation, Parameter } from './document.ts';

export function curlFor(operation: Operation, url: string): string {
  const { method, path, body, parameters, credentials } = operation;
  const sent = bodyToSend(body);
  const isDeclared = method !== (sent === undefined ? 'GET' : 'POST');
  const target = `${url}${path.replaceAll(/\{(\w+)\}/g, (_, name) => `$${shellName(name)}`)}`;
  const query = parameters.filter(isRequiredIn('query')).map(queryPart).join('&');
  const bearer = credentials.find((name) => !/signature/i.test(name));
  return [
    `curl ${isDeclared ? `-X ${method} ` : ''}${query ? `"${target}?${query}"` : target}`,
    ...(bearer ? [`-H "authorization: Bearer $${shellName(bearer)}"`] : []),
    ...parameters.filter(isRequiredIn('header')).map(headerPart),
    ...(sent === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(sent)}`]),
  ].join(' \\\n  ');
}

/** Returns the body that the command sends. An optional body whose example is empty is omitted. */
function bodyToSend(body: Operation['body']): unknown {
  if (!body) return undefined;
  const isEmpty = JSON.stringify(body.example) === '{}';
  return isEmpty && !body.isRequired ? undefined : body.example;
}

const isRequiredIn =
  (place: string) =>
  (parameter: Parameter): boolean =>
    parameter.in === place && parameter.isRequired;

const queryPart = ({ name, example }: Parameter): string =>
  `${name}=${name.endsWith('_id') || !example ? `$${shellName(name)}` : example}`;

const headerPart = ({ name, example }: Parameter): string =>
  example
    ? `-H '${name.toLowerCase()}: ${example}'`
    : `-H "${name.toLowerCase()}: $${shellName(name)}"`;

/** `userId` → `USER_ID`, `Scanner-Public-Key-Identifier` → `SCANNER_PUBLIC_KEY_IDENTIFIER`. */
const shellName = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();

const ONE_LINE_CHARS_MAX = 60;

function quoted(body: unknown): string {
  const short = JSON.stringify(body);
  const text = short.length > ONE_LINE_CHARS_MAX ? indented(body) : short;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Indented JSON, except that a list with a single string stays on one line. */
const indented = (body: unknown): string =>
  JSON.stringify(body, null, 2).replaceAll(/\[\n\s+("[^"\n]*")\n\s+\]/g, '[$1]');
