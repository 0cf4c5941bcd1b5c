// Submits the form. Creates a new project and tenant if necessary, then the key. Each request has
// its own idempotency key.
import type { Answer } from '@keyrail/client';
import { useRef, useState } from 'react';
import { useChange } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import type { Env } from '../../paths.ts';
import { bodyOf, type Chosen, type NewKey } from './form.ts';

/** The request that failed, and its error. */
export type Failure = { at: 'project' | 'tenant' | 'key'; error: Error };

/**
 * `onExists` is called whenever a project or tenant has been created, even if creating the key then
 * fails.
 */
export function useCreateKey(env: Env, onExists: (chosen: Chosen, id: string) => void) {
  const project = useChange('POST /v1/projects', { refreshes: ['/v1/projects'] });
  const tenant = useChange('POST /v1/tenants', { refreshes: ['/v1/tenants'] });
  const key = useChange('POST /v1/keys', { refreshes: ['/v1/keys', '/v1/workspace/summary'] });
  const isRunning = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);

  /** Returns null if a request failed, or if an earlier call is still running. */
  const createKey = async (form: NewKey): Promise<Answer<'POST /v1/keys'> | null> => {
    if (isRunning.current) return null;
    isRunning.current = true;
    setBusy(true);
    setFailure(null);
    const sent = { ...form };
    let at: Failure['at'] = 'project';
    try {
      if (sent.project?.id === null) {
        const { label: name, reference: slug } = sent.project;
        const { id } = await project.mutateAsync({ body: { name, slug } });
        onExists(sent.project, id);
        sent.project = { ...sent.project, id };
      }
      at = 'tenant';
      if (sent.tenant?.id === null) {
        const { id } = await tenant.mutateAsync({ body: { external_id: sent.tenant.reference } });
        onExists(sent.tenant, id);
        sent.tenant = { ...sent.tenant, id };
      }
      at = 'key';
      return await key.mutateAsync({ body: bodyOf(sent, env, nowMs()) });
    } catch (thrown) {
      setFailure({ at, error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
      return null;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  const forget = (what: Failure['at']) => setFailure((now) => (now?.at === what ? null : now));
  return { createKey, isBusy, failure, forget };
}
