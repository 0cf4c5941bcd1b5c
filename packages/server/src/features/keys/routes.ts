// The vendor's endpoints for API keys.
import type { BodyOf } from '@keyrail/protocol/endpoint.ts';
import { keyImportEndpoints } from '@keyrail/protocol/endpoints/key-import.ts';
import { keyEndpoints } from '@keyrail/protocol/endpoints/keys.ts';
import type { ReceiptChange } from '@keyrail/protocol/wire/receipt.ts';
import { shared } from '../../base/coalesce.ts';
import type { Read } from '../../doors/door.ts';
import { notedPageOf, pageOf, positionOf } from '../../http/page.ts';
import { planned, type ServedRoute, serve } from '../../http/route.ts';
import type { SignReceipt } from '../../signing/receipts.ts';
import type { PolicyHub } from '../../volatile/policy-hub.ts';
import type { KnownNode } from '../policy/node.rows.ts';
import { presentKeyUsage } from '../usage/present.ts';
import { readKeyUsage } from '../usage/read-key-usage.ts';
import { awaitNodes, keyChangeOf } from './await-nodes.ts';
import type { KeyCountRow } from './count.rows.ts';
import { createKey } from './create-key.ts';
import { disableKey } from './disable-key.ts';
import { enableKey } from './enable-key.ts';
import { explainKey } from './explain-key.ts';
import { importKeys } from './import-keys.ts';
import { listKeys } from './list.rows.ts';
import {
  presentAwaited,
  presentCreated,
  presentExplanation,
  presentImported,
  presentKey,
  presentKeyCount,
  presentReceipt,
  presentRotated,
} from './present.ts';
import { readKeyCounts } from './read-key-counts.ts';
import { findReceiptFacts } from './receipt.rows.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { type KeyRow, loadKey } from './rows.ts';
import { updateKey } from './update-key.ts';

/** The part of a cursor that identifies a count in the list. */
const placeOf = ({ projectId, tenantId, env }: KeyCountRow): string[] => [
  projectId ?? tenantId ?? '',
  env,
];

const isAt = (row: KeyCountRow, after: readonly string[] | null): boolean =>
  after !== null && placeOf(row).join() === after.join();

type NewTerms = Omit<BodyOf<(typeof keyEndpoints)['POST /v1/keys']>, `${string}_id` | 'env'>;

/** Returns the optional fields of a created or imported key. */
const termsIn = ({ name, scopes, meta, rate_limits, expires_at }: NewTerms) => ({
  name: name ?? null,
  scopes: scopes ?? [],
  meta: meta ?? {},
  rateLimits: rate_limits ?? null,
  expiresAt: expires_at ?? null,
});

const endpoints = { ...keyEndpoints, ...keyImportEndpoints };

export type KeyParts = { hub: PolicyHub; revokeWaitMsMax: number; signReceipt: SignReceipt };

