// How a feature implements its endpoints. The endpoint declares the request and the response; a
// route adds which rows it touches (boundary), its database access (door) and its code (run).
import type {
  AnswerOf,
  BodyOf,
  Endpoint,
  Line,
  PathParams,
  QueryOf,
} from '@keyrail/protocol/endpoint.ts';
import type { Boundary } from '../access/boundary.ts';
import type { Principal } from '../access/principal.ts';
import type { WhenQuarantined } from '../access/quarantine.ts';
import type { Deadline } from '../base/deadline.ts';
import type { NewId } from '../base/ids.ts';
import type { StorageState, StorageUse } from '../base/storage.ts';
import type { Read } from '../doors/door.ts';
import type { Gate } from '../doors/gate.ts';
import type { OpenPeople } from '../doors/people.ts';
import type { Check, Plan } from '../doors/plan.ts';
import type { OpenPreview } from '../doors/preview.ts';
import type { Reach } from '../doors/reach.ts';
import type { RecordDoor } from '../doors/record.ts';
import type { OpenKeyedWrite, OpenWrite } from '../doors/write.ts';
import type { BackupFacts } from '../observe/deployment-facts.ts';
import type { Counters } from '../volatile/counters.ts';

/** A response with more than a body: a different status, headers, or a next page. */
export class Reply<Body = unknown> {
  readonly body: Body;
  readonly status: number | undefined;
  readonly headers: Record<string, string>;
  /** Where the next page of a list starts; sent as a `Link` header. */
  readonly next: readonly string[] | undefined;

  constructor(
    body: Body,
    more: { status?: number; headers?: Record<string, string>; next?: readonly string[] } = {},
  ) {
    this.body = body;
    this.status = more.status;
    this.headers = more.headers ?? {};
    this.next = more.next;
  }
}

/** Queries for the health probes, which have no caller. */
export type Probe = {
  databaseAnswers(deadline: Deadline): Promise<boolean>;
  /** Null if no worker has ever been seen, or the database can't be read. */
  workerIsSeen(): Promise<boolean | null>;
  /** Null if the database cannot be read. */
  backupFacts(): Promise<BackupFacts | null>;
  storage(): StorageState;
};

export type Doors = {
  read: { read: Read };
  write: { read: Read; write: OpenWrite };
  /**
   * For accounts and sessions, and for writes that begin before it is known what the caller can
   * access.
   */
  gate: { gate: Gate; people: OpenPeople; newId: NewId; writeIn(reach: Reach): OpenWrite };
  /** For reads, and for writes without an audit entry. */
  record: { record: RecordDoor };
  /** For data that may be lost. Gives no access to the database. */
  volatile: { counters: Counters; reach: Reach; newId: NewId };
  probe: { probe: Probe };
  none: Record<never, never>;
};

type DoorName = keyof Doors;

/**
 * If an endpoint is a POST that takes a secret key or a session, its route passes `write` the
 * function that builds the response. If the request has an idempotency key, the response can then
 * be stored together with the change.
 */
type DoorOf<L extends string, E, D extends DoorName> = [L, E, D] extends [
  `POST ${string}`,
  { auth: 'vendor' },
  'write',
]
  ? { read: Read; write: OpenKeyedWrite }
  : Doors[D];

type Input<L extends string, E> = {
  params: PathParams<L>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** Where the requested page starts, from a cursor that this server issued for this list. */
  after: readonly string[] | null;
  principal: Principal;
  requestId: string;
  clientAddress: string;
  /** For callers without a credential, records whom to log: a user signing in, or the scanner. */
  noteCaller: NoteCaller;
  header(name: string): string | undefined;
  /** The request's path and query, as they were sent. */
  target: string;
  /** A cursor for the next page, for responses that include it in the body. */
  issueCursor(position: readonly string[]): string;
  /** Aborted when the caller closes the connection. */
  gone(): AbortSignal;
  /**
   * Authenticates the caller again after a long wait. Returns what the credential can still access;
   * throws if the credential has been revoked in the meantime.
   */
  admitAgain(): Promise<Reach | null>;
};

export type NoteCaller = (kind: 'user' | 'scanner', id: string) => void;

type Answer<E> = AnswerOf<E> | Reply;

/** A route's properties, apart from its door. */
type RouteTerms = {
  boundary: Boundary;
  /** Requires a verified email address, if the deployment is configured that way. */
  verifiedPerson?: true;
  /**
   * How full the disk may get before this route's writes are rejected. `reserve`: the write revokes
   * or removes something, and still works when all other writes are rejected. `spare`: the write is
   * nonessential, and is rejected first.
   */
  storage?: StorageUse;
  /** Throws if no request can succeed, regardless of its body. Runs before the body is read. */
  refuseUnread?(): void;
  /**
   * The route runs many small statements, each with its own deadline, instead of one deadline for
   * all.
   */
  patience?: 'stepped';
  /** The route revokes access, so it runs before other changes when connections are scarce. */
  goesFirst?: true;
  /** Compresses the response with br or gzip if the client accepts it. */
  compress?: true;
  /** Nodes call the endpoint continuously, or for every request they serve. */
  hot?: true;
  /** Nodes send the same body repeatedly. */
  bodyRepeats?: true;
  /** The endpoint whose cursors this route issues and accepts. */
  cursorsOf?: Line;
};

