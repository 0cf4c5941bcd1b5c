// A screen that threw: the address is kept, and the id of the last request helps to find the cause.
import { KeyrailError } from '@keyrail/client';
import { en } from '../texts/en.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { KeyText } from '../ui/secret.tsx';

export const Crash = ({ error }: { error: unknown }) => (
  <Empty
    icon="warning"
    rank={1}
    title={en.crash.title}
    action={
      <Button kind="primary" onClick={() => location.reload()}>
        {en.crash.reload}
      </Button>
    }
    link={<a href="/">{en.crash.home}</a>}
  >
    {en.crash.text}
    {error instanceof KeyrailError && error.requestId && (
      <KeyText text={error.requestId} of={en.problem.request} />
    )}
  </Empty>
);
