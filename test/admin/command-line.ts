import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { z } from 'zod';
import { run } from '../../src/admin/program.ts';
import type { Database } from '../../src/database/database.ts';
import type { TestApp } from '../support/app.ts';

/** The output of a command and its exit code. */
export interface Said {
  code: number;
  out: string;
  err: string;
}

/** The environment of a command beside a test app: the same database, the same master keys. */
export function toEnvironment({ config, databaseUrl }: Pick<TestApp, 'config' | 'databaseUrl'>): Record<string, string> {
  const keys = config.MASTER_KEYS.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
  return { NODE_ENV: 'test', DATABASE_URL: databaseUrl, MASTER_KEYS: keys, TRIPTYCH_OPERATOR: 'tester' };
}

/** The same environment with a master key that the server does not have. */
export const withForeignKey = (env: Record<string, string>, id: string): Record<string, string> => ({
  ...env,
  MASTER_KEYS: `${id}:${randomBytes(32).toString('base64')}`,
});

/** `npm run admin -- …` in this process, which opens the database anew unless it is given. */
export async function admin(env: Record<string, string>, argv: readonly string[], input = '', database?: Database): Promise<Said> {
  const said = { out: '', err: '' };
  const code = await run(argv, {
    env,
    stdin: (async function* () {
      yield input;
    })(),
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
    ...(database ? { database } : {}),
  });
  return { code, ...said };
}

/** A folder that goes after all tests, and files of practices in it. */
export async function createPracticeFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'practice-file-'));
  afterAll(() => rm(folder, { recursive: true }));
  /** @returns the path of a new file */
  const createFile = async (content: string): Promise<string> => {
    const path = join(folder, `practice-${randomUUID()}.yaml`);
    await writeFile(path, content);
    return path;
  };
  return { folder, createFile };
}

/** The commands of an operator beside a test app. */
export function createOperator(test: TestApp, more: Record<string, string> = {}) {
  const env = { ...toEnvironment(test), ...more };
  const say = (line: string, ...rest: string[]) => admin(env, [...line.split(' '), ...rest], '', test.database);
  return {
    env,
    say,
    /** Applies settings to a practice, as a file with them does. */
    async apply(practiceid: number, settings: object, ...more: string[]) {
      const file = join(tmpdir(), `practice-${randomUUID()}.yaml`);
      await writeFile(file, JSON.stringify({ practiceid, ...settings }));
      try {
        return await say('apply', file, '--yes', ...more);
      } finally {
        await rm(file);
      }
    },
    /** The JSON of a command that must succeed. */
    async ask<T extends z.ZodType>(shape: T, line: string, ...rest: string[]): Promise<z.output<T>> {
      const said = await say(line, ...rest, '--json');
      if (said.code !== 0) throw new Error(`"${line}" exited with ${said.code}: ${said.err}`);
      return shape.parse(JSON.parse(said.out));
    },
  };
}

const Applied = z.object({ practices: z.tuple([z.object({ practice_id: z.int() })]) });
export const Made = z.object({ id: z.int() });
export const MadeUser = z.object({ id: z.int(), practice_id: z.int(), password: z.string() });
export const MadeClient = z.object({ client_id: z.string(), client_secret: z.string() });

export type Operator = ReturnType<typeof createOperator>;

/** A practice with an admin who signs in and an integration client, all made at the command line. */
export async function foundPractice({ ask }: Operator) {
  const file = join(tmpdir(), `practice-${randomUUID()}.yaml`);
  await writeFile(file, JSON.stringify({ key: randomUUID(), name: 'Command line clinic', time_zone: 'America/Chicago' }));
  const { practices } = await ask(Applied, `apply ${file} --yes`);
  await rm(file);
  const [{ practice_id: id }] = practices;
  const email = `ada.${id}@clinic.example`;
  const user = await ask(MadeUser, `users create --practice ${id} --type admin --first-name Ada --last-name Quinn --email ${email}`);
  const scopes = 'integration.read,integration.write';
  const client = await ask(MadeClient, `clients create --practice ${id} --scope ${scopes} --name`, 'Front desk');
  return { id, email, user, client };
}
