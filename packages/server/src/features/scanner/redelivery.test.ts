// Long reports, slow reports and failures. A failure doesn't undo what has already been done about
// a leak, and the next delivery of the report handles the remaining leaks.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { harness, refused } from '@keyrail/testing/harness.ts';
import { mailTo, someone } from '@keyrail/testing/people.ts';
import { signedHeaders } from '@keyrail/testing/scanner.ts';
import { appBeside, failingAt } from '@keyrail/testing/second-app.ts';
import { openLog } from '../../base/log.ts';
import type { Database } from '../../db/database.ts';

const line = 'POST /v1/webhooks/scanner/secret_scanning';
const URL_PATH = '/v1/webhooks/scanner/secret_scanning';

const labels = (verdicts: { label: string }[]) => verdicts.map(({ label }) => label);

/**
 * A report with more than 10,000 entries, with one token near its start and another near its end.
 */
const longReport = (first: string, last: string) => {
  const fillers = Array.from({ length: 10_000 }, () => '');
  return [first, ...fillers, last].map((token) => ({ token, type: 'x' }));
};

test('a report with more than 10,000 entries is processed completely', async (t) => {
  const vendor = await harness(t);
  const { key: first } = await vendor.given.key();
  const { key: last, id } = await vendor.given.key();
  const verdicts = labels(await vendor.as.scanner(line, { reports: longReport(first, last) }));
  equal(verdicts.length, 10_002);
  deepEqual(
    [verdicts[0], verdicts[1], verdicts[10_001]],
    ['true_positive', 'false_positive', 'true_positive'],
  );
  ok((await vendor.as.liveKey('GET /v1/keys/{id}', { id })).quarantined_at);
});

test('if part of a long report fails, the work done so far is kept and a redelivery completes the rest', async (t) => {
  const vendor = await harness(t);
  const keys = [await vendor.given.key(), await vendor.given.key()] as const;
  const { db } = vendor.testApp;
  let transactions = 0;
  const dying: Database = {
    ...db,
    transaction: (opening, body) => {
      transactions += 1;
      return transactions === 1
        ? db.transaction(opening, body)
        : Promise.reject(new Error('broken'));
    },
  };
  const log = openLog('silent', process.stderr);
  const { app } = appBeside(t, vendor.testApp, { db: dying, log });
  const reports = longReport(keys[0].key, keys[1].key);
  const payload = JSON.stringify(reports);
  const headers = signedHeaders(payload);
  const answer = await app.http.inject({ method: 'POST', url: URL_PATH, payload, headers });
  equal(answer.statusCode, 503);
  const quarantined = async () => {
    const { data } = await vendor.as.liveKey('GET /v1/keys');
    return data.filter(({ quarantined_at }) => quarantined_at !== null).map(({ id }) => id);
  };
  deepEqual(await quarantined(), [keys[0].id]);
  await vendor.as.scanner(line, { reports });
  deepEqual((await quarantined()).toSorted(), keys.map(({ id }) => id).toSorted());
});

test('if one token cannot be processed, the others still are, the report gets a 503, and a redelivery processes the rest', async (t) => {
  const vendor = await harness(t);
  const session = await someone(vendor);
  const key = await vendor.given.key();
  const broken = appBeside(t, vendor.testApp, {
    db: failingAt(vendor.testApp.db, 'mail_outbox'),
    log: openLog('silent', process.stderr),
  });
  const owner = await vendor.people.owner();
  const payload = JSON.stringify(
    [key.key, session.token].map((token) => ({ token, type: 'keyrail_key' })),
  );
  const send = (app: typeof broken.app) => {
    const headers = signedHeaders(payload);
    return app.http.inject({ method: 'POST', url: URL_PATH, payload, headers });
  };
  equal((await send(broken.app)).statusCode, 503);
  const found = await vendor.as.liveKey('GET /v1/keys/{id}', { id: key.id });
  equal(found.quarantined_at, null, 'the failed transaction left no trace');
  await refused(session.call('GET /v1/auth/me'), 401, 'invalid_session');
  equal((await send(vendor.testApp.app)).statusCode, 200);
  ok((await vendor.as.liveKey('GET /v1/keys/{id}', { id: key.id })).quarantined_at);
  const mails = await mailTo(vendor.testApp, owner.email);
  equal(mails.filter(({ kind }) => kind === 'key_quarantined').length, 1);
});

test('a report that takes too long gets a 503, and a redelivery processes the rest', async (t) => {
  const vendor = await harness(t);
  const { db } = vendor.testApp;
  const now = performance.now.bind(performance);
  let spentMs = 0;
  t.mock.method(performance, 'now', () => now() + spentMs);
  const slow: Database = {
    ...db,
    transaction: (opening, body) => {
      spentMs += 4000;
      return db.transaction(opening, body);
    },
  };
  const { app } = appBeside(t, vendor.testApp, {
    db: slow,
    log: openLog('silent', process.stderr),
  });
  const keys = [await vendor.given.key(), await vendor.given.key(), await vendor.given.key()];
  const more = [await vendor.given.key(), await vendor.given.key()];
  const payload = JSON.stringify(
    [...keys, ...more].map(({ key: token }) => ({ token, type: 'x' })),
  );
  const send = async () => {
    const headers = signedHeaders(payload);
    const sent = { method: 'POST' as const, url: URL_PATH, payload, headers };
    return (await app.http.inject(sent)).statusCode;
  };
  const quarantined = async () => {
    const { data } = await vendor.as.liveKey('GET /v1/keys');
    return data.filter(({ quarantined_at }) => quarantined_at !== null).length;
  };
  equal(await send(), 503);
  equal(await quarantined(), 3, 'finished quarantines are kept');
  equal(await send(), 200);
  equal(await quarantined(), 5);
});
