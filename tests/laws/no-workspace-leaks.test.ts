// Two workspaces have the same structure. If an ID from one workspace is used in the other, on any
// endpoint and in any field, the response is the same as for a made-up ID: no data of the ID's
// owner is returned or changed. LEAK_ROUNDS sets how many rounds are run, each with different IDs.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import type { JsonObject } from '@keyrail/protocol/json-schema.ts';
import type { Auth } from '@keyrail/protocol/wire/auth.ts';
import { type Answer, type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { seededBytes } from '@keyrail/testing/test-app.ts';
import { digestOf, idsIn, type Marked, markedWorkspace, ownLists } from './canaries.ts';
import { fieldsOf } from './inputs.ts';
import { endpointOf, fixtureOf, isWrite, served } from './lines.ts';

const ROUNDS = Number(process.env.LEAK_ROUNDS ?? 1);
const OTHER_IDS_EACH = 6;

let mine: Marked;
let theirs: Marked;
before(async (t) => {
  const own = await harness(t as never);
  const foreign = await harness(t as never);
  mine = await markedWorkspace(own, `canary-mine-${process.pid}`);
  theirs = await markedWorkspace(foreign, `canary-theirs-${process.pid}`);
});

type Headers = Record<string, string>;

const authorization = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** Returns the credentials of every caller in a workspace that may call the endpoint. */
async function callersOf(app: Harness, line: AnyLine): Promise<Headers[]> {
  const keys = () => [app.tokens.liveKey, app.tokens.testKey].map(authorization);
  const people = async () => [authorization((await app.people.owner()).token)];
  const nobody = () => [];
  const callers: Record<Auth, () => Headers[] | Promise<Headers[]>> = {
    vendor: async () => [...keys(), ...(await people())],
    session: people,
    embed: async () => [(await app.embed()).headers],
    machine: keys,
    machineHot: keys,
    minting: keys,
    founder: nobody,
    signature: nobody,
    none: nobody,
  };
  return await callers[endpointOf(line).auth]();
}

const isId = ({ format, items, anyOf }: JsonObject): boolean =>
  format === 'uuid' ||
  (typeof items === 'object' && items !== null && isId(items as JsonObject)) ||
  (Array.isArray(anyOf) && anyOf.some((each) => isId(each)));

/** Returns the fields of an input that contain, or could contain, an ID. */
const placesOf = (line: AnyLine, input: Input): string[] => [
  ...new Set([
    ...fieldsOf(line)
      .filter(({ schema }) => isId(schema))
      .map(({ name }) => name),
    ...Object.keys(input).filter((name) => idsIn(JSON.stringify(input[name])).length > 0),
  ]),
];

/** Returns the same input with a different ID in one field. */
function swapped(input: Input, place: string, id: string): Input {
  const text = JSON.stringify(input[place] ?? id);
  const put = idsIn(text).length > 0 ? text.replaceAll(idsIn(text)[0] ?? '', id) : `"${id}"`;
  return { ...input, [place]: JSON.parse(put) };
}

/** A response without its variable parts, such as the requested ID and the time. */
function comparable({ status, text, headers }: Answer, id: string): unknown {
  // These headers are left out: the ETag depends on the ID in the filter, and the length on parts
  // of the text that vary.
  const { 'x-request-id': _, date: __, etag: ___, 'content-length': ____, ...rest } = headers;
  const timeless = text
    .replace(/"generated_at":"[^"]+"/, '"generated_at":"<now>"')
    // The caller's own rate-limit counters change with every call, regardless of the ID.
    .replaceAll(/"(reset_ms|remaining|expires_in_ms)":\d+/g, '"$1":"<left>"')
    // Every lease has a new ID.
    .replace(/"lease_id":"[^"]+"/, '"lease_id":"<new>"');
  return { status, text: timeless.replaceAll(id, '<id>'), headers: rest };
}

function holdsNothingOf({ canary }: Marked, answer: Answer, what: string): void {
  const received = `${answer.text}${JSON.stringify(answer.headers)}`;
  equal(received.includes(canary), false, `${what} leaks another workspace: ${answer.text}`);
}

/** Picks some of an owner's IDs, always the same ones for a given seed. */
function sample(ids: Set<string>, seed: string): string[] {
  const chance = seededBytes(seed);
  const all = [...ids];
  return Array.from({ length: OTHER_IDS_EACH }, () => {
    const at = Buffer.from(chance(4)).readUInt32BE() % all.length;
    return all[at] ?? '';
  });
}

async function holdAgainst(line: AnyLine, place: string, ids: string[]): Promise<number> {
  const { ask } = mine.app;
  let swaps = 0;
  for (const headers of await callersOf(mine.app, line)) {
    const input = await fixtureOf(line).input(mine.app);
    const call = (id: string) => ask(line, swapped(input, place, id), headers);
    for (const id of ids) {
      const unknownId = randomUUID();
      const foreign = await call(id);
      const unknown = await call(unknownId);
      const what = `${line} with ${place}=${id}`;
      holdsNothingOf(theirs, foreign, what);
      deepEqual(comparable(foreign, id), comparable(unknown, unknownId), what);
      swaps += 1;
    }
  }
  return swaps;
}

const withIds = served.filter(
  (line) => fieldsOf(line).some(({ schema }) => isId(schema)) && endpointOf(line).auth !== 'none',
);

test('the other workspace’s own callers can see the data that must not leak', async () => {
  ok(theirs.marks >= 5, `only ${theirs.marks} responses contained a mark`);
  ok(theirs.ids.size >= 20, `only ${theirs.ids.size} IDs`);
  const lists = await ownLists(theirs.app);
  ok(lists.every(({ status }) => status === 200));
  ok(lists.filter(({ text }) => text.includes(theirs.canary)).length >= 1);
});

for (const line of withIds) {
  test(`${line} does not recognise another workspace's IDs`, async () => {
    const theirInput = await fixtureOf(line).input(theirs.app);
    const before = await digestOf(theirs.app);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const place of placesOf(line, theirInput)) {
        const same = idsIn(JSON.stringify(theirInput[place] ?? ''));
        const ids = [...same, ...sample(theirs.ids, `${line} ${place} ${round}`)];
        ok((await holdAgainst(line, place, ids)) > 0, line);
      }
    }
    deepEqual(await digestOf(theirs.app), before, `${line} changed another workspace`);
    const { caller, input } = fixtureOf(line);
    await mine.app.as[caller](line, await input(mine.app)); // the workspace's own IDs work
  });
}

