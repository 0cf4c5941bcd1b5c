// How a slice offers its endpoints. The line says what comes in and goes out; a route adds what it
// touches (boundary), what it is handed (door) and what it does (run).
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
import type { Reach } from '../doors/reach.ts';
import type { Record as RecordDoor } from '../doors/record.ts';
import type { OpenWrite } from '../doors/write.ts';
import type { Counters } from '../volatile/counters.ts';

/** An answer that needs more than its body: another status, headers, a further page. */
export class Reply<Body = unknown> {
  readonly body: Body;
  readonly status: number | undefined;
  readonly headers: Record<string, string>;
  /** Where the next page of a list starts; becomes a `Link` header. */
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

/** What the probes may ask. They are the only ones without a reach that look at the store. */
export type Probe = {
  databaseAnswers(deadline: Deadline): Promise<boolean>;
  /** Null when no worker has ever been seen, or nobody can tell. */
  workerIsSeen(): Promise<boolean | null>;
  storage(): StorageState;
};

export type Doors = {
  read: { read: Read };
  write: { read: Read; write: OpenWrite };
  /** People's own tables, and the writes that begin before there is a reach. */
  gate: { gate: Gate; people: OpenPeople; newId: NewId; writeIn(reach: Reach): OpenWrite };
  /** Reads, and facts that leave no audit row. */
  record: { record: RecordDoor };
  /** What may be lost. No database at all: there is nothing here to ask one with. */
  volatile: { counters: Counters; reach: Reach };
  probe: { probe: Probe };
  none: Record<never, never>;
};

export type DoorName = keyof Doors;

export type Input<L extends string, E> = {
  params: PathParams<L>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** Where a further page starts, from a cursor that this server issued for this list. */
  after: readonly string[] | null;
  principal: Principal;
  requestId: string;
  clientAddress: string;
  header(name: string): string | undefined;
  /** A cursor for the next page, where it stands in the body. */
  issueCursor(position: readonly string[]): string;
  /** Aborted when the caller goes away: nobody waits for the answer any more. */
  gone(): AbortSignal;
  /** For who has waited: throws if the caller would be refused by now. */
  admitAgain(): Promise<void>;
};

type Answer<E> = AnswerOf<E> | Reply;

type RouteThrough<L extends string, E, D extends DoorName> = {
  boundary: Boundary;
  door: D;
  /** Where the deployment asks for it, only for a person whose address is verified. */
  verifiedPerson?: true;
  /**
   * Until when it writes as the disk fills up. `reserve`: it ends or removes something, and goes on
   * when everything else is refused. `spare`: it can be done without, and stops first.
   */
  storage?: StorageUse;
  /** Many small statements, each with its own wait, instead of one wait over all of them. */
  patience?: 'stepped';
  /** Takes access away: done before other changes when connections to the store are scarce. */
  goesFirst?: true;
  /** Large and repetitive: sent gzip or br when the caller takes it. */
  compress?: true;
  /** The line whose cursors it issues, where it answers in that one's place. */
  cursorsOf?: Line;
  /** Takes plain bodies without asking the schema; null leaves it to the schema. */
  accept?(value: unknown): BodyOf<E> | null;
  run(input: Input<L, E> & Doors[D]): Promise<Answer<E>> | Answer<E>;
};

/** A GET cannot be handed the write door: it does not compile. */
type DoorsFor<L extends string> = L extends `GET ${string}` ? Exclude<DoorName, 'write'> : DoorName;

type TakesSecretKey = { auth: 'vendor' | 'machine' | 'machineHot' | 'minting' };

/** A line that a secret key may call and that is no GET has to say; a later one cannot forget. */
type QuarantineRule<L extends string, E> = L extends `GET ${string}`
  ? { whenQuarantined?: never }
  : E extends TakesSecretKey
    ? { whenQuarantined: WhenQuarantined }
    : { whenQuarantined?: never };

type Routes<T> = {
  [L in keyof T & string]: {
    [D in DoorsFor<L>]: RouteThrough<L, T[L], D> & QuarantineRule<L, T[L]>;
  }[DoorsFor<L>];
};

/** Some lines of a resource, where several slices share it. */
export function linesOf<T extends object, L extends keyof T>(
  endpoints: T,
  ...lines: L[]
): Pick<T, L> {
  const picked = Object.entries(endpoints).filter(([line]) => lines.some((each) => each === line));
  return Object.fromEntries(picked) as Pick<T, L>;
}

/** A route whose types have done their work: what the pipeline runs. */
export type ServedRoute = {
  line: Line;
  endpoint: Endpoint;
  boundary: Boundary;
  door: DoorName;
  whenQuarantined?: WhenQuarantined;
  verifiedPerson?: true;
  storage?: StorageUse;
  patience?: 'stepped';
  goesFirst?: true;
  compress?: true;
  cursorsOf?: Line;
  accept?(value: unknown): unknown;
  run(input: Record<string, unknown>): unknown;
};

/** Ties routes to their endpoints; a missing, extra or misspelt line does not compile. */
export function serve<const T extends Record<Line, Endpoint>>(
  endpoints: T,
  routes: Routes<T>,
): ServedRoute[] {
  return Object.entries(endpoints).map(([line, endpoint]) => {
    const route = (routes as Record<string, unknown>)[line];
    return { ...(route as ServedRoute), line: line as Line, endpoint };
  });
}
