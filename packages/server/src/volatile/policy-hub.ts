// The requests in this process that are waiting for a new policy version. Losing a notification is
// harmless, because a waiting request also wakes at its timeout, and always reads the version from
// the database.

type Wait = {
  timeoutMs: number;
  signal: AbortSignal;
  /** Only set for a node's poll, because the number of polls held per workspace is limited. */
  workspaceId?: string;
};

export type Watch = {
  /** Resolves on an announcement, at the timeout, when the caller disconnects, or on `end()`. */
  over: Promise<void>;
  /**
   * False if the request cannot be held, because there are too many waiters, the request was
   * aborted, or the hub is closed.
   */
  isHeld: boolean;
  end(): void;
};

/** How many requests are currently waiting. */
export type HeldRequests = { polls: number; acks: number };

export type PolicyHub = {
  /** Announces that a project has a new version. Wakes requests that have a lower one. */
  announce(projectId: string, version: number): void;
  /**
   * Watches for a higher version. Call this before reading the current version; otherwise, an
   * announcement in between could be missed.
   */
  watch(projectId: string, since: number, wait: Wait): Watch;
  /** Announces that a node has acknowledged a version. */
  announceAck(projectId: string): void;
  /** Returns false if no more waiters can be held; do not retry in a loop. */
  awaitAck(projectId: string, wait: Wait): Promise<boolean>;
  /** The projects for which requests are waiting for a new version. */
  awaited(): string[];
  held(): HeldRequests;
  /** Wakes all waiters, so that the server can stop. */
  close(): void;
};

type Waiter = { since: number; workspaceId: string; wake(): void };

/** The maximum number of held requests. Any more get an immediate response. */
const WAITERS_MAX = 50_000;

const NOT_HELD: Watch = { over: Promise.resolve(), isHeld: false, end: () => {} };

type HubLimits = { heldPollsMax: number };

export function createPolicyHub({ heldPollsMax }: HubLimits): PolicyHub {
  const versions = new Waiting(heldPollsMax);
  const acks = new Waiting(WAITERS_MAX);
  let isClosed = false;
  const hold = (waiting: Waiting, projectId: string, since: number) => (wait: Wait) =>
    isClosed ? NOT_HELD : waiting.hold(projectId, since, wait);
  return {
    announce: (projectId, version) => versions.wake(projectId, version),
    watch: (projectId, since, wait) => hold(versions, projectId, since)(wait),
    announceAck: (projectId) => acks.wake(projectId, 1),
    async awaitAck(projectId, wait) {
      const { over, isHeld } = hold(acks, projectId, 0)(wait);
      await over;
      return isHeld;
    },
    awaited: () => versions.projects(),
    held: () => ({ polls: versions.size, acks: acks.size }),
    close() {
      isClosed = true;
      versions.wakeAll();
      acks.wakeAll();
    },
  };
}

class Waiting {
  readonly #byProject = new Map<string, Set<Waiter>>();
  readonly #byWorkspace = new Map<string, number>();
  readonly #ofWorkspaceMax: number;
  #count = 0;

  constructor(ofWorkspaceMax: number) {
    this.#ofWorkspaceMax = ofWorkspaceMax;
  }

  get size(): number {
    return this.#count;
  }

  projects(): string[] {
    return [...this.#byProject.keys()];
  }

  hold(projectId: string, since: number, { timeoutMs, signal, workspaceId = '' }: Wait): Watch {
    const ofWorkspace = this.#byWorkspace.get(workspaceId) ?? 0;
    if (this.#count >= WAITERS_MAX || signal.aborted) return NOT_HELD;
    if (workspaceId !== '' && ofWorkspace >= this.#ofWorkspaceMax) return NOT_HELD;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      this.#remove(projectId, waiter);
      resolve();
    };
    const waiter: Waiter = { since, workspaceId, wake };
    const timer = setTimeout(wake, timeoutMs);
    signal.addEventListener('abort', wake, { once: true });
    this.#add(projectId, waiter);
    return { over: promise, isHeld: true, end: wake };
  }

  wake(projectId: string, version: number): void {
    for (const waiter of [...(this.#byProject.get(projectId) ?? [])]) {
      if (waiter.since < version) waiter.wake();
    }
  }

  wakeAll(): void {
    for (const waiters of [...this.#byProject.values()]) {
      for (const waiter of [...waiters]) waiter.wake();
    }
  }

  #add(projectId: string, waiter: Waiter): void {
    const waiters = this.#byProject.get(projectId) ?? new Set();
    this.#byProject.set(projectId, waiters.add(waiter));
    this.#countIn(waiter, 1);
  }

  #remove(projectId: string, waiter: Waiter): void {
    const waiters = this.#byProject.get(projectId);
    if (!waiters?.delete(waiter)) return;
    this.#countIn(waiter, -1);
    if (waiters.size === 0) this.#byProject.delete(projectId);
  }

  #countIn({ workspaceId }: Waiter, change: 1 | -1): void {
    this.#count += change;
    const left = (this.#byWorkspace.get(workspaceId) ?? 0) + change;
    if (left === 0) this.#byWorkspace.delete(workspaceId);
    else this.#byWorkspace.set(workspaceId, left);
  }
}
