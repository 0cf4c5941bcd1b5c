// A secret key's details.
import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useApi } from '../../api/query.ts';
import { nameOf, type SecretKey } from '../../parts/secret-key/secret-key.ts';
import { texts as keyTexts } from '../../parts/secret-key/texts.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { Card } from '../../ui/content/card.tsx';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { texts } from './texts.ts';

/** `successorId` is the ID of the key that replaced this one, or null. */
export function KeyFacts({ of: key, successorId }: { of: SecretKey; successorId: string | null }) {
  const { facts } = texts;
  const { rotated_from: previous, authority } = key;
  return (
    <Card title={facts.title}>
      <Facts
        facts={[
          {
            name: facts.prefix,
            value: <KeyText text={key.display_prefix} of={facts.prefix} />,
          },
          { name: facts.id, value: <KeyText text={key.id} of={facts.id} /> },
          {
            name: facts.role,
            value: authority === null ? keyTexts.notRecorded : en.roles[authority],
          },
          { name: facts.by, value: <Creator of={key} /> },
          { name: facts.created, value: <Time at={key.created_at} /> },
          { name: facts.used, value: <Time at={key.last_used_at} never={keyTexts.never} /> },
          { name: facts.expires, value: <Time at={key.expires_at} never={keyTexts.never} /> },
          ...(previous === null
            ? []
            : [{ name: facts.replaces, value: <OtherKey id={previous} /> }]),
          ...(successorId === null
            ? []
            : [{ name: facts.replacedBy, value: <OtherKey id={successorId} /> }]),
        ]}
      />
    </Card>
  );
}

/** A rotation keeps the key's name, so only the prefix tells two keys apart. */
function OtherKey({ id }: { id: string }) {
  const scope = useScope();
  const key = useApi('GET /v1/secret_keys/{id}', { params: { id } });
  if (!key.data) return null;
  return (
    <Link to={paths.secretKey({ ...scope, secretKeyId: id })}>
      <code translate="no">{key.data.display_prefix}…</code>
    </Link>
  );
}

/** The member or secret key that created this secret key. */
function Creator({ of: { created_by: id } }: { of: SecretKey }) {
  const scope = useScope();
  const query = { limit: LIST_LIMIT_MAX };
  const enabled = id !== null;
  const members = useApi('GET /v1/members', { query }, { enabled });
  const keys = useApi('GET /v1/secret_keys', { query }, { enabled });
  if (id === null) return keyTexts.notRecorded;
  const member = members.data?.data.find(({ user_id }) => user_id === id);
  if (member) return member.name ?? member.email;
  const key = keys.data?.data.find((one) => one.id === id);
  if (key) return <Link to={paths.secretKey({ ...scope, secretKeyId: id })}>{nameOf(key)}</Link>;
  return members.data && keys.data ? keyTexts.former : null;
}
