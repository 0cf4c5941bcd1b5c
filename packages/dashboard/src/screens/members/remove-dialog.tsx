// Removes a member, after showing the secret keys that the member created and asking whether to
// revoke them.
import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useEffect, useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { useChange, useList } from '../../api/query.ts';
import type { SecretKey } from '../../parts/secret-key/secret-key.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Choices } from '../../ui/controls/choices.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import styles from './members.module.css';
import { type Member, nameOf, STALE } from './people.ts';
import { texts } from './texts.ts';

const KEYS_SHOWN = 20;
/** Only this many pages of the workspace's secret keys are searched. */
const PAGES_MAX = 5;

const { removing } = texts;

type Fate = 'keep' | 'revoke';

const fates = (['keep', 'revoke'] as const).map((value) => ({
  value,
  ...removing.fates[value],
}));

type Props = { member: Member; isSelf: boolean; onClose(): void };

export function RemoveDialog({ member, isSelf, onClose }: Props) {
  const params = { userId: member.user_id };
  const [fate, setFate] = useState<Fate>('keep');
  const impact = useImpact('DELETE /v1/members/{userId}', { params });
  const remove = useChange('DELETE /v1/members/{userId}', { refreshes: STALE });
  const name = nameOf(member);
  const confirm = () =>
    remove.mutate(
      { params, query: { secret_keys: fate } },
      {
        onSuccess: ({ revoked_secret_keys: revoked }) => {
          onClose();
          if (isSelf) void navigate(paths.workspaces);
          else toast(removing.done(name, revoked));
        },
      },
    );
  return (
    <Confirm
      title={isSelf ? removing.leaveTitle : removing.title(name)}
      action={isSelf ? removing.leaveAction : removing.action(name)}
      change={remove}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Loaded query={impact} failed={removing.failed} skeleton={<SkeletonRows rows={2} />}>
        {({ active_keys: keys, capped }) =>
          keys === 0 && !capped ? (
            <p>{removing.none}</p>
          ) : (
            <>
              <CreatedKeys member={member} count={keys} capped={capped} />
              <Choices<Fate> label={removing.fate} value={fate} options={fates} onValue={setFate} />
            </>
          )
        }
      </Loaded>
      <p>{removing.text}</p>
    </Confirm>
  );
}

type CreatedKeysProps = { member: Member; count: number; capped: boolean };

/**
 * The member's active secret keys, and other active keys that were created with them. These other
 * keys are never revoked.
 */
function CreatedKeys({ member, count, capped }: CreatedKeysProps) {
  const { query, isWhole } = useSecretKeys();
  return (
    <div className={styles.created}>
      <p>{removing.created(count, capped)}</p>
      <Loaded query={query} failed={removing.failedKeys} skeleton={<SkeletonRows rows={2} />}>
        {(all) => {
          const own = all.filter((one) => one.created_by === member.user_id);
          const others = madeWith(own, all).filter(isActive);
          return (
            <>
              <KeyLines of={own.filter(isActive)} count={count} capped={capped} />
              <p>{others.length === 0 ? removing.noneWithKeys : removing.withKeys}</p>
              <KeyLines of={others} count={others.length} capped={!isWhole} />
              {!isWhole && <p>{removing.searched(all.length)}</p>}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

/** The workspace's secret keys. The list can't be filtered by who created them. */
function useSecretKeys() {
  const list = useList('GET /v1/secret_keys', { query: { limit: LIST_LIMIT_MAX } });
  const { pages = [], hasMore, isLoadingMore, loadMore, error } = list;
  const isLoading = hasMore && pages.length < PAGES_MAX;
  const loadsNext = isLoading && !isLoadingMore && error === null;
  useEffect(() => {
    if (loadsNext) loadMore();
  }, [loadsNext, loadMore]);
  const query = { ...asQuery(list), data: isLoading ? undefined : list.pages?.flat() };
  return { query, isWhole: !hasMore };
}

type KeyLinesProps = { of: readonly SecretKey[]; count: number; capped: boolean };

/** Lists the first few keys, and says how many more there are. `count` is the total. */
function KeyLines({ of: keys, count, capped }: KeyLinesProps) {
  const shown = keys.slice(0, KEYS_SHOWN);
  if (count === 0) return null;
  return (
    <ul>
      {shown.map((one) => (
        <KeyLine key={one.id} of={one} />
      ))}
      {count > shown.length && <li>{removing.more(count - shown.length, capped)}</li>}
    </ul>
  );
}

const isActive = ({ state }: SecretKey): boolean => state !== 'revoked' && state !== 'expired';

/** The keys that were created with `keys`, directly or through other keys. */
function madeWith(keys: readonly SecretKey[], all: readonly SecretKey[]): SecretKey[] {
  const found = new Set(keys);
  // The loop also visits entries that it adds to the set.
  for (const { id } of found) {
    for (const one of all) if (one.created_by === id) found.add(one);
  }
  return [...found].filter((one) => !keys.includes(one));
}

function KeyLine({ of: key }: { of: SecretKey }) {
  const scope = useScope();
  const { id, name, env, display_prefix, last_used_at: at } = key;
  return (
    <li>
      <Link to={paths.secretKey({ ...scope, env, secretKeyId: id })}>
        {name ?? removing.unnamed}
      </Link>
      <KeyText text={display_prefix} />
      <span>
        {at === null ? (
          removing.unused
        ) : (
          <>
            {removing.used} <Time at={at} />
          </>
        )}
      </span>
    </li>
  );
}
