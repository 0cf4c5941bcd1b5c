// Checks the compose file and the manifests against everything they refer to: settings, commands,
// ports and probes. image.test.ts actually runs the image.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { readConfig } from '@keyrail/server/config.ts';
import { root } from '@keyrail/testing/documents.ts';
import { parse, parseAllDocuments } from 'yaml';
import { copiedInto, lastOf } from './image-files.ts';

type Environment = Record<string, string>;
type HttpProbe = { httpGet: { path: string; port: string } };
type Container = {
  image: string;
  args: string[];
  env?: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: unknown;
  volumeMounts: { mountPath: string }[];
} & Partial<Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', HttpProbe>>;
type Pod = {
  metadata: { labels: Environment };
  spec: { securityContext: unknown; containers: Container[] };
};
type Ingress = {
  from: { namespaceSelector?: { matchLabels?: Environment } }[];
  ports?: { protocol: string; port: string }[];
};
type Manifest = {
  kind: string;
  metadata: { name: string };
  data: Environment;
  stringData: Environment;
  spec: {
    replicas: number;
    strategy: unknown;
    minAvailable: number;
    selector: Environment & { matchLabels: Environment };
    ports: { targetPort: string }[];
    podSelector: { matchLabels: Environment };
    policyTypes: string[];
    ingress: Ingress[];
    template?: Pod;
  };
};
type Composed = {
  image: string;
  user: string;
  read_only: boolean;
  cap_drop: string[];
  cap_add?: string[];
  privileged?: boolean;
  security_opt: string[];
  command?: string[];
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  healthcheck: { test?: string[]; disable?: boolean };
};

