import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/server-process.ts';
import { docker, PROJECT } from './docker.ts';

/** The name of compose for it: an installation that this machine has besides is called otherwise. */
const NAME = 'triptych-test';
export const STAYING = ['database', 'server', 'worker'] as const;
const PROFILES = ['restore', 'observability'].flatMap((profile) => ['--profile', profile]);

/** The text of `.env.example` with values in place of what it leaves empty or comments out. @throws where it has no such line */
function fillIn(example: string, values: Record<string, string>): string {
  return Object.entries(values).reduce((text, [name, value]) => {
    const line = new RegExp(`^#?${name}=.*$`, 'm');
    if (!line.test(text)) throw new Error(`.env.example has no ${name}`);
    return text.replace(line, () => `${name}=${value}`);
  }, example);
}

const newSecret = () => randomBytes(24).toString('hex');

/** An installation as the documents describe it, in containers of its own: `docker-compose.yml`, and an `.env` made of `.env.example`. */
export async function prepareInstallation(port: number) {
  const folder = await mkdtemp(join(tmpdir(), 'triptych-compose-'));
  const settings = join(folder, '.env');
  const values: Record<string, string> = {
    POSTGRES_PASSWORD: newSecret(),
    DATABASE_OWNER_PASSWORD: newSecret(),
    DATABASE_PASSWORD: newSecret(),
    MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'clinic@example.org',
    SEED_DEMO: 'true',
  };

  const compose = (...words: string[]) => docker('compose', '--project-name', NAME, '--env-file', settings, ...PROFILES, ...words);
  const container = (service: string) => compose('ps', '--all', '--quiet', service);
  const inspect = async (service: string, format: string) => docker('inspect', '--format', format, await container(service));
  const healthy = async (service: string) => (await inspect(service, '{{.State.Health.Status}}').catch(() => '')) === 'healthy';

  return {
    address: `http://127.0.0.1:${port}`,
    compose,
    container,
    inspect,
    /** Starts what stays up, under an image that is there. */
    async up(image: string) {
      await writeFile(settings, fillIn(await readFile(join(PROJECT, '.env.example'), 'utf8'), { ...values, SERVER_IMAGE: image }));
      await compose('up', '--detach', '--no-build', ...STAYING);
    },
    /** Waits until all of them say that they are well. */
    async ready() {
      for (const service of STAYING) await eventually(`${service} is healthy`, () => healthy(service), 180_000);
    },
    /** Output of a program in the container of a service. */
    run: (service: string, ...words: string[]) => compose('exec', '--no-TTY', service, ...words),
    /** Kills the first process of a container as a lack of memory does: Docker is not asked, and starts it again. */
    async kill(service: string) {
      const pid = await inspect(service, '{{.State.Pid}}');
      const image = await inspect(service, '{{.Image}}');
      await docker('run', '--rm', '--pid', 'host', '--user', 'root', '--entrypoint', 'sh', image, '-c', `kill -9 ${pid}`);
      await eventually(`${service} is another process`, async () => !['0', pid].includes(await inspect(service, '{{.State.Pid}}')));
    },
    async remove() {
      await compose('down', '--volumes', '--timeout', '20');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Installation = Awaited<ReturnType<typeof prepareInstallation>>;
