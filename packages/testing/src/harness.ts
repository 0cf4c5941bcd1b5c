// The test harness: a new workspace in the real app, callers of each kind, and factories for test
// objects. Calls go through HTTP.
import { equal } from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  type AnswerOf,
  type Endpoint,
  pathParams,
  querySchemaOf,
  splitLine,
} from '@keyrail/protocol/endpoint.ts';
import { type AnyLine, allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { type Embedded, embedded } from './embed.ts';
import { type Given, givenBy } from './fixtures.ts';
import { newMember, newPerson, type Person } from './people.ts';
import { signedHeaders } from './scanner.ts';
import { BOOTSTRAP_TOKEN, type ShiftableClock, type TestApp, testApp } from './test-app.ts';

export type Input = Record<string, unknown>;

export type Answer = {
  status: number;
  // Loosely typed, because tests read bodies of every shape. The app has already checked the
  // schema.
  body: Record<string, unknown>;
  headers: Record<string, string | undefined>;
  text: string;
};

type Answers = { [L in AnyLine]: Shown<AnswerOf<(typeof allEndpoints)[L]>> };

/** A response body that includes the secret. Only replayed responses lack the secret. */
export type Shown<Body> = Body extends { key_shown_once: boolean }
  ? Body & { key: string }
  : Body extends { token_shown_once: boolean }
    ? Body & { token: string }
    : Body;

/**
 * Calls an endpoint with path, query and body fields in one object. Throws a Refusal for any status
 * other than 2xx.
 */
export type Caller = <L extends AnyLine>(line: L, input?: Input) => Promise<Answers[L]>;

export class Refusal extends Error {
  readonly answer: Answer;

  constructor(line: string, answer: Answer) {
    super(`${line} → ${answer.status} ${answer.text.slice(0, 500)}`);
    this.answer = answer;
  }
}

export type Harness = {
  as: {
    liveKey: Caller;
    testKey: Caller;
    bootstrap: Caller;
    nobody: Caller;
    token(token: string): Caller;
    /** A tenant's user in a browser (see `embed`). */
    embed: Caller;
    /** The secret scanner, which signs its requests. */
    scanner: Caller;
    /** Members of the workspace. Each joins on the first call. */
    owner: Caller;
    admin: Caller;
    member: Caller;
    /** A different new user for every call, verified but without a workspace. */
    visitor: Caller;
  };
  /** The users whose calls are made by the callers `owner`, `admin` and `member`. */
  people: Record<'owner' | 'admin' | 'member', () => Promise<Person>>;
  /** A new token for the `embed` caller, always for the same tenant and project. */
  embed(): Promise<Embedded>;
  callWith(headers: Record<string, string>): Caller;
  /** Factories for test objects, created with the live key. */
  given: Given;
  tokens: { liveKey: string; testKey: string };
  workspaceId: string;
  clock: ShiftableClock;
  testApp: TestApp;
  /** Makes a call that never throws, for checking the status and headers. */
  ask(line: AnyLine, input?: Input, headers?: Record<string, string>): Promise<Answer>;
};

let workspaces = 0;

/** A new workspace in this file's app, or in another app on the same store. */
export async function harness(t: TestContext, app?: TestApp): Promise<Harness> {
  const opened = app ?? (await testApp());
  opened.clock.reset();
  t.after(() => opened.clock.reset());
  const as = (token: string | null) => callerWith(opened, token);
  workspaces += 1;
  const founded = await as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', {
    name: 'Acme',
    slug: `acme-${process.pid}-${workspaces}`,
  });
  const liveKey = founded.secret_key.key;
  const test = await as(liveKey)('POST /v1/secret_keys', { env: 'test' });
  const joining = (role: 'owner' | 'admin' | 'member') => {
    let joined: Promise<Person> | undefined;
    return () => {
      joined ??= newMember(opened, as, { inviter: as(liveKey), role });
      return joined;
    };
  };
  const people = { owner: joining('owner'), admin: joining('admin'), member: joining('member') };
  const given = givenBy(as(liveKey));
  const callWith = (headers: Record<string, string>) => callerBy(opened, () => headers);
  let subject: Promise<Input> | undefined;
  const embed = async () => {
    subject ??= Promise.all([given.project(), given.tenant()]).then(([project, tenant]) => ({
      project_id: project.id,
      tenant_id: tenant.id,
    }));
    return embedded({ as: { liveKey: as(liveKey) }, given, callWith }, await subject);
  };
  return {
    people,
    embed,
    callWith,
    as: {
      scanner: callerBy(opened, signedHeaders),
      embed: async (line, input) => (await embed()).call(line, input),
      liveKey: as(liveKey),
      testKey: as(test.key),
      bootstrap: as(BOOTSTRAP_TOKEN),
      nobody: as(null),
      token: as,
      owner: async (line, input) => (await people.owner()).call(line, input),
      admin: async (line, input) => (await people.admin()).call(line, input),
      member: async (line, input) => (await people.member()).call(line, input),
      visitor: async (line, input) => (await newPerson(opened, as)).call(line, input),
    },
    given,
    tokens: { liveKey, testKey: test.key },
    workspaceId: founded.workspace.id,
    clock: opened.clock,
    testApp: opened,
    ask: (line, input = {}, headers = {}) => ask(opened, line, { input, headers }),
  };
}