export const keyRoutes = (
  { hub, revokeWaitMsMax: waitMsMax, signReceipt }: KeyParts,
  sharePoll = shared<KnownNode[]>(),
): ServedRoute[] =>
  serve(endpoints, {
    'POST /v1/keys': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, body }) =>
        write(
          (tx) =>
            createKey(tx, {
              projectId: body.project_id,
              tenantId: body.tenant_id,
              env: body.env,
              ...termsIn(body),
            }),
          presentCreated,
        ),
    },
    'POST /v1/keys/import': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      patience: 'stepped',
      run: ({ write, body }) =>
        write(
          (tx) =>
            importKeys(tx, {
              projectId: body.project_id,
              env: body.env,
              keys: body.keys.map((key) => ({
                tenantId: key.tenant_id,
                tenantExternalId: key.tenant_external_id,
                lookupHash: key.lookup_hash,
                displayPrefix: key.display_prefix,
                ...termsIn(key),
              })),
            }),
          presentImported,
        ),
    },
    'GET /v1/keys': {
      boundary: 'rows',
      door: 'read',
      run: ({ read, query, after }) => {
        const filter = {
          projectId: query.project_id,
          tenantId: query.tenant_id,
          env: query.env,
          includeRevoked: query.include_revoked,
          state: query.state,
          unusedDays: query.unused_days,
          ids: query.id,
          q: query.q,
        };
        return notedPageOf(query.limit, {
          workspaceId: read.reach.workspaceId,
          list: (size) => listKeys(read, { filter, after: positionOf(after) }, size),
          present: presentKey,
        });
      },
    },
    'GET /v1/keys/counts': {
      boundary: 'rows',
      door: 'read',
      run: ({ read, query: { by, id: ids, env, limit }, after }) =>
        pageOf(limit, {
          list: async (most) => {
            const counts = await readKeyCounts(read, { by, ids, env });
            const begin = counts.findIndex((row) => isAt(row, after)) + 1;
            return counts.slice(begin, begin + most);
          },
          present: presentKeyCount,
          next: placeOf,
        }),
    },
    'GET /v1/keys/{id}': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, params }) => presentKey(await loadKey(read, params.id)),
    },
    'PATCH /v1/keys/{id}': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      plan: ({ params, body }) => {
        const patch = {
          name: body.name,
          scopes: body.scopes,
          meta: body.meta,
          rateLimits: body.rate_limits,
          expiresAt: body.expires_at,
        };
        return planned((tx) => updateKey(tx, { id: params.id, patch }), presentKey);
      },
    },
    'POST /v1/keys/{id}/rotate': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      plan: ({ params, body }) =>
        planned(
          (tx) => rotateKey(tx, { id: params.id, overlapHours: body.overlap_hours }),
          presentRotated,
        ),
    },
    'POST /v1/keys/{id}/revoke': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'allow',
      storage: 'reserve',
      goesFirst: true,
      patience: 'stepped',
      plan: ({ params, body, ...asked }) =>
        planned(
          (tx) => revokeKey(tx, { id: params.id, reason: body.reason ?? null }),
          presentChanged,
          onceAwaited('revoked', { hub, waitMsMax, sharePoll, signReceipt }, asked),
        ),
    },
    'POST /v1/keys/{id}/disable': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'allow',
      storage: 'reserve',
      goesFirst: true,
      patience: 'stepped',
      plan: ({ params, body, ...asked }) =>
        planned(
          (tx) => disableKey(tx, { id: params.id, reason: body.reason ?? null }),
          presentChanged,
          onceAwaited('disabled', { hub, waitMsMax, sharePoll, signReceipt }, asked),
        ),
    },
    'POST /v1/keys/{id}/enable': {
      boundary: 'rows',
      door: 'write',
      whenQuarantined: 'refuse',
      run: ({ write, params }) => write((tx) => enableKey(tx, { id: params.id }), presentKey),
    },
    'POST /v1/keys/explain': {
      boundary: 'rows',
      door: 'record',
      run: async ({ record, body }) => {
        const { key: text, key_id: id, project_id: projectId, env, scopes = [], at } = body;
        const key = text === undefined ? { id: id ?? '' } : { text };
        const question = { key, projectId, env, scopes, at };
        return presentExplanation(await record.together((tx) => explainKey(tx, question)));
      },
    },
    'GET /v1/keys/{id}/usage': {
      boundary: 'rows',
      door: 'read',
      run: async ({ read, params, query }) =>
        presentKeyUsage(await readKeyUsage(read, { id: params.id, days: query.days })),
    },
  });

type Waiting = Omit<Parameters<typeof awaitNodes>[2], 'signal'> & Pick<KeyParts, 'signReceipt'>;
type Asked = { read: Read; query: { wait: boolean }; gone(): AbortSignal };

/** Returns the revoked or disabled key, and the change that nodes must apply. */
const presentChanged = (key: KeyRow) => ({ shown: presentKey(key), change: keyChangeOf(key) });

/**
 * The response to revoking or disabling a key: sent immediately, or once nodes have applied the
 * change.
 */
const onceAwaited =
  (kind: ReceiptChange, { signReceipt, ...waiting }: Waiting, { read, query, gone }: Asked) =>
  async ({ shown, change }: ReturnType<typeof presentChanged>) => {
    if (!query.wait) return shown;
    const propagation = await awaitNodes(read, change, { ...waiting, signal: gone() });
    const facts = await findReceiptFacts(read, { id: shown.id, change: kind });
    const receipt = facts && (await signReceipt(presentReceipt(shown, propagation, facts), facts));
    return presentAwaited(shown, propagation, receipt);
  };
