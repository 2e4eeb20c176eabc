import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROJECT = join(import.meta.dirname, '..', '..');

/** What `doctor` says of a signal server, in a process that trusts a certificate. */
export async function checkTrusting(certificate: string, url: string): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_EXTRA_CA_CERTS: certificate,
    SIGNAL_URL: url,
    MASTER_KEYS: `test:${randomBytes(32).toString('base64')}`,
  };
  const { stdout } = await run(process.execPath, [join(PROJECT, 'src', 'admin', 'main.ts'), 'doctor', '--only', 'signals'], { env });
  return stdout;
}
