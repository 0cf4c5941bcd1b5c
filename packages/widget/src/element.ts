// The custom element: its attributes, properties, methods and events. The connection is open while
// the element is in the document. Removing the element stops all timers and requests, and removes
// all listeners.
import { h, render } from 'preact';
import { Connection } from './core/connection.ts';
import type { ConnectionState, Ending } from './core/session.ts';
import { ownUrl, tokenSource } from './core/token-source.ts';
import { App, type Fault } from './screens/app.tsx';
import type { Commands } from './screens/keys.tsx';
import { ATTRIBUTES, type Settings, settingsOf } from './settings.ts';
import { openRoot } from './shadow-root.ts';
import { en } from './texts/en.ts';
import { type Texts, wordsFor } from './texts/texts.ts';
import type { GetToken, KeyrailKeysEvents, Transport } from './types.ts';

export const NAME = 'keyrail-keys';

/**
 * How long the page has to set the required properties before the element says which one is
 * missing.
 */
const SETUP_MS = 1000;
const PROPERTIES = ['getToken', 'texts', 'transport', 'url'] as const;

/** An empty class when the page is rendered on a server, which has no HTMLElement. */
const Base = globalThis.HTMLElement ?? class {};

let deploymentUrl: string | null = null;

const NOTHING: ConnectionState = { session: null, ending: null };

/** `<keyrail-keys>`: view, create, rotate and revoke the keys of one tenant. */
export class KeyrailKeysElement extends Base {
  static readonly observedAttributes = ATTRIBUTES;

  #getToken: GetToken | null = null;
  #texts: Texts = {};
  #transport: Transport | null = null;
  #url: string | null = null;
  #root: HTMLElement | null = null;
  #life: AbortController | null = null;
  #connection: Connection | null = null;
  #opened: AbortController | null = null;
  /**
   * The settings that the connection was opened with. If one of them changes, a new connection is
   * opened.
   */
  #openedWith: readonly unknown[] = [];
  #state: ConnectionState = NOTHING;
  #commands: Commands | null = null;
  #wantsCreate = false;
  #fault: Fault | null = null;
  #isDrawing = false;

  /**
   * A function that fetches a token from your backend. It takes precedence over the attribute
   * `token-url`.
   */
  get getToken(): GetToken | null {
    return this.#getToken;
  }

  set getToken(value: GetToken | null | undefined) {
    this.#getToken = value ?? null;
    this.#update();
  }

  /** Your own texts for any of the UI strings. Use `scopes` to give your scopes readable names. */
  get texts(): Texts {
    return this.#texts;
  }

  set texts(value: Texts | null | undefined) {
    this.#texts = value ?? {};
    this.#update();
  }

  /** Used instead of `fetch`, for previews and tests. */
  get transport(): Transport | null {
    return this.#transport;
  }

  set transport(value: Transport | null | undefined) {
    this.#transport = value ?? null;
    this.#update();
  }

  /**
   * The deployment's URL, if it isn't where the script was loaded from. It can only be set from a
   * script, not through an attribute.
   */
  get url(): string | null {
    return this.#url;
  }

  set url(value: string | null | undefined) {
    this.#url = value ?? null;
    this.#update();
  }

