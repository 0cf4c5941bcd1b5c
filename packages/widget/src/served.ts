// What the server sends at /widget.js: the element, for the deployment that sends it.
import { defineKeyrailKeys } from './element.ts';

defineKeyrailKeys(new URL('.', import.meta.url).href);
