// Valid and invalid histories of feed readers (I4 to I9).
import type { Body } from '../history.ts';
import { type Case, historyOf, op, revoke } from './written-history.ts';

const page = (version: number, entries: Record<string, string>, more: Body = {}): Body => ({
  object: 'policy_snapshot',
  version,
  next: null,
  entries,
  removed: [],
  unresolved: false,
  ...more,
});
const delta = (since: number, version: number, more: Body = {}): Body =>
  page(version, {}, { object: 'policy_delta', since, ...more });

const read = (reader: string, body: Body) =>
  op('feed.snapshot', { reader, filter: 'all', project: 'p', cursor: false }, { body });
/** Creates a poll for a delta. If `body` is empty, the response is a 304. */
const polled = (reader: string, since: number, body: Body) =>
  op(
    'feed.delta',
    { reader, filter: 'all', project: 'p', cursor: false, since },
    { body, status: body.object === undefined ? 304 : 200 },
  );
const paged = (reader: string, body: Body) =>
  op('feed.snapshot', { reader, filter: 'all', project: 'p', cursor: true }, { body });

export const feedCases: Record<string, Case> = {
  I4: {
    good: () => historyOf({ ops: [read('a', page(2, {})), read('b', page(3, {}))] }),
    bad: [() => historyOf({ ops: [read('a', page(3, {})), read('b', page(2, {}))] })],
  },
  I5: {
    good: () =>
      historyOf({
        ops: [
          read('a', page(2, { k: '1', l: '1' })),
          polled('a', 2, delta(2, 3, { entries: { k: '2' }, removed: ['l'] })),
          read('b', page(3, { k: '2' })),
        ],
      }),
    bad: [
      () =>
        historyOf({
          ops: [
            read('a', page(2, { k: '1', l: '1' })),
            polled('a', 2, delta(2, 3, { entries: { k: '2' } })),
            read('b', page(3, { k: '2' })),
          ],
        }),
    ],
  },
  I6: {
    good: () =>
      historyOf({
        ops: [
          read('b', page(2, { k: '1', l: '1' })),
          read('a', page(2, { k: '1' }, { next: 'c' })),
          paged('a', page(2, { l: '1' })),
          polled('a', 2, {}),
        ],
      }),
    bad: [
      () =>
        historyOf({
          ops: [
            read('b', page(2, { k: '1', l: '1', m: '1' })),
            read('a', page(2, { k: '1' }, { next: 'c' })),
            paged('a', page(2, { l: '1' })),
            polled('a', 2, {}),
          ],
        }),
    ],
  },
  I7: {
    good: () => historyOf({ ops: [polled('a', 2, delta(2, 3)), polled('a', 3, {})] }),
    bad: [
      () => historyOf({ ops: [read('b', page(4, {})), polled('a', 3, {})] }),
      () => historyOf({ ops: [polled('a', 3, delta(3, 3))] }),
      () =>
        historyOf({ ops: [polled('a', 2, delta(2, 3, { entries: { k: '1' }, removed: ['k'] }))] }),
    ],
  },
  I8: {
    good: () =>
      historyOf({
        ops: [
          read('a', page(4, {})),
          op('project.limits', { id: 'p' }, { body: { policy_version: 6 } }),
          polled('a', 4, page(6, {})),
          // A delta from 5 is valid, because the limits may have changed in version 5 and something
          // else in version 6.
          polled('a', 5, delta(5, 6)),
        ],
      }),
    bad: [
      () =>
        historyOf({
          ops: [
            read('a', page(4, {})),
            op('project.limits', { id: 'p' }, { body: { policy_version: 5 } }),
            polled('a', 4, delta(4, 5)),
          ],
        }),
    ],
  },
  I9: {
    good: () => historyOf({ ops: [revoke('k'), read('a', page(2, { l: '1' }))] }),
    bad: [
      () => historyOf({ ops: [revoke('k'), read('a', page(2, { k: '1' }))] }),
      () => historyOf({ ops: [read('a', page(2, { k: '1' }, { unresolved: true }))] }),
    ],
  },
};
