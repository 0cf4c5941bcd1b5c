// Parsing endpoint names, and the types derived from an endpoint's declaration.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import {
  type AnswerOf,
  type BodyInputOf,
  type BodyOf,
  endpoints,
  type PathParams,
  pathParams,
  type QueryInputOf,
  type QueryOf,
  type ReplyOf,
  splitLine,
} from './endpoint.ts';
import type { allEndpoints } from './endpoints/all.ts';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type All = typeof allEndpoints;

test("an endpoint's name is split into its method and its path", () => {
  deepEqual(splitLine('POST /v1/keys/{id}/rotate'), {
    method: 'POST',
    path: '/v1/keys/{id}/rotate',
  });
  throws(() => splitLine('PUT /v1/keys'), TypeError);
});

test('path parameters are listed in the order they appear in the path', () => {
  deepEqual(pathParams('GET /v1/keys'), []);
  deepEqual(pathParams('DELETE /v1/members/{userId}'), ['userId']);
  deepEqual(pathParams('GET /a/{id}/b/{other}'), ['id', 'other']);
});

test('endpoints() returns its argument unchanged', () => {
  const map = endpoints({
    'GET /x': { auth: 'none', summary: 'X', description: '', answers: { 200: z.string() } },
  });
  deepEqual(Object.keys(map), ['GET /x']);
});

test('an endpoint with a misspelt method or an unknown field does not compile', () => {
  const x = { summary: 'X', description: 'Y', answers: { 200: z.string() } };
  // @ts-expect-error no such method
  endpoints({ 'PUT /x': { ...x, auth: 'none' } });
  // @ts-expect-error no such field
  endpoints({ 'GET /x': { ...x, auth: 'none', bodyOptinal: true } });
  // @ts-expect-error no such credential
  endpoints({ 'GET /x': { ...x, auth: 'nobody' } });
});

test("request and response types are derived from the endpoint's schemas", () => {
  const proofs: true[] = [
    same<PathParams<'PATCH /v1/members/{userId}'>, { userId: string }>(),
    same<keyof PathParams<'GET /v1/keys'>, never>(),
    same<QueryOf<All['POST /v1/keys/{id}/revoke']>, { wait: boolean }>(),
    same<QueryInputOf<All['POST /v1/keys/{id}/revoke']>, { wait?: boolean }>(),
    same<QueryOf<All['GET /v1/keys/{id}/usage']>, { days: number }>(),
    same<keyof QueryOf<All['GET /v1/keys/{id}']>, never>(),
    same<BodyOf<All['POST /v1/keys/{id}/rotate']>, { overlap_hours: number }>(),
    same<BodyOf<All['GET /v1/keys']>, undefined>(),
    same<BodyOf<All['POST /v1/ingest/batch']>, Uint8Array>(),
    same<BodyOf<All['POST /v1/keys']>['expires_at'], Date | undefined>(),
    same<BodyInputOf<All['POST /v1/keys']>['expires_at'], string | undefined>(),
    same<AnswerOf<All['GET /healthz']>['status'], 'ok'>(),
    same<AnswerOf<All['GET /readyz']>['status'], 'ok'>(),
    same<ReplyOf<All['GET /readyz']>['status'], 200 | 503>(),
    same<Extract<ReplyOf<All['GET /v1/policy/delta']>, { status: 304 }>['body'], null>(),
  ];
  equal(proofs.length, 15);
});

/** Compiles only if both types are the same. */
function same<A, B>(..._proof: Same<A, B> extends true ? [] : ['the types differ']): true {
  return true;
}
