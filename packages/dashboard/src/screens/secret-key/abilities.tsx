// What a secret key can do, and what it has used in the last 30 days.
import { groupsOf, permissionTexts } from '../../parts/secret-key/permission-texts.ts';
import { heldBy, type SecretKey } from '../../parts/secret-key/secret-key.ts';
import { texts as keyTexts } from '../../parts/secret-key/texts.ts';
import { useUses } from '../../parts/secret-key/use-uses.ts';
import { en } from '../../texts/en.ts';
import { Card } from '../../ui/content/card.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import styles from './secret-key.module.css';
import { texts } from './texts.ts';

export function Abilities({ of: key }: { of: SecretKey }) {
  const { usage, uses } = useUses(key.id);
  const words = keyTexts.usage;
  return (
    <Card title={texts.abilities.title} lead={leadOf(key)}>
      {usage.error && <Problem error={usage.error} title={words.failed} onRetry={usage.refetch} />}
      <dl className={styles.groups}>
        {groupsOf(heldBy(key)).map(({ name, permissions }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <ul>
                {permissions.map((one) => (
                  <li key={one}>
                    <span>{permissionTexts[one]}</span>
                    <code translate="no">{one}</code>
                    {uses && <Use at={uses.get(one) ?? null} />}
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function leadOf({ permissions, profile, authority }: SecretKey): string {
  const { all, profiles, some } = texts.abilities;
  const role = authority === null ? keyTexts.notRecorded : en.roles[authority];
  if (permissions === null) return all(role.toLowerCase());
  return profile === null ? some : profiles[profile];
}

const Use = ({ at }: { at: string | null }) =>
  at === null ? (
    <span className={styles.unused}>{keyTexts.usage.unused}</span>
  ) : (
    <span className={styles.used}>
      {keyTexts.usage.used} <Time at={at} />
    </span>
  );