test('no read in one workspace returns anything from another', async () => {
  for (const line of served.filter((each) => !isWrite(each))) {
    for (const headers of await callersOf(mine.app, line)) {
      const input = await fixtureOf(line).input(mine.app);
      const answer = await mine.app.ask(line, input, headers);
      holdsNothingOf(theirs, answer, line);
      if (answer.status === 200 && answer.text.includes('"object":"list"')) {
        const listed = new Set(idsIn(answer.text));
        equal([...theirs.ids].filter((id) => listed.has(id)).join(), '', `${line} lists their IDs`);
      }
    }
  }
});

test('a cursor from another workspace is rejected just like a made-up one', async () => {
  for (const line of served.filter((each) => endpointOf(each).list)) {
    const [their = {}] = await callersOf(theirs.app, line);
    const theirInput = { ...(await fixtureOf(line).input(theirs.app)), limit: 1 };
    const page = await theirs.app.ask(line, theirInput, their);
    const cursor = /cursor=([^&>]+)/.exec(page.headers.link ?? '')?.[1];
    if (cursor === undefined) continue;
    for (const headers of await callersOf(mine.app, line)) {
      const input = await fixtureOf(line).input(mine.app);
      const call = (tried: string): Promise<Answer> =>
        mine.app.ask(line, { ...input, cursor: tried }, headers);
      const foreign = await call(cursor);
      const invented = await call(cursor.replace(/.$/, '_'));
      equal(foreign.text, invented.text, line);
      ok(foreign.status === 400 || foreign.status === 403, `${line} ${foreign.status}`);
    }
  }
});
