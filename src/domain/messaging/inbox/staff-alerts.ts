import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import type { InEachLanguage } from '../../values/languages.ts';
import { recipientLanguage } from '../recipient-language.ts';
import { textUnlessRefused } from '../texts/sending/text-unless-refused.ts';

/** A member of a call group who wants its notifications by text too. */
interface AlertedMember {
  phone: string;
  language: string;
  practiceLanguage: string;
  practice: string;
  group: string;
}

type Alert = (practice: string, group: string) => string;

/** They name no patient and have no link: a telephone shows them to whoever is near it. */
const ALERTS: InEachLanguage<Alert> = {
  en: (practice, group) => `${practice}: a message waits in the inbox of ${group}.`,
  es: (practice, group) => `${practice}: un mensaje espera en la bandeja de ${group}.`,
};

/**
 * Texts those of the users who have set so for the item's call group and have a telephone number. Quiet hours do not apply to people
 * on duty; a STOP does, and a practice without a number sends none.
 */
export async function textAlerts(db: Db, caller: Caller, itemId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  const members = await db.$queryRaw<AlertedMember[]>`
    SELECT u.phone, u.language_id AS language, o.language_id AS "practiceLanguage", o.name AS practice, c.name AS "group"
      FROM inbox_item i
      JOIN organization o ON o.id = i.organization_id
      JOIN chat c ON c.organization_id = i.organization_id AND c.id = i.chat_id
      JOIN chat_member m ON m.organization_id = c.organization_id AND m.chat_id = c.id AND m.text_alerts
      JOIN "user" u ON u.organization_id = m.organization_id AND u.id = m.user_id AND u.phone IS NOT NULL
     WHERE i.organization_id = ${caller.organizationId} AND i.id = ${itemId} AND u.id = ANY (${[...userIds]}::int[])
     ORDER BY m.ring_order, u.id`;
  for (const { phone, language, practiceLanguage, practice, group } of members) {
    const { own } = recipientLanguage(language, practiceLanguage);
    await textUnlessRefused(db, caller, { to: phone, body: ALERTS[own](practice, group), urgent: true });
  }
}
