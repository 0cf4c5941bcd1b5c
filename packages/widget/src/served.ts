// The entry of /widget.js: the element, set up for the deployment that serves the script.
import { defineKeyrailKeys } from './element.ts';

defineKeyrailKeys(new URL('.', import.meta.url).href);
