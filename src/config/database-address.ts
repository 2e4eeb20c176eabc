/** User and password, the servers, and what follows them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([\s\S]*)$/;
const ATTRIBUTE = 'target_session_attrs';

/**
 * The addresses that an address stands for, one for each of its servers: the driver knows one server alone.
 * @param url such as `postgresql://user:password@a:5432,b:5432/database?target_session_attrs=read-write`
 */
export function serversOf(url: string): string[] {
  const [, before = '', servers = '', after = ''] = PARTS.exec(url) ?? [];
  return servers.split(',').map((server) => withoutAttribute(`${before}${server}${after}`));
}

/** Whether the one among the servers that takes writes has to be found. */
export const seeksPrimary = (url: string): boolean => serversOf(url).length > 1 || attributeOf(url) !== null;

/** Whether PostgreSQL's driver can parse an address: special characters of a password have to be written as %xx. */
export function isDatabaseUrl(text: string): boolean {
  return PARTS.test(text) && serversOf(text).every(isOfOneServer);
}

/** Whether an address asks for a server that takes writes, or for none in particular: all processes write. */
export function isForWrites(text: string): boolean {
  return ['read-write', 'primary', null].includes(attributeOf(text));
}

/** The servers of an address as `host:port`, and the name of its database; without user and password. */
export function placeOf(url: string): { servers: string; database: string } {
  const urls = serversOf(url).map((server) => new URL(server));
  return { servers: urls.map(({ host }) => host).join(','), database: urls[0]?.pathname ?? '' };
}

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
function attributeOf(url: string): string | null {
  return new URLSearchParams(url.split('?', 2)[1] ?? '').get(ATTRIBUTE);
}

function withoutAttribute(url: string): string {
  if (!url.includes(ATTRIBUTE) || !URL.canParse(url)) return url;
  const without = new URL(url);
  without.searchParams.delete(ATTRIBUTE);
  return without.href;
}
