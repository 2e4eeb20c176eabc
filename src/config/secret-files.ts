import { readFileSync } from 'node:fs';
import { ConfigError } from './start-errors.ts';

/**
 * Variables that hold a secret. Each may also be given as the path of a file with the value, in the variable NAME_FILE, as Docker,
 * Kubernetes and systemd hand secrets over: other programs see the environment of a process more easily than a file.
 */
export const SECRETS: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_DIRECT_URL',
  'MASTER_KEYS',
  'BACKUP_KEY',
  'SMTP_URL',
  'TURN_SECRET',
  'LIVEKIT_API_KEY',
  'LIVEKIT_API_SECRET',
  'TWILIO_AUTH_TOKEN',
  'FILES_S3_ACCESS_KEY_ID',
  'FILES_S3_SECRET_ACCESS_KEY',
  'VAPID_KEYS',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
];

type Environment = Record<string, string | undefined>;

/**
 * The environment with the contents of the files that variables NAME_FILE name.
 * @param names of the variables that are needed; files of others are not read
 * @throws ConfigError naming each variable whose file is empty or cannot be read, or which is given in both ways
 */
export function withSecretFiles(env: Environment, names: readonly string[]): Environment {
  const complaints: string[] = [];
  const contents: Environment = {};
  for (const name of SECRETS.filter((secret) => names.includes(secret))) {
    const path = env[`${name}_FILE`]?.trim();
    if (!path) continue;
    const { text, complaint } = readContent(path);
    if (env[name]?.trim()) complaints.push(`${name}_FILE: is set, but ${name} is too; unset one of them`);
    else if (text === undefined) complaints.push(`${name}_FILE: ${complaint}`);
    contents[name] = text;
  }
  if (complaints.length > 0) throw new ConfigError(complaints.join('\n'));
  return { ...env, ...contents };
}

function readContent(path: string): { text: string; complaint?: never } | { text?: never; complaint: string } {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { complaint: 'the file is empty' } : { text };
  } catch (error) {
    return { complaint: `the file cannot be read (${error instanceof Error && 'code' in error ? error.code : 'unknown error'})` };
  }
}
