// Shows the code that connects a node to a project. The code contains the URL at which the
// dashboard was opened.
import { Snippet } from '../../ui/content/snippet.tsx';
import { connectSnippets } from './frameworks.ts';

const label = 'Framework';

export const Connect = ({ projectId }: { projectId: string }) => (
  <Snippet label={label} texts={connectSnippets({ url: location.origin, projectId })} />
);
