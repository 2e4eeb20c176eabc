import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import { recipientLanguage } from '../../messaging/recipient-language.ts';
import { textUnlessRefused } from '../../messaging/texts/text-unless-refused.ts';
import type { InEachLanguage } from '../../values/languages.ts';
import type { Severity } from './new-alerts.ts';

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

/**
 * Texts those who have set so, each once. Quiet hours do not apply to a danger; other texts wait for their end. A STOP applies to all,
 * and a practice without a number sends none.
 */
export async function textTeam(db: Db, caller: Caller, notified: readonly TextedUser[]): Promise<void> {
  const wanted = notified.filter(({ texts }) => texts);
  const urgentFor = new Set(wanted.filter(({ severity }) => severity === 'danger').map(({ userId }) => userId));
  const userIds = [...new Set(wanted.map(({ userId }) => userId))];
  if (userIds.length === 0) return;
  const { organizationId } = caller;
  const { name, languageId } = await db.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { name: true, languageId: true },
  });
  const users = await db.user.findMany({
    where: { organizationId, id: { in: userIds }, phone: { not: null } },
    orderBy: { id: 'asc' },
    select: { id: true, phone: true, languageId: true },
  });
  for (const { id, phone, languageId: language } of users) {
    const { own } = recipientLanguage(language, languageId);
    await textUnlessRefused(db, caller, { to: phone ?? undefined, body: WORDS[own](name), urgent: urgentFor.has(id) });
  }
}
