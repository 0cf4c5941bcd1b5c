// Shows an error: what it means, what to do, and the request ID to give to support.
import type { ComponentChildren } from 'preact';
import type { Problem } from '../core/problems.ts';
import { useWidget } from './context.ts';
import { Icon } from './icons.tsx';

type Props = { of: Problem; children?: ComponentChildren };

export function ProblemBox({ of: { text, requestId }, children }: Props) {
  const { words } = useWidget();
  return (
    <div part="error" class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p>{text}</p>
        {requestId && <code class="request">{words['error.request'](requestId)}</code>}
      </div>
      {children && <div class="problem-actions">{children}</div>}
    </div>
  );
}
