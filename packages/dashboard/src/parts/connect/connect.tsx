// How to connect a node to a project. The code uses the URL in the browser's address bar.
import { Snippet } from '../../ui/content/snippet.tsx';
import { connectSnippets } from './frameworks.ts';

const label = 'Framework';

export const Connect = ({ projectId }: { projectId: string }) => (
  <Snippet label={label} texts={connectSnippets({ url: location.origin, projectId })} />
);
