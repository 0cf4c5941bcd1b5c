// Skeletons, empty lists, errors and steps.
import { KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import { Button } from '../../src/ui/controls/button.tsx';
import { Empty } from '../../src/ui/feedback/empty.tsx';
import { Problem, Warning } from '../../src/ui/feedback/problem.tsx';
import { SkeletonCards, SkeletonRows } from '../../src/ui/feedback/skeleton.tsx';
import { Steps } from '../../src/ui/feedback/steps.tsx';
import { Block } from './block.tsx';

const conflict = new KeyrailError({
  status: 409,
  code: 'conflict',
  message: 'The key is revoked.',
  details: [],
  missingScopes: [],
  requestId: '01902a3b-4c5d-7e8f',
  retryAfterMs: null,
  outcome: null,
  body: null,
});

export const Messages = () => (
  <>
    <Block name="Skeleton">
      <div>
        <SkeletonRows rows={3} />
      </div>
      <div>
        <SkeletonCards cards={2} />
      </div>
    </Block>
    <Block name="Empty">
      <div>
        <Empty
          icon="key"
          title="No keys yet"
          action={<Button kind="primary">Create key</Button>}
          link={<a href="/docs">How keys work</a>}
        >
          A key lets one of your tenants call your API. This list shows what each key can do and
          when it was last used.
        </Empty>
      </div>
    </Block>
    <Block name="Problem, Warning">
      <div>
        <Problem error={conflict} title="Couldn’t rotate the key." onRetry={() => {}} />
      </div>
      <div>
        <Problem error={new KeyrailUnreachable('timeout', 'late')} />
      </div>
      <Warning action={<Button small>Secret keys</Button>}>
        A node polls with a secret key that can do more than it needs.
      </Warning>
    </Block>
    <Block name="Steps">
      <Steps
        label="Get started"
        steps={[
          { id: 'key', title: 'Create a key', state: 'done' },
          {
            id: 'node',
            title: 'Connect a node',
            state: 'current',
            note: 'Waiting for a node…',
          },
          { id: 'request', title: 'Watch a request arrive', state: 'next' },
        ]}
      />
    </Block>
  </>
);
