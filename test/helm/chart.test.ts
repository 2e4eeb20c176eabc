import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/config/config.ts';
import { SECRETS } from '../../src/config/secret-files.ts';
import { CHART, helm, installTools, listComplaints, type Manifest, render } from './helm.ts';

const NEEDED = ['publicUrl=https://clinic.example.org', 'secrets.runtime=triptych', 'secrets.owner=triptych-owner'];
const IN_BUCKET = [...NEEDED, 'env.TRIPTYCH_FILES=s3', 'env.FILES_S3_BUCKET=files'];
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const EVERYTHING = [
  ...NEEDED,
  'files.existingClaim=files',
  `image.digest=${DIGEST}`,
  'image.pullSecrets={registry}',
  'server.autoscaling.enabled=true',
  'ingress.enabled=true',
  'ingress.className=nginx',
  'ingress.tlsSecret=clinic-tls',
  'ingress.annotations.note=a',
  'serviceMonitor.enabled=true',
  'serviceMonitor.labels.release=prometheus',
  'tracing.endpoint=http://collector:4318',
  'podAnnotations.note=a',
  'nodeSelector.disk=ssd',
  'tolerations[0].key=only',
  'tolerations[0].operator=Exists',
];

interface Container {
  name: string;
  image: string;
  command: string[];
  env?: { name: string; value: string }[];
  envFrom: { secretRef: { name: string } }[];
  securityContext: Record<string, unknown>;
  ports?: { name: string; containerPort: number }[];
  readinessProbe?: { httpGet: { path: string; port: string } };
  livenessProbe?: { httpGet: { path: string; port: string } };
}
interface Workload extends Manifest {
  spec: {
    replicas?: number;
    template: {
      metadata: { labels: Record<string, string> };
      spec: { securityContext: object; containers: Container[]; volumes: object[] };
    };
    selector?: { matchLabels: Record<string, string> };
  };
}

const isWorkload = (manifest: Manifest): manifest is Workload => ['Deployment', 'Job'].includes(manifest.kind);
const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const listContainers = (manifests: readonly Manifest[]) =>
  manifests.filter(isWorkload).flatMap(({ spec }) => spec.template.spec.containers);

beforeAll(installTools);

