import { recordChange } from '../../audit/journal-entries.ts';
import type { Role } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { type AccountHolder, toRole, type UserType } from '../accounts.ts';
import { isLastActiveAdmin } from '../rights/active-admins.ts';
import { readSignInEpoch } from '../sessions/sign-in-epoch.ts';
import type { ExternalPerson } from './external-person.ts';
import { readMailDomain, roleOfGroups } from './identity-provider-rules.ts';
import type { IdentityProvider } from './identity-providers.ts';

/** Reasons for which a person whom the provider has verified may not sign in. */
export type AdmissionRefusal = 'deactivated' | 'no_group' | 'no_account' | 'email_not_verified' | 'linked_otherwise';

/** A refusal is a result and not an error, because it is written down in the same transaction. */
export type Admission =
  | { kind: 'admitted'; user: AccountHolder }
  | { kind: 'refused'; reason: AdmissionRefusal /** Where there is an account. */; userId: number | null };

const USER = { id: true, type: true, active: true } as const;
interface FoundUser {
  id: number;
  type: UserType;
  active: boolean;
}

/**
 * The user of the caller's practice behind a person whom its provider has verified: the one who is linked, else the one with the
 * verified mail address, who is linked now, else a new one where the practice wants that. Roles follow the groups of the provider.
 * @param tx of the practice whose provider it is; a user of another practice is never found
 */
export async function admitExternalPerson(tx: Tx, provider: IdentityProvider, person: ExternalPerson): Promise<Admission> {
  const linked = await findLinked(tx, person);
  const byEmail = linked ? null : await findByEmail(tx, provider, person);
  if (byEmail && 'kind' in byEmail) return byEmail;
  const user = linked ?? byEmail;
  const role = roleOfGroups(provider.roles, person.groups);
  if (!user) return provider.justInTime ? createUser(tx, person, role) : refuse('no_account');
  const before = toRole(user.type);
  if (!user.active || !before) return refuse('deactivated', user.id);
  if (role === null && Object.keys(provider.roles).length > 0) return refuse('no_group', user.id);
  if (!linked) await link(tx, person, user.id);
  await noteUse(tx, person);
  return admit(tx, user.id, await followGroups(tx, { userId: user.id, before, role }));
}

const refuse = (reason: AdmissionRefusal, userId: number | null = null): Admission => ({ kind: 'refused', reason, userId });
/** The session is opened later, and only where the account has not changed since. */
const admit = async (tx: Tx, userId: number, role: Role): Promise<Admission> => ({
  kind: 'admitted',
  user: {
    ...tx.practice,
    userId,
    role,
    epoch: await readSignInEpoch(tx.prisma, { ...tx.practice, userId }),
  },
});

async function findLinked(tx: Tx, { issuer, subject }: ExternalPerson): Promise<FoundUser | null> {
  const found = await tx.prisma.externalIdentity.findUnique({
    where: { organizationId_issuer_subject: { ...tx.practice, issuer, subject } },
    select: { user: { select: USER } },
  });
  return found?.user ?? null;
}

/** The one user of the practice with a mail address, if the provider vouches for it and the practice for the provider. */
async function findByEmail(
  tx: Tx,
  { emailDomains }: IdentityProvider,
  { issuer, email, emailVerified }: ExternalPerson,
): Promise<FoundUser | Admission | null> {
  const { organizationId } = tx;
  if (email === null) return null;
  const signIn = await tx.prisma.signIn.findUnique({ where: { email }, select: { organizationId: true, userId: true } });
  const bySignIn = signIn?.organizationId === organizationId ? [{ id: signIn.userId }] : [];
  const users = await tx.prisma.user.findMany({
    where: { organizationId, type: { not: 'interface' }, OR: [{ email }, ...bySignIn] },
    select: { ...USER, externalIdentities: { where: { issuer }, select: { subject: true } } },
    take: 2,
  });
  const [user, another] = users;
  if (!user) return null;
  if (another || !emailVerified || !emailDomains.includes(readMailDomain(email)))
    return refuse('email_not_verified', another ? null : user.id);
  return user.externalIdentities.length > 0 ? refuse('linked_otherwise', user.id) : user;
}

async function link(tx: Tx, { issuer, subject }: ExternalPerson, userId: number): Promise<void> {
  await tx.prisma.externalIdentity.create({ data: { ...tx.practice, issuer, subject, userId } });
  recordChange(tx, 'administer', { name: 'user.linked', id: userId, changed: ['externalIdentity'] });
}

async function noteUse(tx: Tx, { issuer, subject }: ExternalPerson): Promise<void> {
  await tx.prisma.externalIdentity.update({
    where: { organizationId_issuer_subject: { ...tx.practice, issuer, subject } },
    data: { lastUsedAt: new Date() },
    select: { userId: true },
  });
}

async function createUser(tx: Tx, person: ExternalPerson, role: Role | null): Promise<Admission> {
  if (role === null) return refuse('no_group');
  const { organizationId } = tx;
  const { firstName, lastName, email } = person;
  const { languageId } = await tx.prisma.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { languageId: true } });
  const data = { organizationId, type: role, firstName, lastName, email, languageId };
  const { id } = await tx.prisma.user.create({ data, select: { id: true } });
  recordChange(tx, 'administer', { name: 'user.created', id });
  await link(tx, person, id);
  await noteUse(tx, person);
  return admit(tx, id, role);
}

/** Gives a user the role of their groups. The last active admin stays one: a slip at the provider must not leave a practice without. */
async function followGroups(tx: Tx, { userId, before, role }: { userId: number; before: Role; role: Role | null }): Promise<Role> {
  if (role === null || role === before || (before === 'admin' && (await isLastActiveAdmin(tx, userId)))) return before;
  await tx.prisma.user.update({ where: tx.key(userId), data: { type: role }, select: { id: true } });
  recordChange(tx, 'administer', { name: 'user.updated', id: userId, changed: ['type'] });
  return role;
}

/**
 * Takes the link between a user and their identity at the provider away, so that the next sign-in links them anew.
 * @returns whether there was one
 */
export async function unlinkUser(tx: Tx, userId: number): Promise<boolean> {
  const { count } = await tx.prisma.externalIdentity.deleteMany({ where: { ...tx.practice, userId } });
  if (count > 0) recordChange(tx, 'administer', { name: 'user.unlinked', id: userId, changed: ['externalIdentity'] });
  return count > 0;
}