  /** Reloads the keys. If the connection has stopped, a new token is requested first. */
  async refresh(): Promise<void> {
    if (this.#state.ending !== null) await this.#connection?.retry();
    await this.#commands?.reload();
  }

  /** Opens the dialog for creating a key, if the token allows that. */
  openCreate(): void {
    if (this.#commands) this.#commands.openCreate();
    else this.#wantsCreate = true;
  }

  connectedCallback(): void {
    this.#takeEarlyProperties();
    if (this.#life) return;
    const life = new AbortController();
    this.#life = life;
    const timer = setTimeout(() => {
      if (!this.#connection) this.#fault ??= 'error.setup';
      this.#update();
    }, SETUP_MS);
    life.signal.addEventListener('abort', () => clearTimeout(timer));
    this.#update();
  }

  disconnectedCallback(): void {
    // If the element was only moved within the page, it is already connected again by the time this
    // runs.
    queueMicrotask(() => {
      if (!this.isConnected) this.#end();
    });
  }

  attributeChangedCallback(): void {
    this.#update();
  }

  /** Applies properties that the page set before the script that defines the element had loaded. */
  #takeEarlyProperties(): void {
    for (const name of PROPERTIES) {
      if (!Object.hasOwn(this, name)) continue;
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  #end(): void {
    this.#life?.abort();
    this.#life = null;
    this.#close();
    this.#fault = null;
    if (this.#root) render(null, this.#root);
  }

  /** Closes the connection. The element stays in the document. */
  #close(): void {
    this.#opened?.abort();
    this.#connection = null;
    this.#openedWith = [];
    this.#state = NOTHING;
  }

  /** Renders the element. Several changes in a row are combined into one render. */
  #update(): void {
    if (this.#isDrawing || !this.#life) return;
    this.#isDrawing = true;
    queueMicrotask(() => {
      this.#isDrawing = false;
      if (!this.#life) return;
      const settings = settingsOf(this);
      this.#connect(settings);
      this.#draw(settings);
    });
  }

  #connect({ tokenUrl }: Settings): void {
    const url = this.#url || deploymentUrl;
    const wanted = [this.#getToken ?? tokenUrl, url, this.#transport];
    if (wanted.every((one, at) => one === this.#openedWith[at])) return;
    this.#close();
    this.#openedWith = wanted;
    this.#opened = new AbortController();
    const { signal } = this.#opened;
    const source = tokenSource(this.#getToken, tokenUrl && ownUrl(tokenUrl), signal);
    if (!source && tokenUrl) {
      this.#fault = 'error.token_url';
      console.error(NAME, en[this.#fault]);
    }
    if (!source || !url || !/^https?:\/\/./.test(url)) return;
    this.#fault = null;
    this.#connection = new Connection({
      url,
      source,
      signal,
      transport: this.#transport ?? fetch,
      onState: (state) => this.#show(state),
      onEnding: (ending, error) => this.#announce(ending, error),
    });
  }

  #show(state: ConnectionState): void {
    const isNew = state.session !== null && state.session !== this.#state.session;
    this.#state = state;
    this.#update();
    if (!isNew || state.session === null) return;
    const { scopes, test_mode } = state.session;
    this.#emit('ready', { scopes, test_mode });
  }

  #announce(ending: Ending, error: unknown): void {
    const code = ending === 'refused' ? 'invalid_token' : ending;
    const message = error instanceof Error ? error.message : code;
    this.#emit('error', { code, message, request_id: null });
    if (ending !== 'origin_not_allowed') this.#emit('token-expired', { reason: ending });
  }

  readonly #emit = <E extends keyof KeyrailKeysEvents>(
    name: E,
    detail: KeyrailKeysEvents[E]['detail'],
  ): void => {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  };

  readonly #onCommands = (commands: Commands | null): void => {
    this.#commands = commands;
    if (!commands || !this.#wantsCreate) return;
    this.#wantsCreate = false;
    commands.openCreate();
  };

  #draw({ lang, dir, theme, density, isReadOnly, pageSize }: Settings): void {
    const words = wordsFor(lang, dir ? { ...this.#texts, dir } : this.#texts);
    this.#root ??= openRoot(this);
    const root = this.#root;
    root.lang = words.lang;
    root.dir = words.dir;
    root.dataset.theme = theme;
    root.dataset.density = density;
    const shown = {
      words,
      isReadOnly,
      pageSize,
      fault: this.#fault,
      connection: this.#connection,
      state: this.#state,
      emit: this.#emit,
      onCommands: this.#onCommands,
    };
    render(h(App, shown), root);
  }
}

/**
 * Defines the element. Calling this again only changes `url`, which is the deployment for all
 * elements without a `url` property. Pages that use the package can call this before they add
 * elements.
 */
export function defineKeyrailKeys(url: string | null): void {
  deploymentUrl = url ?? deploymentUrl;
  if (globalThis.customElements === undefined || customElements.get(NAME)) return;
  customElements.define(NAME, KeyrailKeysElement as CustomElementConstructor);
}
