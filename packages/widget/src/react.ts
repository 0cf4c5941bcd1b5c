// The element as a React component. Its props are the element's properties and events. On a server,
// it renders an empty element. It also works in strict mode, which mounts each component twice.
import {
  createElement,
  type ForwardedRef,
  type ForwardRefExoticComponent,
  forwardRef,
  type ReactElement,
  type RefAttributes,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react';
import { defineKeyrailKeys, type KeyrailKeysElement, NAME } from './element.ts';
import type { Texts } from './texts/texts.ts';
import type { GetToken, KeyrailKeysEvents, Transport } from './types.ts';

type Listener<E extends keyof KeyrailKeysEvents> = (event: KeyrailKeysEvents[E]) => void;

/** The element's attributes, properties and events. */
export type KeyrailKeysProps = {
  getToken?: GetToken | undefined;
  tokenUrl?: string | undefined;
  url?: string | undefined;
  theme?: 'auto' | 'light' | 'dark' | undefined;
  lang?: string | undefined;
  dir?: 'ltr' | 'rtl' | undefined;
  density?: 'normal' | 'compact' | undefined;
  readOnly?: boolean | undefined;
  pageSize?: number | undefined;
  texts?: Texts | undefined;
  transport?: Transport | undefined;
  className?: string | undefined;
  id?: string | undefined;
  onReady?: Listener<'ready'> | undefined;
  onCreated?: Listener<'created'> | undefined;
  onRotated?: Listener<'rotated'> | undefined;
  onRevoked?: Listener<'revoked'> | undefined;
  onError?: Listener<'error'> | undefined;
  onTokenExpired?: Listener<'token-expired'> | undefined;
};

const EVENTS = ['ready', 'created', 'rotated', 'revoked', 'error', 'token-expired'] as const;

defineKeyrailKeys(null);

/** `<keyrail-keys>` as a component for React 18 and later. */
export const KeyrailKeys: ForwardRefExoticComponent<
  KeyrailKeysProps & RefAttributes<KeyrailKeysElement>
> = forwardRef(Keys);

function Keys(props: KeyrailKeysProps, ref: ForwardedRef<KeyrailKeysElement>): ReactElement {
  const element = useRef<KeyrailKeysElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useImperativeHandle<KeyrailKeysElement | null, KeyrailKeysElement | null>(
    ref,
    () => element.current,
  );
  const { getToken, texts, transport, url } = props;
  const hasGetToken = getToken !== undefined;
  useEffect(() => {
    const found = element.current;
    if (!found) return;
    // The page may pass a new function on each render. A wrapper calls the latest one, so that a
    // new function does not open a new connection.
    found.getToken = hasGetToken ? (reason) => ask(latest.current, reason) : null;
    return () => {
      found.getToken = null;
    };
  }, [hasGetToken]);
  useEffect(() => {
    if (!element.current) return;
    element.current.texts = texts;
    element.current.transport = transport;
    // Set as a property, because the element ignores a `url` attribute.
    element.current.url = url;
  }, [texts, transport, url]);
  useEffect(() => listen(element.current, latest), []);
  return createElement(NAME, {
    ref: element,
    id: props.id,
    class: props.className,
    lang: props.lang,
    dir: props.dir,
    theme: props.theme,
    density: props.density,
    readonly: props.readOnly ? '' : undefined,
    'token-url': props.tokenUrl,
    'page-size': props.pageSize,
  });
}

async function ask(
  { getToken }: KeyrailKeysProps,
  reason: Parameters<GetToken>[0],
): ReturnType<GetToken> {
  if (!getToken) throw new Error('The getToken prop was removed.');
  return getToken(reason);
}

function listen(
  element: KeyrailKeysElement | null,
  latest: { readonly current: KeyrailKeysProps },
): () => void {
  const forward = (event: Event): void => {
    const name = event.type === 'token-expired' ? 'onTokenExpired' : listenerOf(event.type);
    const listener = Reflect.get(latest.current, name);
    if (typeof listener === 'function') listener(event);
  };
  for (const name of EVENTS) element?.addEventListener(name, forward);
  return () => {
    for (const name of EVENTS) element?.removeEventListener(name, forward);
  };
}

const listenerOf = (type: string): string => `on${type.charAt(0).toUpperCase()}${type.slice(1)}`;
