// Narrows a secret key's permissions and limits, after showing which permissions the key would lose
// and whether it has used them recently.
import { KeyrailError } from '@keyrail/client';
import type { Permission } from '@keyrail/protocol/wire/permissions.ts';
import { useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { useChange } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { classes } from '../../ui/classes.ts';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { DateTime } from '../../ui/controls/date-time.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { fieldErrors, Problem } from '../../ui/feedback/problem.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { LimitsFields } from './limits-fields.tsx';
import { formOf, lostOf, type NarrowForm, patchOf, whyNotNarrowed } from './narrowing.ts';
import { PermissionBoxes } from './permission-boxes.tsx';
import { permissionTexts } from './permission-texts.ts';
import { SecretImpact } from './secret-impact.tsx';
import styles from './secret-key.module.css';
import { heldBy, nameOf, type SecretKey, STALE } from './secret-key.ts';
import { texts } from './texts.ts';
import { type Uses, useUses } from './use-uses.ts';

const { narrowing: words } = texts;

export function NarrowDialog({ secretKey, onClose }: { secretKey: SecretKey; onClose(): void }) {
  const params = { id: secretKey.id };
  const [form, setForm] = useState(() => formOf(secretKey));
  // Networks are only checked once the user has finished typing them.
  const [typed, setTyped] = useState(form.limits.networks);
  const { usage, uses } = useUses(secretKey.id);
  const checked = { ...form, limits: { ...form.limits, networks: typed } };
  const why = whyNotNarrowed(secretKey, form);
  const isForeseen = whyNotNarrowed(secretKey, checked) === null;
  const impact = useImpact(
    'PATCH /v1/secret_keys/{id}',
    { params, body: patchOf(secretKey, checked) },
    { enabled: isForeseen },
  );
  const narrow = useChange('PATCH /v1/secret_keys/{id}', { refreshes: STALE });
  const error = narrow.error ?? (isForeseen ? impact.error : null);
  const confirm = () =>
    narrow.mutate(
      { params, body: patchOf(secretKey, form) },
      thenClose(onClose, words.done(nameOf(secretKey))),
    );
  return (
    <FormDialog
      kind="sheet"
      title={words.title(nameOf(secretKey))}
      action={words.action(secretKey.env)}
      because={why}
      change={narrow}
      onSubmit={confirm}
      onClose={onClose}
    >
      <KeyText text={secretKey.display_prefix} />
      <p>{words.text}</p>
      {usage.error && (
        <Problem error={usage.error} title={texts.usage.failed} onRetry={usage.refetch} />
      )}
      <Fields
        of={secretKey}
        form={form}
        uses={uses}
        errors={fieldErrors(error)}
        onForm={setForm}
        onNetworks={() => setTyped(form.limits.networks)}
      />
      {isForeseen && (
        <section className={styles.taken}>
          <Lost permissions={lostOf(secretKey, form)} uses={uses} />
          {isRefused(impact.error) ? (
            <Problem error={impact.error} />
          ) : (
            <SecretImpact impact={impact} nodes={texts.impact.nodesNarrowed} />
          )}
          <p>{words.effect}</p>
        </section>
      )}
    </FormDialog>
  );
}

/** Whether the server rejected the change, so that trying again won't help. */
const isRefused = (error: Error | null): error is KeyrailError =>
  error instanceof KeyrailError && error.status < 500;

type FieldsProps = {
  of: SecretKey;
  form: NarrowForm;
  uses: Uses | undefined;
  errors: Readonly<Record<string, string>>;
  onForm(form: NarrowForm): void;
  onNetworks(): void;
};

function Fields({ of: key, form, uses, errors, onForm, onNetworks }: FieldsProps) {
  const put = (changes: Partial<NarrowForm>) => onForm({ ...form, ...changes });
  const used = form.permissions.filter((one) => uses?.has(one));
  return (
    <>
      <PermissionBoxes
        label={words.permissions}
        offered={heldBy(key)}
        chosen={form.permissions}
        noteOf={(one) => (
          <Use at={uses?.get(one) ?? null} isLost={!form.permissions.includes(one)} />
        )}
        onChosen={(permissions) => put({ permissions })}
      />
      <div>
        <Button
          small
          because={whyNoneRemoved(form, used, uses)}
          onClick={() => put({ permissions: used })}
        >
          {words.removeUnused}
        </Button>
      </div>
      <LimitsFields
        limits={form.limits}
        among={key.project_ids}
        errors={errors}
        onLimits={(limits) => put({ limits })}
        onNetworks={onNetworks}
      />
      <Field label={words.expires} hint={words.expiresHint} error={errors.expires_at}>
        {(control) => (
          <DateTime
            control={control}
            value={form.expiresAt}
            min={new Date(nowMs()).toISOString()}
            onValue={(expiresAt) => put({ expiresAt })}
          />
        )}
      </Field>
    </>
  );
}

function whyNoneRemoved(
  { permissions }: NarrowForm,
  used: readonly Permission[],
  uses: Uses | undefined,
): string | null {
  if (!uses) return words.notLoaded;
  if (used.length === 0) return words.noneUsed;
  return used.length === permissions.length ? words.allUsed : null;
}

const Use = ({ at, isLost }: { at: string | null; isLost: boolean }) =>
  at !== null && (
    <span className={isLost ? styles.inUse : styles.used}>
      {words.lastUsed} <Time at={at} />
    </span>
  );

/** The permissions that the key would lose, with a warning about those it has used recently. */
function Lost({
  permissions,
  uses,
}: {
  permissions: readonly Permission[];
  uses: Uses | undefined;
}) {
  if (permissions.length === 0) return null;
  return (
    <>
      <p>{words.loses}</p>
      <ul className={styles.lines}>
        {permissions.map((one) => {
          const at = uses?.get(one) ?? null;
          return (
            <li key={one} className={classes(at !== null && styles.inUse)}>
              <Icon name={at === null ? 'close' : 'warning'} />
              <span>
                {permissionTexts[one]}
                {at !== null && ', '}
                <Use at={at} isLost />
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
