// Shows the code that connects a node to a project. The server's URL in the code is the one the
// dashboard was loaded from.
import { Snippet } from '../../ui/content/snippet.tsx';
import { connectSnippets } from './frameworks.ts';

const label = 'Framework';

export const Connect = ({ projectId }: { projectId: string }) => (
  <Snippet label={label} texts={connectSnippets({ url: location.origin, projectId })} />
);
