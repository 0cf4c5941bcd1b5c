// Guides the user from an empty workspace to a verified request. A step counts as done once the
// server has seen its result.
import { type ReactNode, useState } from 'react';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { type Scope, useScope } from '../../shell/scope.ts';
import { durationText } from '../../ui/content/spans.ts';
import { Time } from '../../ui/content/time.tsx';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { type Step, Steps } from '../../ui/feedback/steps.tsx';
import { SetUp } from './set-up.tsx';
import { type Signals, useSignals } from './signals.ts';
import styles from './start.module.css';
import { texts } from './texts.ts';

export function Screen() {
  const signals = useSignals();
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Loaded query={signals} failed={texts.failed} skeleton={<SkeletonRows rows={4} />}>
        {(seen) => <GetStarted seen={seen} />}
      </Loaded>
    </Page>
  );
}

function GetStarted({ seen }: { seen: Signals }) {
  const scope = useScope();
  const done = [seen.hasKey, seen.hasNode, seen.firstRequestAt !== null, seen.isRevoked];
  const current = done.indexOf(false);
  const contents = [
    setUpStep(seen, scope),
    nodeStep(seen, scope),
    requestStep(seen),
    revokeStep(seen, scope),
  ];
  const steps = contents.map(
    (step, at): Step => ({
      ...step,
      state: done[at] ? 'done' : at === current ? 'current' : 'next',
    }),
  );
  return (
    <div className={styles.steps}>
      <ReadOnly />
      <Steps label={texts.steps} steps={steps} />
      {current === -1 && (
        <div className={styles.finished} role="status">
          <p>{texts.finished}</p>
          <LinkButton kind="primary" to={paths.overview({ slug: scope.slug, env: 'test' })}>
            {texts.toOverview}
          </LinkButton>
        </div>
      )}
    </div>
  );
}

type Content = Omit<Step, 'state'>;

function setUpStep({ hasKey }: Signals, { mayChange }: Scope): Content {
  const { title, note, done, member } = texts.setUp;
  return {
    id: 'set-up',
    title,
    note: hasKey ? done : note,
    content: hasKey ? (
      mayChange && <Another />
    ) : mayChange ? (
      <SetUp />
    ) : (
      <p className={styles.quiet}>{member}</p>
    ),
  };
}

function Another() {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <SetUp onCreated={() => setOpen(false)} />;
  return (
    <div>
      <Button icon="plus" onClick={() => setOpen(true)}>
        {texts.setUp.another}
      </Button>
    </div>
  );
}

function nodeStep({ hasKey, hasNode, nodes }: Signals, { mayChange }: Scope): Content {
  const { title, waiting, waitingNote, lost, done, before, later } = texts.node;
  const doneNote = nodes > 0 ? done(nodes) : before;
  return {
    id: 'node',
    title,
    note: hasNode ? doneNote : hasKey ? waitingNote : later,
    content: !hasNode && hasKey && (
      <Waiting says={waiting}>{mayChange && <p className={styles.quiet}>{lost}</p>}</Waiting>
    ),
  };
}

function requestStep({ hasNode, firstRequestAt, latencyMs }: Signals): Content {
  const { title, waiting, waitingNote, first, latency, later } = texts.request;
  const seen = firstRequestAt !== null && (
    <>
      {first} <Time at={firstRequestAt} />
      {latencyMs === null ? '.' : latency(durationOf(latencyMs))}
    </>
  );
  return {
    id: 'request',
    title,
    note: seen || (hasNode ? waitingNote : later),
    content: !seen && hasNode && <Waiting says={waiting} />,
  };
}

const durationOf = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : durationText(Math.round(ms));

function revokeStep({ firstRequestAt, isRevoked, key }: Signals, { slug }: Scope): Content {
  const { title, note, action, done, later } = texts.revoke;
  const isNext = firstRequestAt !== null && !isRevoked;
  return {
    id: 'revoke',
    title,
    note: isRevoked ? done : isNext ? note : later,
    content: isNext && key && (
      <div>
        <LinkButton kind="primary" to={paths.key({ slug, env: 'test', keyId: key.id })}>
          {action}
        </LinkButton>
      </div>
    ),
  };
}

/** Shown while a step waits for a signal from the server. */
const Waiting = ({ says, children }: { says: string; children?: ReactNode }) => (
  <>
    <p className={styles.waiting} role="status">
      <span className={styles.light} aria-hidden="true" />
      {says}
    </p>
    {children}
  </>
);
