// Shown when a screen throws an error. The URL stays the same, and the ID of the last request is
// shown to help find the cause.
import { KeyrailError } from '@keyrail/client';
import { requestIdOfLast } from '../api/client.ts';
import { en } from '../texts/en.ts';
import { KeyText } from '../ui/content/secret.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Empty } from '../ui/feedback/empty.tsx';

export function Crash({ error }: { error: unknown }) {
  const own = error instanceof KeyrailError ? error.requestId : null;
  const requestId = own ?? requestIdOfLast();
  return (
    <Empty
      icon="warning"
      title={en.crash.title}
      rank={1}
      isList={false}
      action={
        <Button kind="primary" onClick={() => location.reload()}>
          {en.crash.reload}
        </Button>
      }
      link={<a href="/">{en.crash.home}</a>}
    >
      {en.crash.text}
      {requestId && (
        <>
          {' '}
          {en.crash.last} <KeyText text={requestId} of={en.crash.requestId} />
        </>
      )}
    </Empty>
  );
}