type RouteThrough<L extends string, E, D extends DoorName> = RouteTerms & { door: D } & (E extends {
    dryRun: true;
  }
    ? { plan(input: Input<L, E> & { read: Read }): Planned<Answer<E>>; run?: never }
    : { run(input: Input<L, E> & DoorOf<L, E, D>): Promise<Answer<E>> | Answer<E>; plan?: never });

/** A change that can be made, or only previewed. The same checks run before both. */
type Planned<A> = {
  commit(write: OpenKeyedWrite): Promise<A>;
  foresee: (preview: OpenPreview) => Promise<unknown>;
};

/**
 * Defines the plan for a route whose endpoint accepts `dry_run`. `present` builds the response that
 * is stored for repeated requests. `finish` adds anything that is only known after the change.
 */
export function planned<T, A>(
  operation: (tx: Check) => Promise<Plan<T>>,
  present: (result: T) => A,
): Planned<A>;
export function planned<T, Shown, A>(
  operation: (tx: Check) => Promise<Plan<T>>,
  present: (result: T) => Shown,
  finish: (shown: Shown) => Promise<A>,
): Planned<A>;
export function planned<T>(
  operation: (tx: Check) => Promise<Plan<T>>,
  present: (result: T) => unknown,
  finish: (shown: unknown) => unknown = (shown) => shown,
): Planned<unknown> {
  return {
    commit: async (write) => finish(await write(operation, present)),
    foresee: (preview) => preview(operation),
  };
}

/**
 * Which kinds of database access an endpoint may have: any but `write` if it only reads, and only
 * `write` if it has `dryRun`.
 */
type DoorsFor<L extends string, E> = L extends `GET ${string}`
  ? Exclude<DoorName, 'write'>
  : E extends { reads: true }
    ? Exclude<DoorName, 'write'>
    : E extends { dryRun: true }
      ? 'write'
      : DoorName;

type TakesSecretKey = { auth: 'vendor' | 'machine' | 'machineHot' | 'minting' };

/** Required for every endpoint that changes something and accepts a secret key. */
type QuarantineRule<L extends string, E> = L extends `GET ${string}`
  ? { whenQuarantined?: never }
  : E extends { reads: true }
    ? { whenQuarantined?: never }
    : E extends TakesSecretKey
      ? { whenQuarantined: WhenQuarantined }
      : { whenQuarantined?: never };

type Routes<T> = {
  [L in keyof T & string]: {
    [D in DoorsFor<L, T[L]>]: RouteThrough<L, T[L], D> & QuarantineRule<L, T[L]>;
  }[DoorsFor<L, T[L]>];
};

/** Selects some of a map's endpoints, for features that share one map. */
export function linesOf<T extends object, L extends keyof T>(
  endpoints: T,
  ...lines: L[]
): Pick<T, L> {
  const picked = Object.entries(endpoints).filter(([line]) => lines.some((each) => each === line));
  return Object.fromEntries(picked) as Pick<T, L>;
}

/** A route without its type parameters, as the pipeline runs it. */
export type ServedRoute = RouteTerms & {
  line: Line;
  endpoint: Endpoint;
  door: DoorName;
  whenQuarantined?: WhenQuarantined;
  run(input: Record<string, unknown>): unknown;
  /** Handles `dry_run=true`; present if the endpoint accepts it. */
  foresee?(input: Record<string, unknown>): unknown;
};

/** A route with a plan, as `serve` receives it. */
type PlanRoute = {
  plan(input: Record<string, unknown>): Planned<unknown>;
};

type PlanInput = Record<string, unknown> & { write: OpenKeyedWrite; preview: OpenPreview };

/** The two ways the pipeline runs a plan: making the change, or only previewing it. */
const runsOf = ({ plan }: PlanRoute) => ({
  run: (input: PlanInput) => plan(input).commit(input.write),
  foresee: (input: PlanInput) => plan(input).foresee(input.preview),
});

/** Joins routes to their endpoints; a missing, extra or misspelt route does not compile. */
export function serve<const T extends Record<Line, Endpoint>>(
  endpoints: T,
  routes: Routes<T>,
): ServedRoute[] {
  return Object.entries(endpoints).map(([line, endpoint]) => {
    const route = (routes as Record<string, unknown>)[line];
    const runs = endpoint.dryRun ? runsOf(route as PlanRoute) : {};
    return { ...(route as ServedRoute), ...(runs as object), line: line as Line, endpoint };
  });
}
