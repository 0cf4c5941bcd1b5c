// Starts a worker. The page's content security policy requires the worker's URL to be a trusted
// type. Only this file creates trusted types, and only for workers from this build.

type Trusting = {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string };
};

let policy: ReturnType<Trusting['createPolicy']> | undefined;

const isBuilt = (url: string): boolean => Object.values(WORKER_URLS).includes(url);

function trusted(url: string): string {
  const types: Trusting | undefined = Reflect.get(globalThis, 'trustedTypes');
  if (!types) return url;
  policy ??= types.createPolicy('keyrail', {
    createScriptURL: (text) => {
      if (isBuilt(text)) return text;
      throw new TypeError('not a worker from this build');
    },
  });
  return policy.createScriptURL(url);
}

/** `name` is the name of the worker's file in `src/workers/`. */
export function openWorker(name: string): Worker {
  const url = WORKER_URLS[name];
  if (url === undefined) throw new Error(`bug: no worker named ${name}`);
  return new Worker(trusted(url));
}
