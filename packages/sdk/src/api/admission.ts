// The input and the result of `admit`.

/** A framework-independent description of a request. */
export type IncomingCall = {
  method: string;
  /** The path as received, without the query. */
  path: string;
  /** The query, without the question mark. */
  query?: string | undefined;
  /** The route pattern, such as `/invoices/:id`, if the framework provides it. */
  route?: string | null | undefined;
  /**
   * The key, if it was not sent in a header. If undefined, the key is taken from one of the
   * `keyHeaders`.
   */
  key?: string | null | undefined;
  /** `name` is lowercase. */
  header(name: string): string | null | undefined;
  /** The whole body, for idempotent routes; read only when needed. */
  bodyBytes?: (() => Promise<Uint8Array> | Uint8Array) | undefined;
};

export type HeaderValues = Readonly<
  Record<string, number | string | readonly string[] | undefined>
>;

/** A response from the vendor's handler. The body is null if it was too large to store. */
export type HandlerResponse = { status: number; headers: HeaderValues; body: Uint8Array | null };

/**
 * How a handler finished. `gone`: the caller disconnected while the handler was still running. The
 * handler's own outcome may follow; if so, that outcome decides whether the response is stored.
 */
export type HandlerOutcome =
  | { status: number; headers?: HeaderValues; body?: Uint8Array | null }
  | { failed: true }
  | { gone: true };

/** The handler may run. `C` is the context's type. */
export type Admitted<C = unknown> = {
  readonly kind: 'admitted';
  /** The request context; null when the route skips verification. */
  readonly context: C;
  /** Headers to add to the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many bytes of the response body `settle` needs; 0 for none. */
  readonly captureBytesMax: number;
  /** Call this when the handler has finished. Never throws and never blocks. */
  settle(outcome: HandlerOutcome): void;
};

/** The handler must not run. Send this response instead: a denial or a replay. */
export type ReadyResponse = {
  readonly kind: 'refused' | 'replayed';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
};

export type Admission<C = unknown> = Admitted<C> | ReadyResponse;
