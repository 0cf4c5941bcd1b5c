// How to connect a program to a project. The address is the one that people see in the browser.
import { Snippet } from '../../ui/content/snippet.tsx';
import { connectSnippets } from './frameworks.ts';

const label = 'Framework';

export const Connect = ({ projectId }: { projectId: string }) => (
  <Snippet label={label} texts={connectSnippets({ url: location.origin, projectId })} />
);
