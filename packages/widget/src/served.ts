// The entry point of /widget.js. It defines the element for the deployment that serves the script.
import { defineKeyrailKeys } from './element.ts';

defineKeyrailKeys(new URL('.', import.meta.url).href);
