import { domainToASCII } from 'node:url';
import type { Role } from '../../caller.ts';
import { invalid } from '../../errors.ts';

/** Domains with addresses of anybody: a provider of one practice cannot speak for them. */
const PUBLIC_DOMAINS = new Set([
  'aol.com',
  'fastmail.com',
  'gmail.com',
  'gmx.com',
  'gmx.net',
  'googlemail.com',
  'hotmail.com',
  'icloud.com',
  'live.com',
  'mac.com',
  'mail.com',
  'me.com',
  'msn.com',
  'outlook.com',
  'proton.me',
  'protonmail.com',
  'yahoo.com',
  'ymail.com',
  'zoho.com',
]);

const DOMAIN = /^(?=.{4,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** The canonical spelling of a domain; null for what is none. */
export function readDomain(written: string): string | null {
  const domain = domainToASCII(written.trim().replace(/^@/, '').replace(/\.$/, ''));
  return DOMAIN.test(domain) ? domain : null;
}

/** The domain of a mail address in its canonical spelling; empty for what is no address. */
export const readMailDomain = (email: string): string => readDomain(/@([^@]+)$/.exec(email.trim())?.[1] ?? '') ?? '';

/** @throws Failure invalid that names the first domain that is none, or that is everybody's */
export function requireOwnDomains(domains: readonly string[]): void {
  if (domains.length > 50) throw invalid('emailDomains', 'may have at most 50 domains', 'too_many');
  for (const domain of domains) {
    if (readDomain(domain) !== domain) throw invalid('emailDomains', `"${domain}" is not a domain such as clinic.example`);
    if (PUBLIC_DOMAINS.has(domain)) throw invalid('emailDomains', `${domain} is a public mail domain`, 'public_domain');
  }
}

/** @throws Failure invalid */
export function requireRoles(roles: Readonly<Record<string, Role>>): void {
  const groups = Object.keys(roles);
  if (groups.length > 100) throw invalid('roles', 'may have at most 100 groups', 'too_many');
  const wrong = groups.find((group) => group.trim() === '' || group.length > 200);
  if (wrong !== undefined) throw invalid('roles', 'the name of a group must have 1 to 200 characters');
}

const BY_RANK: readonly Role[] = ['admin', 'provider', 'staff'];

/** The highest role among those of the groups; null where none of them has one. */
export function roleOfGroups(roles: Readonly<Record<string, Role>>, groups: readonly string[]): Role | null {
  const held = new Set(groups.flatMap((group) => (Object.hasOwn(roles, group) ? [roles[group]] : [])));
  return BY_RANK.find((role) => held.has(role)) ?? null;
}