const SAMPLES: Environment = {
  DATABASE_URL: 'postgres://keyrail:p@postgres/keyrail',
  REDIS_URL: 'redis://redis:6379',
  DATABASE_PASSWORD: 'p'.repeat(48),
  POSTGRES_PASSWORD: 'q'.repeat(48),
  KEYRAIL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  KEYRAIL_BOOTSTRAP_TOKEN: 'b'.repeat(64),
  KEYRAIL_METRICS_TOKEN: 'm'.repeat(64),
  KEYRAIL_MAIL: 'smtps://user:password@mail.example.com:465',
  KEYRAIL_PUBLIC_URL: 'https://keyrail.example.com',
  KEYRAIL_TRUST_PROXY: '10.0.3.0/28',
};

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const imageEnvironment = (): Environment =>
  Object.fromEntries(
    [...lastOf('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, a = '', b = '']) => [a, b]),
  );

const manifests: Manifest[] = globSync('deploy/kubernetes/*.yaml', { cwd: root })
  .filter((path) => basename(path) !== 'kustomization.yaml')
  .flatMap((path) => parseAllDocuments(read(path)).map((one) => one.toJS({ maxAliasCount: 10 })));
const manifest = (kind: string, name = 'keyrail'): Manifest => {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  ok(found, `${kind} ${name}`);
  return found;
};
const pods = manifests.flatMap(({ spec }) => (spec?.template ? [spec.template] : []));
const containers = pods.flatMap(({ spec }) => spec.containers);

const composed = (): Record<string, Composed> => {
  const text = read('deploy/compose/compose.yaml').replaceAll(/\$\{(\w+):\?\}/g, (_, name) => {
    ok(SAMPLES[name], `no sample of ${name}`);
    return SAMPLES[name];
  });
  return parse(text, { merge: true }).services;
};
const ours = (): Composed[] => Object.values(composed()).filter(({ image }) => isOurs(image));
const { version } = JSON.parse(read('packages/server/package.json'));
const isOurs = (image: string): boolean => image === `keyrail:${version}`;

const faultsOf = (environment: Environment): string[] => {
  const { warnings, ...result } = readConfig({ ...imageEnvironment(), ...environment });
  return [...warnings, ...('faults' in result ? result.faults : [])];
};

test('the server accepts every setting in the compose file and the manifests', () => {
  deepEqual(ours().length, 3);
  for (const { environment = {} } of ours()) {
    const texts = Object.entries(environment).map(([name, value]) => [name, String(value)]);
    deepEqual(faultsOf(Object.fromEntries(texts)), []);
  }
  const { data: given } = manifest('ConfigMap');
  const data = { ...given, KEYRAIL_TRUST_PROXY: SAMPLES.KEYRAIL_TRUST_PROXY ?? '' };
  const { stringData } = manifest('Secret');
  const secrets = Object.keys(stringData).map((name) => [name, SAMPLES[name]]);
  equal(containers.length, 3);
  for (const { env = [] } of containers) {
    const own = env.map(({ name, value }) => [name, value]);
    deepEqual(faultsOf({ ...data, ...Object.fromEntries([...secrets, ...own]) }), []);
  }
  const unedited = faultsOf({ ...given, ...stringData });
  equal(unedited.length, Object.keys(stringData).length + 1, unedited.join('\n'));
  match(unedited.join(), /KEYRAIL_TRUST_PROXY/);
});

test("every container runs one of the program's commands, in this clone's version", () => {
  const entry = JSON.parse(lastOf('ENTRYPOINT'));
  equal(entry[0], 'node');
  const usage = execFileSync(process.execPath, [join(root, entry[1]), 'help'], {
    encoding: 'utf8',
  });
  const commands = [...usage.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name);
  const used = [JSON.parse(lastOf('CMD')), ...ours().map(({ command }) => command)];
  for (const words of [...used, ...containers.map(({ args }) => args)]) {
    equal(words.length, 1);
    ok(commands.includes(words[0]), words[0]);
  }
  for (const { image } of containers) ok(isOurs(image), image);
});

/** Anything a container in the compose file is allowed to do beyond what it needs. */
const freedoms = ({ user, read_only, cap_drop, security_opt, ...rest }: Composed): string[] => [
  ...(/^[1-9]\d*:[1-9]\d*$/.test(user) ? [] : ['root']),
  ...(read_only === true ? [] : ['writes']),
  ...(cap_drop?.join() === 'ALL' && !rest.cap_add && !rest.privileged ? [] : ['capabilities']),
  ...(security_opt?.includes('no-new-privileges:true') ? [] : ['privileges']),
];

test('no container runs as root, writes outside its volumes, or has Linux capabilities', () => {
  match(lastOf('USER'), /^[1-9]\d*:[1-9]\d*$/);
  const all = Object.entries(composed());
  equal(all.length, 5);
  for (const [name, one] of all) deepEqual(freedoms(one), [], name);
  const [[, { user: _, ...asRoot }] = ['', {} as Composed]] = all;
  deepEqual(freedoms({ ...asRoot, user: '0:0', cap_add: ['CHOWN'] }), ['root', 'capabilities']);
  const [uid, gid] = lastOf('USER').split(':').map(Number);
  for (const { spec } of pods) {
    deepEqual(spec.securityContext, {
      runAsNonRoot: true,
      runAsUser: uid,
      runAsGroup: gid,
      fsGroup: gid,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    // With service links enabled, Kubernetes would set KEYRAIL_API_PORT and similar variables,
    // which the server rejects.
    equal(new Map<string, unknown>(Object.entries(spec)).get('enableServiceLinks'), false);
  }
  for (const { securityContext, volumeMounts } of containers) {
    deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    deepEqual(
      volumeMounts.map(({ mountPath }) => mountPath),
      [imageEnvironment().KEYRAIL_DATA_DIR],
    );
  }
  for (const { volumes = [], tmpfs = [] } of ours()) {
    const places = [...tmpfs, ...volumes.map((one) => one.split(':')[1])];
    deepEqual(places, [imageEnvironment().KEYRAIL_DATA_DIR]);
  }
});

const isProbe = (path: string): boolean =>
  ['/healthz', '/readyz'].includes(path) && `GET ${path}` in allEndpoints;

test('health checks use the ports that the program listens on', () => {
  const read = readConfig(imageEnvironment());
  const port = 'config' in read ? String(read.config.listening.port) : '';
  const platform = readConfig({ ...imageEnvironment(), PORT: '8080' });
  equal(
    'config' in platform && platform.config.listening.port,
    8080,
    'a platform may choose another port',
  );
  equal(lastOf('EXPOSE'), port);
  const check = JSON.parse(/CMD (\[.*\])$/.exec(lastOf('HEALTHCHECK'))?.[1] ?? '[]');
  for (const { command = [], healthcheck, environment = {}, ports = [] } of ours()) {
    if (command[0] === 'migrate') {
      equal(healthcheck.disable, true);
      continue;
    }
    const own = String(command[0] === 'worker' ? environment.KEYRAIL_WORKER_PORT : port);
    const [kind, ...words] = healthcheck.test ?? [];
    const url = new URL(words.pop() ?? '');
    deepEqual([kind, words], ['CMD', check.slice(0, -1)]);
    deepEqual([url.hostname, url.port, isProbe(url.pathname)], ['127.0.0.1', own, true]);
    for (const one of ports) equal(one, `127.0.0.1:${port}:${port}`);
  }
  equal(new URL(check.at(-1)).port, port);
  ok(copiedInto(1).includes(check[1]), 'the image has the script of its health check');
  for (const { args, env = [], ports = [], ...probes } of containers) {
    if (args[0] === 'migrate') continue;
    const own = env.find(({ name }) => name === 'KEYRAIL_WORKER_PORT')?.value ?? port;
    deepEqual(
      ports.map(({ containerPort }) => containerPort),
      [Number(own)],
    );
    const gets = [probes.startupProbe, probes.livenessProbe, probes.readinessProbe].map(
      (one) => one?.httpGet,
    );
    deepEqual(
      gets.map((get) => get?.path),
      ['/healthz', '/healthz', '/readyz'],
    );
    for (const get of gets) ok(get && isProbe(get.path) && get.port === ports[0]?.name);
  }
});

test("only the ingress can connect to the API's pods, and nothing can connect to the other pods", () => {
  const [all, api] = ['keyrail', 'keyrail-api'].map((name) => manifest('NetworkPolicy', name).spec);
  deepEqual([all?.policyTypes, all?.ingress], [['Ingress'], []]);
  for (const { metadata } of pods) {
    const { 'app.kubernetes.io/name': name } = metadata.labels;
    deepEqual(all?.podSelector.matchLabels, { 'app.kubernetes.io/name': name });
  }
  const { template } = manifest('Deployment', 'keyrail-api').spec;
  deepEqual(api?.podSelector.matchLabels, template?.metadata.labels);
  const [rule, ...others] = api?.ingress ?? [];
  deepEqual([others, rule?.from.length, rule?.ports], [[], 1, [{ protocol: 'TCP', port: 'http' }]]);
  const { matchLabels = {} } = rule?.from[0]?.namespaceSelector ?? {};
  deepEqual(Object.keys(matchLabels), ['kubernetes.io/metadata.name'], 'one namespace');
});

test('during an upgrade, or when a machine is drained, at least one pod keeps serving', () => {
  for (const name of ['keyrail-api', 'keyrail-worker']) {
    const { replicas, strategy, selector, template } = manifest('Deployment', name).spec;
    const budget = manifest('PodDisruptionBudget', name).spec;
    ok(budget.minAvailable >= 1 && replicas > budget.minAvailable, name);
    deepEqual(strategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    deepEqual(selector.matchLabels, template?.metadata.labels);
    deepEqual(budget.selector.matchLabels, template?.metadata.labels);
  }
  const { template } = manifest('Deployment', 'keyrail-api').spec;
  const entry = manifest('Service', 'keyrail-api').spec;
  deepEqual(entry.selector, template?.metadata.labels);
  equal(entry.ports[0]?.targetPort, template?.spec.containers[0]?.ports?.[0]?.name);
});

/**
 * Manifests applied by hand: the secret, and the migration, which must run before everything else.
 */
const BY_HAND = ['kustomization.yaml', 'migrate.yaml', 'secret-example.yaml'];

test('kustomization.yaml lists every manifest except those applied by hand', () => {
  const listed: string[] = parse(read('deploy/kubernetes/kustomization.yaml')).resources;
  const names = globSync('deploy/kubernetes/*.yaml', { cwd: root }).map((path) => basename(path));
  deepEqual([...listed, ...BY_HAND].toSorted(), names.toSorted());
});
