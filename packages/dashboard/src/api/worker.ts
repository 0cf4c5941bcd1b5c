// Starts a worker of this build. The page's policy for trusted types allows the one policy that is
// created here, and this policy allows the addresses of our own workers alone.

type ScriptUrlPolicy = { createScriptURL(url: string): string };

type PolicyFactory = {
  createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy;
};

const own = new Set(Object.values(WORKER_URLS));

const rules: ScriptUrlPolicy = {
  createScriptURL: (url) => {
    if (!own.has(url)) throw new TypeError('not a worker of this build');
    return url;
  },
};

// Firefox and Safari may not know trusted types: the rules then apply without them.
const factory: PolicyFactory | undefined = Reflect.get(globalThis, 'trustedTypes');
const policy = factory?.createPolicy('keyrail', rules) ?? rules;

export const startWorker = (name: string): Worker =>
  new Worker(policy.createScriptURL(WORKER_URLS[name] ?? ''));