describe.each([
  ['as it is', IN_BUCKET],
  ['with all that may be switched on', EVERYTHING],
])('the chart %s', (_name, values) => {
  it('satisfies helm lint, and the types of Kubernetes', () => {
    expect(helm('lint', '--strict', CHART, ...values.flatMap((value) => ['--set', value]))).toMatchObject({ status: 0 });
    // A resource of the operator's own, of which Kubernetes has no type.
    const known = render(values).filter(({ kind }) => kind !== 'ServiceMonitor');
    expect(known.length).toBeGreaterThan(4);
    expect(listComplaints(known)).toBe('');
  });

  it('runs without root, on a file system that it cannot write to', () => {
    for (const { spec } of render(values).filter(isWorkload)) {
      expect(spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        volumes: [{ name: 'tmp', emptyDir: {} }, { name: 'data' }],
      });
      for (const { securityContext } of spec.template.spec.containers) {
        expect(securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('runs programs of the image, with variables that they read, and secrets by reference', () => {
    const containers = listContainers(render(values));
    expect(containers.map(({ name }) => name).sort()).toEqual(['migrate', 'server', 'worker']);
    for (const { name, command, env = [], envFrom } of containers) {
      expect(() => readFileSync(join(CHART, '..', '..', '..', command[1]?.replace(/^dist\/(\w+)\.js$/, 'src/$1.ts') ?? ''))).not.toThrow();
      expect(env.filter((variable) => !VARIABLES.includes(variable.name))).toEqual([]);
      const names = env.map((variable) => variable.name);
      expect(names).toEqual([...new Set(names)]);
      const secrets = envFrom.map(({ secretRef }) => secretRef.name);
      expect(secrets).toEqual(name === 'migrate' ? ['triptych', 'triptych-owner'] : ['triptych']);
    }
  });

  it('selects the pods that it makes, and asks ports that they have', () => {
    for (const { spec } of render(values).filter(isWorkload)) {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector?.matchLabels ?? {});
      for (const { ports = [], readinessProbe, livenessProbe } of spec.template.spec.containers) {
        const probes = [readinessProbe, livenessProbe].flatMap((probe) => probe?.httpGet ?? []);
        expect(probes.map(({ path }) => path)).toEqual(spec.selector ? ['/readyz', '/healthz'] : []);
        for (const { port } of probes) expect(ports.map(({ name }) => name)).toContain(port);
      }
    }
  });
});

describe('the chart', () => {
  it('has the version of the project', () => {
    const { version }: { version: string } = JSON.parse(readFileSync(join(CHART, '..', '..', '..', 'package.json'), 'utf8'));
    expect(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')).toContain(`\nappVersion: ${version}\n`);
  });

  it('migrates before it installs and upgrades', () => {
    const [job] = ofKind(render(IN_BUCKET), 'Job');
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
  });

  it('takes no secret as a value', () => {
    const schema = readFileSync(join(CHART, 'values.schema.json'), 'utf8');
    const refused: unknown = JSON.parse(schema).properties.env.propertyNames.not.enum;
    expect(refused).toEqual(expect.arrayContaining([...SECRETS]));
  });

  it('takes an image by digest', () => {
    const images = listContainers(render(EVERYTHING)).map(({ image }) => image);
    expect(images).toEqual(Array.from({ length: 3 }, () => `triptych@${DIGEST}`));
  });

  it('sends traces to a collector where there is one, and takes its headers from the secret alone', () => {
    const tracing = (values: string[]) =>
      listContainers(render(values)).map(({ env = [] }) =>
        Object.fromEntries(env.filter(({ name }) => name.startsWith('OTEL_')).map(({ name, value }) => [name, value])),
      );
    expect(tracing(IN_BUCKET)).toEqual([{}, {}, {}]);
    const sent = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SERVICE_NAME: 'triptych', OTEL_TRACES_SAMPLER_ARG: '1' };
    expect(tracing(EVERYTHING)).toEqual(expect.arrayContaining([sent, sent, {}]));
  });

  it('leaves the number of servers to the autoscaler where there is one', () => {
    const [server] = ofKind(render(EVERYTHING), 'Deployment').filter(isWorkload);
    expect(server?.spec.replicas).toBeUndefined();
    expect(ofKind(render(EVERYTHING), 'HorizontalPodAutoscaler')).toHaveLength(1);
    expect(ofKind(render(IN_BUCKET), 'HorizontalPodAutoscaler')).toHaveLength(0);
  });

  it.each([
    ['no address', NEEDED.slice(1), /publicUrl/],
    ['an address over http', [...IN_BUCKET, 'publicUrl=http://clinic.example.org'], /publicUrl/],
    ['no secret', NEEDED.slice(0, 1), /runtime/],
    ['a secret among its values', [...IN_BUCKET, 'env.MASTER_KEYS=k1:abc'], /MASTER_KEYS|propertyNames|env/],
    ['a collector that is no address', [...IN_BUCKET, 'tracing.endpoint=collector:4318'], /endpoint/],
    ['headers of a collector among its values', [...IN_BUCKET, 'tracing.headers=authorization=a'], /headers/],
    ['a value that nothing reads', [...IN_BUCKET, 'server.replica=3'], /replica/],
    ['a digest that is none', [...IN_BUCKET, 'image.digest=latest'], /digest/],
    ['no place for files', NEEDED, /files.existingClaim/],
  ])('refuses %s', (_what, values, sentence) => {
    expect(() => render(values)).toThrow(sentence);
  });

  it('would be refused with a field that Kubernetes does not know', () => {
    const [service] = ofKind(render(IN_BUCKET), 'Service');
    if (!service) throw new Error('no service');
    expect(listComplaints([Object.assign(service, { speck: {} })])).toContain('speck');
  });
});