export const callerWith = (opened: TestApp, token: string | null): Caller =>
  callerBy(opened, () => (token === null ? {} : { authorization: `Bearer ${token}` }));

export function callerBy(
  opened: TestApp,
  headersOf: (body: string) => Record<string, string>,
): Caller {
  return async (line, input = {}) => {
    const headers = headersOf(requestOf(line, input).body ?? '');
    const answer = await ask(opened, line, { input, headers });
    if (answer.status >= 300) throw new Refusal(line, answer);
    return answer.body as never; // the app has checked the body against the endpoint's schema
  };
}

export async function ask(
  { app }: TestApp,
  line: AnyLine,
  { input, headers }: { input: Input; headers: Record<string, string> },
): Promise<Answer> {
  const { method, url, body } = requestOf(line, input);
  const response = await app.http.inject({
    method,
    url,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  const isJson = response.headers['content-type']?.toString().startsWith('application/json');
  return {
    status: response.statusCode,
    text: response.body,
    body: isJson ? JSON.parse(response.body) : {},
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]),
    ),
  };
}

/** Splits one object into path, query and body, as declared by the endpoint. */
export function requestOf(
  line: AnyLine,
  input: Input,
): { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; url: string; body: string | undefined } {
  const endpoint: Endpoint = allEndpoints[line];
  const { method, path } = splitLine(line);
  const rest = { ...input };
  let url = path;
  for (const name of pathParams(line)) {
    url = url.replace(`{${name}}`, encodeURIComponent(String(rest[name])));
    delete rest[name];
  }
  const query = new URLSearchParams();
  const declared = querySchemaOf(endpoint)?.shape ?? {};
  for (const [name, value] of Object.entries(rest)) {
    if (method !== 'GET' && !(name in declared)) continue;
    for (const each of [value].flat()) query.append(name, String(each));
    delete rest[name];
  }
  const hasBody = method !== 'GET' && endpoint.body !== undefined;
  return {
    method,
    url: query.size > 0 ? `${url}?${query}` : url,
    // One endpoint's body is a list, which a test passes as `reports`.
    body: hasBody ? JSON.stringify('reports' in rest ? rest.reports : rest) : undefined,
  };
}

/** Asserts that a call fails with this status and code. */
export async function refused(
  call: Promise<unknown>,
  status: number,
  code: string,
): Promise<Answer> {
  const outcome = await call.then(
    (body) => new Error(`expected a refusal, got: ${JSON.stringify(body)}`),
    (error: unknown) => error,
  );
  if (!(outcome instanceof Refusal)) throw outcome;
  const { answer } = outcome;
  equal(`${answer.status} ${codeOf(answer)}`, `${status} ${code}`, outcome.message);
  return answer;
}

export function codeOf({ body }: Answer): unknown {
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

export const messageOf = ({ body }: Answer): unknown => {
  const { error } = body;
  return typeof error === 'object' && error !== null && 'message' in error
    ? error.message
    : undefined;
};
