import type { Prisma } from '../../generated/prisma/client.ts';
import type { Role } from '../caller.ts';
import { notFound } from '../errors.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';

const WITH_PROVIDER = {
  signIn: { select: { email: true } },
  provider: { select: { id: true }, orderBy: { id: 'asc' }, take: 1 },
} as const satisfies Prisma.UserInclude;
type UserWithProvider = Prisma.UserGetPayload<{ include: typeof WITH_PROVIDER }>;

/** A user as the other users of the practice see them. */
export interface Colleague extends Omit<UserWithProvider, 'type' | 'signIn' | 'provider'> {
  type: Role;
  /** The provider that this user is, if any. */
  providerId: number | null;
}

export interface ColleagueSearch {
  /** Prefixes; each must match a word of the name or the email. */
  words: string[];
  type?: Role | undefined;
  /** Of the sign-in, in any case. */
  email?: string | undefined;
  phone?: string | undefined;
}

/** The active users of the caller's practice, by id, without interface users. */
export async function listColleagues(tx: Tx, { words, type, email, phone }: ColleagueSearch, page: PageRequest): Promise<Page<Colleague>> {
  const where: Prisma.UserWhereInput = {
    ...tx.practice,
    active: true,
    type: type ?? { not: 'interface' },
    ...(phone === undefined ? {} : { phone }),
    ...(email === undefined ? {} : await withEmail(tx, email)),
    ...(words.length > 0 ? { id: { in: await findIdsByWords(tx, words) } } : {}),
  };
  const [users, total] = await Promise.all([
    tx.prisma.user.findMany({ where, include: WITH_PROVIDER, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.user.count({ where }),
  ]);
  return { ...page, items: users.flatMap((user) => toColleague(user) ?? []), total };
}

/** The email of a user is their own, else that by which they sign in. */
async function withEmail(tx: PracticeTx, email: string): Promise<Prisma.UserWhereInput> {
  const same = { equals: email, mode: 'insensitive' } as const;
  const signIns = await tx.prisma.signIn.findMany({ where: { ...tx.practice, email: same }, select: { userId: true } });
  return { OR: [{ email: same }, { email: null, id: { in: signIns.map(({ userId }) => userId) } }] };
}

/** Compares names and addresses folded and word by word; punctuation counts as a space, or as nothing in a name. */
export async function findIdsByWords(tx: PracticeTx, words: string[]): Promise<number[]> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<{ id: number }[]>`
    WITH signs_in AS MATERIALIZED (SELECT user_id, email FROM sign_in WHERE organization_id = ${organizationId})
    SELECT u.id
      FROM "user" u
     WHERE u.organization_id = ${organizationId}
       AND NOT EXISTS (
         SELECT FROM unnest(${words}::text[]) AS word
          WHERE strpos(translate(fold(concat_ws(' ', '', u.first_name, u.last_name, coalesce(u.email,
                  (SELECT s.email FROM signs_in s WHERE s.user_id = u.id LIMIT 1)))), '-''@._+', '      '),
                translate(fold(' ' || word), '-''@._+', '      ')) = 0
            AND strpos(concat_ws(' ', '', without_separators(fold(u.first_name)), without_separators(fold(u.last_name))),
                ' ' || without_separators(fold(word))) = 0)`;
  return rows.map(({ id }) => id);
}

/** Finds a user of the caller's practice, also an inactive one. @throws Failure not_found, also for interface users */
export async function findColleague(tx: PracticeTx, id: number, field?: string): Promise<Colleague> {
  const user = await tx.prisma.user.findUnique({ where: tx.key(id), include: WITH_PROVIDER });
  const colleague = user && toColleague(user);
  if (!colleague) throw notFound('user', field);
  return colleague;
}

/** Finds the user who calls. @throws Failure not_found if the caller is no user */
export async function findCallingUser(tx: Tx): Promise<Colleague> {
  if (tx.userId === null) throw notFound('user');
  return findColleague(tx, tx.userId);
}

/** Null for an interface user. */
function toColleague({ signIn: [signIn], provider: [provider], type, ...user }: UserWithProvider): Colleague | null {
  if (type === 'interface') return null;
  return { ...user, type, email: user.email ?? signIn?.email ?? null, providerId: provider?.id ?? null };
}
