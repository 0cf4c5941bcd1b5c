// The build compiles JSX to calls to these functions, which results in shorter code than the
// automatic runtime.
import { Fragment, h } from 'preact';

export const element = h;
export const fragment = Fragment;
