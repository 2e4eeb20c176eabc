import { queueMail } from '../messaging/sending/outgoing-mails.ts';
import { notifyUsers } from '../notifications/notifications.ts';
import type { Tx } from '../tx.ts';
import { momentAt, writeLocal } from '../values/time/time.ts';

/** The parts of an opening that people are told. */
interface ToldOpening {
  id: number;
  userId: number;
  user: { firstName: string; lastName: string };
  openedAt: Date;
}

/**
 * Tells the privacy officers of the practice that a chart was opened, at once: in their notifications and by mail. Where it has none,
 * or the only one has opened the chart, the admins. The mail names the opening and who made it; neither patient nor reason.
 */
export async function tellPrivacyOfficers(tx: Tx, opening: ToldOpening): Promise<void> {
  const people = await findPeopleToTell(tx, opening.userId);
  const userIds = people.map(({ id }) => id);
  await notifyUsers(tx, { kind: 'chart.opened', subject: { type: 'chart_opening', id: opening.id }, userIds });
  const addresses = new Set(people.flatMap(({ email, signIn }) => signIn[0]?.email ?? email ?? []));
  if (addresses.size === 0) return;
  const mail = await writeMail(tx, opening);
  for (const to of addresses) await queueMail(tx, { to, ...mail });
}

/** Whether an active privacy officer other than the caller is told of openings; else the admins are. */
export async function hasOtherOfficer(tx: Tx): Promise<boolean> {
  const where = { ...tx.practice, active: true, privacyOfficer: true, type: { not: 'interface' as const }, id: { not: tx.userId ?? 0 } };
  return (await tx.prisma.user.findFirst({ where, select: { id: true } })) !== null;
}

async function findPeopleToTell(tx: Tx, openerId: number) {
  const people = await tx.prisma.user.findMany({
    where: {
      ...tx.practice,
      active: true,
      OR: [{ privacyOfficer: true, type: { not: 'interface' } }, { type: 'admin' }],
    },
    select: { id: true, email: true, privacyOfficer: true, signIn: { select: { email: true } } },
    orderBy: { id: 'asc' },
  });
  const officers = people.filter(({ privacyOfficer }) => privacyOfficer);
  return officers.some(({ id }) => id !== openerId) ? officers : people;
}

async function writeMail(tx: Tx, { id, user, openedAt }: ToldOpening) {
  const practice = await tx.prisma.organization.findUniqueOrThrow({ where: { id: tx.organizationId }, select: { timeZone: true } });
  const time = writeLocal(momentAt(openedAt, practice.timeZone).local)?.replace('T', ' ').slice(0, 16);
  const when = `${time} (${practice.timeZone})`;
  const who = `${user.firstName} ${user.lastName}`.replaceAll(/\s+/g, ' ').trim();
  return {
    subject: 'A chart was opened by emergency access',
    body: `${who} opened a chart by emergency access (break-glass) on ${when}, for 60 minutes.

The reason and the chart are in Triptych, under Break-glass, opening ${id}. Please check whether it was needed. You receive this mail as a privacy officer or an admin of your practice.
`,
  };
}
