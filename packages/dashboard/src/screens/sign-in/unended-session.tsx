// Shown after signing out if the server may not have received the request.
import { useState } from 'react';
import { endForgotten, useUnendedSession } from '../../api/sign-out.ts';
import { en } from '../../texts/en.ts';
import { absoluteTime } from '../../ui/content/spans.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { texts } from './texts.ts';

export function UnendedSession() {
  const unended = useUnendedSession();
  const [isBusy, setBusy] = useState(false);
  if (unended === null) return null;
  const { untilMs } = unended;
  const retry = async () => {
    setBusy(true);
    if (await endForgotten(unended)) toast(texts.ended);
    setBusy(false);
  };
  return (
    <Notice
      action={
        <Button small busy={isBusy} onClick={() => void retry()}>
          {en.tryAgain}
        </Button>
      }
    >
      {texts.unended(untilMs === null ? null : absoluteTime(new Date(untilMs)))}
    </Notice>
  );
}
