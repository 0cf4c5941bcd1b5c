// The build compiles JSX to calls of these, which is shorter than the automatic form.
import { Fragment, h } from 'preact';

export const element = h;
export const fragment = Fragment;
