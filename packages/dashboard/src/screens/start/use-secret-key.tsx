// The secret key for the guide: the one created with the workspace, a pasted one, or otherwise a
// newly created one.
import { type ReactNode, useRef, useState } from 'react';
import type { useSend } from '../../api/query.ts';
import { firstSecretOf, holdFirstSecret } from '../../parts/first-secret.ts';
import { useScope } from '../../shell/scope.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Input } from '../../ui/controls/input.tsx';
import { createSecretKey, isTestSecret } from './create-first.ts';
import { texts } from './texts.ts';

type SecretKey = {
  /** Returns null if the pasted text isn't a secret key. The field then shows an error. */
  secretKeyOf(): Promise<string | null>;
  /**
   * The field for pasting a key. It isn't shown while the page still has the secret key in memory.
   */
  field: ReactNode;
};

export function useSecretKey(send: ReturnType<typeof useSend>): SecretKey {
  const { workspaceId } = useScope();
  const input = useRef<HTMLInputElement>(null);
  const [isWrong, setWrong] = useState(false);
  const secretKeyOf = async (): Promise<string | null> => {
    setWrong(false);
    const held = firstSecretOf(workspaceId);
    if (held !== null && (await isTestSecret(send, held))) return held;
    const pasted = input.current?.value.trim() ?? '';
    if (pasted !== '') {
      if (await isTestSecret(send, pasted)) return pasted;
      setWrong(true);
      input.current?.focus();
      return null;
    }
    const created = await createSecretKey(send);
    // Keep the new key, so that a retry after a failed request doesn't create another one.
    holdFirstSecret(workspaceId, created);
    return created;
  };
  const field = firstSecretOf(workspaceId) === null && (
    <Field
      label={texts.setUp.secret}
      hint={texts.setUp.secretHint}
      error={isWrong ? texts.setUp.wrongSecret : null}
      optional
    >
      {(control) => <Input {...control} mono ref={input} autoCapitalize="off" data-private />}
    </Field>
  );
  return { secretKeyOf, field };
}
