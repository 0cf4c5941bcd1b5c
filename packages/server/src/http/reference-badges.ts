// Small coloured words: methods and statuses.
import { type Html, html } from './reference-html.ts';

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

export const statusBadge = (status: string): Html =>
  html`<span class="status s${status.slice(0, 1)}">${status}</span>`;
