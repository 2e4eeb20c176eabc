import { ConfigError } from './start-errors.ts';

/** User and password, the servers, and what follows them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([\s\S]*)$/;
const ATTRIBUTE = 'target_session_attrs';

/**
 * The addresses that an address stands for, one for each of its servers: the driver knows one server alone.
 * @param url such as `postgresql://user:password@a:5432,b:5432/database?target_session_attrs=read-write`
 */
export function splitServers(url: string): string[] {
  const [, before = '', servers = '', after = ''] = PARTS.exec(url) ?? [];
  return servers.split(',').map((server) => withoutAttribute(`${before}${server}${after}`));
}

/** Whether the one among the servers that takes writes has to be found. */
export const seeksPrimary = (url: string): boolean => splitServers(url).length > 1 || readAttribute(url) !== null;

/** Whether PostgreSQL's driver can parse an address: special characters of a password have to be written as %xx. */
export function isDatabaseUrl(text: string): boolean {
  return PARTS.test(text) && splitServers(text).every(isOfOneServer);
}

/** Whether an address asks for a server that takes writes, or for none in particular: all processes write. */
export function isForWrites(text: string): boolean {
  return ['read-write', 'primary', null].includes(readAttribute(text));
}

/** The servers of an address as `host:port`, and the name of its database; without user and password. */
export function readDatabasePlace(url: string): { servers: string; database: string } {
  const urls = splitServers(url).map((server) => new URL(server));
  return { servers: urls.map(({ host }) => host).join(','), database: urls[0]?.pathname ?? '' };
}

interface Addresses {
  DATABASE_URL?: string | undefined;
  DATABASE_OWNER_URL?: string | undefined;
  DATABASE_DIRECT_URL?: string | undefined;
}

/**
 * Without DATABASE_URL the database is the embedded one, which keeps the addresses of its roles itself.
 * @throws ConfigError where an address is without the one that it is beside, or under another role
 */
export function requireAddresses(addresses: Addresses): void {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = addresses;
  const other = (['DATABASE_OWNER_URL', 'DATABASE_DIRECT_URL'] as const).find((name) => addresses[name] !== undefined);
  if (DATABASE_URL === undefined && other !== undefined)
    throw new ConfigError(`DATABASE_URL: must be set if ${other} is, to the address with the server’s role`);
  if (DATABASE_URL !== undefined && DATABASE_DIRECT_URL !== undefined && readUserName(DATABASE_URL) !== readUserName(DATABASE_DIRECT_URL))
    throw new ConfigError('DATABASE_DIRECT_URL: must have the user of DATABASE_URL; the owner belongs in DATABASE_OWNER_URL');
}

const readUserName = (url: string): string => decodeURIComponent(new URL(splitServers(url)[0] ?? '').username);

function isOfOneServer(url: string): boolean {
  try {
    const { username, password } = new URL(url);
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}

/** Null where there is none. */
function readAttribute(url: string): string | null {
  return new URLSearchParams(url.split('?', 2)[1] ?? '').get(ATTRIBUTE);
}

function withoutAttribute(url: string): string {
  if (!url.includes(ATTRIBUTE) || !URL.canParse(url)) return url;
  const without = new URL(url);
  without.searchParams.delete(ATTRIBUTE);
  return without.href;
}
