import { isIP } from 'node:net';
import { ConfigError } from './start-errors.ts';

interface ProductionSettings {
  MASTER_KEYS?: unknown;
  PUBLIC_URL?: string | undefined;
  SMTP_URL?: string | undefined;
  TRIPTYCH_MAIL?: string | undefined;
}

/**
 * The variables without which no process of a production runs, although each has a default for development: what is guessed there
 * would be a weakness here.
 * @throws ConfigError naming each that is missing
 */
export function requireForProduction({ MASTER_KEYS, PUBLIC_URL, SMTP_URL, TRIPTYCH_MAIL }: ProductionSettings): void {
  const sentences: string[] = [];
  if (MASTER_KEYS === undefined)
    sentences.push('MASTER_KEYS: must be set in production, as id:key with a key of 32 random bytes in base64 (openssl rand -base64 32)');
  if (PUBLIC_URL === undefined)
    sentences.push('PUBLIC_URL: must be set in production, to the https address of this server for patients and staff');
  else if (!isHttpsOrLoopback(new URL(PUBLIC_URL)))
    sentences.push('PUBLIC_URL: must start with https:// in production, unless its host is this machine (127.0.0.1, localhost)');
  if (SMTP_URL === undefined && TRIPTYCH_MAIL !== 'local')
    sentences.push('SMTP_URL: must be set in production, to the mail server; or set TRIPTYCH_MAIL=local to send no mails');
  if (sentences.length > 0) throw new ConfigError(sentences.join('\n'));
}

const isHttpsOrLoopback = (url: URL): boolean => url.protocol === 'https:' || isLoopback(url);

export function isLoopback({ hostname }: URL): boolean {
  if (hostname === '[::1]') return true;
  return isIP(hostname) === 4 ? hostname.startsWith('127.') : /^(?:.+\.)?localhost$/.test(hostname);
}
