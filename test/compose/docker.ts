import { execFile, spawnSync } from 'node:child_process';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const PROJECT = join(import.meta.dirname, '..', '..');

const execute = promisify(execFile);

/** Of this process's environment, only where Docker is: a variable of the shell would stand before the one of `.env`. */
const ENV = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(?:PATH|HOME|DOCKER_.*|BUILDKIT_.*)$/.test(name)));

/** Runs a command of Docker. @throws with what it wrote, where it ends with an error */
export async function docker(...words: string[]): Promise<string> {
  const { stdout } = await execute('docker', words, { cwd: PROJECT, env: ENV, maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** Builds the image of the work tree, or of a commit: whatever it is that the Dockerfile there makes. */
export function buildImage(tag: string, commit?: string): void {
  const options = (process.env.DOCKER_BUILD_OPTIONS ?? '').split(' ').filter(Boolean);
  const archive = commit ? spawnSync('git', ['archive', commit], { cwd: PROJECT, maxBuffer: 2 ** 28 }) : null;
  if (archive && archive.status !== 0) throw new Error(`git archive ${commit}: ${archive.stderr}`);
  const { status } = spawnSync('docker', ['build', '--quiet', ...options, '--tag', tag, archive ? '-' : '.'], {
    cwd: PROJECT,
    env: ENV,
    ...(archive && { input: archive.stdout }),
    stdio: [archive ? 'pipe' : 'ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`docker build ended with ${status}`);
}

/** The commit whose image is upgraded from: `UPGRADE_FROM`, or the one before the newest migration. */
export function commitBefore(): string {
  const { UPGRADE_FROM } = process.env;
  if (UPGRADE_FROM) return UPGRADE_FROM;
  const newest = spawnSync('git', ['log', '-1', '--format=%H', '--', 'prisma/migrations'], { cwd: PROJECT, encoding: 'utf8' });
  return `${newest.stdout.trim()}~1`;
}

/** An address as /proc/net/tcp writes it: words of four bytes in the byte order of the machine, and a port. */
function toAddress(field: string): string {
  const bytes = Buffer.from(field.split(':')[0] ?? '', 'hex').swap32();
  if (bytes.length === 4) return bytes.join('.');
  const mapped = bytes.subarray(0, 12).equals(Buffer.from('00000000000000000000ffff', 'hex'));
  if (mapped) return bytes.subarray(12).join('.');
  return (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
}

/** Addresses of other machines in a container's /proc/net/tcp, tcp6, udp and udp6: of connections that are, begin, or ended in the last minute. */
export function remoteAddresses(tables: string): string[] {
  const fields = tables.split('\n').flatMap((line) => /^\s*\d+: [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]+:[0-9A-F]{4}) /.exec(line)?.[1] ?? []);
  const addresses = new Set(fields.map(toAddress));
  return [...addresses].filter((address) => !(isIPv6(address) ? /^[0:]*1?$/ : /^(?:0\.0\.0\.0|127\..*)$/).test(address));
}
