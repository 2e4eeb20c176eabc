import { textUnlessRefused } from '../../messaging/queue/text-unless-refused.ts';
import { recipientLanguage } from '../../messaging/recipients/recipient-language.ts';
import { withdrawText } from '../../messaging/sending/outgoing-texts.ts';
import type { Tx } from '../../tx.ts';
import type { InEachLanguage } from '../../values/languages.ts';
import type { Severity } from './new-alerts.sql.ts';

/** They name no patient, value or link: a telephone shows them to whoever is near it. */
const WORDS: InEachLanguage<(practice: string) => string> = {
  en: (practice) => `${practice}: an alert of patient monitoring waits.`,
  es: (practice) => `${practice}: una alerta del seguimiento de pacientes espera.`,
};

interface TextedUser {
  userId: number;
  texts: boolean;
  severity: Severity;
}

/** Seconds for which one text stands for all alerts: a run of the worker escalates each alert by itself. */
const ONE_TEXT_SECONDS = 60;

/**
 * Texts those who have set so, each once. Quiet hours do not apply to a danger; other texts wait for their end. A STOP applies to all,
 * and a practice without a number sends none.
 * @param options.oncePerRun not to who was texted so within the last minute, unless this is a danger and that was none
 */
export async function textTeam(tx: Tx, notified: readonly TextedUser[], { oncePerRun = false } = {}): Promise<void> {
  const wanted = notified.filter(({ texts }) => texts);
  const urgentFor = new Set(wanted.filter(({ severity }) => severity === 'danger').map(({ userId }) => userId));
  const userIds = [...new Set(wanted.map(({ userId }) => userId))];
  if (userIds.length === 0) return;
  const { organizationId } = tx;
  const { name, languageId } = await tx.prisma.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { name: true, languageId: true },
  });
  const users = await tx.prisma.user.findMany({
    where: { organizationId, id: { in: userIds }, phone: { not: null } },
    orderBy: { id: 'asc' },
    select: { id: true, phone: true, languageId: true },
  });
  for (const { id, phone, languageId: language } of users) {
    const { own } = recipientLanguage(language, languageId);
    if (oncePerRun && (await wasTextedNow(tx, { to: phone ?? '', body: WORDS[own](name), urgent: urgentFor.has(id) }))) continue;
    await textUnlessRefused(tx, { to: phone ?? undefined, body: WORDS[own](name), urgent: urgentFor.has(id) });
  }
}

async function wasTextedNow(tx: Tx, { to, body, urgent }: { to: string; body: string; urgent: boolean }): Promise<boolean> {
  const [now, run] = [Date.now(), ONE_TEXT_SECONDS * 1_000];
  // A time further ahead was written before the clock was set back.
  const queuedAt = { gt: new Date(now - run), lt: new Date(now + run) };
  const where = {
    ...tx.practice,
    toNumber: to,
    queuedAt,
    body,
    direction: 'outbound',
    ...(urgent ? { urgent } : {}),
  } as const;
  return (await tx.prisma.smsMessage.findFirst({ where, select: { id: true } })) !== null;
}

/**
 * Withdraws the texts that wait for the end of quiet hours, of those whom no open alert was told of: somebody looks after all of theirs.
 */
export async function withdrawTeamTexts(tx: Tx): Promise<void> {
  const { organizationId } = tx;
  const { name } = await tx.prisma.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true } });
  const bodies = Object.values(WORDS).map((words) => words(name));
  const waiting = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT m.id FROM sms_message m
     WHERE m.organization_id = ${organizationId} AND m.state = 'queued' AND m.attempts = 0 AND m.not_before IS NOT NULL
       AND m.patient_id IS NULL AND m.body = ANY (${bodies}::text[])
       AND NOT EXISTS (
         SELECT FROM "user" u
           JOIN notification n ON n.organization_id = u.organization_id AND n.user_id = u.id AND n.subject_type = 'monitoring_alert'
           JOIN monitoring_alert a ON a.organization_id = n.organization_id AND a.id = n.subject_id AND a.state = 'open'
          WHERE u.organization_id = ${organizationId} AND u.phone = m.to_number)
     ORDER BY m.id`;
  for (const { id } of waiting) await withdrawText(tx, id);
}
