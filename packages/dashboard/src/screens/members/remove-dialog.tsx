// Removes a member, after showing the secret keys that the member created and asking whether to
// revoke them.
import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useState } from 'react';
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
        {({ keys, capped }) =>
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

/** The member's active secret keys, and the keys created with them, which are never revoked. */
function CreatedKeys({ member, count, capped }: CreatedKeysProps) {
  const keys = useList('GET /v1/secret_keys', { query: { limit: LIST_LIMIT_MAX } });
  return (
    <div className={styles.created}>
      <p>{removing.created(count, capped)}</p>
      <Loaded
        query={asQuery(keys)}
        failed={removing.failedKeys}
        skeleton={<SkeletonRows rows={2} />}
      >
        {(pages) => {
          const all = pages.flat();
          const own = all.filter((one) => one.created_by === member.user_id);
          const active = own.filter(isActive);
          const others = madeWith(own, all).filter(isActive);
          const shown = active.slice(0, KEYS_SHOWN);
          return (
            <>
              <ul>
                {shown.map((one) => (
                  <KeyLine key={one.id} of={one} />
                ))}
                {shown.length > 0 && count > shown.length && (
                  <li>{removing.more(count - shown.length, capped)}</li>
                )}
              </ul>
              <p>{others.length === 0 ? removing.noneWithKeys : removing.withKeys}</p>
              {others.length > 0 && (
                <ul>
                  {others.slice(0, KEYS_SHOWN).map((one) => (
                    <KeyLine key={one.id} of={one} />
                  ))}
                </ul>
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

const isActive = ({ state }: SecretKey): boolean => state !== 'revoked' && state !== 'expired';

/** The keys created with these keys, the keys created with those, and so on. */
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
