// The build writes elements as calls of these: shorter than the automatic form.
import { Fragment, h } from 'preact';

export const element = h;
export const fragment = Fragment;
