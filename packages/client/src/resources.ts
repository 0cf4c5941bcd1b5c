// Every endpoint as a method: `client.keys.rotate(id)` is `POST /v1/keys/{id}/rotate`. A table
// lists each endpoint once; the arguments and results are derived from the endpoint's types.
import { methods } from '@keyrail/protocol/wire/methods.ts';
import type {
  Answer,
  Argument,
  DryRunEndpoint,
  Endpoint,
  Ids,
  Impact,
  Input,
  Page,
  PagedEndpoint,
  PagesLimit,
} from './types.ts';

type Table = { readonly [name: string]: Endpoint | Table };

/**
 * The method for an endpoint. Path parameters come first, then an object with query, body and
 * options.
 */
export type Method<E extends Endpoint> = ((
  ...args: [...Ids<E>, ...Argument<Input<E>>]
) => Promise<Answer<E>>) &
  (E extends PagedEndpoint ? Paged<E> : unknown) &
  (E extends DryRunEndpoint ? DryRun<E> : unknown);

type DryRun<E extends DryRunEndpoint> = {
  /**
   * Returns what the call would affect. Changes nothing, and fails if the call itself would fail.
   *
   * @example
   * const { active_keys, requests_24h } = await client.tenants.delete.dryRun(id);
   */
  dryRun(...args: [...Ids<E>, ...Argument<Input<E>>]): Promise<Impact>;
};

type Paged<E extends PagedEndpoint> = {
  /**
   * Pages through the list. If you break out of the loop, no more requests are sent.
   *
   * @example
   * for await (const { items } of client.keys.list.pages({ query: { env: 'live' } })) {
   *   for (const key of items) console.log(key.display_prefix);
   * }
   */
  pages(...args: [...Ids<E>, ...Argument<Input<E> & PagesLimit>]): AsyncGenerator<Page<E>, void>;
};

type MethodsOf<T> = {
  readonly [K in keyof T]: T[K] extends Endpoint ? Method<T[K]> : MethodsOf<T[K]>;
};

/** Every endpoint, as a method of its resource. */
export type Resources = MethodsOf<typeof methods>;

type Send = {
  call(endpoint: Endpoint, input: object): Promise<unknown>;
  pages(endpoint: Endpoint, input: object): AsyncGenerator<unknown, void>;
  dryRun(endpoint: Endpoint, input: object): Promise<unknown>;
};

/** Creates the methods. `send` calls an endpoint by its method and path. */
export function resourcesOver(send: Send): Resources {
  // The cast is safe, because `Resources` is derived from this table.
  return methodsOf(methods satisfies Table, send) as never;
}

const methodsOf = (table: Table, send: Send): object =>
  Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      typeof entry === 'string' ? methodFor(entry, send) : methodsOf(entry, send),
    ]),
  );

function methodFor(endpoint: Endpoint, send: Send): object {
  const names = Array.from(endpoint.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const inputOf = (args: readonly unknown[]): object => {
    const input = args[names.length];
    const params = Object.fromEntries(names.map((name, at) => [name, args[at]]));
    return { ...(typeof input === 'object' && input), params };
  };
  const call = (...args: unknown[]) => send.call(endpoint, inputOf(args));
  const pages = (...args: unknown[]) => send.pages(endpoint, inputOf(args));
  const dryRun = (...args: unknown[]) => send.dryRun(endpoint, inputOf(args));
  return Object.assign(call, { pages, dryRun });
}
