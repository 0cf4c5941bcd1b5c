// If part of the page throws an error, shows a message in its place until the user goes to another
// page.
import { Component, type ReactNode } from 'react';
import { Crash } from './crash.tsx';

type Props = { at: unknown; children: ReactNode };
type State = { at: unknown; failure: { error: unknown } | null };

export class Boundary extends Component<Props, State> {
  override state: State = { at: this.props.at, failure: null };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ at }: Props, state: State): State | null {
    return at === state.at ? null : { at, failure: null };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    return failure ? <Crash error={failure.error} /> : this.props.children;
  }
}
